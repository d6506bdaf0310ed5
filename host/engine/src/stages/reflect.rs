//! Reflecting: a review of the whole working memory, and one correcting instruction from it.

use super::{count, note};
use crate::bounds;
use crate::effect::ModelStage;
use crate::flow::Outcome;
use crate::reply::Unusable;
use crate::stage::{Asking, Stage};
use crate::state::{Instruction, State};
use serde::Deserialize;

/// A reviewer's reply.
#[derive(Debug, Deserialize)]
pub(super) struct ReflectReply {
    assessment: String,
    instruction: String,
}

/// Takes a review.
pub(super) fn reflected(state: &mut State, reply: ReflectReply) -> Result<Outcome, Unusable> {
    let text = reply.instruction.trim();
    if text.is_empty() {
        return Err(Unusable::Schema("$.instruction: is empty; say what to do differently".to_owned()));
    }
    let (why, then) = way_on(state);
    let instruction = Instruction {
        text: bounds::cut(text, bounds::INSTRUCTION),
        assessment: bounds::cut(reply.assessment.trim(), bounds::SUMMARY),
        why,
    };
    if let Some(conversation) = &mut state.conversation {
        conversation.tell(&format!("A review of the work so far says: {}", instruction.text));
    }
    state.instruction = Some(instruction);
    count(state);
    Ok(Outcome::Onward(Box::new(then)))
}

/// No usable review came: the work goes on as if there had been none.
pub(super) fn degrade(state: &mut State, asking: &Asking) -> Outcome {
    note(state, asking.call, ModelStage::Reflect, "no usable review; the work goes on without one");
    count(state);
    let (_, then) = way_on(state);
    Outcome::Onward(Box::new(then))
}

/// What led to the review, and where the run goes on after it.
fn way_on(state: &mut State) -> (String, Stage) {
    match std::mem::replace(&mut state.stage, Stage::Initializing) {
        Stage::Reflecting { why, then, .. } => (why, *then),
        other @ (Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. }) => (String::new(), other),
    }
}
