//! The stages: what an answer to each of them means, folded into the state.
//!
//! Owns: reading a reply for its stage, the one re-ask, degraded results, the action history.
//! Doesn't own: where the run goes next; that is the flow's, which gets an [`Outcome`].

mod choose;
mod converse;
mod decide;
mod evaluate;
mod execute;
mod plan;
mod reason;
mod reflect;

pub(crate) use choose::task;
pub(crate) use evaluate::rejected as judgement_rejected;
pub(crate) use execute::{end_task, go_on, record, tool_ended};
pub(crate) use plan::{adopt, open_tasks, set_tasks};

use crate::bounds;
use crate::effect::{Confidence, ModelStage};
use crate::event::{ModelFailure, ModelReply, StopReason, Usage};
use crate::flow::Outcome;
use crate::id::CallId;
use crate::reply::{self, Read, Unusable};
use crate::schema;
use crate::stage::Asking;
use crate::state::{Note, State};
use serde::de::DeserializeOwned;

/// A model answered. `above`: the run that this one works below.
pub(crate) fn replied(
    state: &mut State,
    above: Option<&State>,
    stage: ModelStage,
    asking: &Asking,
    reply: &ModelReply,
) -> Outcome {
    state.spent.model_calls = state.spent.model_calls.saturating_add(1);
    spend(state, stage, &reply.usage, reply.cost);
    let taken = match (reply.stop, stage) {
        (StopReason::End | StopReason::ToolUse, ModelStage::Converse) => {
            converse::spoken(state, asking, reply)
        }
        (StopReason::End, _) => take(state, above, stage, asking, &reply.text),
        // A reply that was cut off is never carried out, however whole it looks.
        (StopReason::Length, _) => Err(Unusable::CutOff { max_tokens: asking.max_tokens }),
        (StopReason::ToolUse, _) => Err(Unusable::NoObject),
        (StopReason::Refusal, _) => {
            let why = "the model refused to answer";
            note(state, asking.call, stage, why);
            say_back(state, stage, why);
            return failed(state, stage, asking, why.to_owned());
        }
    };
    match taken {
        Ok(outcome) => outcome,
        Err(unusable) => {
            note(state, asking.call, stage, &format!("unusable reply: {unusable}"));
            say_back(state, stage, &unusable.to_string());
            match &asking.reask {
                None => Outcome::Unusable {
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

/// In a conversation, what was wrong with a reply becomes a part of it: the next call says it too.
fn say_back(state: &mut State, stage: ModelStage, why: &str) {
    if let (ModelStage::Converse, Some(conversation)) = (stage, &mut state.conversation) {
        let why = bounds::one_line(why, bounds::LINE);
        conversation.tell(&format!("Your last answer could not be used: {why}. Answer again."));
    }
}

/// No model answered. Nothing but what it used is lost: the same is asked again when the run goes on.
pub(crate) fn unanswered(
    state: &mut State,
    stage: ModelStage,
    asking: &Asking,
    failure: &ModelFailure,
) -> Outcome {
    spend(state, stage, &failure.usage, failure.cost);
    let why = bounds::one_line(&failure.message, bounds::LINE);
    note(state, asking.call, stage, &format!("no reply: {why}"));
    Outcome::Unreachable { stage, why }
}

fn spend(state: &mut State, stage: ModelStage, usage: &Usage, cost: Option<u64>) {
    let expert = expert(state, stage);
    let rate = state.settings.rates.of(stage, expert.as_deref());
    use_up(state, usage, cost.or_else(|| rate.map(|rate| rate.cost(usage))));
}

/// Counts what a model call used.
pub(crate) fn use_up(state: &mut State, usage: &Usage, cost: Option<u64>) {
    let spent = &mut state.spent;
    spent.money = spent.money.saturating_add(cost.unwrap_or(0));
    let tokens = &mut spent.tokens;
    tokens.input_tokens = tokens.input_tokens.saturating_add(usage.input_tokens);
    tokens.cached_tokens = tokens.cached_tokens.saturating_add(usage.cached_tokens);
    tokens.output_tokens = tokens.output_tokens.saturating_add(usage.output_tokens);
}

/// The expert that serves this stage: by the kind of the task on top.
pub(crate) fn expert(state: &State, stage: ModelStage) -> Option<String> {
    match stage {
        ModelStage::Decide | ModelStage::Evaluate => {
            let kind = state.stack.last()?.planned.kind.as_ref()?;
            state.settings.experts.contains_key(kind).then(|| kind.clone())
        }
        ModelStage::Plan | ModelStage::Reason | ModelStage::Converse | ModelStage::Reflect => None,
    }
}

/// A stage without a result: it is asked afresh once, knowing what went wrong.
fn failed(state: &mut State, stage: ModelStage, asking: &Asking, why: String) -> Outcome {
    match stage {
        // A review is a help; without one the work goes on.
        ModelStage::Reflect => reflect::degrade(state, asking),
        ModelStage::Plan
        | ModelStage::Decide
        | ModelStage::Evaluate
        | ModelStage::Reason
        | ModelStage::Converse => Outcome::StageFailed { stage, why, recovered: asking.recovers.is_some() },
    }
}

/// What a stage comes to whose second reply was no use either.
fn degrade(state: &mut State, stage: ModelStage, asking: &Asking, why: &Unusable) -> Outcome {
    let why = bounds::one_line(&format!("two replies were unusable; the last: {why}"), bounds::LINE);
    match stage {
        ModelStage::Plan | ModelStage::Decide | ModelStage::Converse => failed(state, stage, asking, why),
        ModelStage::Evaluate => evaluate::degrade(state, asking, why),
        ModelStage::Reason => reason::degrade(state, asking, &why),
        ModelStage::Reflect => reflect::degrade(state, asking),
    }
}

fn take(
    state: &mut State,
    above: Option<&State>,
    stage: ModelStage,
    asking: &Asking,
    text: &str,
) -> Result<Outcome, Unusable> {
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
        ModelStage::Evaluate => Ok(evaluate::evaluated(state, above, asking, typed(value)?)),
        ModelStage::Reason => reason::reasoned(state, asking, typed(value)?),
        ModelStage::Reflect => reflect::reflected(state, typed(value)?),
        // A turn of a conversation isn't JSON and never gets here.
        ModelStage::Converse => Err(Unusable::NoObject),
    }
}

/// A checked value as the stage's type.
fn typed<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Unusable> {
    serde_json::from_value(value).map_err(|error| Unusable::Schema(format!("$: {error}")))
}

/// A question to a person: some words, not too many. `at` is where it stands in the reply.
fn question(said: Option<String>, at: &str) -> Result<String, Unusable> {
    let question = said.unwrap_or_default();
    if question.trim().is_empty() {
        return Err(Unusable::Schema(format!("{at}: is missing; a person needs a question")));
    }
    if bounds::longer_than(&question, bounds::QUESTION) {
        let why = format!("{at}: has more than {} characters", bounds::QUESTION);
        return Err(Unusable::Schema(why));
    }
    Ok(question)
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
