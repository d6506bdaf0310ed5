//! Where an import leads, by each language's own rules.

mod c;
mod go;
mod java;
mod javascript;
mod names;
mod other;
mod python;
mod rust;
mod standard;

use super::files::{Files, Source};
use super::manifests::Manifests;
use super::part::Import;
use crate::language::Language;
use names::Names;

/// Where an import leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To files of the project, by their numbers.
    Inside(Vec<usize>),
    /// To a package of others.
    Outside {
        /// As its registry names it, as far as that can be told.
        name: String,
        /// Whether it comes with the language.
        standard: bool,
    },
    /// It looks like the project's own, and there is no such file.
    Nowhere,
    /// To the file's own package or itself: nothing to tell.
    Own,
}

impl Target {
    fn outside(name: impl Into<String>, standard: bool) -> Self {
        Self::Outside { name: name.into(), standard }
    }

    fn inside(files: Vec<usize>) -> Option<Self> {
        (!files.is_empty()).then_some(Self::Inside(files))
    }
}

/// Everything that resolving needs to know of a project.
pub(super) struct Resolver<'p> {
    files: &'p Files,
    manifests: &'p Manifests,
    names: Names,
}

impl<'p> Resolver<'p> {
    pub(super) fn new(files: &'p Files, manifests: &'p Manifests) -> Self {
        Self { files, manifests, names: Names::of(files, manifests) }
    }

    pub(super) fn resolve(&self, source: &Source, import: &Import) -> Target {
        match source.language {
            Language::Python => self.python(source, import),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.javascript(source, import),
            Language::Rust => self.rust(source, import),
            Language::Go => self.go(import),
            Language::Java => self.java(import),
            Language::C | Language::Cpp => self.c(source, import),
            Language::CSharp => self.csharp(source, import),
            Language::Ruby => self.ruby(source, import),
            Language::Php => self.php(source, import),
            Language::Bash => self.bash(source, import),
            Language::Json | Language::Yaml | Language::Toml | Language::Html | Language::Css => Target::Own,
        }
    }

    /// The first of these paths that is a file of the project.
    fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<usize> {
        paths.into_iter().find_map(|path| self.files.at(&path))
    }
}
