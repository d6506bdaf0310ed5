//! Executing: what a turn's calls brought, as entries in the action history.

use super::count;
use crate::bounds;
use crate::context;
use crate::effect::{Confidence, ToolCall};
use crate::event::{OutcomeStatus, ToolOutcome};
use crate::flow::Outcome;
use crate::guard;
use crate::id::{StepId, TaskId};
use crate::message::ToolAnswer;
use crate::plan::TaskStatus;
use crate::settings::Flow;
use crate::stagnation;
use crate::state::{Action, Deed, State};
use crate::turn::{Slot, Standing, Turn};

/// A call of the turn came to an end.
pub(crate) fn tool_ended(
    state: &mut State,
    mut turn: Turn,
    call: &ToolCall,
    outcome: ToolOutcome,
) -> Outcome {
    state.spent.tool_calls = state.spent.tool_calls.saturating_add(1);
    // Also what failed may have read, and told what it read in its error.
    state.exposure.read |= call.can.reads;
    state.exposure.received |= call.can.egress;
    if turn.end(call.call, outcome) { go_on(state, turn) } else { Outcome::TurnGoesOn(turn) }
}

/// The turn goes on, or is over and becomes part of the history.
pub(crate) fn go_on(state: &mut State, turn: Turn) -> Outcome {
    if turn.is_over() { close(state, turn) } else { Outcome::TurnGoesOn(turn) }
}

fn close(state: &mut State, turn: Turn) -> Outcome {
    let Turn { slots, mut answered } = turn;
    stagnation::remember_turn(state, &slots);
    let mut told = Vec::new();
    let mut made = false;
    for Slot { call, standing, .. } in slots {
        let asked_as = call.asked_as.clone();
        let (line, is_error) = match standing {
            Standing::Ended { outcome } => {
                made = true;
                let is_error = outcome.status != OutcomeStatus::Done;
                (ended(state, call, outcome), is_error)
            }
            Standing::Rejected { reason } => (rejected(state, call, reason), true),
            // Neither is left in a turn that is over.
            Standing::Proposed | Standing::Cleared => continue,
        };
        told.push(line);
        if let (Some(id), Some(action)) = (asked_as, state.history.last()) {
            answered.push(ToolAnswer { id, text: context::result(action), is_error });
        }
    }
    if let Some(conversation) = &mut state.conversation {
        conversation.answer(answered);
    }
    state.observation = Some(told.join("\n"));
    if made {
        match state.settings.flow {
            Flow::Staged | Flow::Pipeline => count(state),
            // There, a turn of the model and what its tools bring are one step.
            Flow::React => {}
        }
        Outcome::TurnEnded
    } else {
        Outcome::TurnRejected
    }
}

/// Records a call that was made; says so in one line.
fn ended(state: &mut State, call: ToolCall, outcome: ToolOutcome) -> String {
    let message = bounds::one_line(&outcome.message, bounds::LINE);
    let done = outcome.status == OutcomeStatus::Done;
    let known = |action: &Action| match &action.deed {
        Deed::Tool { tool, input, status: OutcomeStatus::Done, .. } => {
            *tool == call.tool && *input == call.input
        }
        Deed::Tool { .. } | Deed::Human { .. } | Deed::Rejected { .. } => false,
    };
    guard::acted(state, |state| done && !state.history.iter().any(known));
    let line = if done {
        format!("step {}: {} is done", call.step, call.tool)
    } else {
        format!("step {}: {} {}: {message}", call.step, call.tool, outcome.status.name())
    };
    let deed = Deed::Tool {
        tool: call.tool,
        input: call.input,
        status: outcome.status,
        value: outcome.value,
        message,
        receipt: outcome.receipt,
    };
    record(state, call.step, call.task, call.reasoning, call.confidence, deed);
    line
}

/// Records a call that a person rejected; says so in one line.
fn rejected(state: &mut State, call: ToolCall, reason: String) -> String {
    let line = format!("A person rejected the proposed call of {}: {reason}", call.tool);
    let deed = Deed::Rejected { tool: call.tool, input: call.input, reason };
    record(state, call.step, call.task, call.reasoning, call.confidence, deed);
    line
}

/// Adds an action to the history.
pub(crate) fn record(
    state: &mut State,
    step: StepId,
    task: TaskId,
    reasoning: String,
    confidence: Confidence,
    deed: Deed,
) {
    if let Some(open) = state.stack.iter_mut().find(|open| open.planned.id == task) {
        open.steps.push(step);
    }
    let summary = String::new();
    state.history.push(Action { step, task, reasoning, deed, confidence, summary, verdict: None });
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
