//! `ringfence diff`: what a run has changed, beside the project as it was when it did.

use crate::args::{DiffArgs, GlobalArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::session::{own_command, replay};
use crate::staging::{Staging, line, proposed};
use crate::state_dir::Folders;
use crate::terminal::diff;
use anyhow::{Context, Result};
use console::style;
use ringfence_engine::{Effect, Run};
use ringfence_sandbox::{ApplyError, Change, ChangeKind, GrantPath, Side};
use ringfence_store::Journal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;

/// Carries the command out.
pub(super) fn execute(args: &DiffArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let journal = store.journal(&store.find(&args.run)?.id)?;
    if args.proposed {
        out(&coloured(&waiting(&journal, &folders)?))?;
        return Ok(Exit::Done);
    }
    let changes = match Staging::look(&journal.run.id, &folders)? {
        Some(staging) if args.paths.is_empty() => staging.stage().changes()?,
        Some(staging) => staging.stage().selected_changes(&args.paths).map_err(|error| match error {
            ApplyError::NothingStaged(path) => nothing_at(&path).into(),
            error => anyhow::Error::from(error),
        })?,
        None => match args.paths.first() {
            Some(path) => return Err(nothing_at(path).into()),
            None => Vec::new(),
        },
    };
    if args.json {
        let changes: Result<Vec<Value>> = changes.iter().map(told).collect();
        out_json(&changes?)?;
    } else if args.stat {
        out(&changes.iter().map(line).collect::<String>())?;
    } else {
        for change in &changes {
            out(&coloured(&diff(&change.unified_diff()?)))?;
        }
    }
    if changes.is_empty() {
        tell_waiting(&journal, &folders);
    }
    Ok(Exit::Done)
}

/// Where nothing is staged, and a call waits that would change something: how it is seen.
pub(super) fn tell_waiting(journal: &Journal, folders: &Folders) {
    if waiting(journal, folders).is_ok() {
        let see = own_command(&format!("diff {} --proposed", journal.run.id), folders);
        err(&format!("note: a call waits for your answer with changes of its own. To see them:\n  {see}\n"));
    }
}

/// What the call would change that waits for approval.
fn waiting(journal: &Journal, folders: &Folders) -> Result<String> {
    let state = replay(journal)?;
    let run = state.run.clone();
    let asked = Run::from_state(state).owed().into_iter().find_map(|effect| match effect {
        Effect::AskPerson(review) => Some(review.id),
        Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
    });
    asked
        .and_then(|review| proposed(&run, review, folders))
        .ok_or_else(|| Refusal::usage(format!("no call of run {run} waits with a change to be seen")).into())
}

fn nothing_at(path: &GrantPath) -> Refusal {
    Refusal::usage(format!("nothing is staged at `{path}`"))
        .hint("without a path, `ringfence diff RUN` shows all that is")
}

fn told(change: &Change) -> Result<Value> {
    let (kind, from) = match &change.kind {
        ChangeKind::Created => ("created", None),
        ChangeKind::Modified => ("modified", None),
        ChangeKind::Deleted => ("deleted", None),
        ChangeKind::Renamed { from } => ("renamed", Some(from)),
    };
    let mut told = json!({ "path": change.path, "change": kind });
    let put = told.as_object_mut().context("an object")?;
    if let Some(from) = from {
        put.insert("from".to_owned(), json!(from));
    }
    put.insert("before".to_owned(), side(&change.before));
    put.insert("after".to_owned(), side(&change.after));
    put.insert("diff".to_owned(), json!(change.unified_diff()?));
    Ok(told)
}

fn side(side: &Side) -> Value {
    match side {
        Side::Nothing => Value::Null,
        Side::Folder => json!({ "kind": "folder" }),
        Side::Link(text) => json!({ "kind": "link", "to": text }),
        Side::File(file) => {
            let mode = file.mode.map(|mode| format!("{mode:o}"));
            json!({ "kind": "file", "bytes": file.size(), "hash": file.hash(), "mode": mode })
        }
    }
}

/// On a terminal, with what is gone in red and what is new in green.
pub(super) fn coloured(diff: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return diff.to_owned();
    }
    let mut out = String::with_capacity(diff.len());
    for line in diff.lines() {
        let shown = match line.as_bytes().first() {
            Some(b'+') => style(line).green(),
            Some(b'-') => style(line).red(),
            Some(b'@') => style(line).cyan(),
            Some(_) | None => style(line),
        };
        let _ = writeln!(out, "{shown}");
    }
    out
}
