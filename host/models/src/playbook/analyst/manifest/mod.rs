//! Manifests and build files: what they declare, each with the line that says it.
//!
//! Owns which files count as manifests and how they are parsed. A file that can't be parsed as a
//! whole (cut, or not valid) gives what can be read from it.

mod go;
mod json;
mod jvm;
mod node;
mod other;
mod python;
mod rust;
mod table;

use super::results::{Observation, Text, texts};
use std::collections::BTreeMap;

/// The requirement of a dependency whose version stands in the workspace's own manifest.
pub(in crate::playbook) const FROM_WORKSPACE: &str = "from the workspace";

/// What one manifest declares.
#[derive(Debug, Default)]
pub(in crate::playbook) struct Manifest {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) path: String,
    /// The world it belongs to: `Python`, `Node.js`, `Rust`, `Go`, `JVM` …
    pub(in crate::playbook) ecosystem: &'static str,
    pub(in crate::playbook) name: Option<Spot>,
    pub(in crate::playbook) version: Option<Spot>,
    pub(in crate::playbook) description: Option<Spot>,
    pub(in crate::playbook) license: Option<Spot>,
    /// What it needs to run: `Python >=3.10`.
    pub(in crate::playbook) runtime: Vec<Spot>,
    /// What builds it.
    pub(in crate::playbook) build: Vec<Spot>,
    pub(in crate::playbook) dependencies: Vec<Dependency>,
    /// Where the program or library begins.
    pub(in crate::playbook) entries: Vec<Entry>,
    /// Packages that it holds together.
    pub(in crate::playbook) members: Vec<Spot>,
    /// Whether the text that was read ends before the file does.
    pub(in crate::playbook) cut: bool,
    /// The text is not what its format wants.
    pub(in crate::playbook) broken: bool,
}

/// A word or two and the lines that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::playbook) struct Spot {
    pub(in crate::playbook) text: String,
    pub(in crate::playbook) lines: (u32, u32),
}

/// Something that the project uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::playbook) struct Dependency {
    pub(in crate::playbook) name: String,
    /// The version that is asked for, as written; may be empty.
    pub(in crate::playbook) requirement: String,
    pub(in crate::playbook) scope: Scope,
    pub(in crate::playbook) line: u32,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::playbook) enum Scope {
    Runtime,
    Optional,
    Build,
    Development,
    Indirect,
}

/// Where a program or library begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::playbook) struct Entry {
    /// `command flask`, `main module`.
    pub(in crate::playbook) what: String,
    /// A path, or a module's dotted name, relative to the manifest.
    pub(in crate::playbook) target: String,
    pub(in crate::playbook) line: u32,
}

impl Scope {
    /// How reports call it.
    pub(in crate::playbook) fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Optional => "optional",
            Self::Build => "build",
            Self::Development => "development",
            Self::Indirect => "indirect",
        }
    }
}

impl Manifest {
    /// The folder that it stands in; empty for the project's.
    pub(in crate::playbook) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    fn depend(&mut self, name: &str, requirement: &str, scope: Scope, line: u32) {
        let known = |had: &Dependency| had.name == name && had.scope == scope;
        if !name.is_empty() && !self.dependencies.iter().any(known) {
            self.dependencies.push(Dependency {
                name: name.to_owned(),
                requirement: requirement.trim().to_owned(),
                scope,
                line,
            });
        }
    }
}

impl Spot {
    fn new(text: impl Into<String>, line: u32) -> Self {
        Self { text: text.into(), lines: (line, line) }
    }
}

type Parser = fn(&Text, &mut Manifest);

/// The parser of a manifest, by its file name, and how early it is worth reading (lower first).
fn parser(path: &str) -> Option<(u32, Parser)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "pyproject.toml" => (0, python::pyproject),
        "package.json" => (0, node::package),
        "Cargo.toml" => (0, rust::cargo),
        "go.mod" => (0, go::module),
        "pom.xml" => (0, jvm::maven),
        "build.gradle" | "build.gradle.kts" => (1, jvm::gradle),
        "settings.gradle" | "settings.gradle.kts" => (4, jvm::gradle_settings),
        "setup.cfg" => (1, python::setup_cfg),
        "setup.py" => (1, python::setup_py),
        "Pipfile" => (1, python::pipfile),
        "Gemfile" => (0, other::gemfile),
        "composer.json" => (0, other::composer),
        "CMakeLists.txt" => (1, other::cmake),
        "Dockerfile" | "Containerfile" => (3, other::dockerfile),
        "docker-compose.yml" | "docker-compose.yaml" | "compose.yaml" | "compose.yml" => (4, other::compose),
        "Makefile" | "GNUmakefile" | "makefile" => (5, other::makefile),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => (2, python::requirements),
        _ if name.ends_with(".txt") && path.contains("requirements/") => (3, python::requirements),
        _ if name.ends_with(".csproj") => (0, other::csproj),
        _ if name.ends_with(".gemspec") => (1, other::gemspec),
        _ if path.starts_with(".github/workflows/")
            && (name.ends_with(".yml") || name.ends_with(".yaml")) =>
        {
            (6, other::workflow)
        }
        ".gitlab-ci.yml" => (6, other::workflow),
        _ => return None,
    })
}

/// Whether a path is that of a manifest or build file.
pub(in crate::playbook) fn is_manifest(path: &str) -> bool {
    parser(path).is_some()
}

/// How early a manifest is worth reading, lower first.
pub(in crate::playbook) fn rank(path: &str) -> u32 {
    parser(path).map_or(u32::MAX, |(rank, _)| rank)
}

/// Every manifest that was read, the ones nearest to the project's folder first.
pub(in crate::playbook) fn manifests(observations: &[Observation]) -> Vec<Manifest> {
    let mut pieces: BTreeMap<String, Text> = BTreeMap::new();
    for text in texts(observations).filter(|text| text.first_line == 1 && is_manifest(&text.path)) {
        let shorter = pieces.get(&text.path).is_none_or(|had| had.text.len() < text.text.len());
        if shorter {
            pieces.insert(text.path.clone(), text);
        }
    }
    let mut found: Vec<Manifest> = pieces.values().filter_map(read).collect();
    found.sort_by_key(|manifest| {
        (manifest.path.matches('/').count(), rank(&manifest.path), manifest.path.clone())
    });
    found
}

fn read(text: &Text) -> Option<Manifest> {
    let (_, parse) = parser(&text.path)?;
    let mut manifest =
        Manifest { step: text.step, path: text.path.clone(), cut: text.cut, ..Manifest::default() };
    parse(text, &mut manifest);
    Some(manifest)
}

/// The lines of a text with their numbers.
fn numbered(text: &Text) -> impl Iterator<Item = (u32, &str)> {
    (text.first_line..).zip(text.text.lines())
}

/// The number of the line that a byte stands in.
fn line_at(text: &Text, offset: usize) -> u32 {
    let head = text.text.as_bytes().get(..offset.min(text.text.len())).unwrap_or_default();
    text.first_line + head.iter().filter(|byte| **byte == b'\n').count() as u32
}

#[cfg(test)]
mod tests;
