//! The stages: what an answer to each of them means, folded into the state.
//!
//! Owns: reading a reply for its stage, the one re-ask, degraded results, the action history.
//! Doesn't own: where the run goes next; that is the flow's, which gets an [`Outcome`].

mod decide;
mod evaluate;
mod execute;
mod plan;

pub(crate) use execute::{end_task, record, tool_ended};
pub(crate) use plan::{adopt, done_ids, open_tasks, set_tasks};

use crate::bounds;
use crate::effect::{Confidence, ModelStage};
use crate::event::{ModelFailure, ModelReply, StopReason};
use crate::flow::Outcome;
use crate::id::CallId;
use crate::reply::{self, Read, Unusable};
use crate::schema;
use crate::state::{Asking, Note, State};
use serde::de::DeserializeOwned;

/// A model answered.
pub(crate) fn replied(state: &mut State, stage: ModelStage, asking: &Asking, reply: &ModelReply) -> Outcome {
    let spent = &mut state.spent;
    spent.model_calls = spent.model_calls.saturating_add(1);
    let tokens = &mut spent.tokens;
    tokens.input_tokens = tokens.input_tokens.saturating_add(reply.usage.input_tokens);
    tokens.cached_tokens = tokens.cached_tokens.saturating_add(reply.usage.cached_tokens);
    tokens.output_tokens = tokens.output_tokens.saturating_add(reply.usage.output_tokens);

    let taken = match reply.stop {
        StopReason::End => take(state, stage, asking, &reply.text),
        // A reply that was cut off is never carried out, however whole it looks.
        StopReason::Length => Err(Unusable::CutOff { max_tokens: asking.max_tokens }),
        StopReason::Refusal => {
            let why = "the model refused to answer";
            note(state, asking.call, stage, why);
            return failed(stage, why.to_owned());
        }
    };
    match taken {
        Ok(outcome) => outcome,
        Err(unusable) => {
            note(state, asking.call, stage, &format!("unusable reply: {unusable}"));
            match &asking.reask {
                None => Outcome::Unusable {
                    stage,
                    max_tokens: match unusable {
                        Unusable::CutOff { max_tokens } => max_tokens.saturating_mul(2),
                        _ => asking.max_tokens,
                    },
                    why: bounds::one_line(&unusable.to_string(), bounds::LINE),
                },
                Some(_) => degrade(state, stage, asking, &unusable),
            }
        }
    }
}

/// No model answered. Nothing is lost: the same is asked again when the run goes on.
pub(crate) fn unanswered(
    state: &mut State,
    stage: ModelStage,
    asking: &Asking,
    failure: &ModelFailure,
) -> Outcome {
    let why = bounds::one_line(&failure.message, bounds::LINE);
    note(state, asking.call, stage, &format!("no reply: {why}"));
    Outcome::StageFailed { stage, why, unreachable: true }
}

fn failed(stage: ModelStage, why: String) -> Outcome {
    Outcome::StageFailed { stage, why, unreachable: false }
}

/// What a stage comes to whose second reply was no use either.
fn degrade(state: &mut State, stage: ModelStage, asking: &Asking, why: &Unusable) -> Outcome {
    let why = bounds::one_line(&format!("two replies were unusable; the last: {why}"), bounds::LINE);
    match stage {
        ModelStage::Plan | ModelStage::Decide => failed(stage, why),
        ModelStage::Evaluate => evaluate::degrade(state, asking, why),
    }
}

fn take(state: &mut State, stage: ModelStage, asking: &Asking, text: &str) -> Result<Outcome, Unusable> {
    let found = reply::find(text)?;
    if stage == ModelStage::Decide
        && let Some(outcome) = decide::misnamed_input(state, asking, &found.value)
    {
        return Ok(outcome);
    }
    let Read { value, repairs } = reply::fit(found, &schema::checked(stage))?;
    for repair in repairs {
        note(state, asking.call, stage, &format!("repaired: {repair}"));
    }
    match stage {
        ModelStage::Plan => plan::planned(state, typed(value)?),
        ModelStage::Decide => decide::decided(state, asking, typed(value)?),
        ModelStage::Evaluate => Ok(evaluate::evaluated(state, asking, typed(value)?)),
    }
}

/// A checked value as the stage's type.
fn typed<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Unusable> {
    serde_json::from_value(value).map_err(|error| Unusable::Schema(format!("$: {error}")))
}

/// One stage has been carried out.
fn count(state: &mut State) {
    state.iterations = state.iterations.saturating_add(1);
}

/// Notes something that went wrong without ending the run.
pub(crate) fn note(state: &mut State, call: CallId, stage: ModelStage, text: &str) {
    if state.notes.len() < bounds::NOTES {
        state.notes.push(Note { call, stage, text: bounds::one_line(text, bounds::LINE) });
    }
}

/// What a reply says of its own confidence; in between where it says nothing.
fn confidence(said: Option<Confidence>) -> Confidence {
    said.unwrap_or_default()
}
