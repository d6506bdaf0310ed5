//! The files of a project: which there are, and each one's part.

use super::part::Part;
use crate::each_file::{Facts, FanOut, Outcome, Task};
use crate::language::Language;
use crate::setting::Setting;
use crate::skipped::Skipped;
use ringfence_guest_project::{Fault, Kind, Root, Walk};
use std::collections::HashMap;

/// So many files are parsed at most.
const MOST_FILES: usize = 50_000;
/// So many imports are kept, of all files together.
const MOST_IMPORTS: usize = 1_000_000;
/// So many are handed over at once.
const AT_ONCE: usize = 500;
const MOST_SKIPPED: usize = 50;

/// Names of files that say how modules are found.
const MANIFESTS: [&str; 12] = [
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "go.mod",
    "Cargo.toml",
    "composer.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Procfile",
    "Dockerfile",
    "deno.json",
];

/// A file with its part.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) part: Part,
}

impl Source {
    /// Its folder; empty for the project's own.
    pub(super) fn folder(&self) -> &str {
        folder(&self.path)
    }
}

/// The folder of a path; empty for the project's own.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The files of a project that are code of its own, in path order.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) all: Vec<Source>,
    by_path: HashMap<String, usize>,
    /// Paths of manifests.
    pub(super) manifests: Vec<String>,
    pub(super) set_apart: u32,
    pub(super) skipped: Vec<Skipped>,
    pub(super) complete: bool,
}

impl Files {
    /// Goes through a folder and has all its code looked at.
    pub(super) fn read(root: &Root, fan_out: &dyn FanOut, asked: &str) -> Result<Self, Fault> {
        let mut files = Self { complete: true, ..Self::default() };
        let mut walk = Walk::start(root, asked, &root.tidy(asked), true)?;
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        for found in walk.by_ref().filter(|found| found.kind == Kind::File) {
            let is_foreign = Setting::of_path(&found.path).is_foreign();
            if MANIFESTS.contains(&found.name()) && !is_foreign {
                files.manifests.push(found.path.clone());
            }
            if Language::of(&found.path).is_some_and(is_code) {
                if is_foreign { foreign.push(found.path) } else { own.push(found.path) }
            }
        }
        files.complete &= walk.complete;
        for line in walk.unreadable {
            files.skip(line, "can't be listed".to_owned());
        }
        // A package that is nothing but its build has its build mapped.
        let (mut paths, apart) = if own.is_empty() { (foreign, 0) } else { (own, foreign.len()) };
        files.set_apart = u32::try_from(apart).unwrap_or(u32::MAX);
        paths.sort_unstable();
        if paths.len() > MOST_FILES {
            files.complete = false;
            files.skip(format!("{} files", paths.len() - MOST_FILES), "there are too many".to_owned());
            paths.truncate(MOST_FILES);
        }
        files.look_at(fan_out, &paths);
        let sources = files.all.iter().enumerate();
        files.by_path = sources.map(|(at, source)| (source.path.clone(), at)).collect();
        Ok(files)
    }

    fn look_at(&mut self, fan_out: &dyn FanOut, paths: &[String]) {
        let Ok(task) = postcard::to_stdvec(&Task::Facts) else { return };
        let (mut apart, mut room) = (Vec::new(), MOST_IMPORTS);
        for some in paths.chunks(AT_ONCE) {
            for (path, outcome) in some.iter().zip(fan_out.run(&task, some)) {
                match outcome {
                    Outcome::Done { value, content: _ } => match postcard::from_bytes::<Facts>(&value) {
                        Ok(Facts { language, mut part, matches: _ }) => {
                            self.complete &= part.imports.len() <= room;
                            part.imports.truncate(room);
                            room -= part.imports.len();
                            let source = Source { path: path.clone(), language, part };
                            let is_foreign = source.part.setting.is_foreign();
                            if is_foreign { apart.push(source) } else { self.all.push(source) }
                        }
                        Err(error) => self.skip(path.clone(), error.to_string()),
                    },
                    Outcome::Unreadable(why) | Outcome::Failed(why) => self.skip(path.clone(), why),
                    Outcome::TooLarge(size) => self.skip(path.clone(), format!("over 2 MiB ({size} bytes)")),
                    Outcome::NotReached => self.complete = false,
                }
            }
        }
        if self.all.is_empty() {
            self.all = apart;
        } else {
            self.set_apart = self.set_apart.saturating_add(u32::try_from(apart.len()).unwrap_or(u32::MAX));
        }
    }

    fn skip(&mut self, path: String, reason: String) {
        if self.skipped.len() < MOST_SKIPPED {
            self.skipped.push(Skipped { path, reason });
        }
    }

    /// The file at a path, by its number.
    pub(super) fn at(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }
}

fn is_code(language: Language) -> bool {
    match language {
        Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Rust
        | Language::Go
        | Language::Java
        | Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Ruby
        | Language::Php
        | Language::Bash => true,
        Language::Json | Language::Yaml | Language::Toml | Language::Html | Language::Css => false,
    }
}
