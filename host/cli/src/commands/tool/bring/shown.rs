//! A component as a person sees it before deciding.

use super::super::shape;
use super::desk::Desk;
use super::found::Found;
use super::meaning;
use crate::config::Approved;
use crate::terminal::{one_line, plain};
use crate::toolset::as_told;
use anyhow::Result;
use ringfence_sandbox::{Grants, Tool, Toolset};
use serde_json::{Value, json};
use std::fmt::Write;

/// Lines of a tool's description that are shown.
const DESCRIBED: usize = 6;
/// Functions, parts and imports that are listed of each kind.
const LISTED: usize = 50;

/// Its tools, and what all of them get under this policy.
struct View {
    tools: Toolset,
    grants: Grants,
}

impl View {
    fn of(desk: &Desk, found: &Found) -> Result<Self> {
        let tools = Toolset::new([found.component.clone()])?;
        Ok(Self { tools, grants: found.entry.approved.narrow(&desk.resolved.grants) })
    }

    fn abilities(&self, tool: &Tool) -> String {
        shape::abilities(tool, as_told(self.grants.facts_of(tool)), &self.grants)
    }
}

/// As text.
pub(super) fn text(desk: &Desk, found: &Found) -> Result<String> {
    let (entry, view) = (&found.entry, View::of(desk, found)?);
    let mut text = format!("{}\n", entry.name);
    let _ = writeln!(text, "  source     {}", one_line(&entry.source.to_string(), 500));
    if let Some(resolved) = &entry.resolved {
        let _ = writeln!(text, "  found at   {resolved}");
    }
    let _ = writeln!(text, "  digest     {}", entry.digest);
    let signed = entry.signed_by.map_or_else(
        || "not asked for: you trust no key for this source".to_owned(),
        |key| format!("yes, by the key {key}"),
    );
    let _ = writeln!(text, "  signed     {signed}");
    let _ = writeln!(text, "  size       {}", shape::size(entry.size));
    for (own, name) in &entry.names {
        let _ = writeln!(text, "  renamed    {own} is called {name} here");
    }
    let _ = writeln!(text, "  approved   {}", one_line(&entry.approved.told(), 2_000));
    let missing = entry.approved.beyond(&desk.resolved.grants);
    if missing != Approved::default() {
        let told = one_line(&missing.told(), 2_000);
        let _ = writeln!(text, "             of that, the policy of today doesn't grant: {told}");
    }
    for tool in view.tools.iter().take(LISTED) {
        let definition = tool.definition();
        let _ =
            writeln!(text, "\n  {}", one_line(&shape::signature(tool.name(), &definition.signature), 1_000));
        let lines: Vec<_> = definition.description.lines().collect();
        for line in lines.iter().take(DESCRIBED) {
            let _ = writeln!(text, "      {}", plain(line).trim_end());
        }
        if lines.len() > DESCRIBED {
            let _ = writeln!(text, "      … {} more lines", lines.len() - DESCRIBED);
        }
        let (gives, fails) = shape::results(&definition.signature);
        let _ = writeln!(text, "    gives    {}", one_line(&gives, 500));
        if let Some(fails) = fails {
            let _ = writeln!(text, "    fails    {}", one_line(&fails, 500));
        }
        let _ = writeln!(text, "    will     {}", plain(&view.abilities(tool)));
    }
    let known = found.component.tools();
    let _ = writeln!(text, "\n  imports{}", if known.imports.is_empty() { "    nothing" } else { "" });
    for (import, meaning) in meaning::of(&known.imports).iter().take(LISTED) {
        let _ = writeln!(text, "    {}: {meaning}", one_line(import, 200));
    }
    for function in known.unsupported.iter().take(LISTED) {
        let line = format!("{}: {}", function.export, function.reason);
        let _ = writeln!(text, "  not a tool {}", one_line(&line, 300));
    }
    for part in found.passed_over.iter().take(LISTED) {
        let _ = writeln!(text, "  not used   {}", one_line(part, 300));
    }
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// As JSON; `state` says what became of it.
pub(super) fn json(desk: &Desk, found: &Found, state: &str) -> Result<Value> {
    let (entry, view) = (&found.entry, View::of(desk, found)?);
    let tool = |tool: &Tool| {
        let definition = tool.definition();
        json!({
            "name": tool.name(),
            "description": definition.description,
            "input_schema": definition.input_schema,
            "output_schema": definition.output_schema,
            "error_schema": definition.error_schema,
            "can": as_told(view.grants.facts_of(tool)),
        })
    };
    let known = found.component.tools();
    Ok(json!({
        "name": entry.name.as_str(),
        "state": state,
        "source": entry.source.to_string(),
        "resolved": entry.resolved.as_ref().map(ToString::to_string),
        "digest": entry.digest,
        "sha256": entry.sha256,
        "size": entry.size,
        "signed_by": entry.signed_by,
        "tools": view.tools.iter().map(tool).collect::<Vec<_>>(),
        "unsupported": known.unsupported,
        "imports": entry.imports,
        "names": entry.names,
        "passed_over": found.passed_over,
        "approved": entry.approved,
        "not_granted": entry.approved.beyond(&desk.resolved.grants),
    }))
}
