//! `ringfence tool update`

use super::approval::{Approval, ask};
use super::desk::Desk;
use super::found::{Found, Terms};
use super::{fits, near, shown};
use crate::args::{GlobalArgs, ToolUpdateArgs};
use crate::config::{Approved, Differences, Entry, LOCK, Lock};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::LoadedComponent;
use serde_json::{Value, json};
use std::fmt::Write;

/// Fetches again what is pinned; shows what is different, and pins that if a person wants it.
pub(in crate::commands::tool) fn execute(args: &ToolUpdateArgs, global: &GlobalArgs) -> Result<Exit> {
    let desk = Desk::open(&args.project, global)?;
    let entries: Vec<Entry> = match args.names.as_slice() {
        [] => desk.files.lock.entries().to_vec(),
        names => names.iter().map(|name| desk.entry(name).cloned()).collect::<Result<_>>()?,
    };
    let (json, mut lock, mut told) = (args.project.json, desk.files.lock.clone(), Vec::new());
    let (mut kept, mut open) = (Vec::new(), None);
    for entry in &entries {
        match one(&desk, args, entry)? {
            Step::Same => {
                told.push(
                    json!({ "name": entry.name.as_str(), "state": "unchanged", "digest": entry.digest }),
                );
                if !json && !global.quiet {
                    err(&format!("`{}`: nothing has changed\n", entry.name));
                }
            }
            Step::Approved(found, value) => {
                lock = lock.with(found.entry.clone());
                kept.push(found);
                told.push(value);
            }
            Step::Open(refusal, value) => {
                told.push(value);
                open = open.or(Some(refusal));
            }
        }
    }
    finish(desk, lock, &kept)?;
    if json {
        out_json(&told)?;
    } else if !global.quiet {
        kept.iter().for_each(|found| err(&format!("`{}` is pinned anew in {LOCK}\n", found.entry.name)));
    }
    open.map_or(Ok(Exit::Done), |refusal| Err(refusal.into()))
}

/// What becomes of one component.
enum Step {
    Same,
    Approved(Box<Found>, Value),
    Open(Refusal, Value),
}

fn one(desk: &Desk, args: &ToolUpdateArgs, entry: &Entry) -> Result<Step> {
    let approval = &args.approval;
    let more = Approved::named(&approval.dirs, &approval.hosts, &approval.env);
    let approved = entry.approved.clone().and(more);
    let source = crate::config::absolute(entry, desk.project.path());
    near::check(entry, &source, args.allow_local)?;
    let terms = Terms { approved, renamed: approval.renamed.clone(), kept: entry.names.clone() };
    let found = Found::fetch(desk, entry.name.clone(), &source, entry.source.clone(), terms)?;
    fits::check(desk, &found)?;
    if found.entry == *entry {
        found.keep(desk)?;
        return Ok(Step::Same);
    }
    let json = args.project.json;
    if !json {
        out(&shown::text(desk, &found)?)?;
        out(&difference(desk, entry, &found))?;
    }
    let value = |state: &str| -> Result<Value> {
        let mut value = shown::json(desk, &found, state)?;
        value["approved_besides"] = json!(found.entry.approved.besides(&entry.approved));
        value["was"] = json!({ "digest": entry.digest, "approved": entry.approved });
        value["different"] = json!(different(desk, entry, &found));
        Ok(value)
    };
    let (name, digest) = (found.entry.name.as_str(), found.entry.digest);
    let question = format!("Pin `{name}` as it is now?");
    // Of several components another one's digest says nothing about this one.
    let is_named = args.names.len() == 1 || approval.approve.contains(&digest);
    let named = if is_named { approval.approve.as_slice() } else { &[] };
    match ask(name, digest, named, &question, json)? {
        Approval::Given => {
            let value = value("updated")?;
            Ok(Step::Approved(Box::new(found), value))
        }
        Approval::Refused => {
            let refusal =
                Refusal::usage(format!("`{name}` isn't approved as it is now: it stays as it was pinned"));
            Ok(Step::Open(refusal, value("refused")?))
        }
        Approval::Open(refusal) => Ok(Step::Open(refusal, value("needs_approval")?)),
    }
}

fn finish(desk: Desk, lock: Lock, kept: &[Box<Found>]) -> Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    kept.iter().try_for_each(|found| found.keep(&desk))?;
    desk.write(lock)
}

/// What is different, one line for each thing.
fn different(desk: &Desk, entry: &Entry, found: &Found) -> Vec<String> {
    let mut lines = Vec::new();
    let now = &found.entry;
    if now.digest != entry.digest {
        lines.push(format!("digest: {} was {}", now.digest, entry.digest));
    }
    lines.extend(Differences::between(entry, found.component.tools()).told());
    let before = desk
        .shelf
        .has(entry.digest)
        .then(|| desk.shelf.get(entry.name.as_str(), entry.digest).with_overrides(entry.overrides()));
    if let Some(before) = before.and_then(|before| desk.sandbox.load(before).ok()) {
        let changed = changed_tools(&before, &found.component);
        if !changed.is_empty() {
            lines.push(format!("tools that are different: {}", changed.join(", ")));
        }
    }
    if now.signed_by != entry.signed_by {
        let key = |key: &Option<ringfence_registry::KeyId>| {
            key.map_or_else(|| "nobody who was asked for".to_owned(), |key| key.to_string())
        };
        lines.push(format!("signed by: {} was {}", key(&now.signed_by), key(&entry.signed_by)));
    }
    let more = now.approved.besides(&entry.approved);
    if more != Approved::default() {
        lines.push(format!("approved for it, more than before: {}", more.told()));
    }
    if lines.is_empty() {
        lines.push("where it was found".to_owned());
    }
    lines
}

/// Tools of both whose types or words differ.
fn changed_tools(before: &LoadedComponent, after: &LoadedComponent) -> Vec<String> {
    let changed = after.tools().tools.iter().filter_map(|now| {
        let was = before.tools().tools.iter().find(|was| was.name == now.name)?;
        let types = was.signature != now.signature;
        let words = was.description != now.description || (!types && was.input_schema != now.input_schema);
        let what = match (types, words) {
            (true, true) => "types and description",
            (true, false) => "types",
            (false, true) => "description",
            (false, false) => return None,
        };
        Some(format!("{} ({what})", now.name))
    });
    changed.collect()
}

fn difference(desk: &Desk, entry: &Entry, found: &Found) -> String {
    let mut text = "\n  different from what is pinned\n".to_owned();
    for line in different(desk, entry, found) {
        let _ = writeln!(text, "    {}", one_line(&line, 1_000));
    }
    let kept = one_line(&entry.approved.told(), 2_000);
    let _ = writeln!(text, "    approved for it, as before: {kept}");
    text
}
