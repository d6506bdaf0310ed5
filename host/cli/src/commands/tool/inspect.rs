//! `ringfence tool inspect`

use super::{Workbench, shape};
use crate::args::{GlobalArgs, ToolInspectArgs};
use crate::exit::{Exit, OrUsage};
use crate::output::out;
use crate::terminal::{self, one_line, plain};
use anyhow::Result;
use ringfence_sandbox::{ComponentSource, LoadedComponent, Tool, Toolset, standard};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Shows a component file, or one tool.
pub(super) fn execute(args: &ToolInspectArgs, global: &GlobalArgs) -> Result<Exit> {
    let bench = Workbench::to_look(&args.project, &args.grants, global)?;
    let path = Path::new(&args.what);
    // A name that is also a file is a tool: a file can be named with its folder, `./name`.
    let (component, tools) = match bench.tools().find(|tool| tool.name() == args.what) {
        Some(tool) => (tool.component().clone(), vec![tool.clone()]),
        None if is_file_name(&args.what) => {
            let component = bench.sandbox.load(ComponentSource::from_file(path).or_usage()?).or_usage()?;
            let tools = Toolset::new([component.clone()]).or_usage()?;
            (component, tools.iter().cloned().collect())
        }
        None => {
            // Fails, naming the tools that there are.
            let tool = bench.tool(&args.what)?;
            (tool.component().clone(), vec![tool.clone()])
        }
    };
    let text =
        if args.json { as_json(&bench, &component, &tools) } else { as_text(&bench, &component, &tools) };
    out(&text)?;
    Ok(Exit::Done)
}

fn is_file_name(what: &str) -> bool {
    what.contains('/') || what.contains('.') || Path::new(what).is_file()
}

/// Bytes of the component, where that can be known without unpacking it.
fn size(component: &LoadedComponent) -> Option<u64> {
    let built_in =
        standard::components().iter().find(|known| known.digest().ok() == Some(component.digest()));
    match built_in {
        Some(known) => Some(known.size()),
        None => std::fs::metadata(component.name()).ok().map(|found| found.len()),
    }
}

fn as_json(bench: &Workbench, component: &LoadedComponent, tools: &[Tool]) -> String {
    let tool = |tool: &Tool| {
        let (name, definition) = (tool.name(), tool.definition());
        json!({
            "name": name,
            "description": definition.description,
            "interface": definition.export.interface,
            "function": definition.export.function,
            "input_schema": definition.input_schema,
            "output_schema": definition.output_schema,
            "error_schema": definition.error_schema,
            "can": bench.toolbox.facts_of(tool),
            "grants": bench.toolbox.tree(name).grants().dirs,
            "env": bench.toolbox.tree(name).grants().env_of(tool),
            "limits": bench.toolbox.limits(name),
        })
    };
    let known = component.tools();
    let all = json!({
        "component": component.name(),
        "digest": component.digest(),
        "size": size(component),
        "project": bench.project.path().to_string_lossy(),
        "tools": tools.iter().map(tool).collect::<Vec<Value>>(),
        "unsupported": known.unsupported,
        "imports": known.imports,
        "producers": known.producers,
        "warnings": known.warnings,
    });
    terminal::json(&format!("{all:#}\n"))
}

fn as_text(bench: &Workbench, component: &Arc<LoadedComponent>, tools: &[Tool]) -> String {
    let known = component.tools();
    let mut text = String::new();
    let _ = writeln!(text, "component  {}", one_line(component.name(), 200));
    let _ = writeln!(text, "digest     {}", component.digest());
    if let Some(size) = size(component) {
        let _ = writeln!(text, "size       {}", shape::size(size));
    }
    for producer in &known.producers {
        let line = format!("{} {} {}", producer.field, producer.name, producer.version);
        let _ = writeln!(text, "made by    {}", one_line(&line, 200));
    }
    for tool in tools {
        let (name, definition) = (tool.name(), tool.definition());
        let _ = writeln!(text, "\n{}", plain(&shape::signature(name, &definition.signature)));
        for line in plain(&definition.description).lines() {
            let _ = writeln!(text, "    {}", line.trim_end());
        }
        let (gives, fails) = shape::results(&definition.signature);
        let _ = writeln!(text, "  gives    {}", plain(&gives));
        if let Some(fails) = fails {
            let _ = writeln!(text, "  fails    {}", plain(&fails));
        }
        let dirs = &bench.toolbox.tree(name).grants().dirs;
        let _ = writeln!(
            text,
            "  can      {}",
            plain(&shape::abilities(tool, bench.toolbox.facts_of(tool), bench.toolbox.tree(name).grants()))
        );
        if let Some(hidden) = shape::hidden(dirs) {
            let _ = writeln!(text, "  hidden   {}", plain(&hidden));
        }
        let _ = writeln!(text, "  bounds   {}", shape::bounds(bench.toolbox.limits(name)));
        let _ = writeln!(text, "  is       {}", plain(&definition.export.to_string()));
    }
    if !known.unsupported.is_empty() {
        let _ = writeln!(text, "\nnot tools:");
        for function in &known.unsupported {
            let line = format!("{}: {}", function.export, function.reason);
            let _ = writeln!(text, "  {}", one_line(&line, 300));
        }
    }
    let _ = writeln!(text, "\nimports{}", if known.imports.is_empty() { ": nothing" } else { ":" });
    for import in &known.imports {
        let _ = writeln!(text, "  {}", one_line(import, 200));
    }
    for warning in &known.warnings {
        let _ = writeln!(text, "warning: {}", one_line(warning, 300));
    }
    // Trailing white space of an empty line of documentation is none of ours to keep.
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
