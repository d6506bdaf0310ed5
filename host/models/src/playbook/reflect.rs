//! Reviewing the work: what was achieved, what stands still, and the one thing to do next. The
//! playbook itself does that anyway; the review is for whoever else works on the run.

use super::analyst::{Observation, plural};
use super::budget;
use super::calls::Call;
use super::decide;
use super::evaluate::one_call;
use super::facts::{Facts, Flow};
use super::whole;
use serde_json::{Value, json};

/// The reflect stage's reply.
pub(super) fn reflect(facts: &Facts) -> Value {
    let next = match (facts.flow, &facts.task) {
        (Flow::Staged, Some(task)) => decide::next(facts, task),
        (Flow::Staged, None) => None,
        (Flow::Pipeline | Flow::React, _) => {
            whole::ahead(facts).into_iter().next().filter(|_| budget::turns_left(facts) > 0)
        }
    };
    json!({
        "assessment": assessment(facts),
        "instruction": instruction(facts, next.as_ref()),
        "confidence": if next.is_some() { "high" } else { "medium" },
    })
}

fn assessment(facts: &Facts) -> String {
    let why = facts.why.as_deref().map(str::trim).filter(|why| !why.is_empty());
    let mut parts = vec![format!(
        "Reviewed because of this: {}.",
        why.unwrap_or("no reason was given").trim_end_matches('.')
    )];
    let (done, failed): (Vec<&Observation>, Vec<&Observation>) =
        facts.observations.iter().partition(|seen| seen.is_done());
    parts.push(match done.last() {
        Some(last) => {
            format!("{} gave a result; the last: {}", plural(done.len() as u64, "call"), one_call(last))
        }
        None => "No call has given a result yet.".to_owned(),
    });
    if let Some(last) = failed.last() {
        parts.push(format!(
            "{} gave none; the last: {}.",
            plural(failed.len() as u64, "call"),
            one_call(last).trim_end_matches('.')
        ));
    }
    if let Some(no) = facts.rejected.last() {
        let calls = plural(facts.rejected.len() as u64, "proposed call");
        parts.push(format!(
            "A person rejected {calls}, the last of {}: {}.",
            no.tool,
            no.reason.trim().trim_end_matches('.')
        ));
    }
    parts.join(" ")
}

fn instruction(facts: &Facts, next: Option<&Call>) -> String {
    match (next, facts.flow, &facts.task) {
        (Some(call), _, _) => format!("Call {} on `{}`, which has not been tried: {}", call.tool, call.place(), call.why),
        (None, Flow::Staged, Some(task)) => format!(
            "End the task \"{}\" with what there is: no call that serves it is both untried and within the iterations.",
            task.id
        ),
        (None, Flow::Staged, None) => {
            "Say whether the goal is achieved, from the tasks that are done with; plan none a second time.".to_owned()
        }
        (None, Flow::Pipeline | Flow::React, _) => {
            "Answer with what there is: no call that serves the analysis is both untried and within the iterations."
                .to_owned()
        }
    }
}
