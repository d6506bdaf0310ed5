//! What files can be found by besides their paths.

use super::super::files::Files;
use super::super::manifests::Manifests;
use crate::language::Language;
use std::collections::{BTreeSet, HashMap};

/// So many files are kept for a package, and so many for a name that many have.
const MOST_ALIKE: usize = 200;

/// Indexes over a project's files.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Folders below which Python's modules are named.
    python_roots: Vec<String>,
    /// By the first part of a dotted name, the roots, by number, that have such a module or folder.
    python_tops: HashMap<String, BTreeSet<usize>>,
    /// Folders that hold Python files, directly or below.
    pub(super) python_folders: BTreeSet<String>,
    /// Go files that aren't tests, by folder.
    pub(super) go_folders: HashMap<String, Vec<usize>>,
    /// Files by their own package name: Java, C#, PHP.
    pub(super) packages: HashMap<(Language, String), Vec<usize>>,
    /// Java and PHP files by the qualified name of the class that they are named after.
    pub(super) classes: HashMap<(Language, String), usize>,
    /// C, C++ and Ruby files by their last name.
    pub(super) last: HashMap<String, Vec<usize>>,
    /// Folders named `lib`, or that hold a gem's code.
    pub(super) ruby_roots: BTreeSet<String>,
    /// Folders of Node.js packages by their name.
    pub(super) node: HashMap<String, Vec<String>>,
    /// Folders of Go modules by their name.
    pub(super) go_modules: HashMap<String, Vec<String>>,
    /// The folder of a crate by its name.
    pub(super) crates: HashMap<String, String>,
}

impl Names {
    pub(super) fn of(files: &Files, manifests: &Manifests) -> Self {
        let mut names = Self::default();
        let mut roots = BTreeSet::from([String::new(), "src".to_owned(), "lib".to_owned()]);
        for (at, source) in files.all.iter().enumerate() {
            let folder = source.folder();
            match source.language {
                Language::Python => {
                    roots.insert(python_root(files, folder).to_owned());
                    let mut folder = folder;
                    while names.python_folders.insert(folder.to_owned()) && !folder.is_empty() {
                        folder = super::super::files::folder(folder);
                    }
                }
                Language::Go if !source.path.ends_with("_test.go") => {
                    push(names.go_folders.entry(folder.to_owned()).or_default(), at);
                }
                Language::Java | Language::CSharp | Language::Php => {
                    let package = source.part.package.clone().unwrap_or_default();
                    let separator = if source.language == Language::Php { "\\" } else { "." };
                    let file = source.path.rsplit('/').next().unwrap_or_default();
                    let stem = file.split('.').next().unwrap_or_default();
                    let class = if package.is_empty() {
                        stem.to_owned()
                    } else {
                        format!("{package}{separator}{stem}")
                    };
                    names.classes.entry((source.language, class)).or_insert(at);
                    push(names.packages.entry((source.language, package)).or_default(), at);
                }
                Language::C | Language::Cpp => {
                    let name = source.path.rsplit('/').next().unwrap_or_default();
                    push(names.last.entry(name.to_owned()).or_default(), at);
                }
                Language::Ruby => {
                    if let Some(at) = format!("/{folder}/").find("/lib/") {
                        names.ruby_roots.insert(folder.get(..at + 3).unwrap_or(folder).to_owned());
                    }
                    names.ruby_roots.insert(String::new());
                }
                Language::Go
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::Rust
                | Language::Bash
                | Language::Json
                | Language::Yaml
                | Language::Toml
                | Language::Html
                | Language::Css => {}
            }
        }
        names.python_roots = roots.into_iter().collect();
        names.python_tops = python_tops(files, &names.python_roots);
        for (folder, package) in &manifests.node {
            if let Some(name) = &package.name {
                push(names.node.entry(name.clone()).or_default(), folder.clone());
            }
        }
        for (folder, module) in &manifests.go {
            push(names.go_modules.entry(module.clone()).or_default(), folder.clone());
        }
        for (folder, name) in &manifests.crates {
            names.crates.entry(name.clone()).or_insert_with(|| folder.clone());
        }
        names
    }

    /// The roots that have a Python module or folder of this name.
    pub(super) fn python_roots_of(&self, first: &str) -> impl Iterator<Item = &str> {
        let numbers = self.python_tops.get(first).into_iter().flatten().take(MOST_ALIKE);
        numbers.filter_map(|&number| self.python_roots.get(number)).map(String::as_str)
    }
}

fn push<T>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST_ALIKE {
        list.push(one);
    }
}

/// What stands at the top of each root: to try every root for every import would take too long.
fn python_tops(files: &Files, roots: &[String]) -> HashMap<String, BTreeSet<usize>> {
    let mut tops: HashMap<String, BTreeSet<usize>> = HashMap::new();
    for source in files.all.iter().filter(|source| source.language == Language::Python) {
        let mut below = source.path.as_str();
        while !below.is_empty() {
            let above = super::super::files::folder(below);
            if let Ok(root) = roots.binary_search_by(|root| root.as_str().cmp(above)) {
                let top = below.get(above.len()..).unwrap_or_default().trim_start_matches('/');
                let top = top.split('.').next().unwrap_or(top);
                tops.entry(top.to_owned()).or_default().insert(root);
            }
            below = above;
        }
    }
    tops
}

/// The folder below which a Python module's name begins: the first above it without `__init__.py`.
pub(super) fn python_root<'f>(files: &Files, folder: &'f str) -> &'f str {
    let mut folder = folder;
    while !folder.is_empty()
        && ["__init__.py", "__init__.pyi"].iter().any(|name| files.at(&format!("{folder}/{name}")).is_some())
    {
        folder = super::super::files::folder(folder);
    }
    folder
}
