//! `ringfence apply`: puts what a run has changed into the project.

use super::settle::{CutOff, Settle, Unsettled};
use crate::args::{GlobalArgs, SettleArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::recovery::{set_aside_json, tell_set_aside};
use crate::terminal::{diff, name, one_line};
use anyhow::Result;
use ringfence_engine::Settling;
use ringfence_sandbox::{Applied, ApplyError, Conflict, GrantPath};
use serde_json::json;

/// Carries the command out: all or nothing.
pub(super) fn execute(args: &SettleArgs, global: &GlobalArgs) -> Result<Exit> {
    let mut settle = match Settle::open(args, Settling::Applied, global)? {
        Ok(settle) => settle,
        Err(Unsettled::Nothing(run, cut_off)) => return nothing(args, &run, cut_off.as_ref()),
    };
    let granted = settle.granted()?;
    let paths = settle.paths();
    let applied = match settle.staging.stage().apply(&granted, paths) {
        Ok(applied) => applied,
        Err(ApplyError::Conflicts(conflicts)) => return refused(args, &conflicts, settle.cut_off()),
        Err(error @ ApplyError::NothingStaged(_)) => return Err(Refusal::usage(error.to_string()).into()),
        Err(error) => return Err(error.into()),
    };
    // It is in the project, whatever becomes of the journal.
    let journaled = settle.journal(Settling::Applied, &applied.paths);
    tell(args, &applied, settle.cut_off())?;
    journaled?;
    Ok(Exit::Done)
}

fn nothing(args: &SettleArgs, run: &str, cut_off: Option<&CutOff>) -> Result<Exit> {
    if args.json {
        out_json(&CutOff::beside(cut_off, json!({ "applied": [], "set_aside": [] })))?;
    } else {
        err(&format!("nothing is staged in run {run}\n"));
    }
    Ok(Exit::Done)
}

fn tell(args: &SettleArgs, applied: &Applied, cut_off: Option<&CutOff>) -> Result<()> {
    if args.json {
        let aside = set_aside_json(&applied.set_aside);
        return out_json(&CutOff::beside(cut_off, json!({ "applied": applied.paths, "set_aside": aside })));
    }
    out(&applied.paths.iter().map(|path| format!("applied   {}\n", shown(path))).collect::<String>())?;
    tell_set_aside(&applied.set_aside);
    Ok(())
}

/// Shows both sides of each conflict. Nothing was applied.
fn refused(args: &SettleArgs, conflicts: &[Conflict], cut_off: Option<&CutOff>) -> Result<Exit> {
    if args.json {
        let told = conflicts.iter().map(
            |it| json!({ "path": it.path, "why": it.kind.to_string(), "theirs": it.theirs, "ours": it.ours }),
        );
        let told = json!({ "applied": [], "conflicts": told.collect::<Vec<_>>() });
        out_json(&CutOff::beside(cut_off, told))?;
    }
    err("error: nothing was applied: the project isn't what the run has changed any more\n");
    for it in conflicts {
        // A kind can name a file that somebody put there.
        err(&format!("\n{} {}\n", shown(&it.path), one_line(&it.kind.to_string(), 4_096)));
        if !args.json {
            err(&format!("what changed in the project:\n{}", diff(&it.theirs)));
            err(&format!("what the run has changed:\n{}", diff(&it.ours)));
        }
    }
    err("  hint: put the project back as it was, or discard these paths and have a run change them again\n");
    Ok(Exit::Failed)
}

fn shown(path: &GrantPath) -> String {
    name(&path.to_string())
}
