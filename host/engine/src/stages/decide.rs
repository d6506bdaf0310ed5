//! Deciding: one tool call for the task on top, or a question to a person.

use super::choose::{self, Choice, MISNAMED};
use super::{confidence, count, question};
use crate::bounds;
use crate::effect::{Confidence, ModelStage};
use crate::flow::Outcome;
use crate::reply::Unusable;
use crate::schema::HUMAN_HELP;
use crate::stage::Asking;
use crate::state::State;
use crate::turn::Turn;
use serde::Deserialize;
use serde_json::Value;

/// Where the tool's input stands.
const INPUT: &str = "action_input";

/// A decider's reply.
#[derive(Debug, Deserialize)]
pub(super) struct DecideReply {
    reasoning: String,
    action: String,
    action_input: Option<Value>,
    query_to_human: Option<String>,
    confidence: Option<Confidence>,
}

/// A reply that has the input under another name: said, and decided again.
pub(super) fn misnamed_input(state: &mut State, asking: &Asking, value: &Value) -> Option<Outcome> {
    let map = value.as_object()?;
    if map.contains_key(INPUT) {
        return None;
    }
    let key = MISNAMED.into_iter().find(|key| map.contains_key(*key))?;
    let action = map.get("action")?.as_str()?.to_owned();
    let choice = choice(asking, &action, String::new(), Confidence::default());
    let seen = choose::misnamed(state, &choice, key, INPUT);
    Some(unfit(state, seen))
}

/// Takes a decision.
pub(super) fn decided(state: &mut State, asking: &Asking, reply: DecideReply) -> Result<Outcome, Unusable> {
    let reasoning = bounds::cut(&reply.reasoning, bounds::REASONING);
    let action = reply.action.trim();
    if action.eq_ignore_ascii_case(HUMAN_HELP) {
        let question = question(reply.query_to_human, "$.query_to_human")?;
        choose::begin(state);
        count(state);
        return Ok(Outcome::QuestionChosen { question, reasoning });
    }
    if state.stack.is_empty() {
        return Err(Unusable::Schema("$: there is no open task to act for".to_owned()));
    }
    let known = state.settings.tools.iter().any(|tool| tool.name.eq_ignore_ascii_case(action));
    let input = match reply.action_input {
        Some(input) => input,
        None if known => {
            return Err(Unusable::Schema(format!("$.{INPUT}: is missing; {action} needs an object")));
        }
        None => Value::Null,
    };
    let choice = choice(asking, action, reasoning, confidence(reply.confidence));
    match choose::call(state, choice, input) {
        Err(seen) => Ok(unfit(state, seen)),
        Ok(call) => {
            choose::begin(state);
            count(state);
            Ok(Outcome::CallsChosen(Turn::of(call)))
        }
    }
}

fn choice<'c>(asking: &Asking, tool: &'c str, reasoning: String, confidence: Confidence) -> Choice<'c> {
    Choice {
        call: asking.call,
        stage: ModelStage::Decide,
        tool,
        root: "$.action_input",
        reasoning,
        confidence,
    }
}

/// A choice that can't be carried out: an observation, and the stage is asked again.
fn unfit(state: &mut State, seen: String) -> Outcome {
    choose::begin(state);
    count(state);
    state.observation = Some(seen);
    Outcome::ChoiceUnfit
}
