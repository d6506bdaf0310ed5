//! Entering a stage: ids are handed out here, and nowhere else.

use super::Step;
use crate::effect::{Ending, ModelStage, Review};
use crate::id::{CallId, ReviewId, StepId};
use crate::state::{Asking, Counters, Stage, State};

/// Makes the step the state's stage.
pub(crate) fn enter(state: &mut State, step: Step) {
    state.stage = stage(state, step);
}

fn stage(state: &mut State, step: Step) -> Stage {
    match step {
        Step::Ask(stage) => {
            let max_tokens = state.settings.limits.reply_tokens;
            asking(state, stage, None, max_tokens)
        }
        Step::Again { stage, why, max_tokens } => asking(state, stage, Some(why), max_tokens),
        Step::Call(call) => Stage::Executing { call },
        Step::Pause { subject, then } => {
            let id = state.next.review();
            let then = stage(state, *then);
            Stage::PausedForReview { review: Review { id, subject }, then: Box::new(then) }
        }
        Step::Return(stage) => *stage,
        Step::End(Ending::Achieved) => Stage::Finished,
        Step::End(ending @ (Ending::Failed { .. } | Ending::Limit { .. } | Ending::Aborted)) => {
            Stage::Failed { ending }
        }
    }
}

fn asking(state: &mut State, stage: ModelStage, reask: Option<String>, max_tokens: u32) -> Stage {
    let asking = Asking { call: state.next.call(), reask, max_tokens };
    match stage {
        ModelStage::Plan => Stage::Planning(asking),
        ModelStage::Decide => Stage::Deciding(asking),
        ModelStage::Evaluate => Stage::Evaluating(asking),
    }
}

impl Counters {
    /// All from 1.
    pub(crate) fn first() -> Self {
        Self { call: 1, review: 1, step: 1 }
    }

    /// The next call's number.
    pub(crate) fn call(&mut self) -> CallId {
        CallId(take(&mut self.call))
    }

    /// The next review's number.
    pub(crate) fn review(&mut self) -> ReviewId {
        ReviewId(take(&mut self.review))
    }

    /// The next step's number.
    pub(crate) fn step(&mut self) -> StepId {
        StepId(take(&mut self.step))
    }
}

fn take(counter: &mut u64) -> u64 {
    let number = *counter;
    *counter = counter.saturating_add(1);
    number
}
