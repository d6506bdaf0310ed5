//! Which answers fit which question.

use super::Resolution;
use super::takes::unfit;
use crate::bounds;
use crate::effect::{ModelStage, Review, Subject, ToolCall};
use crate::event::Answer;
use crate::id::{PlanHash, ReviewId, TaskId};
use crate::lanes;
use crate::ordering::{Surroundings, arrange};
use crate::plan::{PlanVersion, PlannedTask};
use crate::refused::Refused;
use crate::reply;
use crate::scope::Scope;
use crate::settings::Flow;
use crate::stage::Stage;
use crate::stages::open_tasks;
use crate::turn::Turn;
use serde_json::Value;

/// What the answer comes to, or why it doesn't fit; `then` is where the run was to go on.
pub(crate) fn resolve(
    scope: Scope<'_>,
    review: &Review,
    then: &Stage,
    given: ReviewId,
    answer: Answer,
) -> Result<Resolution, Refused> {
    if given != review.id {
        return Err(Refused::OtherReview { given, open: review.id });
    }
    let flow = scope.state.settings.flow;
    let planned = flow == Flow::Staged;
    let open = || open_tasks(scope.state);
    match (&review.subject, answer) {
        (_, Answer::Abort) => Ok(Resolution::Abort),

        (Subject::Plan { plan }, Answer::Approve { plan: hash }) => approve(plan, hash),
        (Subject::Plan { plan }, Answer::EditPlan { tasks }) => edited(scope, &plan.tasks, tasks),
        (Subject::Plan { plan }, Answer::AddTasks { tasks }) => added(scope, &plan.tasks, tasks),
        (Subject::Plan { .. }, Answer::Reject { reason }) => {
            let words = words("the reason", reason)?;
            Ok(Resolution::PlanAgain { to: "A person rejected the proposed plan", words })
        }
        (Subject::Plan { .. }, Answer::Reply { text }) => {
            let words = words("the answer", text)?;
            Ok(Resolution::PlanAgain { to: "A person wants the plan made again", words })
        }

        (Subject::Call { call, .. }, Answer::Approve { plan: None }) => {
            Ok(Resolution::ClearCall { call: call.clone(), turn: turn(then), tasks: None })
        }
        (Subject::Call { call, .. }, Answer::EditCall { input }) => {
            let call = with_input(scope, call, input)?;
            Ok(Resolution::ClearCall { call, turn: turn(then), tasks: None })
        }
        (Subject::Call { call, .. }, Answer::AddTasks { tasks }) => {
            let tasks = if planned { all(scope, &open(), tasks)? } else { tasks };
            Ok(Resolution::ClearCall { call: call.clone(), turn: turn(then), tasks: Some(tasks) })
        }
        (Subject::Call { call, .. }, Answer::Reject { reason: text } | Answer::Reply { text }) => {
            let reason = words("the reason", text)?;
            Ok(Resolution::RejectCall { call: call.clone(), turn: turn(then), reason })
        }

        (Subject::Judgement { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (Subject::Judgement { task, .. }, Answer::Reject { reason }) => Ok(Resolution::RejectJudgement {
            task: task.clone(),
            words: words("the reason", reason)?,
            judge_again: false,
        }),
        (Subject::Judgement { task, .. }, Answer::Reply { text }) => Ok(Resolution::RejectJudgement {
            task: task.clone(),
            words: words("the answer", text)?,
            judge_again: true,
        }),

        (Subject::Finish { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (Subject::Finish { answer: Some(_), .. }, Answer::EditAnswer { text }) => {
            Ok(Resolution::SetAnswer { text: words("the answer", text)? })
        }
        (Subject::Finish { .. }, Answer::Reject { reason: text } | Answer::Reply { text }) => {
            Ok(Resolution::RejectFinish { words: words("the reason", text)? })
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
        (Subject::Stagnation { .. }, Answer::Reject { reason }) if planned => {
            Ok(Resolution::GiveUpTask { reason: words("the reason", reason)? })
        }
        (Subject::Stagnation { seen }, Answer::Reject { reason }) => {
            Ok(Resolution::Advise { seen: seen.clone(), advice: words("the reason", reason)? })
        }

        (Subject::UnknownOutcome { call }, Answer::Approve { plan: None }) => {
            Ok(Resolution::CallAgain { call: call.clone(), turn: turn(then) })
        }
        (Subject::UnknownOutcome { call }, Answer::EditCall { input }) => {
            Ok(Resolution::CallAgain { call: with_input(scope, call, input)?, turn: turn(then) })
        }
        (Subject::UnknownOutcome { call }, Answer::Reject { reason }) => {
            let words = words("the reason", reason)?;
            Ok(Resolution::TakeAs { call: call.clone(), turn: turn(then), words, done: false })
        }
        (Subject::UnknownOutcome { call }, Answer::Reply { text }) => {
            let words = words("the answer", text)?;
            Ok(Resolution::TakeAs { call: call.clone(), turn: turn(then), words, done: true })
        }

        (Subject::StageFailed { .. }, Answer::Approve { plan: None }) => Ok(Resolution::GoOn),
        (
            Subject::StageFailed { stage: ModelStage::Decide | ModelStage::Evaluate, .. },
            Answer::Reject { reason },
        ) => Ok(Resolution::GiveUpTask { reason: words("the reason", reason)? }),
        (Subject::StageFailed { stage, .. }, Answer::Reply { text }) => {
            Ok(Resolution::AskWith { stage: *stage, words: words("the answer", text)? })
        }

        (
            Subject::Judgement { .. } | Subject::Finish { .. } | Subject::Stagnation { .. },
            Answer::EditPlan { tasks },
        ) if planned => edited(scope, &open(), tasks),
        (
            Subject::Judgement { .. } | Subject::Finish { .. } | Subject::Stagnation { .. },
            Answer::AddTasks { tasks },
        ) if planned => added(scope, &open(), tasks),
        (Subject::Finish { .. } | Subject::Stagnation { .. }, Answer::AddTasks { tasks }) => {
            Ok(Resolution::Want(tasks))
        }
        (Subject::StageFailed { .. }, Answer::EditPlan { tasks }) if planned => edited(scope, &open(), tasks),
        (Subject::StageFailed { .. }, Answer::AddTasks { tasks }) if planned => added(scope, &open(), tasks),

        (Subject::Interrupted, Answer::Approve { plan: None }) => Ok(Resolution::TakeUp { words: None }),
        (Subject::Interrupted, Answer::Reply { text }) => {
            Ok(Resolution::TakeUp { words: Some(words("the answer", text)?) })
        }

        (
            subject,
            answer @ (Answer::Approve { .. }
            | Answer::EditPlan { .. }
            | Answer::AddTasks { .. }
            | Answer::EditCall { .. }
            | Answer::EditAnswer { .. }
            | Answer::Reject { .. }),
        ) => Err(unfit(flow, subject, &answer)),
    }
}

/// Whether a person's own plan can be the run's.
pub(crate) fn replanned(scope: Scope<'_>, tasks: Vec<PlannedTask>) -> Result<Vec<PlannedTask>, Refused> {
    match scope.state.settings.flow {
        Flow::Staged => checked(scope, &tasks),
        flow @ (Flow::Pipeline | Flow::React) => Err(Refused::NoPlan { flow: flow.name() }),
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
    scope: Scope<'_>,
    proposed: &[PlannedTask],
    mut tasks: Vec<PlannedTask>,
) -> Result<Resolution, Refused> {
    let kept: Vec<_> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut tasks {
        if let Some(ids) = &mut task.depends_on {
            ids.retain(|id| kept.contains(id) || proposed.iter().all(|p| p.id != *id));
        }
    }
    Ok(Resolution::SetTasks(checked(scope, &tasks)?))
}

/// More tasks behind the proposed ones.
fn added(scope: Scope<'_>, proposed: &[PlannedTask], tasks: Vec<PlannedTask>) -> Result<Resolution, Refused> {
    Ok(Resolution::SetTasks(all(scope, proposed, tasks)?))
}

fn all(
    scope: Scope<'_>,
    proposed: &[PlannedTask],
    tasks: Vec<PlannedTask>,
) -> Result<Vec<PlannedTask>, Refused> {
    let all: Vec<PlannedTask> = proposed.iter().cloned().chain(tasks).collect();
    checked(scope, &all)
}

fn checked(scope: Scope<'_>, tasks: &[PlannedTask]) -> Result<Vec<PlannedTask>, Refused> {
    // Delegated runs' tasks join those of the run above: all their ids must differ.
    let beside = scope.above.map(|above| lanes::under(&above.stage)).unwrap_or_default();
    let beside = beside.iter().flat_map(|lane| lane.state.stack.iter().chain(&lane.state.done));
    let above = scope.above.into_iter().flat_map(|above| &above.stack).chain(beside);
    let below = lanes::under(&scope.state.stage).iter().flat_map(|lane| &lane.state.done);
    let taken: Vec<TaskId> =
        scope.done().chain(above).chain(below).map(|task| task.planned.id.clone()).collect();
    Ok(arrange(tasks, &Surroundings { list: "tasks", open: &[], done: &taken })?)
}

fn with_input(scope: Scope<'_>, call: &ToolCall, mut input: Value) -> Result<ToolCall, Refused> {
    let spec = scope.state.settings.tools.iter().find(|tool| tool.name == call.tool);
    let why = match spec {
        None => Some("the tool isn't there any more".to_owned()),
        Some(spec) => {
            reply::coerce(&mut input, &spec.input_schema, &mut Vec::new());
            reply::mismatch(&input, &spec.input_schema, "$")
        }
    };
    match why {
        Some(why) => Err(Refused::Input { tool: call.tool.clone(), why }),
        None => Ok(ToolCall { input, ..call.clone() }),
    }
}

/// The turn that a reviewed call belongs to.
fn turn(then: &Stage) -> Turn {
    then.turn().cloned().unwrap_or_default()
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
