//! `ringfence tool list`

use super::Workbench;
use crate::args::{GlobalArgs, ToolListArgs};
use crate::config::{Here, Locked, Unusable};
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::{Tool, standard};
use serde_json::{Value, json};

/// Prints the tools of a project.
pub(super) fn execute(args: &ToolListArgs, global: &GlobalArgs) -> Result<Exit> {
    let bench = Workbench::to_list(&args.project, &args.grants, global)?;
    if args.json {
        let usable = bench.tools().map(|tool| {
            let definition = tool.definition();
            json!({
                "name": tool.name(),
                "description": definition.description,
                "component": tool.component().name(),
                "digest": tool.component().digest(),
                "can": bench.toolbox.facts(tool.name()),
                "lacks": bench.toolbox.lacks(tool).map(|need| need.to_string()),
                "input_schema": definition.input_schema,
                "output_schema": definition.output_schema,
                "error_schema": definition.error_schema,
                "source": source(&bench, tool),
                "pinned": bench.pinned(tool).is_some(),
            })
        });
        let unusable = unusable(&bench).flat_map(|(locked, why)| {
            locked.entry.tools.iter().map(move |tool| {
                json!({
                    "name": tool,
                    "component": locked.entry.name.as_str(),
                    "digest": locked.entry.digest,
                    "can": null,
                    "lacks": why.told(&locked.entry),
                    "source": locked.entry.source.to_string(),
                    "pinned": true,
                })
            })
        });
        let tools: Vec<Value> = usable.chain(unusable).collect();
        out_json(&tools)?;
        return Ok(Exit::Done);
    }
    let width = bench.tools().map(|tool| tool.name().len()).max().unwrap_or(0);
    for tool in bench.tools() {
        let name = tool.name();
        let lacks = bench.toolbox.lacks(tool).map(|need| format!(" (needs {need})")).unwrap_or_default();
        let pinned = bench.pinned(tool).map(|locked| one_line(&locked.entry.source.to_string(), 200));
        let pinned = pinned.map(|source| format!(" [{source}, pinned]")).unwrap_or_default();
        let told = format!("{}{lacks}{pinned}", first_sentence(&tool.definition().description));
        out(&format!("{name:width$}  {}\n", told))?;
    }
    for (locked, why) in unusable(&bench) {
        let entry = &locked.entry;
        let remedy = locked.remedy(why);
        let told = format!("{} can't be used: {}; {remedy}", entry.tools.join(", "), why.told(entry));
        out(&format!("{}\n", one_line(&told, 1_000)))?;
    }
    Ok(Exit::Done)
}

/// Pinned components that can't be used, with why.
fn unusable(bench: &Workbench) -> impl Iterator<Item = (&Locked, &Unusable)> {
    bench.locked.iter().filter_map(|locked| match &locked.here {
        Here::Ready(_) => None,
        Here::Not(why) => Some((locked, why)),
    })
}

/// Where a tool's component comes from; none where it is built in.
fn source(bench: &Workbench, tool: &Tool) -> Option<String> {
    let component = tool.component();
    match (bench.pinned(tool), standard::by_digest(component.digest())) {
        (Some(locked), _) => Some(locked.entry.source.to_string()),
        (None, Some(_)) => None,
        (None, None) => Some(component.name().to_owned()),
    }
}

/// The first sentence of a description, bounded.
fn first_sentence(description: &str) -> String {
    let first = description.split("\n\n").next().unwrap_or_default();
    let end = first.find(". ").or_else(|| first.find(".\n")).map_or(first.len(), |at| at + 1);
    one_line(first.get(..end).unwrap_or(first), 100)
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_description_is_cut_to_its_first_sentence() {
        assert_eq!(first_sentence("Reads a file. And more."), "Reads a file.");
        assert_eq!(first_sentence("Reads\na file\n\nMore. Yes."), "Reads a file");
        assert_eq!(first_sentence("v1.2 of it\u{1b}[2J"), "v1.2 of it\\u{1b}[2J");
        assert_eq!(first_sentence(&"x".repeat(300)).chars().count(), 100);
    }
}
