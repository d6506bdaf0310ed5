//! Entering a stage: ids are handed out here, and nowhere else.

use super::{Step, Work};
use crate::effect::{Ending, Review};
use crate::id::{CallId, ReviewId, StepId};
use crate::lanes;
use crate::stage::{Asking, Stage, unsent};
use crate::state::{Counters, State};

/// Makes the step the state's stage.
pub(crate) fn enter(state: &mut State, step: Step) {
    state.stage = stage(state, step);
}

fn stage(state: &mut State, step: Step) -> Stage {
    let usual = state.settings.limits.reply_tokens;
    match step {
        Step::Ask(work) => {
            let asking = asking(state, usual);
            match work {
                Work::Plan => Stage::Planning(asking),
                Work::Decide => Stage::Deciding(asking),
                Work::Evaluate => Stage::Evaluating(asking),
                Work::Think => Stage::Thinking(asking),
                Work::Observe => Stage::Observing(asking),
                Work::Converse => Stage::Conversing(asking),
            }
        }
        Step::Again { why, max_tokens } => {
            let recovers = state.stage.asking().and_then(|(_, asking)| asking.recovers.clone());
            let asking = Asking { reask: Some(why), recovers, ..asking(state, max_tokens) };
            state.stage.asked(asking)
        }
        Step::Recover { why } => {
            let asking = Asking { recovers: Some(why), ..asking(state, usual) };
            state.stage.asked(asking)
        }
        Step::Anew => {
            let asking = asking(state, usual);
            state.stage.asked(asking)
        }
        Step::Call(turn) => Stage::Executing { turn },
        Step::Delegate(tasks) => Stage::Delegating { lanes: lanes::begin(state, &tasks) },
        Step::Reflect { why, then } => {
            let watch = &mut state.watch;
            watch.trail.clear();
            watch.crowd = None;
            watch.idle = 0;
            watch.reflected = true;
            let then = aside(state, *then);
            Stage::Reflecting { asking: asking(state, usual), why, then: Box::new(then) }
        }
        Step::Pause { subject, then } => {
            let id = state.next.review();
            let then = aside(state, *then);
            Stage::PausedForReview { review: Review { id, subject }, then: Box::new(then) }
        }
        Step::Return(stage) => *stage,
        Step::End(Ending::Achieved) => Stage::Finished,
        Step::End(ending @ (Ending::Failed { .. } | Ending::Limit { .. } | Ending::Aborted)) => {
            Stage::Failed { ending }
        }
    }
}

/// A stage that is put aside. Tasks leave the stack only when their work begins, so that a person
/// can still change them.
fn aside(state: &mut State, then: Step) -> Stage {
    match then {
        Step::Delegate(_) => stage(state, Step::Ask(Work::Decide)),
        other => stage(state, other),
    }
}

fn asking(state: &mut State, max_tokens: u32) -> Asking {
    Asking { call: state.next.call(), reask: None, recovers: None, max_tokens, prompt: unsent() }
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
