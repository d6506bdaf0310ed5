//! `ringfence tool fetch`: what is pinned, exactly, and no questions.

use super::desk::Desk;
use super::found::fetched;
use super::near;
use crate::args::{GlobalArgs, ProjectArgs, ToolFetchArgs};
use crate::config::{Entry, Here, LOCK, LockCommands, Locked, Unusable};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out_json};
use anyhow::{Context, Result};
use ringfence_registry::Source;
use ringfence_sandbox::{ComponentSource, Digest};
use serde_json::json;

/// Fetches all that isn't here, or whose signature was never checked here.
pub(in crate::commands::tool) fn execute(args: &ToolFetchArgs, global: &GlobalArgs) -> Result<Exit> {
    let project = ProjectArgs { project: args.project.clone(), trust: args.trust.clone(), json: args.json };
    let desk = Desk::open(&project, global)?;
    let mut done = Vec::new();
    for locked in &desk.resolved.locked {
        let entry = &locked.entry;
        let state = match &locked.here {
            // What lies in the project was read to tell so; what is kept is read here.
            Here::Ready(_) if entry.in_project().is_some() || desk.shelf.is_whole(entry.digest) => "here",
            Here::Ready(_) | Here::Not(Unusable::Missing | Unusable::Unsigned) => {
                fetch(&desk, locked, args.allow_local)?;
                "fetched"
            }
            // Nothing that could be fetched is what is pinned.
            Here::Not(unusable @ (Unusable::NoFile(_) | Unusable::Changed(_))) => {
                return Err(locked.refusal(unusable).into());
            }
        };
        if !args.json && !global.quiet {
            err(&format!("`{}`: {}\n", entry.name, if state == "here" { "was here already" } else { state }));
        }
        done.push(json!({ "name": entry.name.as_str(), "state": state, "digest": entry.digest }));
    }
    if args.json {
        out_json(&done)?;
    } else if done.is_empty() && !global.quiet {
        err(&format!("{LOCK} pins nothing\n"));
    }
    Ok(Exit::Done)
}

fn fetch(desk: &Desk, locked: &Locked, allow_local: bool) -> Result<()> {
    let entry = &locked.entry;
    let source = match (&entry.resolved, entry.in_project()) {
        (Some(resolved), _) => resolved.clone(),
        (None, Some(path)) => Source::File(desk.project.path().join(path)),
        (None, None) => entry.source.clone(),
    };
    near::check(entry, &source, allow_local)?;
    let found = fetched(desk, &source).with_context(|| format!("`{}` can't be fetched", entry.name))?;
    let digest = Digest::of(&found.bytes);
    if digest != entry.digest || found.sha256 != entry.sha256 {
        return Err(changed(entry, digest, &locked.commands).into());
    }
    desk.shelf.keep(&ComponentSource::from_bytes(entry.name.as_str(), found.bytes))?;
    match found.signed_by {
        Some(key) => desk.shelf.note_signed(entry.digest, key),
        None => Ok(()),
    }
}

fn changed(entry: &Entry, digest: Digest, commands: &LockCommands) -> Refusal {
    let (name, pinned) = (&entry.name, entry.digest);
    Refusal::usage(format!(
        "`{name}` is another component at its source now: its digest is {digest}, pinned is {pinned}"
    ))
    .hint(commands.update(name.as_str()))
}
