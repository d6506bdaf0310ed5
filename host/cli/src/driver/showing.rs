//! What a person sees of a call before it is made: what it would change.
//!
//! Owns: which calls are shown, and that none is made on the word of somebody who hasn't seen it as it
//! is. Doesn't own: finding out what a call would change (the executor), asking (`review`).

use super::flights::Flights;
use super::{Driver, Halt, beat_of};
use crate::lanes;
use anyhow::{Context, Result};
use ringfence_engine::{CallId, Effect, Review, Standing, State, Subject, ToolCall};
use tokio::time::Interval;

impl Driver {
    /// A call that is about to be made on the word of a person who hasn't seen what it would change: it
    /// was edited, or what was shown is lost or was shown in another run.
    pub(super) fn unshown(&self, owed: &[Effect], flights: &Flights) -> Result<Option<CallId>> {
        for effect in owed.iter().filter(|effect| !flights.has(effect)) {
            let Effect::CallTool(call) = effect else { continue };
            let (_, state) = lanes::caller(self.run.state(), call.call);
            if is_shown(call)
                && let Some(why) = state.pauses_before(call)
                && self.reviewer.leaves_to_a_person(&Subject::Call { call: call.clone(), why })
                && self.executor.is_unshown(call)?
            {
                return Ok(Some(call.call));
            }
        }
        Ok(None)
    }

    /// The call that a person is asked about, where they should see what it would change.
    pub(super) fn to_show(&self, review: &Review) -> Option<ToolCall> {
        match &review.subject {
            Subject::Call { call, .. }
                if is_shown(call) && self.reviewer.leaves_to_a_person(&review.subject) =>
            {
                Some(call.clone())
            }
            Subject::Call { .. }
            | Subject::Plan { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => None,
        }
    }

    pub(super) async fn rehearse(
        &mut self,
        review: &Review,
        call: &ToolCall,
        beat: &mut Interval,
    ) -> Result<Option<Halt>> {
        let executor = self.executor.clone();
        let before = approved_before(lanes::asker(self.run.state(), review.id).1, call);
        let rehearsed = executor.rehearse(review.id, &before, call);
        tokio::pin!(rehearsed);
        loop {
            tokio::select! {
                biased;
                () = self.interrupt.raised() => return Ok(Some(Halt::Interrupted)),
                rehearsed = &mut rehearsed => {
                    // Nobody is asked about what nobody can see.
                    rehearsed.context("what the call would change can't be shown")?;
                    return Ok(None);
                }
                _ = beat.tick() => beat_of(&self.lease),
            }
        }
    }
}

/// Whether what a call would change is shown to whoever is asked about it.
fn is_shown(call: &ToolCall) -> bool {
    call.can.staged && call.can.repeatable()
}

/// The calls of a turn that are approved and will be made before this one of it.
fn approved_before(state: &State, call: &ToolCall) -> Vec<ToolCall> {
    let Some((_, then)) = state.stage.review() else { return Vec::new() };
    let slots = then.turn().map(|turn| turn.slots.as_slice()).unwrap_or_default();
    let earlier = slots.iter().take_while(|slot| slot.call.call != call.call);
    earlier.filter(|slot| slot.standing == Standing::Cleared).map(|slot| slot.call.clone()).collect()
}
