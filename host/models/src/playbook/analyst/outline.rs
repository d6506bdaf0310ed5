//! Claims about what single files define and need.

use super::results::{Import, Observation, Outline, Symbol, outlines};
use super::wording::{code, named, plural};
use super::{About, Claim, Evidence, Item};
use std::collections::BTreeMap;

/// So many definitions of one file are listed.
const SYMBOLS: usize = 30;

pub(super) fn claims(observations: &[Observation]) -> Vec<Claim> {
    let mut latest: BTreeMap<String, Outline> = BTreeMap::new();
    for outline in outlines(observations) {
        latest.insert(outline.path.clone(), outline);
    }
    let mut files: Vec<Outline> = latest.into_values().collect();
    files.sort_by_key(|outline| outline.step);
    files.iter().map(file).collect()
}

fn file(outline: &Outline) -> Claim {
    let counts = [(outline.classes, "type"), (outline.functions, "function"), (outline.methods, "method")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| plural(*count, word)).collect();
    let counts = if counts.is_empty() { "no definitions".to_owned() } else { counts.join(", ") };
    let mut text = format!(
        "{} ({}, {} of code): {counts}",
        code(&outline.path),
        plural(outline.lines, "line"),
        outline.code_lines
    );
    if let Some(package) = &outline.package {
        text.push_str(&format!(", in package {}", code(package)));
    }
    text.push('.');
    let top = top_level(outline);
    if !top.is_empty() {
        let names: Vec<String> = top.iter().take(8).map(|symbol| code(&name_of(symbol))).collect();
        text.push_str(&format!(" Defines {}{}.", names.join(", "), if top.len() > 8 { ", …" } else { "" }));
    }
    let (inside, outside) = imports(outline);
    if !inside.is_empty() {
        text.push_str(&format!(" Uses from the project: {}.", named(&inside, 10)));
    }
    if !outside.is_empty() {
        text.push_str(&format!(" From outside: {}.", named(&outside, 10)));
    }
    let items = top.iter().take(SYMBOLS).map(|symbol| item(outline, symbol)).collect();
    let mut claim =
        Claim::new(About::Module, "outline", text, vec![Evidence::file(outline.step, &outline.path)]);
    claim.items = items;
    claim.omitted = top.len().saturating_sub(SYMBOLS) as u32;
    claim
}

/// Types and functions at top level, what others can reach first. A method counts where the file
/// doesn't define what it belongs to; of several with one name (overloads) the longest.
fn top_level(outline: &Outline) -> Vec<&Symbol> {
    let known =
        |owner: &str| outline.symbols.iter().any(|symbol| symbol.name == owner && symbol.owner.is_none());
    let mut top: Vec<&Symbol> = Vec::new();
    for symbol in &outline.symbols {
        let at_top = match (&symbol.owner, symbol.kind.as_str()) {
            (None, "module") => !(outline.language == "rust" && symbol.name == "tests"),
            (None, _) => true,
            (Some(owner), "method") => !owner.contains('.') && !known(owner),
            (Some(_), _) => false,
        };
        if !at_top {
            continue;
        }
        let length = |symbol: &Symbol| symbol.last_line.saturating_sub(symbol.first_line);
        match top.iter_mut().find(|had| had.name == symbol.name && had.owner == symbol.owner) {
            Some(had) if length(had) < length(symbol) => *had = symbol,
            Some(_) => {}
            None => top.push(symbol),
        }
    }
    top.sort_by_key(|symbol| {
        let rank = match symbol.kind.as_str() {
            "method" => 2,
            "function" | "macro" | "type_alias" => 1,
            _ => 0,
        };
        (!symbol.exported, rank, symbol.first_line)
    });
    top
}

fn item(outline: &Outline, symbol: &Symbol) -> Item {
    let methods = outline
        .symbols
        .iter()
        .filter(|inner| inner.kind == "method" && inner.owner.as_deref() == Some(&symbol.name))
        .count();
    let mut detail = symbol.kind.replace('_', " ");
    if methods > 0 {
        detail.push_str(&format!(", {}", plural(methods as u64, "method")));
    }
    if let Some(doc) = symbol.doc.as_deref().filter(|doc| !doc.trim().is_empty()) {
        detail.push_str(&format!(": {}", clip(doc.trim(), 100)));
    }
    Item {
        text: name_of(symbol),
        detail,
        evidence: Evidence::lines(outline.step, &outline.path, symbol.first_line, symbol.last_line),
        finding: None,
    }
}

fn name_of(symbol: &Symbol) -> String {
    match &symbol.owner {
        Some(owner) => format!("{owner}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

/// Imports of the project's own modules and of others', without repeats, in the file's order.
fn imports(outline: &Outline) -> (Vec<String>, Vec<String>) {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for import in &outline.imports {
        let own = is_own(outline, import);
        let name = if own { near(outline, &import.module) } else { root(&outline.language, &import.module) };
        let list = if own { &mut inside } else { &mut outside };
        if !list.contains(&name) && !matches!(name.as_str(), "" | "crate" | "self" | "super") {
            list.push(name);
        }
    }
    (inside, outside)
}

fn is_own(outline: &Outline, import: &Import) -> bool {
    let module = import.module.as_str();
    match outline.language.as_str() {
        "python" => {
            let first = module.split('.').next().unwrap_or_default();
            module.starts_with('.') || outline.path.split('/').any(|part| part == first)
        }
        "javascript" | "typescript" | "tsx" => module.starts_with(['.', '/']) || module.starts_with("@/"),
        "rust" => {
            let first = module.split("::").next().unwrap_or_default();
            let submodule = |import: &Import| import.kind == "submodule" && import.module == first;
            import.kind == "submodule"
                || matches!(first, "crate" | "self" | "super")
                || outline.imports.iter().any(submodule)
        }
        "java" => {
            let near = |text: &str| text.split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
            outline.package.as_deref().is_some_and(|package| near(package) == near(module))
        }
        "c" | "cpp" => module.starts_with('"'),
        _ => false,
    }
}

/// The part of an import of the project's own that names the module.
fn near(outline: &Outline, module: &str) -> String {
    match outline.language.as_str() {
        "rust" => module.split("::").take(2).collect::<Vec<_>>().join("::"),
        _ => module.to_owned(),
    }
}

/// The part of an outside import that names the package.
fn root(language: &str, module: &str) -> String {
    match language {
        "python" => module.split('.').next().unwrap_or(module).to_owned(),
        "rust" => module.split("::").next().unwrap_or(module).to_owned(),
        "java" => module.split('.').take(3).collect::<Vec<_>>().join("."),
        _ => module.to_owned(),
    }
}

/// A text cut at so many characters.
pub(super) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
