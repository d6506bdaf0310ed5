//! What a person's answer does to the state; and taking up what was put aside.

use super::Resolution;
use crate::bounds;
use crate::effect::{Confidence, Subject, ToolCall};
use crate::event::{OutcomeStatus, ToolOutcome};
use crate::flow::Outcome;
use crate::plan::TaskStatus;
use crate::stages::{adopt, end_task, record, set_tasks, tool_ended};
use crate::state::{Deed, Said, Stage, State};
use serde_json::Value;

/// Folds an answer in; `then` is where the run was to go on.
pub(crate) fn settle(state: &mut State, resolution: Resolution, then: Stage) -> Outcome {
    match resolution {
        Resolution::GoOn => Outcome::Onward(Box::new(then)),
        Resolution::ApprovePlan(plan) => {
            adopt(state, &plan);
            Outcome::Onward(Box::new(then))
        }
        Resolution::SetTasks(tasks) => {
            set_tasks(state, tasks);
            Outcome::TasksSet
        }
        Resolution::RejectPlan { reason } => {
            state.observation = Some(format!("A person rejected the proposed plan: {reason}"));
            say(state, "the proposed plan", &reason);
            Outcome::PlanRejected
        }
        Resolution::SetCall(call) => Outcome::CallSet(call),
        Resolution::RejectCall { call, reason } => {
            state.observation =
                Some(format!("A person rejected the proposed call of {}: {reason}", call.tool));
            say(state, &format!("the proposed call of {}", call.tool), &reason);
            let deed = Deed::Rejected { tool: call.tool, input: call.input, reason };
            record(state, call.step, call.reasoning, call.confidence, deed);
            Outcome::CallRejected
        }
        Resolution::AnswerQuestion { question, reasoning, answer, declined } => {
            let said = if declined { "A person declined to answer" } else { "A person answered" };
            told(state, said, question, reasoning, answer);
            Outcome::Answered
        }
        Resolution::GoOnAfresh => {
            state.watch.trail.clear();
            Outcome::Onward(Box::new(then))
        }
        Resolution::Advise { seen, advice } => {
            told(state, "A person advised", seen, String::new(), advice);
            Outcome::Answered
        }
        Resolution::GiveUpTask { reason } => {
            state.watch.trail.clear();
            let top = state.stack.last();
            let id = top.map_or_else(String::new, |task| task.planned.id.to_string());
            say(state, &format!("{id}, when they gave it up"), &reason);
            let summary = format!("given up by a person: {reason}");
            state.observation = Some(format!("{id} was {summary}"));
            end_task(state, TaskStatus::Failed, summary);
            Outcome::TaskGivenUp
        }
        Resolution::TakeAsFailed { call, reason } => {
            let outcome = ToolOutcome {
                status: OutcomeStatus::Failed,
                value: Value::Null,
                message: format!("its outcome is unknown; a person takes it as failed: {reason}"),
                receipt: None,
            };
            tool_ended(state, call, outcome)
        }
        Resolution::TakeUp => take_up(then),
        Resolution::Abort => Outcome::Aborted,
    }
}

/// A person said something: part of the history, and the guard counts afresh.
fn told(state: &mut State, said: &str, question: String, reasoning: String, answer: String) {
    state.watch.trail.clear();
    state.observation = Some(format!("{said}: {answer}"));
    say(state, &format!("the question {:?}", bounds::one_line(&question, bounds::SAID_TO)), &answer);
    let step = state.next.step();
    let deed = Deed::Human { question, answer };
    record(state, step, reasoning, Confidence::default(), deed);
}

/// Keeps what a person said, for every later stage.
fn say(state: &mut State, to: &str, text: &str) {
    state.said.push(Said { to: to.to_owned(), text: text.to_owned() });
}

/// Goes on with a stage that no driver works on any more. A model is simply asked again; a tool
/// call is made again, under its own id, where that can do no harm, and is in doubt otherwise. An
/// interruption and a model that was out of reach are over with that; every other review stays
/// open until a person answers it.
pub(crate) fn take_up(stage: Stage) -> Outcome {
    match stage {
        Stage::Executing { call } => {
            let again = ToolCall { attempt: call.attempt.saturating_add(1), ..call };
            if again.can.repeatable() { Outcome::Lost(again) } else { Outcome::InDoubt(again) }
        }
        Stage::PausedForReview { review, then } => match review.subject {
            Subject::Interrupted | Subject::StageFailed { unreachable: true, .. } => take_up(*then),
            Subject::Plan { .. }
            | Subject::Call { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { unreachable: false, .. } => {
                Outcome::Onward(Box::new(Stage::PausedForReview { review, then }))
            }
        },
        asked @ (Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Finished
        | Stage::Failed { .. }) => Outcome::Onward(Box::new(asked)),
    }
}
