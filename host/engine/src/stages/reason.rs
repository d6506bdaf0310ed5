//! Reasoning: the pipeline's one question. The answer, a tool call, or a question to a person.

use super::choose::{self, Choice, MISNAMED};
use super::{confidence, count, note, question};
use crate::bounds;
use crate::claims;
use crate::effect::{Confidence, ModelStage};
use crate::flow::Outcome;
use crate::reply::Unusable;
use crate::scope::Scope;
use crate::stage::{Asking, Stage};
use crate::state::State;
use crate::turn::Turn;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A reasoner's reply.
#[derive(Debug, Deserialize)]
pub(super) struct ReasonReply {
    thought: String,
    decision: Decision,
    #[serde(default)]
    details: Map<String, Value>,
    confidence: Option<Confidence>,
}

/// What can be decided.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Decision {
    FinalAnswer,
    CallTool,
    NeedMoreInfo,
}

/// Takes a reply.
pub(super) fn reasoned(state: &mut State, asking: &Asking, reply: ReasonReply) -> Result<Outcome, Unusable> {
    let thought = bounds::cut(&reply.thought, bounds::REASONING);
    let outcome = decided(state, asking, thought.clone(), reply)?;
    // Words that led to nothing aren't shown again.
    if !matches!(outcome, Outcome::ChoiceUnfit) {
        observed(state, &thought);
    }
    Ok(outcome)
}

fn decided(
    state: &mut State,
    asking: &Asking,
    thought: String,
    mut reply: ReasonReply,
) -> Result<Outcome, Unusable> {
    match reply.decision {
        Decision::FinalAnswer => {
            let answer = text(&mut reply.details, "answer")?;
            if bounds::longer_than(&answer, bounds::ANSWER) {
                let why = format!("$.details.answer: has more than {} characters", bounds::ANSWER);
                return Err(Unusable::Schema(why));
            }
            let claimed = reply.details.remove("claims").unwrap_or_default();
            let kept = claims::take(Scope::of(state), claimed);
            for dropped in claims::keep(state, kept) {
                note(state, asking.call, ModelStage::Reason, &dropped);
            }
            count(state);
            state.answer = Some(answer.clone());
            Ok(Outcome::AnswerGiven { answer, reasoning: thought })
        }
        Decision::CallTool => call(state, asking, thought, reply),
        Decision::NeedMoreInfo => {
            let said = text(&mut reply.details, "question")?;
            let question = question(Some(said), "$.details.question")?;
            count(state);
            Ok(Outcome::QuestionChosen { question, reasoning: thought })
        }
    }
}

/// With a new outcome at hand, the thought says first what it showed: that is what is remembered.
fn observed(state: &mut State, thought: &str) {
    let Stage::Observing(_) = state.stage else { return };
    if let Some(action) = state.history.last_mut() {
        action.summary = bounds::cut(thought.trim(), bounds::SUMMARY);
    }
}

/// No usable reply came, twice: a person is asked what is missing.
pub(super) fn degrade(state: &mut State, asking: &Asking, why: &str) -> Outcome {
    note(state, asking.call, ModelStage::Reason, "no usable decision; taken as NEED_MORE_INFO");
    count(state);
    let question = format!("The model gave no usable answer ({why}). What should it know or do differently?");
    let reasoning = "its replies could not be used".to_owned();
    Outcome::QuestionChosen { question: bounds::cut(&question, bounds::QUESTION), reasoning }
}

fn call(
    state: &mut State,
    asking: &Asking,
    thought: String,
    mut reply: ReasonReply,
) -> Result<Outcome, Unusable> {
    let name = text(&mut reply.details, "tool_name")?;
    let choice = Choice {
        call: asking.call,
        stage: ModelStage::Reason,
        tool: name.trim(),
        root: "$.details.tool_input",
        reasoning: thought,
        confidence: confidence(reply.confidence),
    };
    let chosen = match reply.details.remove("tool_input") {
        Some(input) => choose::call(state, choice, input),
        None => match MISNAMED.into_iter().find(|key| reply.details.contains_key(*key)) {
            Some(key) => Err(choose::misnamed(state, &choice, key, "tool_input")),
            None => {
                let why = format!("{}: is missing; a tool needs an object", choice.root);
                return Err(Unusable::Schema(why));
            }
        },
    };
    count(state);
    match chosen {
        Ok(call) => Ok(Outcome::CallsChosen(Turn::of(call))),
        Err(seen) => {
            state.observation = Some(seen);
            Ok(Outcome::ChoiceUnfit)
        }
    }
}

/// A text that has to be there.
fn text(details: &mut Map<String, Value>, key: &str) -> Result<String, Unusable> {
    match details.remove(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        Some(Value::String(_)) => Err(Unusable::Schema(format!("$.details.{key}: is empty"))),
        Some(_) => Err(Unusable::Schema(format!("$.details.{key}: expected string"))),
        None => Err(Unusable::Schema(format!("$.details.{key}: is missing"))),
    }
}
