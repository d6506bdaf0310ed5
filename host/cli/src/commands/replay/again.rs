//! Making tool calls again, under the run's own terms, and comparing what they give.

use super::fold::EndedCall;
use super::inputs::changed;
use super::verdict::{Compared, Outcome, Verdict};
use crate::driver::{Executed, Executor};
use crate::executor::Fenced;
use crate::exit::describe;
use crate::setup::Setup;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::{OutcomeStatus, Run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Compares every call. Without its folder or its components a run's calls can't be made again.
pub(super) fn compare(run: &Run, calls: &[EndedCall], all: bool, folders: &Folders) -> Result<Vec<Compared>> {
    let state = run.state();
    // What a person allowed during the run holds for the calls after it.
    let mut fences: BTreeMap<usize, Result<(Setup, Fenced), String>> = BTreeMap::new();
    let mut verdict = |ended: &EndedCall| -> Result<Verdict> {
        if let Some(why) = unfit(ended, all) {
            return Ok(Verdict::Skipped(why));
        }
        let grants = state.granted.iter().filter(|granted| granted.at <= ended.at).count();
        let fence = || {
            let setup = Setup::after(state, grants)?;
            // An earlier answer proves nothing: each call is made.
            let fenced = Fenced { recall: None, ..setup.fence(folders)? };
            fenced.sandbox.forget_files();
            Ok((setup, fenced))
        };
        let fence = fences.entry(grants).or_insert_with(|| fence().map_err(|error| said(&error)));
        match fence {
            Ok((setup, fenced)) => again(ended, fenced, &setup.project),
            Err(why) => Ok(Verdict::Skipped(why.clone())),
        }
    };
    calls
        .iter()
        .map(|ended| {
            let (step, call, tool) = (ended.call.step, ended.call.call, ended.call.tool.clone());
            Ok(Compared { step, call, tool, verdict: verdict(ended)? })
        })
        .collect()
}

/// Why a call isn't made again, whatever there is to make it with.
fn unfit(ended: &EndedCall, all: bool) -> Option<String> {
    let can = ended.call.can;
    if !can.concurrent() {
        return Some("it could write or send".to_owned());
    }
    if !can.deterministic && !all {
        return Some("not known to be deterministic (--all makes these again, too)".to_owned());
    }
    match ended.outcome.status {
        OutcomeStatus::Done | OutcomeStatus::Failed if ended.receipt.is_none() => {
            Some("it was never made".to_owned())
        }
        OutcomeStatus::Done | OutcomeStatus::Failed => None,
        status @ (OutcomeStatus::Trapped
        | OutcomeStatus::Denied
        | OutcomeStatus::Exceeded
        | OutcomeStatus::Cancelled) => Some(format!("it ended {}", status.name())),
    }
}

fn again(ended: &EndedCall, fenced: &Fenced, project: &Path) -> Result<Verdict> {
    let Some(tool) = fenced.toolbox.tools().get(&ended.call.tool) else {
        return Ok(Verdict::Skipped("there is no such tool now".to_owned()));
    };
    let component = serde_json::to_value(tool.component().digest())?;
    let recorded = ended.receipt.as_ref().map(|(_, receipt)| &receipt["component"]);
    if recorded != Some(&component) {
        let recorded = recorded.and_then(Value::as_str).unwrap_or("unknown");
        return Ok(Verdict::Skipped(format!(
            "component missing: it was made with {recorded}, and the tool is {} now",
            component.as_str().unwrap_or("unknown")
        )));
    }
    let Executed { outcome, receipt, turn: _ } = fenced.sandbox.block_on(fenced.call(&ended.call))?;
    let recorded = Outcome { status: ended.outcome.status, value: ended.outcome.value.clone() };
    let now = Outcome { status: outcome.status, value: outcome.value };
    if recorded == now {
        return Ok(Verdict::Equal);
    }
    if outcome.transient {
        return Ok(Verdict::Skipped(format!("it can't be made now: {}", outcome.message)));
    }
    let inputs = changed(ended, receipt.as_ref().map(|(_, receipt)| receipt), project);
    Ok(if inputs.is_empty() { Verdict::Different { recorded, now } } else { Verdict::Changed(inputs) })
}

/// An error as one line of a reason.
fn said(error: &anyhow::Error) -> String {
    describe(error).trim_end().trim_start_matches("error: ").replace('\n', "; ")
}
