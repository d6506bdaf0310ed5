//! `ringfence apply`: puts what a run has changed into the project.

use super::settle::{Settle, Unsettled};
use crate::args::{GlobalArgs, SettleArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::terminal::{one_line, source};
use anyhow::Result;
use ringfence_engine::Settling;
use ringfence_sandbox::{Applied, ApplyError, Conflict, GrantPath};
use serde_json::json;

/// Carries the command out: all or nothing.
pub(super) fn execute(args: &SettleArgs, global: &GlobalArgs) -> Result<Exit> {
    let mut settle = match Settle::open(args, Settling::Applied, global)? {
        Ok(settle) => settle,
        Err(Unsettled::Nothing(run)) => return nothing(args, &run),
    };
    let granted = settle.granted()?;
    let paths = settle.paths();
    let applied = match settle.staging.stage().apply(&granted, paths) {
        Ok(applied) => applied,
        Err(ApplyError::Conflicts(conflicts)) => return refused(args, &conflicts),
        Err(error @ ApplyError::NothingStaged(_)) => return Err(Refusal::usage(error.to_string()).into()),
        Err(error) => return Err(error.into()),
    };
    settle.journal(Settling::Applied, &applied.paths)?;
    tell(args, &applied)?;
    Ok(Exit::Done)
}

fn nothing(args: &SettleArgs, run: &str) -> Result<Exit> {
    if args.json {
        out_json(&json!({ "applied": [], "set_aside": [] }))?;
    } else {
        err(&format!("nothing is staged in run {run}\n"));
    }
    Ok(Exit::Done)
}

fn tell(args: &SettleArgs, applied: &Applied) -> Result<()> {
    let aside = applied.set_aside.iter().map(|it| json!({ "path": it.path, "now_at": it.now_at }));
    if args.json {
        return out_json(&json!({ "applied": applied.paths, "set_aside": aside.collect::<Vec<_>>() }));
    }
    out(&applied.paths.iter().map(|path| format!("applied   {}\n", name(path))).collect::<String>())?;
    for it in &applied.set_aside {
        err(&format!(
            "note: something came to be at {} meanwhile; it is kept at {}\n",
            name(&it.path),
            name(&it.now_at)
        ));
    }
    Ok(())
}

/// Shows both sides of each conflict. Nothing was applied.
fn refused(args: &SettleArgs, conflicts: &[Conflict]) -> Result<Exit> {
    if args.json {
        let told = conflicts.iter().map(
            |it| json!({ "path": it.path, "why": it.kind.to_string(), "theirs": it.theirs, "ours": it.ours }),
        );
        out_json(&json!({ "applied": [], "conflicts": told.collect::<Vec<_>>() }))?;
    }
    err("error: nothing was applied: the project isn't what the run has changed any more\n");
    for it in conflicts {
        // A kind can name a file that somebody put there.
        err(&format!("\n{} {}\n", name(&it.path), one_line(&it.kind.to_string(), 4_096)));
        if !args.json {
            err(&format!("what changed in the project:\n{}", source(&it.theirs)));
            err(&format!("what the run has changed:\n{}", source(&it.ours)));
        }
    }
    err("  hint: put the project back as it was, or discard these paths and let the run change them again\n");
    Ok(Exit::Failed)
}

fn name(path: &GrantPath) -> String {
    one_line(&path.to_string(), 4_096)
}
