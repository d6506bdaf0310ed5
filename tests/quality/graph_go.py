"""Edges among a Go module's own packages: `map_code` against `go list`, or the import clauses themselves."""

import json
import os
import pathlib
import re
import subprocess

from pairing import sides, skipped

PACKAGES = ["gin", "cobra"]


def compare(folder, our_map, go):
    """One row for each package. `go` is the path of the go command, or none."""
    rows = []
    for name in PACKAGES:
        source = (folder / name).resolve()
        if not source.is_dir():
            rows.append(skipped(name, "go list", "not fetched"))
            continue
        module = re.search(r"^module\s+(\S+)", (source / "go.mod").read_text(), re.M).group(1)
        theirs = listed(go, source, module) if go else None
        tool = version(go) if theirs is not None else "import clauses, by a regular expression"
        theirs = clauses(source, module) if theirs is None else theirs
        ours = {
            (package["path"], edge["to"])
            for package in our_map(source)["packages"]
            for edge in package["imports"]
        }
        rows.append(sides(name, tool, theirs, ours))
    return rows


def version(go):
    return subprocess.run([go, "version"], capture_output=True, text=True, check=True).stdout.split()[2]


def below(import_path, module):
    """The folder of a package of the module; none of another's."""
    if import_path == module:
        return "."
    return import_path.removeprefix(module + "/") if import_path.startswith(module + "/") else None


def listed(go, source, module):
    """What `go list` says, for all build tags' files as well as tests; none if it can't."""
    settings = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GO111MODULE": "on"}
    done = subprocess.run(
        [go, "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", "./..."],
        cwd=source, env=os.environ | settings, capture_output=True, text=True,
    )
    decoder, text, at, edges = json.JSONDecoder(), done.stdout, 0, set()
    while text[at:].strip():
        one, length = decoder.raw_decode(text[at:].lstrip())
        at = len(text) - len(text[at:].lstrip()) + length
        here = os.path.relpath(one["Dir"], source)
        for kind in ("Imports", "TestImports", "XTestImports"):
            for imported in one.get(kind) or []:
                to = below(imported, module)
                if to and to != here:
                    edges.add((here, to))
    return edges or None


def clauses(source, module):
    """What the files' import clauses say."""
    edges = set()
    for path in pathlib.Path(source).rglob("*.go"):
        here = os.path.relpath(path.parent, source)
        for imported in re.findall(r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"]+)"\s*$', path.read_text(), re.M):
            to = below(imported, module)
            if to and to != here:
                edges.add((here, to))
    return edges
