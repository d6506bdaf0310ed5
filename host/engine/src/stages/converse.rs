//! Conversing: the next turn of the react flow. Tools, a question to a person, or the answer.

use super::choose::{self, Choice};
use super::{count, note, question};
use crate::bounds;
use crate::effect::{Confidence, ModelStage, ToolCall};
use crate::event::{ModelReply, ToolRequest};
use crate::flow::Outcome;
use crate::kept;
use crate::message::{Message, ToolAnswer};
use crate::reply::{self, Read, Unusable};
use crate::schema::HUMAN_HELP;
use crate::stage::Asking;
use crate::stagnation;
use crate::state::State;
use crate::turn::Turn;
use serde_json::Value;

/// Tools that one turn may ask for; more are not called, and the model is told.
const CALLS: usize = 16;

/// Takes a turn.
pub(super) fn spoken(state: &mut State, asking: &Asking, reply: &ModelReply) -> Result<Outcome, Unusable> {
    let size = kept::said_bytes(&reply.text, &reply.calls);
    if size > bounds::REPLY_BYTES {
        return Err(Unusable::TooLong { bytes: size, limit: bounds::REPLY_BYTES });
    }
    if reply.calls.is_empty() {
        let answer = reply.text.trim();
        if answer.is_empty() {
            return Err(Unusable::Empty);
        }
        reply::refuse_a_call_as_text(answer)?;
        let answer = bounds::cut(answer, bounds::ANSWER);
        say(state, reply);
        count(state);
        state.answer = Some(answer.clone());
        return Ok(Outcome::AnswerGiven { answer, reasoning: String::new() });
    }
    let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Unusable::Schema("$: two tool requests have one id".to_owned()));
    }
    say(state, reply);
    count(state);
    if let [only] = reply.calls.as_slice()
        && only.name.eq_ignore_ascii_case(HUMAN_HELP)
    {
        return Ok(match asked(only) {
            Ok(question) => {
                let reasoning = bounds::cut(reply.text.trim(), bounds::REASONING);
                Outcome::QuestionChosen { question, reasoning }
            }
            Err(why) => {
                let seen = format!("The person was not asked: {why}");
                note(state, asking.call, ModelStage::Converse, &seen);
                answered_only(state, vec![refusal(only, seen)])
            }
        });
    }
    let mut calls: Vec<ToolCall> = Vec::new();
    let mut answered = Vec::new();
    for (number, request) in reply.calls.iter().enumerate() {
        let chosen = if number >= CALLS {
            Err(format!("not called: at most {CALLS} tools in one turn"))
        } else if request.name.eq_ignore_ascii_case(HUMAN_HELP) {
            Err(format!("{HUMAN_HELP} has to be asked alone, with no other tool in the turn"))
        } else {
            call(state, asking, request, &reply.text)
        };
        match chosen {
            Ok(call) => calls.push(call),
            Err(why) => answered.push(refusal(request, why)),
        }
    }
    if calls.is_empty() {
        return Ok(answered_only(state, answered));
    }
    stagnation::look_at_turn(state, &calls);
    Ok(Outcome::CallsChosen(Turn { answered, ..Turn::of_all(calls) }))
}

/// The turn becomes part of the conversation.
fn say(state: &mut State, reply: &ModelReply) {
    if let Some(conversation) = &mut state.conversation {
        conversation.messages.push(Message::Model {
            text: reply.text.clone(),
            calls: reply.calls.clone(),
            content: reply.content.clone(),
        });
    }
}

fn call(state: &mut State, asking: &Asking, request: &ToolRequest, text: &str) -> Result<ToolCall, String> {
    let choice = Choice {
        call: asking.call,
        stage: ModelStage::Converse,
        tool: request.name.trim(),
        root: "$",
        reasoning: bounds::cut(text.trim(), bounds::REASONING),
        confidence: Confidence::default(),
    };
    let Read { value, repairs } = match reply::find(&request.arguments) {
        Ok(read) => read,
        Err(why) => return Err(choose::unreadable(state, &choice, &why)),
    };
    for repair in repairs {
        note(state, asking.call, ModelStage::Converse, &format!("repaired: {repair}"));
    }
    let call = choose::call(state, choice, value)?;
    Ok(ToolCall { asked_as: Some(request.id.clone()), ..call })
}

fn asked(request: &ToolRequest) -> Result<String, Unusable> {
    let input = reply::find(&request.arguments)?.value;
    question(input.get("question").and_then(Value::as_str).map(str::to_owned), "$.question")
}

fn refusal(request: &ToolRequest, why: String) -> ToolAnswer {
    ToolAnswer { id: request.id.clone(), text: bounds::cut(&why, bounds::LINE), is_error: true }
}

/// No request became a call: the model is told, and goes on.
fn answered_only(state: &mut State, answered: Vec<ToolAnswer>) -> Outcome {
    if let Some(conversation) = &mut state.conversation {
        conversation.answer(answered);
    }
    Outcome::ChoiceUnfit
}
