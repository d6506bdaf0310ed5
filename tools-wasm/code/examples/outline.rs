//! `cargo run --example outline -- FOLDER…`: every source below, one line of JSON each.

use ringfence_code::{Language, analyze_code};
use ringfence_guest_project::Root;
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut pending: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            let kind = entry.file_type()?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_file() {
                one(&entry.path(), &mut out)?;
            }
        }
    }
    out.flush()
}

fn one(path: &Path, out: &mut impl std::io::Write) -> std::io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(());
    };
    if Language::of(name).is_none() && !Language::may_be_script(name) {
        return Ok(());
    }
    let Ok(analysis) = analyze_code(&Root::at(folder), name) else { return Ok(()) };
    let symbols: Vec<_> = analysis
        .outline
        .iter()
        .map(|symbol| {
            json!({
                "kind": format!("{:?}", symbol.kind),
                "name": symbol.name,
                "owner": symbol.owner,
                "line": symbol.first_line,
                "end": symbol.last_line,
                "signature": symbol.signature,
                "exported": symbol.exported,
                "complexity": symbol.complexity.map(|complexity| {
                    [complexity.cyclomatic, complexity.nesting, complexity.parameters]
                }),
            })
        })
        .collect();
    let line = json!({
        "path": path,
        "language": analysis.language,
        "cut": analysis.cut,
        "errors": analysis.syntax_errors,
        "imports": analysis.imports.len(),
        "exports": analysis.exports,
        "symbols": symbols,
    });
    writeln!(out, "{line}")
}
