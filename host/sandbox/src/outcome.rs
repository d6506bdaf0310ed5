//! How a call ended, judged from what the guest did and what the fence saw; and its receipt.

use crate::call::{CallError, CallReport, CallRequest, Spent};
use crate::cut::cut_to;
use crate::egress::Scrub;
use crate::host_state::HostState;
use crate::json::{Results, Returned};
use crate::limit::Exceeded;
use crate::receipt::{Denial, Outcome, Receipt};
use crate::stage::StageError;
use crate::stdio::Captured;
use crate::trap::{describe, limit_behind};
use serde_json::Value;

/// How the guest came to its end.
pub(crate) enum Ended {
    /// It returned one value, or none.
    Returned(Results),
    /// It trapped, or a limit stopped it.
    Raised(wasmtime::Error),
    /// The caller cancelled.
    Cancelled,
}

/// Turns an end into a report.
pub(crate) fn judge(
    request: &CallRequest,
    ended: Ended,
    mut state: HostState,
    [stdout, stderr]: [Captured; 2],
    spent: Spent,
) -> Result<CallReport, CallError> {
    // What a machine short of memory answers isn't to be given again.
    let footprint = state.view.take_footprint().filter(|_| !state.limiter.ran_short());
    let files = state.view.take_log();
    let network = state.network.take();
    let scrub = state.network.scrubs().record.clone();
    let mut denials = files.denials;
    denials.extend(network.denials);
    spell_as_given(&mut denials, &request.input);
    for denial in &mut denials {
        denial.asked = scrub.text(&denial.asked);
        denial.resolved = scrub.text(&denial.resolved);
    }
    let mut opened = files.opened;
    for file in &mut opened {
        file.path = scrub.text(&file.path);
    }

    let crash = match &ended {
        Ended::Raised(error) => Some(scrub.text(&describe(error))),
        Ended::Returned(_) | Ended::Cancelled => None,
    };
    let growth_refused = state.limiter.refused();
    let outcome = scrubbed(outcome_of(request, ended, growth_refused, &denials, &spent), &scrub);
    let (outcome, (written, writes_omitted)) = match state.view.settle(keeps_changes(&outcome)) {
        Ok(settled) => (outcome, settled),
        Err(StageError::TooMuch { exceeded, .. }) => (Outcome::Exceeded(exceeded), (Vec::new(), 0)),
        Err(source) => return Err(CallError::Stage { tool: request.tool.name().to_owned(), source }),
    };
    let written = written.into_iter().map(|file| file.with_paths(|path| scrub.text(path))).collect();
    let exceeded = match &outcome {
        Outcome::Exceeded(exceeded) => Some(*exceeded),
        Outcome::Done(_)
        | Outcome::Failed(_)
        | Outcome::Trapped(_)
        | Outcome::Denied { .. }
        | Outcome::Cancelled => None,
    };
    let (outcome, output_bytes, truncated) = cut_outcome(outcome, request.limits.output_bytes);
    let receipt = Receipt {
        tool: request.tool.name().to_owned(),
        component: request.tool.component().digest(),
        grants: request.tree.digest(),
        dirs: request.tree.dirs().to_vec(),
        hosts: request.tree.grants().open_hosts().to_vec(),
        env: request.variables().map(|(name, _)| name.clone()).collect(),
        opened,
        written,
        denials,
        requests: network.requests,
        omitted: files.omitted.saturating_add(network.omitted).saturating_add(writes_omitted),
        truncated,
        output_bytes,
        stdio_bytes: stdout.written().saturating_add(stderr.written()),
        peak_memory_bytes: state.limiter.peak().max(state.fan_out.peak_memory()),
        cpu_us: micros(spent.cpu),
        fuel: spent.fuel,
        wall_us: micros(spent.wall),
        exceeded,
        files_worked: state.fan_out.files(),
        cached: None,
    };
    let [stdout, stderr] = [stdout, stderr].map(|stream| scrub.text(&stream.text()));
    Ok(CallReport { outcome, receipt, stdout, stderr, crash, footprint })
}

/// A guest sees no secret of the host's; what it found out in another way isn't told either.
fn scrubbed(outcome: Outcome, scrub: &Scrub) -> Outcome {
    match outcome {
        Outcome::Done(value) => Outcome::Done(scrub.value(value)),
        Outcome::Failed(error) => Outcome::Failed(scrub.value(error)),
        Outcome::Trapped(why) => Outcome::Trapped(scrub.text(&why)),
        Outcome::Denied { error, denials, crash } => Outcome::Denied {
            error: scrub.value(error),
            denials,
            crash: crash.map(|crash| scrub.text(&crash)),
        },
        Outcome::Exceeded(exceeded) => Outcome::Exceeded(exceeded),
        Outcome::Cancelled => Outcome::Cancelled,
    }
}

/// Whether what a call has staged stays. A call that was stopped or refused something may have
/// come to half of what it was to do.
fn keeps_changes(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Done(_) | Outcome::Failed(_) => true,
        Outcome::Trapped(_) | Outcome::Denied { .. } | Outcome::Exceeded(_) | Outcome::Cancelled => false,
    }
}

/// Many libcs strip the slash of an absolute path before they ask the host; a person and a model
/// know the path as they gave it. One that starts with a slash is the host's in their eyes, and no
/// folder of the project is a grant for it.
fn spell_as_given(denials: &mut [Denial], input: &Value) {
    let given: Vec<_> =
        input.as_object().into_iter().flat_map(|input| input.values()).filter_map(Value::as_str).collect();
    for denial in denials {
        let spelt = given
            .iter()
            .find(|given| given.starts_with('/') && given.trim_start_matches('/') == denial.asked);
        if let Some(spelt) = spelt {
            denial.asked = (*spelt).to_owned();
            denial.would_allow = None;
        }
    }
}

fn outcome_of(
    request: &CallRequest,
    ended: Ended,
    growth_refused: Option<Exceeded>,
    denials: &[Denial],
    spent: &Spent,
) -> Outcome {
    match ended {
        Ended::Cancelled => Outcome::Cancelled,
        Ended::Returned(results) => match results.into_json(&request.tool.definition().signature) {
            Ok(Returned::Value(value)) => Outcome::Done(value),
            Ok(Returned::Err(error)) => failed(error, denials),
            Err(error) => Outcome::Trapped(error.to_string()),
        },
        Ended::Raised(error) => match limit_behind(&error, request, spent).or(growth_refused) {
            Some(exceeded) => Outcome::Exceeded(exceeded),
            None if denials.is_empty() => Outcome::Trapped(describe(&error)),
            None => Outcome::Denied {
                error: Value::Null,
                denials: denials.to_vec(),
                crash: Some(describe(&error)),
            },
        },
    }
}

fn failed(error: Value, denials: &[Denial]) -> Outcome {
    if denials.is_empty() {
        Outcome::Failed(error)
    } else {
        Outcome::Denied { error, denials: denials.to_vec(), crash: None }
    }
}

/// Cuts the value in an outcome; says how long it was and whether it was cut.
fn cut_outcome(outcome: Outcome, limit: u64) -> (Outcome, u64, bool) {
    let (value, rebuild): (Value, Box<dyn FnOnce(Value) -> Outcome>) = match outcome {
        Outcome::Done(value) => (value, Box::new(Outcome::Done)),
        Outcome::Failed(error) => (error, Box::new(Outcome::Failed)),
        Outcome::Denied { error, denials, crash } => {
            (error, Box::new(move |error| Outcome::Denied { error, denials, crash }))
        }
        other @ (Outcome::Trapped(_) | Outcome::Exceeded(_) | Outcome::Cancelled) => {
            return (other, 0, false);
        }
    };
    let (value, len, cut) = cut_to(value, limit);
    (rebuild(value), len, cut)
}

fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
