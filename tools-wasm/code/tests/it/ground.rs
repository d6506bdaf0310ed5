//! An analysis as lines of text, so that a test can say all of it.

use ringfence_code::{Analysis, Language, analyze_text};

pub(crate) fn analyze(language: Language, text: &str) -> Analysis {
    analyze_text(language, text).unwrap()
}

/// `kind owner.name first-last` with `+` where exported, one for each symbol.
pub(crate) fn outline(analysis: &Analysis) -> Vec<String> {
    let one = |symbol: &ringfence_code::Symbol| {
        let kind = format!("{:?}", symbol.kind).to_lowercase();
        let owner = symbol.owner.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
        let exported = if symbol.exported { "+" } else { "" };
        format!("{kind} {owner}{}{exported} {}-{}", symbol.name, symbol.first_line, symbol.last_line)
    };
    analysis.outline.iter().map(one).collect()
}

/// `line kind module: names`, one for each import.
pub(crate) fn imports(analysis: &Analysis) -> Vec<String> {
    let one = |import: &ringfence_code::Import| {
        let names =
            if import.names.is_empty() { String::new() } else { format!(": {}", import.names.join(", ")) };
        format!("{} {} {}{names}", import.line, format!("{:?}", import.kind).to_lowercase(), import.module)
    };
    analysis.imports.iter().map(one).collect()
}

/// Signature and doc of a symbol.
pub(crate) fn head<'a>(analysis: &'a Analysis, name: &str) -> (&'a str, Option<&'a str>) {
    let symbol = analysis.outline.iter().find(|symbol| symbol.name == name).unwrap();
    (&symbol.signature, symbol.doc.as_deref())
}
