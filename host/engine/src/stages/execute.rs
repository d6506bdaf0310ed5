//! Executing: what a call brought, as an entry in the action history.

use super::count;
use crate::bounds;
use crate::effect::{Confidence, ToolCall};
use crate::event::{OutcomeStatus, ToolOutcome};
use crate::flow::Outcome;
use crate::guard;
use crate::id::StepId;
use crate::plan::TaskStatus;
use crate::state::{Action, Deed, State};

/// A tool call came to an end.
pub(crate) fn tool_ended(state: &mut State, call: ToolCall, outcome: ToolOutcome) -> Outcome {
    let message = bounds::one_line(&outcome.message, bounds::LINE);
    guard::remember(state, &call.tool, &call.input, outcome.status.name());
    state.spent.tool_calls = state.spent.tool_calls.saturating_add(1);
    count(state);
    state.observation = Some(match outcome.status {
        OutcomeStatus::Done => format!("step {}: {} is done", call.step, call.tool),
        OutcomeStatus::Failed
        | OutcomeStatus::Trapped
        | OutcomeStatus::Denied
        | OutcomeStatus::Exceeded
        | OutcomeStatus::Cancelled => {
            let class = outcome.status.name();
            format!("step {}: {} {class}: {message}", call.step, call.tool)
        }
    });
    record(
        state,
        call.step,
        call.reasoning,
        call.confidence,
        Deed::Tool {
            tool: call.tool,
            input: call.input,
            status: outcome.status,
            value: outcome.value,
            message,
            receipt: outcome.receipt,
        },
    );
    Outcome::ToolEnded
}

/// Adds an action for the task on top to the history.
pub(crate) fn record(state: &mut State, step: StepId, reasoning: String, confidence: Confidence, deed: Deed) {
    let Some(task) = state.stack.last_mut() else {
        return;
    };
    task.steps.push(step);
    let task = task.planned.id.clone();
    state.history.push(Action {
        step,
        task,
        reasoning,
        deed,
        confidence,
        summary: String::new(),
        verdict: None,
    });
}

/// Takes the task on top off the stack, as done with.
pub(crate) fn end_task(state: &mut State, status: TaskStatus, summary: String) {
    state.watch.weak_evaluations = 0;
    if let Some(mut task) = state.stack.pop() {
        task.status = status;
        task.summary = summary;
        state.done.push(task);
    }
}
