//! Evaluating: where the task on top stands after its last action, and what can be claimed.

use super::{confidence, count, end_task, failed, note};
use crate::bounds;
use crate::claims;
use crate::effect::{Confidence, ModelStage};
use crate::flow::{Judgement, Outcome};
use crate::guard;
use crate::id::{StepId, TaskId};
use crate::plan::{SubTask, TaskStatus};
use crate::scope::Scope;
use crate::stage::Asking;
use crate::state::{Progress, State, Verdict};
use serde::Deserialize;
use serde_json::Value;

/// Evaluations in a row without a usable answer that are bridged; the next one asks a person.
const BRIDGED: u32 = 1;

/// An evaluator's reply.
#[derive(Debug, Deserialize)]
pub(super) struct EvaluateReply {
    sub_task_status: Progress,
    summary: String,
    suggested_next_step: Option<String>,
    confidence: Option<Confidence>,
    claims: Option<Value>,
}

/// Takes a judgement.
pub(super) fn evaluated(
    state: &mut State,
    above: Option<&State>,
    asking: &Asking,
    reply: EvaluateReply,
) -> Outcome {
    state.watch.weak_evaluations = 0;
    let taken = claims::take(Scope { state, above }, reply.claims.unwrap_or_default());
    for dropped in claims::keep(state, taken) {
        note(state, asking.call, ModelStage::Evaluate, &dropped);
    }
    let suggestion = reply.suggested_next_step.unwrap_or_default();
    let verdict = Verdict {
        status: reply.sub_task_status,
        suggestion: bounds::cut(suggestion.trim(), bounds::SUMMARY),
        confidence: confidence(reply.confidence),
    };
    judged(state, verdict, bounds::cut(reply.summary.trim(), bounds::SUMMARY))
}

/// No usable judgement came: more work, with low confidence; the second time in a row for one
/// task a person is asked.
pub(super) fn degrade(state: &mut State, asking: &Asking, why: String) -> Outcome {
    let watch = &mut state.watch;
    watch.weak_evaluations = watch.weak_evaluations.saturating_add(1);
    if watch.weak_evaluations > BRIDGED {
        return failed(state, ModelStage::Evaluate, asking, why);
    }
    note(
        state,
        asking.call,
        ModelStage::Evaluate,
        "no usable judgement; taken as needs_more_work with low confidence",
    );
    let verdict =
        Verdict { status: Progress::NeedsMoreWork, suggestion: String::new(), confidence: Confidence::Low };
    judged(state, verdict, "The result was not judged: the replies were unusable.".to_owned())
}

fn judged(state: &mut State, verdict: Verdict, summary: String) -> Outcome {
    count(state);
    let progress = verdict.status;
    let suggestion = verdict.suggestion.clone();
    let mut step = StepId(0);
    if let Some(action) = state.history.last_mut() {
        action.summary = summary.clone();
        action.verdict = Some(verdict.clone());
        step = action.step;
    }
    let id = state.stack.last().map(|task| task.planned.id.clone()).unwrap_or_else(|| "".into());
    let said = match progress {
        Progress::Completed => {
            end_task(state, TaskStatus::Completed, summary.clone());
            guard::completed(state);
            format!("{id} is completed: {summary}")
        }
        Progress::Failed => {
            end_task(state, TaskStatus::Failed, summary.clone());
            let waiting: Vec<&str> = state
                .stack
                .iter()
                .rev()
                .filter(|task| task.planned.depends_on.as_ref().is_some_and(|ids| ids.contains(&id)))
                .map(|task| task.planned.id.0.as_str())
                .collect();
            let waiting = match waiting.as_slice() {
                [] => String::new(),
                ids => format!(" Open tasks that waited for it: {}.", ids.join(", ")),
            };
            format!("{id} failed: {summary}{waiting}")
        }
        Progress::NeedsMoreWork => format!("{id} needs more work: {summary}"),
    };
    state.observation = Some(match suggestion.as_str() {
        "" => said,
        suggestion => format!("{said}\nSuggested next: {suggestion}"),
    });
    Outcome::Judged(Judgement { step, task: id, verdict, summary })
}

/// A person says that the last judgement doesn't hold: its task is open again, on top.
pub(crate) fn rejected(state: &mut State, task: &TaskId, reason: &str) {
    if let Some(place) = state.done.iter().rposition(|done| done.planned.id == *task) {
        let done = state.done.remove(place);
        state.stack.push(SubTask { status: TaskStatus::InProgress, summary: String::new(), ..done });
    }
    if let Some(action) = state.history.last_mut() {
        action.verdict = None;
        action.summary = bounds::cut(&format!("a person rejected the judgement: {reason}"), bounds::SUMMARY);
    }
    state.observation = Some(format!("A person rejected the judgement on {task}: {reason}"));
}
