//! Rules that aren't built in: the project's confirmed ones, and those of a file or folder.
//!
//! Owns: finding them, as ast-grep's own projects lay them out, bounds, and checking each. Doesn't
//! own: running them (`matches`).

use super::Failure;
use super::names::named;
use super::rule_set::{Document, Head, Origin, RuleSet, blamed, in_words};
use crate::language::Language;
use ast_grep_config::{Severity, from_str};
use ringfence_guest_project::{Fault, Kind, Root, Walk, decode, look, quoted, read_whole};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes and files of rules.
const MOST_BYTES: usize = 1 << 20;
const MOST_FILES: usize = 500;

/// Rules that were supplied, as a file's work needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Supplied {
    /// Utility rules for all of them.
    pub(crate) utilities: Vec<Document>,
    /// The rules.
    pub(crate) rules: Vec<Document>,
}

/// Supplied rules and what they say of others.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    pub(crate) rules: Supplied,
    /// Ids of standard rules that aren't run.
    pub(crate) replaced: BTreeSet<String>,
    /// The languages that there are rules for.
    pub(crate) languages: BTreeSet<Language>,
    /// Rules that can't be run, and why.
    pub(crate) skipped: Vec<(String, String)>,
}

/// The form of the project's confirmed rules: files one after another, each headed by its path.
const FILE_MARK: &str = "# file: ";

impl Supply {
    /// Takes all of them in and tries each: those of the project, then those that were asked for.
    pub(crate) fn gather(root: &Root, confirmed: Option<&str>, asked: Option<&str>) -> Result<Self, Failure> {
        let mut files = confirmed.map(confirmed_files).unwrap_or_default();
        if let Some(asked) = asked {
            files.extend(read(root, asked)?);
        }
        let (mut supply, mut by_id) = (Self::default(), BTreeMap::new());
        for File { origin, text, is_utility } in files {
            for yaml in documents(&text) {
                let document = Document { origin: origin.clone(), yaml };
                supply.take(document, is_utility, &mut by_id)?;
            }
        }
        supply.rules.rules = by_id.into_values().collect();
        for language in supply.languages.clone() {
            RuleSet::load(&supply.rules.utilities, &supply.rules.rules, language)
                .map_err(Failure::BadRule)?;
        }
        Ok(supply)
    }

    fn take(
        &mut self,
        document: Document,
        is_utility: bool,
        by_id: &mut BTreeMap<(String, String), Document>,
    ) -> Result<(), Failure> {
        let head: Option<Head> = from_str(&document.yaml)
            .map_err(|error| Failure::BadRule(blamed(&document, &in_words(error))))?;
        // Nothing but comments.
        let Some(Head { id, language, severity, metadata }) = head else { return Ok(()) };
        if id.is_empty() {
            return Err(Failure::BadRule(blamed(&document, "it has no `id`")));
        }
        if severity == Severity::Off {
            by_id.retain(|(known, _), _| *known != id);
            self.replaced.insert(id);
            return Ok(());
        }
        if language.is_empty() {
            return Err(Failure::BadRule(blamed(&document, "it has no `language`")));
        }
        let Some(own) = named(&language) else {
            let why = format!("rule `{id}`: `{language}` can't be parsed");
            self.skipped.push((document.origin.on_card().to_owned(), why));
            return Ok(());
        };
        if is_utility {
            self.rules.utilities.push(document);
            return Ok(());
        }
        let also = metadata.also.iter().filter_map(|name| named(name));
        self.languages.extend(also.chain([own]));
        self.replaced.insert(id.clone());
        by_id.insert((id, language.to_lowercase()), document);
        Ok(())
    }
}

/// A file with rules.
struct File {
    origin: Origin,
    text: String,
    is_utility: bool,
}

/// The project's confirmed rules, file by file.
fn confirmed_files(text: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(FILE_MARK) {
            Some(path) => {
                let is_utility = path.split('/').any(|part| part == "utils");
                files.push(File {
                    origin: Origin::Project(path.trim().to_owned()),
                    text: String::new(),
                    is_utility,
                });
            }
            None => match files.last_mut() {
                Some(file) => file.text.push_str(line),
                None => files.push(File {
                    origin: Origin::Project(".ringfence/rules".to_owned()),
                    text: line.to_owned(),
                    is_utility: false,
                }),
            },
        }
    }
    files
}

/// What an ast-grep project says of where its rules are.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Layout {
    rule_dirs: Vec<String>,
    util_dirs: Vec<String>,
}

/// The files of the path that was asked for.
fn read(root: &Root, asked: &str) -> Result<Vec<File>, Failure> {
    let shown = root.tidy(asked);
    let (kind, _) = look(&root.resolve(asked)).map_err(|error| Fault::of(asked, &error))?;
    let mut reading = Reading { root, files: Vec::new(), bytes: 0 };
    let is_layout = |name: &str| matches!(name, "sgconfig.yml" | "sgconfig.yaml");
    let (folder, layout) = if kind == Kind::Directory {
        let layout = ["sgconfig.yml", "sgconfig.yaml"].map(|name| below(&shown, name));
        (shown, layout.into_iter().find(|path| look(&root.resolve(path)).is_ok()))
    } else if is_layout(shown.rsplit('/').next().unwrap_or_default()) {
        (shown.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned(), Some(shown))
    } else {
        reading.take(&shown, false)?;
        return Ok(reading.files);
    };
    let Some(layout) = layout else {
        reading.walk(&folder, None)?;
        return Ok(reading.files);
    };
    let text = reading.text(&layout)?;
    let Layout { rule_dirs, util_dirs } =
        from_str(&text).map_err(|error| Failure::BadRule(format!("{layout}: {}", in_words(error))))?;
    for (folders, is_utility) in [(util_dirs, true), (rule_dirs, false)] {
        for inner in folders {
            reading.walk(&root.tidy(&below(&folder, &inner)), Some(is_utility))?;
        }
    }
    Ok(reading.files)
}

/// Rules as they are read, within bounds.
struct Reading<'r> {
    root: &'r Root,
    files: Vec<File>,
    bytes: usize,
}

impl Reading<'_> {
    /// All YAML below a folder; where it isn't said what a folder holds, `utils` has utility rules.
    fn walk(&mut self, folder: &str, is_utility: Option<bool>) -> Result<(), Failure> {
        for found in Walk::start(self.root, folder, folder, true)? {
            let path = found.path.as_str();
            let parts = || found.below().split('/');
            let is_rule = (path.ends_with(".yml") || path.ends_with(".yaml"))
                && !path.ends_with("-test.yml")
                && !parts().any(|part| part == "__snapshots__");
            if found.kind == Kind::File && is_rule {
                let is_utility = is_utility.unwrap_or_else(|| parts().any(|part| part == "utils"));
                self.take(path, is_utility)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, path: &str, is_utility: bool) -> Result<(), Failure> {
        if self.files.len() >= MOST_FILES {
            return Err(Failure::BadRule(format!("{path}: more than {MOST_FILES} files with rules")));
        }
        let text = self.text(path)?;
        self.files.push(File { origin: Origin::File(path.to_owned()), text, is_utility });
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<String, Failure> {
        let mut file = self.root.open(path)?;
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > MOST_BYTES {
            return Err(Failure::BadRule(format!("{path}: more than {MOST_BYTES} bytes of rules")));
        }
        let mut bytes = Vec::new();
        read_whole(&mut file, size, &mut bytes).map_err(|error| Fault::of(path, &error))?;
        let text = decode(bytes).map_err(|why| Fault::NotText(format!("{}: {why}", quoted(path))))?.0;
        Ok(text)
    }
}

fn below(folder: &str, name: &str) -> String {
    if folder == "." { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The documents of a YAML stream, which no text within one can be taken for an end of.
fn documents(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let rest = line.strip_prefix("---");
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push_str(line);
        }
    }
    all.retain(|document| {
        document.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    });
    all
}
