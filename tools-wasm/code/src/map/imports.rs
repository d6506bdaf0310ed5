//! All imports of a project, each led to files, to somebody else's package, or nowhere.

use super::files::Files;
use super::manifests::Manifests;
use super::part::Kind;
use super::resolve::{Resolver, Target};
use crate::language::Language;
use std::collections::HashMap;

/// An import of one file that leads to others of the project.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) from: usize,
    pub(super) to: Vec<usize>,
    pub(super) line: u32,
    /// Whether it says that the others are a part of it, as Rust's `mod name;` does.
    pub(super) is_part: bool,
}

/// Who uses a package of others.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) standard: bool,
    pub(super) files: u32,
    /// The first file and line with it.
    pub(super) first: (usize, u32),
    last: usize,
}

/// All that imports say.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    pub(super) inner: Vec<Inner>,
    pub(super) outer: HashMap<(String, Language), Use>,
    /// File, line and text of those that lead nowhere.
    pub(super) unresolved: Vec<(usize, u32, String)>,
}

const MOST_UNRESOLVED: usize = 50;
/// So many links are kept, of all files together; after that each import leads to one file.
const MOST_LINKS: usize = 3_000_000;

pub(super) fn resolve_all(files: &Files, manifests: &Manifests) -> Resolved {
    let resolver = Resolver::new(files, manifests);
    let mut resolved = Resolved::default();
    let mut room = MOST_LINKS;
    for (from, source) in files.all.iter().enumerate() {
        for import in &source.part.imports {
            match resolver.resolve(source, import) {
                Target::Inside(mut to) => {
                    to.sort_unstable();
                    to.dedup();
                    to.retain(|&file| file != from);
                    if to.len() > room {
                        to.truncate(1);
                    }
                    room = room.saturating_sub(to.len());
                    if !to.is_empty() {
                        let is_part = import.kind == Kind::Submodule;
                        resolved.inner.push(Inner { from, to, line: import.line, is_part });
                    }
                }
                Target::Outside { name, standard } => {
                    let key = (name, family(source.language));
                    let first = (from, import.line);
                    let used = resolved.outer.entry(key);
                    let used = used.or_insert(Use { standard, files: 0, first, last: usize::MAX });
                    if used.last != from {
                        used.last = from;
                        used.files += 1;
                    }
                }
                Target::Nowhere if resolved.unresolved.len() < MOST_UNRESOLVED => {
                    resolved.unresolved.push((from, import.line, import.module.clone()));
                }
                Target::Nowhere | Target::Own => {}
            }
        }
    }
    resolved
}

/// TypeScript and JavaScript import the same packages, C and C++ the same headers.
fn family(language: Language) -> Language {
    match language {
        Language::Tsx => Language::TypeScript,
        other => other,
    }
}

impl Resolved {
    /// For each file those that it imports, sorted, once each.
    pub(super) fn links(&self, files: usize) -> Vec<Vec<usize>> {
        links(files, self.inner.iter())
    }

    /// The same without parts: that a module has parts, which know it, is no cycle.
    pub(super) fn links_between(&self, files: usize) -> Vec<Vec<usize>> {
        links(files, self.inner.iter().filter(|inner| !inner.is_part))
    }
}

fn links<'i>(files: usize, all: impl Iterator<Item = &'i Inner>) -> Vec<Vec<usize>> {
    let mut links = vec![Vec::new(); files];
    for inner in all {
        if let Some(all) = links.get_mut(inner.from) {
            all.extend(&inner.to);
        }
    }
    for all in &mut links {
        all.sort_unstable();
        all.dedup();
    }
    links
}
