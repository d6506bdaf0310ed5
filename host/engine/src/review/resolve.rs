//! Which answers fit which question.

use super::Resolution;
use crate::bounds;
use crate::effect::{ModelStage, Review, Subject, ToolCall};
use crate::event::Answer;
use crate::id::{PlanHash, ReviewId};
use crate::ordering::{Surroundings, arrange};
use crate::plan::{PlanVersion, PlannedTask};
use crate::refused::Refused;
use crate::reply;
use crate::stages::{done_ids, open_tasks};
use crate::state::State;
use serde_json::Value;

/// What the answer comes to, or why it doesn't fit.
pub(crate) fn resolve(
    state: &State,
    review: &Review,
    given: ReviewId,
    answer: Answer,
) -> Result<Resolution, Refused> {
    if given != review.id {
        return Err(Refused::OtherReview { given, open: review.id });
    }
    match (&review.subject, answer) {
        (_, Answer::Abort) => Ok(Resolution::Abort),

        (Subject::Plan { plan }, Answer::Approve { plan: hash }) => approve(plan, hash),
        (Subject::Plan { plan }, Answer::EditPlan { tasks }) => edited(state, &plan.tasks, tasks),
        (Subject::Plan { plan }, Answer::AddTasks { tasks }) => added(state, &plan.tasks, tasks),
        (Subject::Plan { .. }, Answer::Reject { reason }) => {
            Ok(Resolution::RejectPlan { reason: words("the reason", reason)? })
        }

        (Subject::Call { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (Subject::Call { call }, Answer::EditCall { input }) => set_input(state, call, input),
        (Subject::Call { call }, Answer::Reject { reason }) => {
            Ok(Resolution::RejectCall { call: call.clone(), reason: words("the reason", reason)? })
        }

        (Subject::Question { question, reasoning }, Answer::Reply { text }) => {
            Ok(Resolution::AnswerQuestion {
                question: question.clone(),
                reasoning: reasoning.clone(),
                answer: words("the answer", text)?,
                declined: false,
            })
        }
        (Subject::Question { question, reasoning }, Answer::Reject { reason }) => {
            Ok(Resolution::AnswerQuestion {
                question: question.clone(),
                reasoning: reasoning.clone(),
                answer: words("the reason", reason)?,
                declined: true,
            })
        }

        (Subject::Stagnation { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOnAfresh),
        (Subject::Stagnation { seen }, Answer::Reply { text }) => {
            Ok(Resolution::Advise { seen: seen.clone(), advice: words("the advice", text)? })
        }
        (Subject::Stagnation { .. }, Answer::Reject { reason }) => {
            Ok(Resolution::GiveUpTask { reason: words("the reason", reason)? })
        }

        (Subject::UnknownOutcome { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (Subject::UnknownOutcome { call }, Answer::Reject { reason }) => {
            Ok(Resolution::TakeAsFailed { call: call.clone(), reason: words("the reason", reason)? })
        }

        (Subject::StageFailed { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (Subject::StageFailed { stage: ModelStage::Plan, .. }, Answer::EditPlan { tasks }) => {
            edited(state, &open_tasks(state), tasks)
        }

        (Subject::Interrupted, Answer::Approve { plan: None }) => Ok(Resolution::TakeUp),

        (
            subject,
            answer @ (Answer::Approve { .. }
            | Answer::EditPlan { .. }
            | Answer::AddTasks { .. }
            | Answer::EditCall { .. }
            | Answer::Reject { .. }
            | Answer::Reply { .. }),
        ) => Err(unfit(subject, &answer)),
    }
}

fn approve(plan: &PlanVersion, hash: Option<PlanHash>) -> Result<Resolution, Refused> {
    match hash {
        Some(given) if given != plan.hash => {
            Err(Refused::StaleApproval { given, current: plan.hash.clone() })
        }
        Some(_) | None => Ok(Resolution::ApprovePlan(plan.clone())),
    }
}

/// A whole new list in place of the proposed one. What waited for a task that was taken out waits
/// for it no longer.
fn edited(
    state: &State,
    proposed: &[PlannedTask],
    mut tasks: Vec<PlannedTask>,
) -> Result<Resolution, Refused> {
    let kept: Vec<_> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut tasks {
        if let Some(ids) = &mut task.depends_on {
            ids.retain(|id| kept.contains(id) || proposed.iter().all(|p| p.id != *id));
        }
    }
    set(state, &tasks)
}

/// More tasks behind the proposed ones.
fn added(state: &State, proposed: &[PlannedTask], tasks: Vec<PlannedTask>) -> Result<Resolution, Refused> {
    let all: Vec<PlannedTask> = proposed.iter().cloned().chain(tasks).collect();
    set(state, &all)
}

fn set(state: &State, tasks: &[PlannedTask]) -> Result<Resolution, Refused> {
    let around = Surroundings { list: "tasks", open: &[], done: &done_ids(state) };
    Ok(Resolution::SetTasks(arrange(tasks, &around)?))
}

fn set_input(state: &State, call: &ToolCall, mut input: Value) -> Result<Resolution, Refused> {
    let spec = state.settings.tools.iter().find(|tool| tool.name == call.tool);
    let why = match spec {
        None => Some("the tool isn't there any more".to_owned()),
        Some(spec) => {
            reply::coerce(&mut input, &spec.input_schema, &mut Vec::new());
            reply::mismatch(&input, &spec.input_schema, "$")
        }
    };
    match why {
        Some(why) => Err(Refused::Input { tool: call.tool.clone(), why }),
        None => Ok(Resolution::SetCall(ToolCall { input, ..call.clone() })),
    }
}

fn words(what: &'static str, text: String) -> Result<String, Refused> {
    if text.trim().is_empty() {
        let why = "is empty".to_owned();
        return Err(Refused::Words { what, why });
    }
    if bounds::longer_than(&text, bounds::PERSON) {
        let why = format!("has more than {} characters", bounds::PERSON);
        return Err(Refused::Words { what, why });
    }
    Ok(text)
}

fn unfit(subject: &Subject, answer: &Answer) -> Refused {
    let (subject, takes) = match subject {
        Subject::Plan { .. } => ("a plan", "approve, edit, add, reject or abort"),
        Subject::Call { .. } => ("a proposed call", "approve, edit, reject or abort"),
        Subject::Question { .. } => ("a question", "answer, reject or abort"),
        Subject::Stagnation { .. } => ("a run that repeats itself", "approve, answer, reject or abort"),
        Subject::UnknownOutcome { .. } => ("a call whose outcome is unknown", "approve, reject or abort"),
        Subject::StageFailed { stage: ModelStage::Plan, .. } => {
            ("a failed planning stage", "approve, edit or abort")
        }
        Subject::StageFailed { stage: ModelStage::Decide | ModelStage::Evaluate, .. } => {
            ("a failed stage", "approve or abort")
        }
        Subject::Interrupted => ("an interrupted run", "approve or abort"),
    };
    let answer = match answer {
        Answer::Approve { plan: None } => "approve",
        Answer::Approve { plan: Some(_) } => "approve with a plan's hash",
        Answer::EditPlan { .. } => "edit",
        Answer::AddTasks { .. } => "add",
        Answer::EditCall { .. } => "edit",
        Answer::Reject { .. } => "reject",
        Answer::Reply { .. } => "answer",
        Answer::Abort => "abort",
    };
    Refused::UnfitAnswer { subject, answer, takes }
}
