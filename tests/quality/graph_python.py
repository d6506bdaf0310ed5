"""Edges among a Python package's own modules: `map_code` against grimp."""

import pathlib
import re
import shutil
import sys
import tempfile

from pairing import sides, skipped

# Package, the folder that holds it below the fetched one, and its import name.
PACKAGES = [("flask", "src", "flask"), ("requests", "src", "requests"), ("django", ".", "django")]


def compare(folder, our_map):
    """One row for each package."""
    try:
        import grimp
    except ImportError:
        return [skipped(name, "grimp", "grimp isn't installed (`pip install grimp`)") for name, _, _ in PACKAGES]
    version = f"grimp {grimp.__version__}"
    rows = []
    for name, below, package in PACKAGES:
        source = (folder / name / below).resolve()
        if not source.is_dir():
            rows.append(skipped(name, version, "not fetched"))
            continue
        with tempfile.TemporaryDirectory() as scratch:
            # The package alone, as grimp sees it.
            alone = pathlib.Path(scratch).resolve()
            shutil.copytree(source / package, alone / package)
            rows.append(one(name, version, grimp, alone, package, our_map(alone)))
    return rows


def one(name, version, grimp, source, package, our_map):
    with tempfile.TemporaryDirectory() as cache:
        sys.path.insert(0, str(source))
        try:
            graph = grimp.build_graph(package, cache_dir=cache)
        finally:
            sys.path.remove(str(source))
    modules = {module: path_of(source, module) for module in graph.modules}
    theirs, lines = set(), {}
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            edge = modules[importer], modules[imported]
            theirs.add(edge)
            details = graph.get_import_details(importer=importer, imported=imported)
            lines[edge] = " ".join(detail["line_contents"] for detail in details)
    known = set(modules.values())
    ours = {
        (module["path"], imported)
        for module in our_map["modules"]
        for imported in module["imports"]
        if module["path"] in known and imported in known
    }
    full = {module["path"] for module in our_map["modules"] if len(module["imports"]) >= 100}

    def reason(side, edge):
        importer, imported = edge
        if side == "theirs":
            if importer in full:
                return "set apart: a file's list holds at most 100 imports"
            if importer == imported:
                return "set apart: a module that imports itself"
            return "grimp only"
        dotted = imported.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        text = (source / importer).read_text(errors="replace")
        if imported.endswith("__init__.py") and any(
            (importer, other) in theirs and other.startswith(imported.removesuffix("__init__.py")) for other in known
        ):
            return "set apart: the package around a module that is imported runs as well; grimp lists the module only"
        if re.search(rf"(import_module|__import__)\(.*{re.escape(dotted.rsplit('.', 1)[-1])}", text):
            return "set apart: imported by name while running"
        return "ours only"

    return sides(name, version, theirs, ours, reason)


def path_of(source, module):
    """The file of a module, from the folder that holds its package."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (source / path).is_dir() else f"{path}.py"
