//! What `.gitignore` and `.ignore` files leave out.

use crate::{File, Kind, Root, entries, read_whole};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::ffi::OsStr;
use std::path::Path;

/// What is read of one ignore file, in bytes; none that anybody wrote is longer.
const LONGEST: u64 = 256 * 1024;

const GIT: &str = ".gitignore";
const OWN: &str = ".ignore";

/// The rules of one directory.
#[derive(Debug)]
struct Level {
    /// Length of the directory's path from the project's folder with its slash: what to take off
    /// a path before its rules are asked.
    base: usize,
    git: Option<Gitignore>,
    own: Option<Gitignore>,
}

/// The rules of a directory and of all above it.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    levels: Vec<Level>,
}

impl Ignored {
    /// The rules of the directories above `directory`, from the project's folder down.
    pub(crate) fn above(root: &Root, directory: &str) -> Self {
        let mut all = Self::default();
        // Where `..` is left over, nothing is known of what is above.
        if directory == "." || directory.split('/').any(|part| part == "..") {
            return all;
        }
        let mut above = String::new();
        for part in directory.split('/') {
            let path = root.resolve(&above);
            // Listed, not probed: a probe for a file that isn't granted would be a refusal on record.
            let entries = entries(&path).into_iter().flatten().flatten();
            let rules = entries.filter(|(name, kind)| *kind == Kind::File && is_ignore_file(name));
            let rules: Vec<_> = rules.map(|(name, _)| name).collect();
            all.enter(&path, &above, rules.iter().map(|name| name.as_os_str()));
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(part);
        }
        all
    }

    /// Adds the rules of a directory, of which `files` are the ignore files.
    pub(crate) fn enter<'n>(&mut self, dir: &Path, shown: &str, files: impl Iterator<Item = &'n OsStr>) {
        let base = if shown.is_empty() || shown == "." { 0 } else { shown.len() + 1 };
        let mut level = Level { base, git: None, own: None };
        for name in files {
            let rules = read(&dir.join(name));
            if name == GIT { level.git = rules } else { level.own = rules }
        }
        self.levels.push(level);
    }

    /// Takes away the rules of the directory entered last.
    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Whether the rules name this path; the deepest that says anything decides, `.ignore` first.
    pub(crate) fn names(&self, path: &str, is_directory: bool) -> bool {
        let ask = |rules: fn(&Level) -> Option<&Gitignore>| {
            self.levels.iter().rev().find_map(|level| {
                let below = path.get(level.base..)?;
                match rules(level)?.matched(below, is_directory) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                }
            })
        };
        ask(|level| level.own.as_ref()).or_else(|| ask(|level| level.git.as_ref())).unwrap_or(false)
    }
}

/// Whether a file of this name holds rules.
pub(crate) fn is_ignore_file(name: &OsStr) -> bool {
    name == GIT || name == OWN
}

/// An ignore file that can't be read has no rules, and neither has a line that can't be understood.
fn read(path: &Path) -> Option<Gitignore> {
    let mut file = File::open(path).ok()?;
    let size = file.size().min(LONGEST);
    let mut bytes = Vec::new();
    read_whole(&mut file, usize::try_from(size).ok()?, &mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(&bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    let rules = builder.build().ok()?;
    (!rules.is_empty()).then_some(rules)
}
