//! Python: `pyproject.toml`, `setup.cfg`, `setup.py`, requirement files, `Pipfile`.

use super::table::{Document, Node};
use super::{Entry, Manifest, Scope, Spot, Text, numbered};
use regex::Regex;
use std::sync::LazyLock;

const ECOSYSTEM: &str = "Python";

pub(super) fn pyproject(text: &Text, manifest: &mut Manifest) {
    let document = Document::parse(text);
    manifest.ecosystem = ECOSYSTEM;
    manifest.broken = document.broken;
    let project =
        |key: &str| document.spot(&["project", key]).or_else(|| document.spot(&["tool", "poetry", key]));
    manifest.name = project("name");
    manifest.version = project("version");
    manifest.description = project("description");
    manifest.license = project("license").or_else(|| document.spot(&["project", "license", "text"]));
    if let Some(python) = document.spot(&["project", "requires-python"]) {
        manifest.runtime.push(Spot { text: format!("Python {}", python.text), lines: python.lines });
    }
    if let Some(backend) = document.spot(&["build-system", "build-backend"]) {
        manifest.build.push(backend);
    }
    for node in list(&document, &["build-system", "requires"]) {
        requirement(manifest, node, Scope::Build);
    }
    for node in list(&document, &["project", "dependencies"]) {
        requirement(manifest, node, Scope::Runtime);
    }
    for (extra, _, nodes) in table(&document, &["project", "optional-dependencies"]) {
        let scope = if is_development(extra) { Scope::Development } else { Scope::Optional };
        nodes.items().for_each(|node| requirement(manifest, node, scope));
    }
    for (_, _, nodes) in table(&document, &["dependency-groups"]) {
        nodes.items().for_each(|node| requirement(manifest, node, Scope::Development));
    }
    poetry(&document, manifest);
    for path in [["project", "scripts"], ["project", "gui-scripts"]] {
        for (name, line, target) in table(&document, &path) {
            let target = target.as_str().unwrap_or_default();
            manifest.entries.push(Entry {
                what: format!("command `{name}`"),
                target: target.to_owned(),
                line,
            });
        }
    }
}

fn poetry(document: &Document<'_>, manifest: &mut Manifest) {
    let groups = [
        (vec!["tool", "poetry", "dependencies"], Scope::Runtime),
        (vec!["tool", "poetry", "dev-dependencies"], Scope::Development),
        (vec!["tool", "poetry", "group", "dev", "dependencies"], Scope::Development),
        (vec!["tool", "poetry", "group", "test", "dependencies"], Scope::Development),
    ];
    for (path, scope) in groups {
        for (name, line, value) in table(document, &path) {
            let version =
                value.as_str().or_else(|| value.get("version").and_then(Node::as_str)).unwrap_or_default();
            if name == "python" {
                manifest.runtime.push(Spot::new(format!("Python {version}"), line));
            } else {
                manifest.depend(name, version, scope, line);
            }
        }
    }
    for (name, line, target) in table(document, &["tool", "poetry", "scripts"]) {
        let target = target.as_str().unwrap_or_default();
        manifest.entries.push(Entry { what: format!("command `{name}`"), target: target.to_owned(), line });
    }
}

fn list<'d>(document: &'d Document<'_>, path: &[&str]) -> Vec<Node<'d>> {
    document.get(path).map(|node| node.items().collect()).unwrap_or_default()
}

fn table<'d>(document: &'d Document<'_>, path: &[&str]) -> Vec<(&'d str, u32, Node<'d>)> {
    document.get(path).map(Node::entries).unwrap_or_default()
}

fn is_development(extra: &str) -> bool {
    matches!(
        extra.to_lowercase().as_str(),
        "dev" | "develop" | "development" | "test" | "tests" | "testing" | "lint" | "docs" | "doc" | "typing"
    )
}

fn requirement(manifest: &mut Manifest, node: Node<'_>, scope: Scope) {
    if let Some((name, version)) = node.as_str().and_then(split) {
        manifest.depend(name, version, scope, node.line());
    }
}

/// `flask[async]>=3,<4; python_version > "3.8"` as name and version.
fn split(text: &str) -> Option<(&str, &str)> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?:\(?([=<>!~][^;#)]*)\)?|@\s*[^;#]*)?\s*(?:[;#].*)?$")
            .expect("a valid pattern")
    });
    let found = SHAPE.captures(text)?;
    Some((found.get(1)?.as_str(), found.get(2).map_or("", |version| version.as_str().trim())))
}

pub(super) fn requirements(text: &Text, manifest: &mut Manifest) {
    manifest.ecosystem = ECOSYSTEM;
    let name = text.path.rsplit('/').next().unwrap_or_default();
    let development =
        ["dev", "test", "lint", "doc", "typing", "build", "ci"].iter().any(|word| name.contains(word));
    let scope = if development { Scope::Development } else { Scope::Runtime };
    for (number, line) in numbered(text) {
        let line = line.split(" --hash").next().unwrap_or(line).trim_end_matches(['\\', ' ']);
        if !line.trim_start().starts_with(['#', '-'])
            && !line.starts_with(' ')
            && let Some((name, version)) = split(line)
        {
            manifest.depend(name, version, scope, number);
        }
    }
}

pub(super) fn setup_cfg(text: &Text, manifest: &mut Manifest) {
    manifest.ecosystem = ECOSYSTEM;
    let (mut section, mut key) = (String::new(), String::new());
    for (number, line) in numbered(text) {
        let bare = line.trim();
        if bare.starts_with('[') {
            section = bare.trim_matches(['[', ']']).to_owned();
            key.clear();
            continue;
        }
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        let mut value = bare;
        if !line.starts_with([' ', '\t']) {
            let Some((name, rest)) = bare.split_once('=') else { continue };
            key = name.trim().to_lowercase();
            value = rest.trim();
        }
        let spot = || Some(Spot::new(value, number));
        match (section.as_str(), key.as_str()) {
            _ if value.is_empty() => {}
            ("metadata", "name") => manifest.name = spot(),
            ("metadata", "version") => manifest.version = spot(),
            ("metadata", "description") => manifest.description = spot(),
            ("metadata", "license") => manifest.license = spot(),
            ("options", "python_requires") => {
                manifest.runtime.push(Spot::new(format!("Python {value}"), number))
            }
            ("options", "install_requires") => depend_on(manifest, value, Scope::Runtime, number),
            ("options.extras_require", extra) => {
                let scope = if is_development(extra) { Scope::Development } else { Scope::Optional };
                depend_on(manifest, value, scope, number);
            }
            ("options.entry_points", "console_scripts") => {
                if let Some((name, target)) = value.split_once('=') {
                    let what = format!("command `{}`", name.trim());
                    manifest.entries.push(Entry { what, target: target.trim().to_owned(), line: number });
                }
            }
            _ => {}
        }
    }
    if manifest.name.is_some() {
        manifest.build.push(Spot::new("setuptools", 1));
    }
}

fn depend_on(manifest: &mut Manifest, value: &str, scope: Scope, line: u32) {
    if let Some((name, version)) = split(value) {
        manifest.depend(name, version, scope, line);
    }
}

/// A program, not data: only what is written out in it is read.
pub(super) fn setup_py(text: &Text, manifest: &mut Manifest) {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\b(name|version|description|license|python_requires)\s*=\s*["']([^"']+)["']"#)
            .expect("a valid pattern")
    });
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"["']([^"']+)["']"#).expect("a valid pattern"));
    manifest.ecosystem = ECOSYSTEM;
    let mut inside: Option<Scope> = None;
    for (number, line) in numbered(text) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        if line.contains("setup(") {
            manifest.build.push(Spot::new("setuptools", number));
        }
        for found in FIELD.captures_iter(line) {
            let spot = Some(Spot::new(&found[2], number));
            match &found[1] {
                "name" if manifest.name.is_none() => manifest.name = spot,
                "version" => manifest.version = spot,
                "description" => manifest.description = spot,
                "license" => manifest.license = spot,
                "python_requires" => {
                    manifest.runtime.push(Spot::new(format!("Python {}", &found[2]), number))
                }
                _ => {}
            }
        }
        if line.contains("install_requires") {
            inside = Some(Scope::Runtime);
        } else if line.contains("extras_require") || line.contains("tests_require") {
            inside = Some(Scope::Optional);
        }
        if let Some(scope) = inside {
            for found in QUOTED.captures_iter(line) {
                depend_on(manifest, &found[1], scope, number);
            }
            if line.contains(']') {
                inside = None;
            }
        }
    }
}

pub(super) fn pipfile(text: &Text, manifest: &mut Manifest) {
    let document = Document::parse(text);
    manifest.ecosystem = ECOSYSTEM;
    manifest.broken = document.broken;
    for (section, scope) in [("packages", Scope::Runtime), ("dev-packages", Scope::Development)] {
        for (name, line, value) in table(&document, &[section]) {
            let version =
                value.as_str().or_else(|| value.get("version").and_then(Node::as_str)).unwrap_or_default();
            manifest.depend(name, version.trim_start_matches('*'), scope, line);
        }
    }
}
