//! `ringfence tool inspect`

mod text;
mod uses;

use super::{Named, Workbench};
use crate::args::{GlobalArgs, ToolInspectArgs};
use crate::exit::Exit;
use crate::output::{out, out_json};
use anyhow::Result;
use ringfence_sandbox::{LoadedComponent, Tool};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write;
use std::sync::Arc;

/// Shows a component file, or one tool.
pub(super) fn execute(args: &ToolInspectArgs, global: &GlobalArgs) -> Result<Exit> {
    let shown = match Named::of(&args.what) {
        Named::Tool(name) => {
            let bench = Workbench::to_look(&args.project, &args.grants, global)?;
            let tool = bench.tool(&name)?.clone();
            let component = tool.component().clone();
            Shown { tools: vec![tool], component, is_of_project: true, bench }
        }
        Named::File(file) => {
            let bench = Workbench::to_look_at(&file, &args.project, &args.grants, global)?;
            let tools = bench.tools().cloned().collect();
            Shown { tools, component: bench.component().clone(), is_of_project: false, bench }
        }
    };
    if args.json {
        out_json(&as_json(&shown)?)?
    } else {
        out(&text::of(&shown, global.verbose > 0)?)?
    }
    Ok(Exit::Done)
}

/// What is to be shown.
struct Shown {
    bench: Workbench,
    component: Arc<LoadedComponent>,
    tools: Vec<Tool>,
    /// Whether a call needs no more than a name.
    is_of_project: bool,
}

/// Bytes of the component and their hash as registries name it.
fn size_and_sha256(component: &LoadedComponent) -> Result<(u64, String)> {
    let bytes = component.bytes()?;
    let hash = Sha256::digest(&bytes).iter().fold("sha256:".to_owned(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Ok((bytes.len() as u64, hash))
}

fn as_json(shown: &Shown) -> Result<Value> {
    let Shown { bench, component, tools, .. } = shown;
    let tool = |tool: &Tool| {
        let (name, definition) = (tool.name(), tool.definition());
        json!({
            "name": name,
            "description": definition.description,
            "documented": definition.documented,
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
    let (size, sha256) = size_and_sha256(component)?;
    Ok(json!({
        "component": component.name(),
        "digest": component.digest(),
        "sha256": sha256,
        "size": size,
        "maker": known.maker,
        "runs_here": known.obstacles.is_empty(),
        "obstacles": known.obstacles,
        "project": bench.project.path().to_string_lossy(),
        "tools": tools.iter().map(tool).collect::<Vec<Value>>(),
        "unsupported": known.unsupported,
        "uses": uses::of(&known.imports),
        "imports": known.imports,
        "producers": known.producers,
        "warnings": known.warnings,
    }))
}
