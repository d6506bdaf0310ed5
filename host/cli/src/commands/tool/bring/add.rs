//! `ringfence tool add`

use super::approval::{Approval, ask};
use super::desk::Desk;
use super::found::{Found, Terms, pinned};
use super::shown;
use crate::args::{GlobalArgs, ToolAddArgs};
use crate::config::{Approved, ComponentName, LOCK, LockCommands};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::toolset::load;
use crate::trust::this_command_with;
use anyhow::Result;
use ringfence_sandbox::{Toolset, ToolsetError};
use std::collections::BTreeMap;

/// Fetches a component, shows it, and pins it if a person wants that.
pub(in crate::commands::tool) fn execute(args: &ToolAddArgs, global: &GlobalArgs) -> Result<Exit> {
    let desk = Desk::open(&args.project, global)?;
    let source = pinned(&args.source, desk.project.path())?;
    let name = name(args, &desk)?;
    let found = {
        let approval = &args.approval;
        let mut approved = Approved::named(&approval.dirs, &approval.hosts, &approval.env);
        if approval.dirs.is_empty() {
            approved = approved.and(Approved::usual(&desk.resolved.grants));
        }
        let terms = Terms { approved, renamed: args.approval.renamed.clone(), kept: BTreeMap::new() };
        Found::fetch(&desk, name, &args.source, source, terms)?
    };
    clash(&desk, &found)?;
    let json = args.project.json;
    if !json {
        out(&shown::text(&desk, &found)?)?;
    }
    let question = format!("Add `{}` to {}?", found.entry.name, desk.project.path().display());
    let approval =
        ask(found.entry.name.as_str(), found.entry.digest, &args.approval.approve, &question, json)?;
    match approval {
        Approval::Given => {}
        Approval::Refused => {
            return Err(Refusal::usage("the component isn't approved, so nothing was changed").into());
        }
        Approval::Open(refusal) => {
            if json {
                out_json(&shown::json(&desk, &found, "needs_approval")?)?;
            }
            return Err(refusal.into());
        }
    }
    let told = if json { Some(shown::json(&desk, &found, "added")?) } else { None };
    found.keep(&desk)?;
    let lock = desk.files.lock.clone().with(found.entry.clone());
    desk.write(lock)?;
    if let Some(told) = told {
        out_json(&told)?;
    } else if !global.quiet {
        err(&format!("`{}` is pinned in {LOCK}\n", found.entry.name));
    }
    Ok(Exit::Done)
}

fn name(args: &ToolAddArgs, desk: &Desk) -> Result<ComponentName> {
    let Some(name) = args.name.clone().or_else(|| ComponentName::of(&args.source)) else {
        return Err(Refusal::usage(format!("`{}` suggests no name", args.source))
            .hint("say what it is called here with --name NAME")
            .into());
    };
    if desk.files.lock.get(&name).is_some() {
        let update = LockCommands::of(desk.project.path(), &desk.folders).update(name.as_str());
        return Err(Refusal::usage(format!("{LOCK} has a component `{name}` already"))
            .hint(format!("to look for another version of it: {update}; to add one besides: --name NAME"))
            .into());
    }
    Ok(name)
}

/// Refuses a component with a tool whose name is taken.
pub(super) fn clash(desk: &Desk, found: &Found) -> Result<()> {
    // What it stands in place of doesn't count.
    let before = desk.files.lock.get(&found.entry.name).map(|entry| entry.digest);
    let others = desk.resolved.components.iter().filter(|other| Some(other.digest()) != before);
    let others = load(&desk.sandbox, &others.cloned().collect::<Vec<_>>())?;
    let all = others.components().iter().cloned().chain([found.component.clone()]);
    let Err(ToolsetError::SameName { tool, first, second }) = Toolset::new(all) else { return Ok(()) };
    let entry = &found.entry;
    let own = entry
        .names
        .iter()
        .find(|(_, name)| name.as_str() == tool)
        .map_or(tool.as_str(), |(own, _)| own.as_str());
    let prefix = entry.name.as_str().replace(['-', '.'], "_");
    let command = this_command_with(["--rename", &format!("{own}={prefix}_{own}")]);
    Err(Refusal::usage(format!("two components have a tool named `{tool}`: {first} and {second}"))
        .hint(format!("give it another name:\n{command}"))
        .into())
}
