"""Edges among a JavaScript or TypeScript package's own files: `map_code` against madge."""

import json
import os
import subprocess

from pairing import sides, skipped

# Package, the folder that is compared below the fetched one, and the endings that madge is asked for.
PACKAGES = [("express", ".", "js"), ("axios", "lib", "js"), ("rxjs", "src", "ts")]


def compare(folder, our_map, modules):
    """One row for each package. `modules` is a `node_modules` with madge in it, or none."""
    rows = []
    for name, below, endings in PACKAGES:
        source = (folder / name / below).resolve()
        if modules is None:
            rows.append(skipped(name, "madge", "npm can't get madge here"))
        elif not source.is_dir():
            rows.append(skipped(name, "madge", "not fetched"))
        else:
            rows.append(one(name, source, endings, our_map(source), modules))
    return rows


def one(name, source, endings, our_map, modules):
    version = json.loads((modules / "madge/package.json").read_text())["version"]
    command = [modules / ".bin/madge", "--json", "--no-spinner", "--extensions", endings]
    if endings == "ts":
        config = modules.parent / "tsconfig.json"
        config.write_text('{"compilerOptions": {"moduleResolution": "node", "module": "esnext"}}')
        command += ["--ts-config", config]
    done = subprocess.run([*command, source], capture_output=True, text=True, cwd=source)
    if not done.stdout.strip():
        return skipped(name, f"madge {version}", done.stderr.strip()[:200])
    graph = json.loads(done.stdout)
    theirs = {
        (clean(importer), clean(imported))
        for importer, all_imported in graph.items()
        for imported in all_imported
        if not clean(imported).startswith("..")
    }
    known = {clean(path) for path in graph}
    apart = our_map["set_apart"]
    full = {module["path"] for module in our_map["modules"] if len(module["imports"]) >= 100}
    mapped = {module["path"] for module in our_map["modules"]}
    ours = {
        (module["path"], imported)
        for module in our_map["modules"]
        for imported in module["imports"]
        if module["path"] in known
    }

    def reason(side, edge):
        importer, imported = edge
        if side == "theirs":
            if importer not in mapped or imported not in mapped:
                return f"set apart: vendored or generated to us ({apart} files)"
            if importer in full:
                return "set apart: a file's list holds at most 100 imports"
            return "madge only"
        text = (source / importer).read_text(errors="replace")
        stem = os.path.splitext(os.path.basename(imported))[0]
        if "import type" in text and stem in text:
            return "set apart: `import type`, which madge leaves out"
        return "ours only"

    return sides(name, f"madge {version}", theirs, ours, reason)


def clean(path):
    return os.path.normpath(path)
