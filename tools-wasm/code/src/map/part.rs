//! One file's part in the map: what is kept of it once it was parsed.

use super::model::Hardest;
use crate::analyze::analyze_text;
use crate::language::Language;
use crate::model::{Analysis, ImportKind, Symbol, SymbolKind};
use crate::setting::Setting;
use serde::{Deserialize, Serialize};

/// How much is kept of a file's imports: so many, with so many names each.
const MOST_IMPORTS: usize = 500;
const MOST_NAMES: usize = 60;
/// Longer names are no names, in bytes.
const LONGEST_NAME: usize = 500;

/// What the map needs to know of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(super) setting: Setting,
    /// Java's, C#'s and PHP's own name of the package, Go's too.
    pub(super) package: Option<String>,
    pub(super) code_lines: u32,
    pub(super) symbols: u32,
    pub(super) hardest: Option<Hardest>,
    pub(super) imports: Vec<Import>,
    /// A line where the program begins, and why it is one.
    pub(super) entry: Option<(u32, String)>,
}

/// A reference to other code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Import {
    pub(super) kind: Kind,
    pub(super) module: String,
    pub(super) names: Vec<String>,
    pub(super) line: u32,
}

/// How a file refers to other code, as far as resolving differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// By a module's name.
    Module,
    /// By a file's name.
    File,
    /// Rust's `mod name;`.
    Submodule,
}

impl Part {
    /// The part of a file; none if the parser gives up.
    pub(crate) fn of(language: Language, path: &str, text: &str) -> Option<Self> {
        let analysis = analyze_text(language, text)?;
        let entry = entry(language, &analysis, text);
        let hardest = analysis.outline.iter().filter_map(hardest).max_by_key(|one| one.cyclomatic);
        let is_short = |text: &String| text.len() <= LONGEST_NAME;
        let imports = analysis.imports.into_iter().filter(|import| is_short(&import.module));
        let imports = imports.take(MOST_IMPORTS).map(|import| Import {
            kind: match import.kind {
                ImportKind::Submodule => Kind::Submodule,
                ImportKind::Include => Kind::File,
                ImportKind::Import | ImportKind::ReExport | ImportKind::Require | ImportKind::Dynamic => {
                    Kind::Module
                }
            },
            module: import.module,
            names: import.names.into_iter().filter(is_short).take(MOST_NAMES).collect(),
            line: import.line,
        });
        Some(Self {
            setting: setting(language, path, text, analysis.counts.lines),
            package: analysis.package_name,
            code_lines: analysis.counts.code_lines,
            symbols: u32::try_from(analysis.outline.len()).unwrap_or(u32::MAX),
            hardest,
            imports: imports.collect(),
            entry,
        })
    }
}

/// Minified code is nobody's own work: few lines, and long ones.
fn setting(language: Language, path: &str, text: &str, lines: u32) -> Setting {
    let setting = Setting::of(path, text);
    let minified = match language {
        Language::JavaScript | Language::Css | Language::TypeScript => {
            text.len() > 4096 && text.len() / (lines.max(1) as usize) > 400
        }
        _ => false,
    };
    if minified { setting.max(Setting::Generated) } else { setting }
}

fn hardest(symbol: &Symbol) -> Option<Hardest> {
    let complexity = symbol.complexity?;
    let name = match &symbol.owner {
        Some(owner) => format!("{owner}.{}", symbol.name),
        None => symbol.name.clone(),
    };
    Some(Hardest { name, line: symbol.first_line, cyclomatic: complexity.cyclomatic })
}

/// Where a program begins in this file, by its language's own rule.
fn entry(language: Language, analysis: &Analysis, text: &str) -> Option<(u32, String)> {
    let main = |kinds: &[SymbolKind], name: &str| {
        let is = |symbol: &&Symbol| symbol.name == name && kinds.contains(&symbol.kind);
        analysis.outline.iter().find(is)
    };
    match language {
        Language::Rust => main(&[SymbolKind::Function], "main")
            .filter(|found| found.owner.is_none())
            .map(|found| (found.first_line, "fn main".to_owned())),
        Language::Go => main(&[SymbolKind::Function], "main")
            .filter(|_| analysis.package_name.as_deref() == Some("main"))
            .map(|found| (found.first_line, "func main in package main".to_owned())),
        Language::C | Language::Cpp => main(&[SymbolKind::Function], "main")
            .filter(|found| found.owner.is_none())
            .map(|found| (found.first_line, "function main".to_owned())),
        Language::Java => main(&[SymbolKind::Method], "main")
            .filter(|found| found.signature.contains("static"))
            .map(|found| (found.first_line, "static method main".to_owned())),
        Language::CSharp => main(&[SymbolKind::Method], "Main")
            .filter(|found| found.signature.contains("static"))
            .map(|found| (found.first_line, "static method Main".to_owned())),
        Language::Python => {
            line_of(text, |line| line.starts_with("if __name__ ==") && line.contains("__main__"))
                .map(|line| (line, "if __name__ == \"__main__\"".to_owned()))
        }
        Language::JavaScript | Language::TypeScript | Language::Bash | Language::Ruby | Language::Php => text
            .starts_with("#!")
            .then(|| (1, text.lines().next().unwrap_or_default().chars().take(60).collect())),
        Language::Tsx | Language::Json | Language::Yaml | Language::Toml | Language::Html | Language::Css => {
            None
        }
    }
}

fn line_of(text: &str, is: impl Fn(&str) -> bool) -> Option<u32> {
    let at = text.lines().position(is)?;
    u32::try_from(at + 1).ok()
}
