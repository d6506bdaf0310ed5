"""Places that `find_problems` and bandit find in Python code."""

import json
import subprocess

from overlap import overlap

# Package, and the folder with its product code.
PACKAGES = [("flask", "src/flask"), ("requests", "src/requests"), ("django", "django")]


def compare(folder, our_problems):
    """The overlap of all packages; none if bandit isn't there."""
    try:
        said = subprocess.run(["bandit", "--version"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return "bandit", None
    theirs, ours = [], []
    for name, below in PACKAGES:
        source = (folder / name / below).resolve()
        if not source.is_dir():
            continue
        done = subprocess.run(
            ["bandit", "-q", "-r", "-f", "json", "."], cwd=source, capture_output=True, text=True
        )
        for one in json.loads(done.stdout)["results"]:
            first, last = one["line_range"][0], one["line_range"][-1]
            rule = f"{one['test_id']} {one['test_name']} (CWE-{one['issue_cwe'].get('id', '?')})"
            path = one["filename"].removeprefix("./")
            theirs.append((name, path, first, last, rule, f"CWE-{one['issue_cwe'].get('id')}"))
        ours += [
            (name, one["path"], one["first_line"], one["last_line"], one["rule"], one["cwe"])
            for one in our_problems(source)
            if one["language"] == "Python" and one["concern"] == "security"
        ]
    return said.split("\n")[0], overlap(theirs, ours)
