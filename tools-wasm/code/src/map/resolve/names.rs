//! What files can be found by besides their paths.

use super::super::files::Files;
use crate::language::Language;
use std::collections::{BTreeSet, HashMap};

/// Indexes over a project's files.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Folders below which Python's modules are named.
    pub(super) python_roots: Vec<String>,
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
}

impl Names {
    pub(super) fn of(files: &Files) -> Self {
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
                    names.go_folders.entry(folder.to_owned()).or_default().push(at);
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
                    names.packages.entry((source.language, package)).or_default().push(at);
                }
                Language::C | Language::Cpp => {
                    let name = source.path.rsplit('/').next().unwrap_or_default();
                    names.last.entry(name.to_owned()).or_default().push(at);
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
        names
    }
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
