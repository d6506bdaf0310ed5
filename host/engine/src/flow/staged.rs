//! The staged flow: plan, decide, execute, evaluate.
//!
//! ```text
//!  Initializing
//!       │
//!       ▼          tasks            call              outcome
//!  ┌─ Planning ───────────▶ Deciding ─────▶ Executing ─────────▶ Evaluating
//!  │    ▲ ▲ │               ▲ │ ▲ unfit      │  ▲ more of the      │ ▲ │ │ re-ask
//!  │    │ └─┘ re-ask        │ └─┘ choice,    └──┘ turn, or again   │ └─┘ │
//!  │    │                   │     re-ask                           │     │
//!  │    │                   └── another action, or another task ───┘     │
//!  │    └─────────────── task failed, or no task is left ────────────────┘
//!  │ goal achieved
//!  └──────────────▶ Finished
//!
//!  Planning, Evaluating ──▶ Delegating ──▶ Planning, Deciding, Delegating   (independent tasks,
//!                              ▲  │         each in a run of its own; their results join)
//!                              └──┘
//!  any of them ──▶ Reflecting ──▶ where it was going                        (detour)
//!  any of them ──▶ PausedForReview ──▶ any of them, and Finished
//!  any of them ──▶ Failed
//!  any of them ──▶ Planning, Deciding, Delegating   (a person set the open tasks, unasked)
//! ```
//!
//! Only the task on top of the stack is worked on. A plan without new tasks never pauses. When a
//! task failed, the planner is asked before the next one begins; tasks that waited for the failed
//! one are not dropped: they come after what the planner adds. A delegated run has no planner: it
//! ends with its last task, and the run above judges.

use super::common::{self, pause};
use super::{Outcome, Step, Work};
use crate::effect::{Ending, Subject};
use crate::gate;
use crate::lanes;
use crate::settings::PausePoint;
use crate::state::{Progress, State};

/// A planner that sees more to do but names nothing, so often in a row, ends the run.
const EMPTY_PLANS: u32 = 2;

/// The router.
pub(super) fn next(state: &State, outcome: Outcome) -> Step {
    use Work::{Decide, Evaluate, Plan};
    let pauses = |point| state.settings.pause.contains(&point);

    match outcome {
        Outcome::Began => plan_or_end(state),

        // Planning
        Outcome::TasksProposed(plan) if pauses(PausePoint::AfterPlan) => {
            pause(Subject::Plan { plan }, Step::Ask(Decide))
        }
        Outcome::TasksProposed(_) | Outcome::TasksSet => work(state),
        Outcome::NothingPlanned { reasoning } => {
            if state.stack.is_empty() && state.watch.empty_plans >= EMPTY_PLANS {
                Step::End(Ending::Failed {
                    why: format!(
                        "the planner sees the goal as not achieved and has no further task: {reasoning}"
                    ),
                })
            } else {
                work(state)
            }
        }

        // Executing
        Outcome::TurnEnded => Step::Ask(Evaluate),

        // Evaluating
        Outcome::Judged(judgement) => {
            let onward = match judgement.verdict.status {
                Progress::NeedsMoreWork | Progress::Completed => work(state),
                Progress::Failed => plan_or_end(state),
            };
            gate::show(state, judgement, onward)
        }
        Outcome::JudgementRejected => work(state),
        Outcome::TaskGivenUp => plan_or_end(state),

        // The planner may see more to do once it knows what a person said.
        Outcome::FinishRejected => Step::Ask(Plan),
        Outcome::Joined { failed: true } => Step::Ask(Plan),
        Outcome::Joined { failed: false } => work(state),
        // Approved: what is independent may begin together.
        Outcome::Onward(stage) if lanes::begins_work(state, &stage) => work(state),

        other => common::next(state, other, Decide, work(state)),
    }
}

/// The next task or tasks; the planner where none is left.
fn work(state: &State) -> Step {
    if state.stack.is_empty() {
        return plan_or_end(state);
    }
    match lanes::independent(state) {
        tasks if tasks.len() > 1 => Step::Delegate(tasks),
        _ => Step::Ask(Work::Decide),
    }
}

/// The planner; a delegated run has none and ends.
fn plan_or_end(state: &State) -> Step {
    match (state.delegated, state.stack.is_empty()) {
        (true, true) => Step::End(Ending::Achieved),
        (true, false) => Step::Ask(Work::Decide),
        (false, _) => Step::Ask(Work::Plan),
    }
}
