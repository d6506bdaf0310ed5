//! Results of the standard tools, read leniently: a field that is missing or of another shape
//! costs that piece of information and nothing else.

use serde::Deserialize;
use serde_json::Value;

/// Sizes are taken as at most this, so that sums of them hold.
const LARGEST: u64 = 1 << 40;

/// A tool call that ended, as a journal has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Observation {
    /// The step in the action history.
    pub step: u64,
    /// The task that it served.
    #[serde(default)]
    pub task: String,
    /// The tool.
    pub tool: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
    /// How it ended: `done`, `failed`, `trapped`, `denied`, `exceeded` or `cancelled`.
    pub status: String,
    /// Its value or its error.
    #[serde(default)]
    pub value: Value,
    /// One line on a call that wasn't `done`.
    #[serde(default)]
    pub message: String,
}

impl Observation {
    /// Whether the tool gave its value.
    pub fn is_done(&self) -> bool {
        self.status == "done"
    }
}

/// What a directory holds.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Listing {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) directory: String,
    pub(in crate::playbook) recursive: bool,
    pub(in crate::playbook) pattern: Option<String>,
    pub(in crate::playbook) entries: Vec<Entry>,
    /// How many entries match, shown or not.
    pub(in crate::playbook) total: u64,
    pub(in crate::playbook) cut: bool,
    /// Whether counting came to its end.
    pub(in crate::playbook) complete: bool,
    /// Folders that couldn't be read, as far as they are named.
    pub(in crate::playbook) unreadable: u64,
}

/// One entry of a listing.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Entry {
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) is_file: bool,
    pub(in crate::playbook) is_directory: bool,
    pub(in crate::playbook) size: u64,
}

/// Lines of a file.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Text {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) lines: (u32, u32),
}

/// What a source file defines and needs.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Outline {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) language: String,
    pub(in crate::playbook) package: Option<String>,
    pub(in crate::playbook) symbols: Vec<Symbol>,
    pub(in crate::playbook) imports: Vec<Import>,
    pub(in crate::playbook) lines: u64,
    pub(in crate::playbook) code_lines: u64,
    pub(in crate::playbook) functions: u64,
    pub(in crate::playbook) methods: u64,
    pub(in crate::playbook) classes: u64,
    pub(in crate::playbook) syntax_errors: u64,
}

/// Something that a file defines.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Symbol {
    pub(in crate::playbook) kind: String,
    pub(in crate::playbook) name: String,
    pub(in crate::playbook) owner: Option<String>,
    pub(in crate::playbook) first_line: u32,
    pub(in crate::playbook) last_line: u32,
    pub(in crate::playbook) exported: bool,
    pub(in crate::playbook) doc: Option<String>,
    /// Cyclomatic complexity, of functions with a body.
    pub(in crate::playbook) cyclomatic: Option<u32>,
}

/// A reference to other code.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Import {
    pub(in crate::playbook) module: String,
    pub(in crate::playbook) kind: String,
}

/// Every listing, oldest first.
pub(in crate::playbook) fn listings(observations: &[Observation]) -> impl Iterator<Item = Listing> + '_ {
    done(observations, "list_files").map(|seen| Listing {
        step: seen.step,
        directory: text(&seen.value, "directory"),
        recursive: flag(&seen.input, "recursive"),
        pattern: seen.input.get("pattern").and_then(Value::as_str).map(str::to_owned),
        entries: list(&seen.value, "entries")
            .filter_map(|entry| {
                let kind = entry.get("kind").and_then(Value::as_str)?;
                Some(Entry {
                    path: tidy(entry.get("path")?.as_str()?),
                    is_file: kind == "file",
                    is_directory: kind == "directory",
                    size: number(entry, "size").min(LARGEST),
                })
            })
            .collect(),
        total: number(&seen.value, "total"),
        cut: flag(&seen.value, "cut"),
        complete: is_complete(&seen.value),
        unreadable: list(&seen.value, "unreadable").count() as u64,
    })
}

/// Every piece of a file that was read, oldest first.
pub(in crate::playbook) fn texts(observations: &[Observation]) -> impl Iterator<Item = Text> + '_ {
    done(observations, "read_file").filter_map(|seen| {
        Some(Text {
            step: seen.step,
            path: path_of(seen)?,
            lines: (small(&seen.value, "first_line").max(1), small(&seen.value, "last_line").max(1)),
        })
    })
}

/// Every analysed file, oldest first.
pub(in crate::playbook) fn outlines(observations: &[Observation]) -> impl Iterator<Item = Outline> + '_ {
    done(observations, "analyze_code").filter_map(|seen| {
        let counts = seen.value.get("counts").unwrap_or(&Value::Null);
        Some(Outline {
            step: seen.step,
            path: path_of(seen)?,
            language: text(&seen.value, "language"),
            package: maybe(&seen.value, "package_name"),
            symbols: list(&seen.value, "outline").filter_map(symbol).collect(),
            imports: list(&seen.value, "imports")
                .filter_map(|import| {
                    Some(Import {
                        module: import.get("module")?.as_str()?.to_owned(),
                        kind: text(import, "kind"),
                    })
                })
                .collect(),
            lines: number(counts, "lines"),
            code_lines: number(counts, "code_lines"),
            functions: number(counts, "functions"),
            methods: number(counts, "methods"),
            classes: number(counts, "classes"),
            syntax_errors: number(&seen.value, "syntax_errors"),
        })
    })
}

fn symbol(value: &Value) -> Option<Symbol> {
    Some(Symbol {
        kind: text(value, "kind"),
        name: value.get("name")?.as_str()?.to_owned(),
        owner: maybe(value, "owner"),
        first_line: small(value, "first_line"),
        last_line: small(value, "last_line"),
        exported: flag(value, "exported"),
        doc: maybe(value, "doc"),
        cyclomatic: value
            .get("complexity")
            .filter(|told| told.is_object())
            .map(|told| small(told, "cyclomatic")),
    })
}

fn done<'a>(observations: &'a [Observation], tool: &'a str) -> impl Iterator<Item = &'a Observation> + 'a {
    observations.iter().filter(move |seen| seen.tool == tool && seen.is_done())
}

/// The tidied path from the result, else as it was asked for.
fn path_of(seen: &Observation) -> Option<String> {
    let told = seen.value.get("path").or_else(|| seen.input.get("file_path"))?;
    Some(tidy(told.as_str()?))
}

pub(super) fn tidy(path: &str) -> String {
    let path = path.trim_start_matches('/');
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

pub(super) fn text(value: &Value, key: &str) -> String {
    maybe(value, key).unwrap_or_default()
}

pub(super) fn maybe(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

pub(super) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Only where it says so a result isn't the whole.
pub(super) fn is_complete(value: &Value) -> bool {
    value.get("complete") != Some(&Value::Bool(false))
}

/// 64-bit numbers come as text where they are large.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        Some(Value::Number(number)) => number.as_u64().unwrap_or(0),
        Some(Value::String(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// A number that is small where it makes sense, such as that of a line: at most a billion.
pub(super) fn small(value: &Value, key: &str) -> u32 {
    number(value, key).min(1_000_000_000) as u32
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}
