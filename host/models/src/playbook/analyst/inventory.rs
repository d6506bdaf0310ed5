//! The files that listings showed: one list without repeats, and what it says about languages.

use super::results::{Entry, Listing, Observation, listings};
use crate::playbook::place::Place;
use std::collections::BTreeMap;

/// Every file and directory that a listing showed.
#[derive(Debug, Default)]
pub(in crate::playbook) struct Inventory {
    /// By path.
    pub(in crate::playbook) files: BTreeMap<String, File>,
    pub(in crate::playbook) directories: BTreeMap<String, u64>,
    /// The steps that listed something, oldest first.
    pub(in crate::playbook) steps: Vec<u64>,
    /// Files and directories that were counted and not shown, by the largest listing.
    pub(in crate::playbook) unseen: u64,
    /// Entries that ignore files hide.
    pub(in crate::playbook) ignored: u64,
    /// Whether the project's folder was listed with everything below.
    pub(in crate::playbook) whole: bool,
}

/// A file.
#[derive(Debug, Clone, Copy)]
pub(in crate::playbook) struct File {
    pub(in crate::playbook) size: u64,
    /// The step that showed it first.
    pub(in crate::playbook) step: u64,
}

/// How much of a language there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::playbook) struct Share {
    pub(in crate::playbook) language: Language,
    pub(in crate::playbook) files: u64,
    pub(in crate::playbook) bytes: u64,
}

impl Inventory {
    /// What the listings among the observations show together.
    pub(in crate::playbook) fn of(observations: &[Observation]) -> Self {
        let mut inventory = Self::default();
        for listing in listings(observations) {
            inventory.add(listing);
        }
        inventory
    }

    fn add(&mut self, listing: Listing) {
        let root = matches!(listing.directory.as_str(), "" | "." | "/");
        let everything = root && listing.recursive && !listing.pattern;
        if everything {
            // The fence may have cut the list as well, without the tool's knowing.
            self.unseen = listing.total.saturating_sub(listing.entries.len() as u64);
            self.whole |= !listing.cut && self.unseen == 0;
            self.ignored = self.ignored.max(listing.ignored);
        }
        self.steps.push(listing.step);
        for entry in &listing.entries {
            self.note(entry, listing.step, everything);
        }
    }

    fn note(&mut self, entry: &Entry, step: u64, everything: bool) {
        if entry.is_file {
            let new = !self.files.contains_key(&entry.path);
            self.files.entry(entry.path.clone()).or_insert(File { size: entry.size, step });
            // What an earlier listing counted without showing it is seen now.
            if new && !everything {
                self.unseen = self.unseen.saturating_sub(1);
            }
        } else if entry.is_directory {
            self.directories.entry(entry.path.clone()).or_insert(step);
        }
    }

    /// Files that the project is made for; where there are none, examples and tests count.
    pub(in crate::playbook) fn core(&self) -> Vec<(&str, File)> {
        for last in [Place::Product, Place::Support, Place::Docs] {
            let found: Vec<_> = self
                .files
                .iter()
                .filter(|(path, _)| {
                    Place::of(path) <= last && Language::of(path).is_some_and(Language::is_code)
                })
                .map(|(path, file)| (path.as_str(), *file))
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Languages by bytes of code, the most first; others' code isn't counted.
    pub(in crate::playbook) fn languages(&self) -> Vec<Share> {
        let mut shares: Vec<Share> = Vec::new();
        let own = self.files.iter().filter(|(path, _)| Place::of(path) != Place::Foreign);
        for (path, file) in own {
            let Some(language) = Language::of(path).filter(|language| language.is_code()) else { continue };
            match shares.iter_mut().find(|share| share.language == language) {
                Some(share) => {
                    share.files += 1;
                    share.bytes += file.size;
                }
                None => shares.push(Share { language, files: 1, bytes: file.size }),
            }
        }
        shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.language.name().cmp(b.language.name())));
        shares
    }
}

/// A language, told by a file's extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::playbook) struct Language(&'static (&'static str, bool, &'static [&'static str]));

impl Language {
    /// The language of a file, if it is known.
    pub(in crate::playbook) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension =
            name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, e)| e.to_lowercase())?;
        LANGUAGES.iter().find(|(_, _, known)| known.contains(&extension.as_str())).map(Language)
    }

    /// As people call it.
    pub(in crate::playbook) fn name(self) -> &'static str {
        self.0.0
    }

    /// Whether it counts as code: documents and data don't.
    pub(in crate::playbook) fn is_code(self) -> bool {
        self.0.1
    }

    /// Whether `analyze_code` knows it.
    pub(in crate::playbook) fn is_analysed(self) -> bool {
        matches!(self.name(), "Python" | "JavaScript" | "TypeScript" | "Rust" | "Go" | "Java" | "C")
    }
}

/// Name, whether it is code, extensions.
static LANGUAGES: &[(&str, bool, &[&str])] = &[
    ("Python", true, &["py", "pyi", "pyw"]),
    ("JavaScript", true, &["js", "mjs", "cjs", "jsx"]),
    ("TypeScript", true, &["ts", "mts", "cts", "tsx"]),
    ("Rust", true, &["rs"]),
    ("Go", true, &["go"]),
    ("Java", true, &["java"]),
    ("Kotlin", true, &["kt", "kts"]),
    ("Scala", true, &["scala"]),
    ("C", true, &["c", "h"]),
    ("C++", true, &["cc", "cpp", "cxx", "hpp", "hh", "hxx"]),
    ("C#", true, &["cs"]),
    ("F#", true, &["fs"]),
    ("Swift", true, &["swift"]),
    ("Objective-C", true, &["m", "mm"]),
    ("Ruby", true, &["rb", "rake", "erb"]),
    ("PHP", true, &["php"]),
    ("Perl", true, &["pl", "pm"]),
    ("Lua", true, &["lua"]),
    ("R", true, &["r"]),
    ("Julia", true, &["jl"]),
    ("Dart", true, &["dart"]),
    ("Elixir", true, &["ex", "exs"]),
    ("Erlang", true, &["erl", "hrl"]),
    ("Haskell", true, &["hs"]),
    ("OCaml", true, &["ml", "mli"]),
    ("Clojure", true, &["clj", "cljs", "cljc"]),
    ("Zig", true, &["zig"]),
    ("Nim", true, &["nim"]),
    ("Shell", true, &["sh", "bash", "zsh", "fish"]),
    ("PowerShell", true, &["ps1", "psm1"]),
    ("SQL", true, &["sql"]),
    ("WIT", true, &["wit"]),
    ("Protocol Buffers", true, &["proto"]),
    ("GraphQL", true, &["graphql", "gql"]),
    ("Vue", true, &["vue"]),
    ("Svelte", true, &["svelte"]),
    ("CSS", true, &["css", "scss", "sass", "less"]),
    ("HTML", true, &["html", "htm", "jinja", "j2", "tmpl", "ejs", "hbs"]),
    ("Terraform", true, &["tf"]),
    ("Markdown", false, &["md", "mdx", "markdown"]),
    ("reStructuredText", false, &["rst"]),
    ("plain text", false, &["txt"]),
    ("JSON", false, &["json", "jsonc", "json5"]),
    ("YAML", false, &["yml", "yaml"]),
    ("TOML", false, &["toml"]),
    ("XML", false, &["xml"]),
];
