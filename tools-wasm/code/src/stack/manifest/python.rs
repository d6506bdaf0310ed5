//! Python: `pyproject.toml` in its dialects, setuptools, requirements, Pipenv, Conda.

use super::requirement::parts;
use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::{Text, all_quoted, quoted};
use crate::stack::toml::{Entry, Table};
use ::toml::de::{DeTable, DeValue};

const ECOSYSTEM: Ecosystem = Ecosystem::PyPI;

fn depends(line: &str, scope: Scope, place: (&str, u32), found: &mut Found) {
    if let Some(parts) = parts(line) {
        found.depends(ECOSYSTEM, scope, parts, place);
    }
}

pub(super) fn pyproject(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let document = match DeTable::parse(text.all) {
        Ok(document) => document,
        Err(error) => {
            let about = About { trouble: Some(error.message().to_owned()), ..About::default() };
            return found.manifest(path, ECOSYSTEM, about, before);
        }
    };
    let root = Table::new(document.get_ref(), text);
    let mut about = About::default();
    if let Some(project) = root.at(&["project"]) {
        about = of_project(path, &project, text, found);
    }
    for (line, one) in root.at(&["build-system"]).map(|build| build.list("requires")).unwrap_or_default() {
        depends(one, Scope::Build, (path, line), found);
    }
    if let Some(backend) = root.at(&["build-system"]).and_then(|build| build.get("build-backend"))
        && let Some(name) = backend.text()
    {
        let tool = backend_name(name);
        found.uses(TechnologyKind::BuildTool, (tool, None), (path, backend.line), text);
    }
    if let Some(groups) = root.at(&["dependency-groups"]) {
        for (_, group) in groups.entries() {
            for (line, one) in group.list(text) {
                depends(one, Scope::Development, (path, line), found);
            }
        }
    }
    if let Some(poetry) = root.at(&["tool", "poetry"]) {
        of_poetry(path, &poetry, text, found, &mut about);
    }
    for manager in ["uv", "pdm"] {
        let groups = root.at(&["tool", manager, "dev-dependencies"]);
        for (_, group) in groups.iter().flat_map(Table::entries) {
            for (line, one) in group.list(text) {
                depends(one, Scope::Development, (path, line), found);
            }
        }
        for (line, one) in
            root.at(&["tool", manager]).map(|table| table.list("dev-dependencies")).unwrap_or_default()
        {
            depends(one, Scope::Development, (path, line), found);
        }
    }
    if let Some(tools) = root.at(&["tool"]) {
        for (name, entry) in tools.entries() {
            if let Some((shown, kind)) = tool_table(name) {
                found.uses(kind, (shown, None), (path, entry.line), text);
            }
        }
    }
    found.manifest(path, ECOSYSTEM, about, before);
}

fn of_project(path: &str, project: &Table<'_, '_>, text: &Text<'_>, found: &mut Found) -> About {
    for (line, one) in project.list("dependencies") {
        depends(one, Scope::Runtime, (path, line), found);
    }
    if let Some(extras) = project.at(&["optional-dependencies"]) {
        for (name, extra) in extras.entries() {
            let scope = if is_development(name) { Scope::Development } else { Scope::Optional };
            for (line, one) in extra.list(text) {
                depends(one, scope, (path, line), found);
            }
        }
    }
    if let Some(python) = project.get("requires-python") {
        found.uses(TechnologyKind::Runtime, ("Python", python.text()), (path, python.line), text);
    }
    let license = project.text("license").or_else(|| project.at(&["license"])?.text("text"));
    About {
        name: project.text("name"),
        version: project.text("version"),
        description: project.text("description"),
        license,
        line: project.get("name").map_or(1, |entry| entry.line),
        trouble: None,
    }
}

fn of_poetry<'d, 't>(
    path: &str,
    poetry: &Table<'d, 't>,
    text: &'d Text<'t>,
    found: &mut Found,
    about: &mut About,
) {
    let mut groups = vec![("dependencies", poetry.at(&["dependencies"]), Scope::Runtime)];
    groups.push(("dev", poetry.at(&["dev-dependencies"]), Scope::Development));
    for (name, group) in poetry.at(&["group"]).iter().flat_map(Table::entries) {
        let table = group.table(text).and_then(|table| table.at(&["dependencies"]));
        groups.push((name, table, Scope::Development));
    }
    for (_, table, scope) in groups {
        for (name, entry) in table.iter().flat_map(Table::entries) {
            let version = requirement(&entry, text);
            let optional = entry.table(text).and_then(|table| table.get("optional"));
            let optional = optional.is_some_and(|entry| matches!(entry.value, DeValue::Boolean(true)));
            let scope = if optional { Scope::Optional } else { scope };
            if name == "python" {
                found.uses(TechnologyKind::Runtime, ("Python", Some(&version)), (path, entry.line), text);
            } else {
                found.depends(ECOSYSTEM, scope, (name, &version), (path, entry.line));
            }
        }
    }
    let own = |had: &mut Option<String>, key: &str| {
        if had.is_none() {
            *had = poetry.text(key);
        }
    };
    if about.line == 0 {
        about.line = poetry.get("name").map_or(1, |entry| entry.line);
    }
    own(&mut about.name, "name");
    own(&mut about.version, "version");
    own(&mut about.description, "description");
    own(&mut about.license, "license");
}

/// `"^1"` or `{ version = "^1", extras = […] }`.
fn requirement<'d, 't>(entry: &Entry<'d, 't>, text: &'d Text<'t>) -> String {
    let table = || {
        let table = entry.table(text)?;
        table
            .text("version")
            .or_else(|| table.text("git").map(|url| format!("git {url}")))
            .or_else(|| table.text("path").map(|path| format!("path {path}")))
    };
    entry.text().map(str::to_owned).or_else(table).unwrap_or_default()
}

fn is_development(name: &str) -> bool {
    ["dev", "test", "tests", "testing", "lint", "doc", "docs", "typing", "develop"].contains(&name)
}

fn backend_name(backend: &str) -> &str {
    match backend.split(['.', ':']).next().unwrap_or(backend) {
        "setuptools" => "setuptools",
        "hatchling" => "Hatch",
        "flit_core" | "flit" => "Flit",
        "poetry" => "Poetry",
        "pdm" => "PDM",
        "maturin" => "maturin",
        "scikit_build_core" => "scikit-build-core",
        "mesonpy" => "meson-python",
        "uv_build" => "uv",
        other => other,
    }
}

fn tool_table(name: &str) -> Option<(&'static str, TechnologyKind)> {
    Some(match name {
        "ruff" => ("Ruff", TechnologyKind::Linter),
        "black" => ("Black", TechnologyKind::Linter),
        "isort" => ("isort", TechnologyKind::Linter),
        "mypy" => ("mypy", TechnologyKind::Linter),
        "pyright" | "basedpyright" => ("Pyright", TechnologyKind::Linter),
        "pylint" => ("Pylint", TechnologyKind::Linter),
        "bandit" => ("Bandit", TechnologyKind::Linter),
        "pytest" => ("pytest", TechnologyKind::TestTool),
        "coverage" => ("coverage.py", TechnologyKind::TestTool),
        "tox" => ("tox", TechnologyKind::TestTool),
        "cibuildwheel" => ("cibuildwheel", TechnologyKind::BuildTool),
        "poetry" => ("Poetry", TechnologyKind::PackageManager),
        "uv" => ("uv", TechnologyKind::PackageManager),
        "pdm" => ("PDM", TechnologyKind::PackageManager),
        "hatch" => ("Hatch", TechnologyKind::BuildTool),
        _ => return None,
    })
}

/// Literals of `setup(…)`: what is computed isn't known.
pub(super) fn setup_py(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let mut about = About::default();
    let mut list: Option<Scope> = None;
    for (number, line) in text.lines() {
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        if let Some((key, value)) = line
            .split_once('=')
            .filter(|(key, _)| key.trim().chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            let value = value.trim();
            let key = key.trim();
            let literal = || quoted(value).filter(|_| value.starts_with(['"', '\''])).map(str::to_owned);
            match key {
                "name" if about.name.is_none() => {
                    about.name = literal();
                    about.line = number;
                }
                "version" if about.version.is_none() => about.version = literal(),
                "description" if about.description.is_none() => about.description = literal(),
                "license" if about.license.is_none() => about.license = literal(),
                "python_requires" => {
                    let version = literal();
                    found.uses(TechnologyKind::Runtime, ("Python", version.as_deref()), (path, number), text);
                }
                "install_requires" | "requires" | "REQUIRES" => list = Some(Scope::Runtime),
                "setup_requires" => list = Some(Scope::Build),
                "tests_require" => list = Some(Scope::Development),
                "extras_require" => list = Some(Scope::Optional),
                _ if !value.starts_with(['[', '(', '{', '"', '\'']) => {}
                _ => list = None,
            }
        }
        if let Some(scope) = list {
            for (one, rest) in all_quoted(line) {
                // The name of an extra.
                if !rest.trim_start().starts_with(':') {
                    depends(one, scope, (path, number), found);
                }
            }
            let closes = if scope == Scope::Optional { ['}', '}'] } else { [']', ')'] };
            if line.contains(closes) {
                list = None;
            }
        }
    }
    if before < found.dependencies.len() || about.name.is_some() || text.all.contains("setup(") {
        found.uses(TechnologyKind::BuildTool, ("setuptools", None), (path, about.line.max(1)), text);
        found.manifest(path, ECOSYSTEM, about, before);
    }
}

pub(super) fn setup_cfg(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let (mut section, mut about, mut list) = ("", About::default(), None);
    for (number, line) in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            (section, list) = (trimmed, None);
        } else if line.starts_with([' ', '\t']) {
            if let Some(scope) = list {
                depends(trimmed, scope, (path, number), found);
            }
        } else if let Some((key, value)) = trimmed.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            list = match (section, key) {
                ("[options]", "install_requires") => Some(Scope::Runtime),
                ("[options]", "setup_requires") => Some(Scope::Build),
                ("[options]", "tests_require") => Some(Scope::Development),
                ("[options.extras_require]", name) if is_development(name) => Some(Scope::Development),
                ("[options.extras_require]", _) => Some(Scope::Optional),
                _ => None,
            };
            if let Some(scope) = list {
                depends(value, scope, (path, number), found);
            }
            let own =
                || Some(value.to_owned()).filter(|value| !value.is_empty() && !value.starts_with("attr:"));
            match (section, key) {
                ("[metadata]", "name") => (about.name, about.line) = (own(), number),
                ("[metadata]", "version") => about.version = own(),
                ("[metadata]", "description") => about.description = own(),
                ("[metadata]", "license") => about.license = own(),
                ("[options]", "python_requires") => {
                    found.uses(TechnologyKind::Runtime, ("Python", Some(value)), (path, number), text);
                }
                _ => {}
            }
        }
    }
    if before < found.dependencies.len() || about.name.is_some() {
        found.manifest(path, ECOSYSTEM, about, before);
    }
}

pub(super) fn requirements(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let name = path.rsplit('/').next().unwrap_or(path);
    let development = ["dev", "test", "doc", "lint", "ci"].iter().any(|word| name.contains(word));
    let scope = if development { Scope::Development } else { Scope::Runtime };
    for (number, line) in text.lines().filter(|(_, line)| !line.starts_with([' ', '\t'])) {
        depends(line, scope, (path, number), found);
    }
    if before < found.dependencies.len() {
        found.manifest(path, ECOSYSTEM, About { line: 1, ..About::default() }, before);
    }
}

pub(super) fn pipfile(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let document = match DeTable::parse(text.all) {
        Ok(document) => document,
        Err(error) => {
            let about = About { trouble: Some(error.message().to_owned()), ..About::default() };
            return found.manifest(path, ECOSYSTEM, about, before);
        }
    };
    let root = Table::new(document.get_ref(), text);
    for (section, scope) in [("packages", Scope::Runtime), ("dev-packages", Scope::Development)] {
        for (name, entry) in root.at(&[section]).iter().flat_map(Table::entries) {
            let version = requirement(&entry, text);
            let version = if version == "*" { "" } else { &version };
            found.depends(ECOSYSTEM, scope, (name, version), (path, entry.line));
        }
    }
    if let Some(python) = root.at(&["requires"]).and_then(|table| table.get("python_version")) {
        found.uses(TechnologyKind::Runtime, ("Python", python.text()), (path, python.line), text);
    }
    found.uses(TechnologyKind::PackageManager, ("Pipenv", None), (path, 1), text);
    found.manifest(path, ECOSYSTEM, About { line: 1, ..About::default() }, before);
}

/// Conda's environments: `- numpy=1.2` below `dependencies:`.
pub(super) fn conda(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let mut inside = false;
    for (number, line) in text.lines() {
        let trimmed = line.trim();
        if !line.starts_with([' ', '\t', '-']) && trimmed.contains(':') {
            inside = trimmed.starts_with("dependencies:");
        } else if let Some(one) = trimmed.strip_prefix("- ").filter(|one| inside && !one.ends_with(':')) {
            let one = one.trim().trim_matches(['"', '\'']);
            let one = one.rsplit_once("::").map_or(one, |(_, name)| name);
            match one
                .strip_prefix("python")
                .filter(|rest| rest.is_empty() || rest.starts_with([' ', '=', '>', '<']))
            {
                Some(rest) => {
                    let version = rest.trim().trim_start_matches('=');
                    found.uses(TechnologyKind::Runtime, ("Python", Some(version)), (path, number), text);
                }
                None => depends(one, Scope::Runtime, (path, number), found),
            }
        }
    }
    if before < found.dependencies.len() {
        found.uses(TechnologyKind::PackageManager, ("Conda", None), (path, 1), text);
        found.manifest(path, ECOSYSTEM, About { line: 1, ..About::default() }, before);
    }
}
