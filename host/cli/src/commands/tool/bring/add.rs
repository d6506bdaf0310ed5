//! `ringfence tool add`

use super::approval::{Approval, ask};
use super::desk::Desk;
use super::found::{Found, Terms, pinned};
use super::{fits, shown};
use crate::args::{GlobalArgs, ToolAddArgs};
use crate::config::{Approved, ComponentName, LOCK, LockCommands};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use anyhow::Result;
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
    fits::check(&desk, &found)?;
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
