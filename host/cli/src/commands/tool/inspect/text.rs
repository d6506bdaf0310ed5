//! A component as a person reads it.

use super::{Shown, size_and_sha256, uses};
use crate::commands::tool::{example, shape};
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_sandbox::Tool;
use ringfence_sandbox::reflect::ComponentTools;
use std::fmt::Write;

/// The whole text; `verbose` has the imports and producers by name.
pub(super) fn of(shown: &Shown, verbose: bool) -> Result<String> {
    let Shown { component, tools, .. } = shown;
    let known = component.tools();
    let (size, sha256) = size_and_sha256(component)?;
    let mut text = String::new();
    let _ = writeln!(text, "component  {}", one_line(component.name(), 200));
    let _ = writeln!(text, "digest     {}", component.digest());
    let _ = writeln!(text, "           {sha256}");
    let _ = writeln!(text, "size       {}", shape::size(size));
    if let Some(maker) = &known.maker {
        let _ = writeln!(text, "made from  {}", one_line(maker, 200));
    }
    for producer in known.producers.iter().filter(|_| verbose) {
        let line = format!("{} {} {}", producer.field, producer.name, producer.version);
        let _ = writeln!(text, "           {}", one_line(&line, 200));
    }
    if known.obstacles.is_empty() {
        let _ = writeln!(text, "runs here  yes");
    }
    for (at, obstacle) in known.obstacles.iter().enumerate() {
        let label = if at == 0 { "runs here  no: " } else { "           " };
        let _ = writeln!(text, "{label}{}", one_line(&obstacle.to_string(), 600));
    }
    for tool in tools {
        one_tool(&mut text, shown, tool);
    }
    if tools.is_empty() {
        let _ = writeln!(text, "\nnone of its functions can be a tool");
    }
    if !known.unsupported.is_empty() {
        let _ = writeln!(text, "\nnot tools:");
        for function in &known.unsupported {
            let line = format!("{}: {}", function.export, function.reason);
            let _ = writeln!(text, "  {}", one_line(&line, 300));
        }
    }
    asks(&mut text, known, verbose);
    for warning in &known.warnings {
        let _ = writeln!(text, "warning: {}", one_line(warning, 300));
    }
    // Trailing white space of an empty line of documentation is none of ours to keep.
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn one_tool(text: &mut String, shown: &Shown, tool: &Tool) {
    let toolbox = &shown.bench.toolbox;
    let (name, definition) = (tool.name(), tool.definition());
    let signature = &definition.signature;
    let _ = writeln!(text, "\n{}", plain(&shape::signature(name, signature)));
    for line in plain(&definition.description).lines() {
        let _ = writeln!(text, "    {}", line.trim_end());
    }
    for (at, part) in shape::parts_of_params(signature).iter().enumerate() {
        let label = if at == 0 { "  takes" } else { "" };
        let _ = writeln!(text, "{label:10} {}", one_line(part, 200));
    }
    let (gives, fails) = shape::results(signature);
    let _ = writeln!(text, "  gives    {}", plain(&gives));
    for part in shape::parts_of_result(signature) {
        let _ = writeln!(text, "           {}", one_line(&part, 200));
    }
    if let Some(fails) = fails {
        let _ = writeln!(text, "  fails    {}", plain(&fails));
    }
    let grants = toolbox.tree(name).grants();
    let can = shape::abilities(tool, toolbox.facts_of(tool), grants);
    let _ = writeln!(text, "  can      {}", plain(&can));
    if let Some(hidden) = shape::hidden(&grants.dirs).filter(|_| toolbox.opens_files(tool)) {
        let _ = writeln!(text, "  hidden   {}", plain(&hidden));
    }
    let _ = writeln!(text, "  bounds   {}", shape::bounds(toolbox.limits(name)));
    let _ = writeln!(text, "  is       {}", plain(&definition.export.to_string()));
    let words = ["ringfence", "tool", "call", name].map(str::to_owned);
    let called = match shown.is_of_project {
        true => words.to_vec(),
        false => [&words[..], &["--component".to_owned(), shown.component.name().to_owned()]].concat(),
    };
    let _ = writeln!(text, "  call     {}", plain(&example::command(&called, signature)));
}

fn asks(text: &mut String, known: &ComponentTools, verbose: bool) {
    let uses = uses::of(&known.imports);
    let _ = writeln!(text, "\nasks for{}", if known.imports.is_empty() { ": nothing" } else { ":" });
    let width = uses.iter().map(|one| one.what.len()).max().unwrap_or(0);
    for one in &uses {
        let _ = writeln!(text, "  {:width$}  {}", one.what, one.here);
    }
    for import in known.imports.iter().filter(|_| verbose) {
        let _ = writeln!(text, "  {}", one_line(import, 200));
    }
}
