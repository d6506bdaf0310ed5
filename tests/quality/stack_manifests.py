"""What manifests say, read by independent means, and languages by cloc: against `detect_stack`."""

import json
import re
import subprocess
import tomllib
from email.parser import HeaderParser

from pairing import sides, skipped

# Package, its manifest, and the manifest of ours that says the same.
MANIFESTS = [
    ("flask", "PKG-INFO", "pyproject.toml"),
    ("requests", "PKG-INFO", "pyproject.toml"),
    ("django", "PKG-INFO", "pyproject.toml"),
    ("pythonnet", "PKG-INFO", "pyproject.toml"),
    ("express", "package.json", "package.json"),
    ("axios", "package.json", "package.json"),
    ("rxjs", "package.json", "package.json"),
    ("ripgrep", "Cargo.toml", "Cargo.toml"),
    ("tokio", "Cargo.toml", "Cargo.toml"),
    ("zstd-sys", "Cargo.toml", "Cargo.toml"),
    ("gin", "go.mod", "go.mod"),
    ("cobra", "go.mod", "go.mod"),
]


def compare(folder, our_stack, go):
    """One row for each manifest: the package's name and version and its dependencies, as one set."""
    rows = []
    for package, name, our_name in MANIFESTS:
        source = folder / package
        if not (source / name).is_file():
            rows.append(skipped(package, name, "not fetched"))
            continue
        tool, theirs = READERS[name](source / name, go)
        stack = our_stack(source)
        manifest = next((one for one in stack["manifests"] if one["path"] == our_name), None)
        ours = {
            ("dependency", spelled(one["name"]))
            for one in stack["dependencies"]
            if one["path"] == our_name and (name != "PKG-INFO" or one["scope"] in ("runtime", "optional"))
        }
        if manifest:
            ours |= {(key, spelled(manifest[key])) for key in ("name", "version") if manifest[key]}

        def reason(side, one, text=(source / our_name).read_text(), name=name):
            kind, value = one
            if side == "theirs" and name == "PKG-INFO":
                key = "dependencies" if kind == "dependency" else kind
                if re.search(rf'^dynamic\s*=\s*\[[^]]*"{key}"', text, re.M):
                    return f"set apart: `{key}` is `dynamic` in the manifest: a program works it out when the package is built"
            if side == "theirs" and re.search(rf"^\s*(require\s+)?{re.escape(value)}\s.*// indirect", text, re.M):
                return "set apart: marked `// indirect`: what dependencies bring, not what the package asks for"
            return f"{kind} {'overlooked' if side == 'theirs' else 'only found by us'}"

        rows.append(sides(package, tool, theirs, ours, reason))
    return rows


def spelled(name):
    """A name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower() if "/" not in name else name


def facts(name, version, dependencies):
    """What a manifest says as one set."""
    found = {("dependency", spelled(one)) for one in dependencies}
    return found | {(key, spelled(value)) for key, value in (("name", name), ("version", version)) if value}


def pkg_info(path, _):
    head = HeaderParser().parsestr(path.read_text(errors="replace"))
    wanted = [re.match(r"[\w.-]+", one).group(0) for one in head.get_all("Requires-Dist") or []]
    return "PKG-INFO", facts(head["Name"], head["Version"], wanted)


def package_json(path, _):
    head = json.loads(path.read_text())
    keys = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    return "package.json by Python's json", facts(
        head.get("name"), head.get("version"), [one for key in keys for one in head.get(key, {})]
    )


def cargo_toml(path, _):
    head = tomllib.loads(path.read_text())
    wanted = []
    for table in [head, *head.get("target", {}).values()]:
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            wanted += [value.get("package", name) if isinstance(value, dict) else name
                       for name, value in table.get(key, {}).items()]
    return "Cargo.toml by Python's tomllib", facts(head["package"]["name"], head["package"]["version"], wanted)


def go_mod(path, go):
    if go:
        done = subprocess.run([go, "mod", "edit", "-json", path], capture_output=True, text=True, check=True)
        head = json.loads(done.stdout)
        return "go mod edit -json", facts(head["Module"]["Path"], None, [one["Path"] for one in head["Require"]])
    text = path.read_text()
    module = re.search(r"^module\s+(\S+)", text, re.M).group(1)
    return "go.mod by a regular expression", facts(
        module, None, re.findall(r"^(?:require)?\s+([\w.-]+\.[\w./-]+)\s+v\S+", text, re.M)
    )


READERS = {"PKG-INFO": pkg_info, "package.json": package_json, "Cargo.toml": cargo_toml, "go.mod": go_mod}

# cloc's names where ours are others.
SAME_LANGUAGE = {"C/C++ Header": "C", "Bourne Shell": "Shell", "Bourne Again Shell": "Shell", "zsh": "Shell"}


def languages(folder, our_stack, packages):
    """For each package its largest language of ours and of cloc's, or why not."""
    try:
        version = subprocess.run(["cloc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    except FileNotFoundError:
        return None, []
    rows = []
    for package in packages:
        source = folder / package
        if not source.is_dir():
            continue
        done = subprocess.run(["cloc", "--json", "--quiet", source], capture_output=True, text=True)
        counted = json.loads(done.stdout or "{}")
        ours = our_stack(source)["languages"]
        lines = {
            SAME_LANGUAGE.get(name, name): one["code"] for name, one in counted.items() if name not in ("header", "SUM")
        }
        known = {one["name"] for one in ours}
        theirs = max((one for one in lines if one in known), key=lines.get, default=None)
        rows.append({
            "package": package, "theirs": theirs, "ours": ours[0]["name"] if ours else None,
            "permille": ours[0]["permille"] if ours else 0,
        })
    return f"cloc {version}", rows
