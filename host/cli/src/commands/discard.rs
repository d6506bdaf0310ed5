//! `ringfence discard`: throws away what a run has changed.

use super::settle::{CutOff, Settle, Unsettled};
use crate::args::{GlobalArgs, SettleArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::terminal::name;
use anyhow::Result;
use ringfence_engine::Settling;
use ringfence_sandbox::ApplyError;
use serde_json::json;

/// Carries the command out.
pub(super) fn execute(args: &SettleArgs, global: &GlobalArgs) -> Result<Exit> {
    let mut settle = match Settle::open(args, Settling::Discarded, global)? {
        Ok(settle) => settle,
        Err(Unsettled::Nothing(run, cut_off)) => {
            if args.json {
                out_json(&CutOff::beside(cut_off.as_ref(), json!({ "discarded": [] })))?;
            } else {
                err(&format!("nothing is staged in run {run}\n"));
            }
            return Ok(Exit::Done);
        }
    };
    let discarded = settle.staging.stage().discard(settle.paths()).map_err(|error| match error {
        ApplyError::NothingStaged(_) => anyhow::Error::from(Refusal::usage(error.to_string())),
        error => error.into(),
    })?;
    settle.journal(Settling::Discarded, &discarded)?;
    if args.json {
        out_json(&CutOff::beside(settle.cut_off(), json!({ "discarded": discarded })))?;
    } else {
        let line = |path: &_| format!("discarded {}\n", name(&format!("{path}")));
        out(&discarded.iter().map(line).collect::<String>())?;
    }
    Ok(Exit::Done)
}
