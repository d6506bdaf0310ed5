//! `ringfence tool list`

use super::Workbench;
use crate::args::{GlobalArgs, ToolListArgs};
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::terminal::one_line;
use anyhow::Result;
use serde_json::{Value, json};

/// Prints the tools of a project.
pub(super) fn execute(args: &ToolListArgs, global: &GlobalArgs) -> Result<Exit> {
    let bench = Workbench::to_look(&args.project, &args.grants, global)?;
    if args.json {
        let tools: Vec<Value> = bench
            .tools()
            .map(|tool| {
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
                })
            })
            .collect();
        out_json(&tools)?;
        return Ok(Exit::Done);
    }
    let width = bench.tools().map(|tool| tool.name().len()).max().unwrap_or(0);
    for tool in bench.tools() {
        let name = tool.name();
        let lacks = bench.toolbox.lacks(tool).map(|need| format!(" (needs {need})")).unwrap_or_default();
        out(&format!("{name:width$}  {}{lacks}\n", first_sentence(&tool.definition().description)))?;
    }
    Ok(Exit::Done)
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
