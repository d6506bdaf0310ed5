//! The files that listings showed: one list without repeats, and what it says about languages.

use super::results::{Listing, Observation, listings};
use super::setting::Setting;
use super::wording::plural;
use std::collections::{BTreeMap, BTreeSet};

/// A listing names so many unreadable folders at most.
const UNREADABLE: u64 = 20;

/// Every file and directory that a listing showed.
#[derive(Debug, Default)]
pub(in crate::playbook) struct Inventory {
    /// By path.
    pub(in crate::playbook) files: BTreeMap<String, File>,
    pub(in crate::playbook) directories: BTreeMap<String, u64>,
    /// The steps that listed something, oldest first.
    pub(in crate::playbook) steps: Vec<u64>,
    /// What the latest listing of the project's folder with everything below counted.
    pub(in crate::playbook) counted: Option<Counted>,
    /// Whether every file of code is known, though not every entry was shown.
    all_code: bool,
}

/// What a listing counted, shown or not.
#[derive(Debug, Clone, Copy)]
pub(in crate::playbook) struct Counted {
    entries: u64,
    /// Whether counting came to its end.
    to_the_end: bool,
    /// Folders that couldn't be read.
    unreadable: u64,
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
    /// The steps that showed its files, in order.
    pub(in crate::playbook) steps: BTreeSet<u64>,
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
        let root = matches!(listing.directory.as_str(), "" | "." | "/") && listing.recursive;
        let readable = listing.complete && listing.unreadable == 0;
        match listing.pattern.as_deref() {
            None if root => {
                // The fence may have cut the list as well, without the tool's knowing.
                let shown = listing.entries.len() as u64;
                self.counted = Some(Counted {
                    entries: listing.total.max(shown),
                    to_the_end: listing.complete,
                    unreadable: listing.unreadable,
                });
            }
            Some(pattern) if root && pattern == listed_pattern() => {
                let shown = listing.entries.len() as u64;
                self.all_code |= readable && !listing.cut && shown >= listing.total;
            }
            None | Some(_) => {}
        }
        self.steps.push(listing.step);
        for entry in &listing.entries {
            if entry.is_file {
                let file = File { size: entry.size, step: listing.step };
                self.files.entry(entry.path.clone()).or_insert(file);
            } else if entry.is_directory {
                self.directories.entry(entry.path.clone()).or_insert(listing.step);
            }
        }
    }

    /// How many entries were counted and never shown.
    pub(in crate::playbook) fn unseen(&self) -> u64 {
        self.counted.map_or(0, |counted| counted.entries.saturating_sub(self.shown()))
    }

    fn shown(&self) -> u64 {
        (self.files.len() + self.directories.len()) as u64
    }

    /// Whether everything in the project's folder is known.
    pub(in crate::playbook) fn is_whole(&self) -> bool {
        self.counted.is_some_and(|counted| counted.to_the_end && counted.unreadable == 0)
            && self.unseen() == 0
    }

    /// Whether every file of code is known.
    pub(in crate::playbook) fn has_all_code(&self) -> bool {
        self.all_code || self.is_whole()
    }

    /// What a statement about all files is limited to where not all of them are known.
    pub(in crate::playbook) fn partial(&self) -> Option<String> {
        let Some(counted) = self.counted else {
            return (!self.steps.is_empty()).then(|| "the folders that were listed".to_owned());
        };
        let mut gaps = Vec::new();
        if self.unseen() > 0 || !counted.to_the_end {
            let least = if counted.to_the_end { "" } else { "at least " };
            let were = if self.unseen() == 1 { "wasn't" } else { "weren't" };
            gaps.push(format!("{least}{} more {were} shown", self.unseen()));
        }
        if counted.unreadable > 0 {
            let least = if counted.unreadable >= UNREADABLE { "at least " } else { "" };
            gaps.push(format!("{least}{} couldn't be read", plural(counted.unreadable, "folder")));
        }
        let shown = plural(self.shown(), "entry");
        (!gaps.is_empty()).then(|| format!("the {shown} that the listings showed ({})", gaps.join(", ")))
    }

    /// The same for a statement that is about files of code alone.
    pub(in crate::playbook) fn partial_code(&self) -> Option<String> {
        if self.has_all_code() { None } else { self.partial() }
    }

    /// Files that the project is made for; where there are none, examples and tests count.
    pub(in crate::playbook) fn core(&self) -> Vec<(&str, File)> {
        for last in [Setting::Product, Setting::Tooling, Setting::Documentation] {
            let found: Vec<_> = self
                .files
                .iter()
                .filter(|(path, _)| {
                    Setting::of(path) <= last && Language::of(path).is_some_and(Language::is_code)
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
        let own = self.files.iter().filter(|(path, _)| Setting::of(path) < Setting::Vendored);
        for (path, file) in own {
            let Some(language) = Language::of(path).filter(|language| language.is_code()) else { continue };
            match shares.iter_mut().find(|share| share.language == language) {
                Some(share) => {
                    share.files += 1;
                    share.bytes += file.size;
                    share.steps.insert(file.step);
                }
                None => {
                    let steps = [file.step].into();
                    shares.push(Share { language, files: 1, bytes: file.size, steps });
                }
            }
        }
        shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.language.name().cmp(b.language.name())));
        shares
    }
}

/// The usual manifests, as globs.
pub(in crate::playbook) const MANIFESTS: [&str; 14] = [
    "package.json",
    "pyproject.toml",
    "setup.py",
    "requirements*.txt",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle*",
    "Gemfile",
    "composer.json",
    "*.csproj",
    "CMakeLists.txt",
    "Makefile",
    "Dockerfile",
];

/// Whether a path is that of a usual manifest.
pub(in crate::playbook) fn is_manifest(path: &str) -> bool {
    manifest_rank(path).is_some()
}

/// How early a manifest is worth reading, lower first; none for other files.
pub(in crate::playbook) fn manifest_rank(path: &str) -> Option<usize> {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.iter().position(|glob| match glob.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => name == *glob,
    })
}

/// A glob for every file that counts as code, and for the usual manifests.
pub(in crate::playbook) fn listed_pattern() -> String {
    let code = LANGUAGES.iter().filter(|(_, code, _)| *code);
    let extensions = code.flat_map(|(_, _, extensions)| *extensions);
    let parts: Vec<String> =
        extensions.map(|extension| format!("*.{extension}")).chain(MANIFESTS.map(str::to_owned)).collect();
    format!("{{{}}}", parts.join(","))
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
        matches!(
            self.name(),
            "Python"
                | "JavaScript"
                | "TypeScript"
                | "Rust"
                | "Go"
                | "Java"
                | "C"
                | "C++"
                | "C#"
                | "Ruby"
                | "PHP"
                | "Shell"
        )
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
