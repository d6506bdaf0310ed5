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
    pub(in crate::playbook) text: String,
    pub(in crate::playbook) first_line: u32,
    pub(in crate::playbook) cut: bool,
}

/// What a search found.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Search {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) matches: Vec<Match>,
    pub(in crate::playbook) total: u64,
    pub(in crate::playbook) cut: bool,
    pub(in crate::playbook) files_searched: u64,
    /// Files that were skipped because they are binary.
    pub(in crate::playbook) binary_files: u64,
    /// What wasn't searched, as `path: reason`, as far as it is named.
    pub(in crate::playbook) unsearched: Vec<String>,
    /// Whether the search came to its end.
    pub(in crate::playbook) complete: bool,
}

/// A line that matches.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Match {
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) line: u32,
    pub(in crate::playbook) text: String,
    pub(in crate::playbook) after: Vec<String>,
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
        complete: seen.value.get("complete") != Some(&Value::Bool(false)),
        unreadable: list(&seen.value, "unreadable").count() as u64,
    })
}

/// Every piece of a file that was read, oldest first.
pub(in crate::playbook) fn texts(observations: &[Observation]) -> impl Iterator<Item = Text> + '_ {
    done(observations, "read_file").filter_map(|seen| {
        Some(Text {
            step: seen.step,
            path: path_of(seen)?,
            first_line: line(&seen.value, "first_line").max(1),
            cut: flag(&seen.value, "cut") || was_cut(seen.value.get("text")?.as_str()?),
            text: seen.value.get("text")?.as_str()?.to_owned(),
        })
    })
}

/// Every search, oldest first.
pub(in crate::playbook) fn searches(observations: &[Observation]) -> impl Iterator<Item = Search> + '_ {
    done(observations, "search_text").map(|seen| Search {
        step: seen.step,
        matches: list(&seen.value, "matches")
            .filter_map(|found| {
                Some(Match {
                    path: tidy(found.get("path")?.as_str()?),
                    line: line(found, "line"),
                    text: found.get("text")?.as_str()?.to_owned(),
                    after: list(found, "after").filter_map(Value::as_str).map(str::to_owned).collect(),
                })
            })
            .collect(),
        total: number(&seen.value, "total"),
        cut: flag(&seen.value, "cut"),
        files_searched: number(&seen.value, "files_searched"),
        binary_files: number(&seen.value, "binary_files"),
        unsearched: list(&seen.value, "unsearched").filter_map(Value::as_str).map(str::to_owned).collect(),
        complete: seen.value.get("complete") != Some(&Value::Bool(false)),
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
            package: seen.value.get("package_name").and_then(Value::as_str).map(str::to_owned),
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
        owner: value.get("owner").and_then(Value::as_str).map(str::to_owned),
        first_line: line(value, "first_line"),
        last_line: line(value, "last_line"),
        exported: flag(value, "exported"),
        doc: value.get("doc").and_then(Value::as_str).map(str::to_owned),
    })
}

fn done<'a>(observations: &'a [Observation], tool: &'a str) -> impl Iterator<Item = &'a Observation> + 'a {
    observations.iter().filter(move |seen| seen.tool == tool && seen.is_done())
}

/// Whether the fence cut a text short; it then ends in `…[cut: 1000 of 52000 bytes]`.
fn was_cut(text: &str) -> bool {
    text.ends_with(" bytes]") && text.rfind("…[cut: ").is_some_and(|at| text.len() - at < 80)
}

/// The tidied path from the result, else as it was asked for.
fn path_of(seen: &Observation) -> Option<String> {
    let told = seen.value.get("path").or_else(|| seen.input.get("file_path"))?;
    Some(tidy(told.as_str()?))
}

fn tidy(path: &str) -> String {
    let path = path.trim_start_matches('/');
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// 64-bit numbers come as text where they are large.
fn number(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        Some(Value::Number(number)) => number.as_u64().unwrap_or(0),
        Some(Value::String(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// A line's number; no file has more than a billion.
fn line(value: &Value, key: &str) -> u32 {
    number(value, key).min(1_000_000_000) as u32
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}
