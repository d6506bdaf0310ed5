//! What is wrong with a file, all of it, each with its place and with what was likely meant.

use super::super::secrets::KeyringEntry;
use super::literal::{whole, written};
use super::{Kind, Table, root};
use crate::args::{parse_duration, parse_money, parse_size};
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{
    GrantPath, HostGrant, HostUrl, MaskPattern, Method, SecretHeader, SecretName, VariableName,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// So many mistakes of one file are listed.
pub(in super::super) const MOST: usize = 100;

/// A place in a file, both counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// Where.
    #[serde(flatten)]
    pub at: Position,
    /// What is wrong, and what was likely meant.
    pub what: String,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Position {
    /// The place of a byte in a text.
    pub(in super::super) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

/// What is wrong with a text, and what it says besides.
pub(in super::super) struct Faults {
    /// In the text's order.
    pub(in super::super) problems: Vec<Problem>,
    /// The file without what is wrong; none if that can't be told.
    pub(in super::super) rest: Option<toml::Table>,
}

/// Everything that this description finds wrong with a text. What it finds nothing wrong with can
/// still be refused by the reader.
pub(in super::super) fn faults(text: &str) -> Faults {
    let (read, errors) = DeTable::parse_recoverable(text);
    let mut found = Found { text, problems: Vec::new(), wrong: BTreeSet::new() };
    let mut rest = None;
    if errors.is_empty() {
        found.table(root(), read.get_ref(), &Path::default());
        rest = super::rest::rest(text, read.get_ref(), &found.wrong);
    }
    for error in errors {
        found.add(error.span().unwrap_or(0..0), error.message().to_owned());
    }
    found.problems.sort();
    Faults { problems: found.problems, rest }
}

/// Where each key is said, by its dotted name.
pub(in super::super) fn positions(text: &str) -> BTreeMap<String, Position> {
    let mut places = BTreeMap::new();
    if let Ok(read) = DeTable::parse(text) {
        note(text, read.get_ref(), "", &mut places);
    }
    places
}

fn note(text: &str, table: &DeTable<'_>, above: &str, places: &mut BTreeMap<String, Position>) {
    for (key, value) in table.iter() {
        let name = format!("{above}{}", key.get_ref());
        if let DeValue::Table(below) = value.get_ref() {
            note(text, below, &format!("{name}."), places);
        }
        places.insert(name, Position::of(text, key.span().start));
    }
}

/// The word that was likely meant, if one is near enough.
pub fn nearest<'w>(asked: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let asked = asked.to_lowercase();
    let far = |word: &str| strsim::damerau_levenshtein(&asked, &word.to_lowercase());
    let near = |word: &str| {
        // `timeout` for `tool_timeout` is far by letters and plain to see.
        let part = asked.len() >= 4 && (word.contains(&asked) || asked.contains(word) && word.len() >= 4);
        part || far(word) <= (asked.chars().count().max(word.chars().count()) / 3).max(1)
    };
    words.into_iter().filter(|word| near(word)).min_by_key(|word| far(word))
}

/// The way from the file's top to a table.
#[derive(Debug, Clone, Default)]
struct Path {
    names: Vec<String>,
    /// The list whose entry it is.
    list: Option<String>,
}

impl Path {
    fn down(&self, name: &str) -> Self {
        let mut path = self.clone();
        path.names.push(name.to_owned());
        path
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(list) = &self.list {
            write!(f, "in an entry of `{list}` ")?;
        }
        if self.names.is_empty() {
            f.write_str("at the top of the file")
        } else {
            write!(f, "in [{}]", self.names.join("."))
        }
    }
}

struct Found<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    /// The bytes at which all that is wrong begins, told or not.
    wrong: BTreeSet<usize>,
}

impl Found<'_> {
    fn add(&mut self, at: Range<usize>, what: String) {
        self.wrong.insert(at.start);
        if self.problems.len() < MOST {
            self.problems.push(Problem { at: Position::of(self.text, at.start), what });
        }
    }

    fn table(&mut self, known: &'static Table, table: &DeTable<'_>, path: &Path) {
        for (name, value) in table.iter() {
            match known.keys.iter().find(|key| key.name == name.get_ref().as_ref()) {
                Some(key) => self.value(key.name, &key.kind, value, path),
                None => self.add(name.span(), unknown(name.get_ref(), known, path)),
            }
        }
    }

    fn value(&mut self, name: &str, kind: &'static Kind, value: &Spanned<DeValue<'_>>, path: &Path) {
        let at = value.span();
        let mut refuse = |what: String| self.add(at.clone(), format!("`{name}` {path}: {what}"));
        match (kind, value.get_ref()) {
            (Kind::Bool, DeValue::Boolean(_)) => {}
            (Kind::Text | Kind::FileOr(_), DeValue::String(_)) => {}
            (Kind::Number, DeValue::Integer(_) | DeValue::Float(_)) => {}
            (Kind::Count(least, most), DeValue::Integer(count)) => match whole(count) {
                Some(number) if number > *most => refuse(format!("{count} is more than {most}")),
                Some(number) if number >= *least => {}
                Some(_) | None => refuse(format!("{count} is less than {least}")),
            },
            (Kind::Time, DeValue::String(text)) => {
                if let Err(why) = parse_duration(text) {
                    refuse(format!("{text:?}: {why}"));
                }
            }
            (Kind::Size, DeValue::Integer(count)) if whole(count).is_some() => {}
            (Kind::Size, DeValue::String(text)) => {
                if let Err(why) = parse_size(text) {
                    refuse(why);
                }
            }
            (Kind::Money, DeValue::Integer(_) | DeValue::Float(_) | DeValue::String(_)) => {
                if let Err(why) = parse_money(&written(value.get_ref())) {
                    refuse(why);
                }
            }
            (Kind::OneOf(words), DeValue::String(text)) => {
                if !words.contains(&text.as_ref()) {
                    refuse(no_word(text, words));
                }
            }
            (Kind::Path | Kind::PathOr(_), DeValue::String(text)) => {
                if let Err(why) = GrantPath::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::Mask, DeValue::String(text)) => {
                if let Err(why) = MaskPattern::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::Url, DeValue::String(text)) => {
                if let Err(why) = HostUrl::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::HostOr(_), DeValue::String(text)) => {
                if let Err(why) = HostGrant::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::KeyringEntry, DeValue::String(text)) => {
                if let Err(why) = KeyringEntry::try_from(text.to_string()) {
                    refuse(why.to_owned());
                }
            }
            (Kind::Header, DeValue::String(text)) => {
                if let Err(why) = SecretHeader::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::Variable, DeValue::String(text)) => {
                if let Err(why) = VariableName::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::Secret, DeValue::String(text)) => {
                if let Err(why) = SecretName::parse(text) {
                    refuse(why.to_string());
                }
            }
            (Kind::ToolName, DeValue::String(text)) => {
                if let Err(why) = ToolName::try_from(text.to_string()) {
                    refuse(why);
                }
            }
            (Kind::Methods, DeValue::Array(methods)) => {
                if methods.is_empty() {
                    refuse("names none: leave it out for GET and HEAD".to_owned());
                }
                for method in methods.iter() {
                    self.method(name, method, path);
                }
            }
            (Kind::List(kind), DeValue::Array(values)) => {
                for value in values.iter() {
                    self.entry(name, kind, value, path);
                }
            }
            (Kind::Table(known), DeValue::Table(table)) => {
                self.required(known, table, &at, &path.down(name));
                self.table(known, table, &path.down(name));
            }
            (Kind::PathOr(known) | Kind::FileOr(known) | Kind::HostOr(known), DeValue::Table(table)) => {
                self.required(known, table, &at, path);
                self.table(known, table, path);
            }
            (Kind::Named(_, known), DeValue::Table(tables)) => {
                for (own, value) in tables.iter() {
                    let above = path.down(name);
                    match value.get_ref() {
                        DeValue::Table(table) => {
                            let path = above.down(own.get_ref());
                            self.required(known, table, &own.span(), &path);
                            self.table(known, table, &path);
                        }
                        _ => self.add(value.span(), format!("`{}` {above}: want a table", own.get_ref())),
                    }
                }
            }
            (Kind::Each(words, kind), DeValue::Table(table)) => {
                for (word, value) in table.iter() {
                    match words.contains(&word.get_ref().as_ref()) {
                        true => self.value(word.get_ref(), kind, value, &path.down(name)),
                        false => self
                            .add(word.span(), format!("`{name}` {path}: {}", no_word(word.get_ref(), words))),
                    }
                }
            }
            (kind, other) => refuse(format!("want {}, not {}", wanted(kind), named(other))),
        }
    }

    fn method(&mut self, name: &str, value: &Spanned<DeValue<'_>>, path: &Path) {
        let wrong = match value.get_ref() {
            DeValue::String(text) => Method::parse(text).err().map(|why| why.to_string()),
            other => Some(format!("want a text in quotes, not {}", named(other))),
        };
        if let Some(why) = wrong {
            self.add(value.span(), format!("`{name}` {path}: {why}"));
        }
    }

    fn entry(&mut self, list: &str, kind: &'static Kind, value: &Spanned<DeValue<'_>>, path: &Path) {
        let inner = match (kind, value.get_ref()) {
            (Kind::PathOr(_) | Kind::FileOr(_) | Kind::HostOr(_), DeValue::Table(_)) => {
                Path { list: Some(list.to_owned()), ..path.clone() }
            }
            _ => path.clone(),
        };
        self.value(list, kind, value, &inner);
    }

    fn required(&mut self, known: &Table, table: &DeTable<'_>, at: &Range<usize>, path: &Path) {
        for key in known.keys.iter().filter(|key| key.required) {
            if !table.iter().any(|(name, _)| name.get_ref().as_ref() == key.name) {
                self.add(at.clone(), format!("`{}` is missing {path}", key.name));
            }
        }
        let either: Vec<_> = known.keys.iter().filter(|key| key.alternative).map(|key| key.name).collect();
        let said = either.iter().filter(|name| table.contains_key(**name)).count();
        if !either.is_empty() && said != 1 {
            self.add(at.clone(), format!("want one of `{}` {path}", either.join("`, `")));
        }
    }
}

/// A key that isn't known, and the one that was likely meant.
fn unknown(name: &str, known: &Table, path: &Path) -> String {
    let what = format!("`{name}` is not known {path}");
    if let Some(meant) = nearest(name, known.keys.iter().map(|key| key.name)) {
        return format!("{what}; did you mean `{meant}`?");
    }
    let has = |table: &Table| table.keys.iter().any(|key| key.name == name);
    let elsewhere = root().keys.iter().find(|key| matches!(key.kind, Kind::Table(table) if has(table)));
    if let Some(table) = elsewhere {
        return format!("{what}; it belongs into [{}]", table.name);
    }
    let names: Vec<_> = known.keys.iter().map(|key| format!("`{}`", key.name)).collect();
    format!("{what}; there are {}", names.join(", "))
}

fn no_word(text: &str, words: &[&str]) -> String {
    let all: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match (nearest(text, words.iter().copied()), all.as_slice()) {
        (Some(meant), _) => format!("{text:?} can't be used; did you mean \"{meant}\"?"),
        (None, [only]) => format!("{text:?} can't be used in this version; say {only}"),
        (None, all) => format!("{text:?} can't be used; there are {}", all.join(", ")),
    }
}

fn wanted(kind: &Kind) -> &'static str {
    match kind {
        Kind::Bool => "true or false",
        Kind::Text
        | Kind::OneOf(_)
        | Kind::Path
        | Kind::Mask
        | Kind::Url
        | Kind::Header
        | Kind::KeyringEntry
        | Kind::Variable
        | Kind::Secret
        | Kind::ToolName => "a text in quotes",
        Kind::Count(..) => "a whole number",
        Kind::Number => "a number",
        Kind::Time => "a time with a unit in quotes, such as \"30s\"",
        Kind::Size => "a size: bytes, or a text such as \"64KiB\" or \"256MiB\"",
        Kind::Money => "an amount of US dollars, such as 2, 0.5 or \"$1.50\"",
        Kind::List(_) | Kind::Methods => "a list in brackets",
        Kind::PathOr(_) => "\"src\" or { path = \"src\", access = \"read\" }",
        Kind::FileOr(_) => "\"tools/x.wasm\" or { path = \"tools/x.wasm\" }",
        Kind::HostOr(_) => "\"https://api.example.com\" or { url = \"https://api.example.com\" }",
        Kind::Table(_) | Kind::Named(..) | Kind::Each(..) => "a table",
    }
}

fn named(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
