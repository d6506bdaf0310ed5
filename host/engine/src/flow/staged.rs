//! The staged flow: plan, decide, execute, evaluate.
//!
//! ```text
//!  Initializing
//!       │
//!       ▼          tasks            call              outcome
//!  ┌─ Planning ───────────▶ Deciding ─────▶ Executing ─────────▶ Evaluating
//!  │    ▲ │ ▲ nothing yet,   ▲ │ ▲ unfit     │  ▲ lost, made      │ ▲ │ │ re-ask
//!  │    │ └─┘ re-ask         │ └─┘ choice,   └──┘ again           │ └─┘ │
//!  │    │                    │     re-ask                         │     │
//!  │    │                    └── another action, or another task ─┘     │
//!  │    └──────────────── task failed, or no task is left ──────────────┘
//!  │ goal achieved
//!  └──────────────▶ Finished
//!
//!  any of them ──▶ PausedForReview ──▶ Planning, Deciding, Executing, Evaluating,
//!                        │    ▲  │     and Finished by an answer that came in while
//!                        │    └──┘     an interruption was open
//!  any of them ──▶ Failed ◀──────┘
//! ```
//!
//! Only the task on top of the stack is worked on. A plan without new tasks never pauses. When a
//! task failed, the planner is asked before the next one begins; tasks that waited for the failed
//! one are not dropped: they come after what the planner adds.

use super::{Outcome, Step};
use crate::effect::{Ending, ModelStage, Subject};
use crate::settings::PausePoint;
use crate::state::{Progress, State};

/// A planner that sees more to do but names nothing, so often in a row, ends the run.
const EMPTY_PLANS: u32 = 2;

/// The router.
pub(crate) fn next(state: &State, outcome: Outcome) -> Step {
    use ModelStage::{Decide, Evaluate, Plan};
    let pauses = |point| state.settings.pause.contains(&point);
    let work_or_plan = if state.stack.is_empty() { Plan } else { Decide };

    match outcome {
        Outcome::Began => Step::Ask(Plan),

        // Planning
        Outcome::TasksProposed(plan) if pauses(PausePoint::AfterPlan) => {
            pause(Subject::Plan { plan }, Step::Ask(Decide))
        }
        Outcome::TasksProposed(_) => Step::Ask(Decide),
        Outcome::GoalAchieved => Step::End(Ending::Achieved),
        Outcome::NothingPlanned { reasoning } => {
            if state.stack.is_empty() && state.watch.empty_plans >= EMPTY_PLANS {
                Step::End(Ending::Failed {
                    why: format!(
                        "the planner sees the goal as not achieved and has no further task: {reasoning}"
                    ),
                })
            } else {
                Step::Ask(work_or_plan)
            }
        }

        // Deciding
        Outcome::CallChosen(call) if pauses(PausePoint::BeforeTool) => {
            pause(Subject::Call { call: call.clone() }, Step::Call(call))
        }
        Outcome::CallChosen(call) => Step::Call(call),
        Outcome::QuestionChosen { question, reasoning } => {
            pause(Subject::Question { question, reasoning }, Step::Ask(Decide))
        }
        Outcome::ChoiceUnfit => Step::Ask(Decide),

        // Executing
        Outcome::ToolEnded => Step::Ask(Evaluate),
        Outcome::Lost(call) => Step::Call(call),
        Outcome::InDoubt(call) => pause(Subject::UnknownOutcome { call: call.clone() }, Step::Call(call)),

        // Evaluating
        Outcome::Judged(Progress::NeedsMoreWork) => Step::Ask(work_or_plan),
        Outcome::Judged(Progress::Completed) => Step::Ask(work_or_plan),
        Outcome::Judged(Progress::Failed) => Step::Ask(Plan),

        // Any stage that a model serves
        Outcome::Unusable { stage, why, max_tokens } => Step::Again { stage, why, max_tokens },
        Outcome::StageFailed { stage, why, unreachable } => {
            pause(Subject::StageFailed { stage, why, unreachable }, Step::Ask(stage))
        }

        // A person
        Outcome::TasksSet => Step::Ask(work_or_plan),
        Outcome::PlanRejected => Step::Ask(Plan),
        Outcome::CallSet(call) => Step::Call(call),
        Outcome::CallRejected => Step::Ask(Decide),
        Outcome::Answered => Step::Ask(work_or_plan),
        Outcome::TaskGivenUp => Step::Ask(Plan),
        Outcome::Onward(stage) => Step::Return(stage),
        Outcome::Interrupted(stage) => pause(Subject::Interrupted, Step::Return(stage)),
        Outcome::Aborted => Step::End(Ending::Aborted),
    }
}

fn pause(subject: Subject, then: Step) -> Step {
    Step::Pause { subject, then: Box::new(then) }
}
