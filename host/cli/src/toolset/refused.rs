//! What is said of tools that aren't there, or can't be.

use crate::config::language::nearest;
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_engine::HUMAN_HELP;
use ringfence_sandbox::{LoadedComponent, Tool, Toolset};

/// The tool of this name; the error names the one that was likely meant, and all.
pub fn find<'t>(tools: &'t Toolset, name: &str) -> Result<&'t Tool> {
    tools.get(name).ok_or_else(|| {
        let names: Vec<_> = tools.iter().map(Tool::name).collect();
        let all = names.join(", ");
        let hint = match nearest(name, names) {
            Some(meant) => format!("did you mean `{meant}`? The tools are: {all}"),
            None => format!("the tools are: {all}"),
        };
        Refusal::usage(format!("there is no tool `{name}`")).hint(hint).into()
    })
}

/// Refuses a component with a tool whose name the loop keeps for itself.
pub fn check_names(component: &LoadedComponent) -> Result<()> {
    let is_kept = |name: &str| name.eq_ignore_ascii_case(HUMAN_HELP);
    let Some(tool) = component.tools().tools.iter().find(|tool| is_kept(tool.name.as_str())) else {
        return Ok(());
    };
    let (at, name) = (component.name(), &tool.name);
    Err(Refusal::usage(format!("{at} has a tool named `{name}`, a name that is kept for asking a person"))
        .hint("give it another name: --rename of `tool add`, or `tools` of its entry in `components`")
        .into())
}

/// A component that nobody can call is a mistake, not a wish to be ignored.
pub(super) fn no_tools(component: &LoadedComponent) -> anyhow::Error {
    let functions = component.tools().unsupported.iter();
    let reasons: Vec<_> = functions.map(|one| format!("{}: {}", one.export, one.reason)).collect();
    let why = if reasons.is_empty() { "it exports none".to_owned() } else { reasons.join("; ") };
    let what = format!("{} has no function that can be a tool: {why}", component.name());
    Refusal::usage(what).hint("leave it out, or name another component").into()
}

/// A description that says nothing.
pub(super) fn no_words(name: &str, place: &str) -> anyhow::Error {
    let refusal = Refusal::usage(format!("the description of `{name}` is empty"));
    said_in(refusal.hint("say what the tool does, or leave it out").into(), place)
}

/// The error with the place in a file that led to it, where one did.
pub fn said_in(error: anyhow::Error, place: &str) -> anyhow::Error {
    if place.is_empty() { error } else { error.context(format!("{place} can't be honoured")) }
}
