"""Places that `find_problems` and eslint-plugin-security find in JavaScript code."""

import json
import os
import subprocess

from overlap import overlap

# Package, and the folder with its product code.
PACKAGES = [("express", "."), ("axios", "lib")]

CONFIG = """const security = require("eslint-plugin-security");
module.exports = [{ files: ["**/*.js"], ...security.configs.recommended }];
"""


def compare(folder, our_problems, modules):
    """The overlap of all packages; none if the plugin isn't there."""
    if modules is None:
        return "eslint-plugin-security", None
    version = json.loads((modules / "eslint-plugin-security/package.json").read_text())["version"]
    config = modules.parent / "eslint.config.cjs"
    config.write_text(CONFIG)
    theirs, ours = [], []
    for name, below in PACKAGES:
        source = (folder / name / below).resolve()
        if not source.is_dir():
            continue
        done = subprocess.run(
            [modules / ".bin/eslint", "--no-config-lookup", "-c", config, "--no-inline-config", "-f", "json", "."],
            cwd=source, capture_output=True, text=True,
        )
        for file in json.loads(done.stdout):
            path = os.path.relpath(file["filePath"], source)
            theirs += [
                (name, path, one["line"], one.get("endLine", one["line"]), one["ruleId"], None)
                for one in file["messages"]
                if (one["ruleId"] or "").startswith("security/")
            ]
        ours += [
            (name, one["path"], one["first_line"], one["last_line"], one["rule"], None)
            for one in our_problems(source)
            if one["language"] == "JavaScript" and one["concern"] == "security"
        ]
    return f"eslint-plugin-security {version}", overlap(theirs, ours)
