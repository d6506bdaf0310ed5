//! Deciding: one tool call for the task on top, or a question to a person.

use super::{confidence, count, note};
use crate::bounds;
use crate::effect::{Confidence, ModelStage, ToolCall};
use crate::flow::Outcome;
use crate::guard;
use crate::plan::TaskStatus;
use crate::reply::{self, Unusable};
use crate::schema::HUMAN_HELP;
use crate::settings::ToolSpec;
use crate::state::{Asking, State};
use serde::Deserialize;
use serde_json::Value;

/// Keys that models write in place of `action_input`.
const MISNAMED: [&str; 5] = ["parameters", "arguments", "args", "input", "tool_input"];

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
    if map.contains_key("action_input") {
        return None;
    }
    let key = MISNAMED.into_iter().find(|key| map.contains_key(*key))?;
    let action = map.get("action")?.as_str()?.to_owned();
    let seen = format!(
        "`{key}` isn't a key of the decision; the tool's input goes into `action_input`. {}",
        known_tools(state)
    );
    Some(unfit(state, asking, &action, &Value::Null, seen))
}

/// Takes a decision.
pub(super) fn decided(state: &mut State, asking: &Asking, reply: DecideReply) -> Result<Outcome, Unusable> {
    let reasoning = bounds::cut(&reply.reasoning, bounds::REASONING);
    let action = reply.action.trim();
    if action.eq_ignore_ascii_case(HUMAN_HELP) {
        let question = question(reply.query_to_human)?;
        begin(state);
        count(state);
        return Ok(Outcome::QuestionChosen { question, reasoning });
    }
    let Some(spec) = tool(&state.settings.tools, action).cloned() else {
        let input = reply.action_input.unwrap_or_default();
        let seen = unknown_tool(state, action);
        return Ok(unfit(state, asking, action, &input, seen));
    };
    let Some(mut input) = reply.action_input else {
        return Err(Unusable::Schema(format!("$.action_input: is missing; {} needs an object", spec.name)));
    };
    let mut repairs = Vec::new();
    reply::coerce(&mut input, &spec.input_schema, &mut repairs);
    for repair in repairs {
        let text = format!("repaired: action_input: {repair}");
        note(state, asking.call, ModelStage::Decide, &text);
    }
    if let Some(why) = reply::mismatch(&input, &spec.input_schema, "$.action_input") {
        let seen = format!(
            "The input doesn't fit {}: {why}. The call was not made. {}",
            spec.name,
            known_tools(state)
        );
        return Ok(unfit(state, asking, &spec.name, &input, seen));
    }
    let Some(task) = state.stack.last().map(|task| task.planned.id.clone()) else {
        return Err(Unusable::Schema("$: there is no open task to act for".to_owned()));
    };
    begin(state);
    count(state);
    Ok(Outcome::CallChosen(ToolCall {
        call: state.next.call(),
        step: state.next.step(),
        task,
        tool: spec.name,
        input,
        can: spec.can,
        attempt: 1,
        timeout_ms: state.settings.limits.tool_call_ms,
        reasoning,
        confidence: confidence(reply.confidence),
    }))
}

fn question(said: Option<String>) -> Result<String, Unusable> {
    let question = said.unwrap_or_default();
    if question.trim().is_empty() {
        let why = "$.query_to_human: is missing; human_help needs a question";
        return Err(Unusable::Schema(why.to_owned()));
    }
    if bounds::longer_than(&question, bounds::QUESTION) {
        let why = format!("$.query_to_human: has more than {} characters", bounds::QUESTION);
        return Err(Unusable::Schema(why));
    }
    Ok(question)
}

/// The tool of that name; in another letter case where only one can be meant.
fn tool<'t>(tools: &'t [ToolSpec], name: &str) -> Option<&'t ToolSpec> {
    if let Some(exact) = tools.iter().find(|tool| tool.name == name) {
        return Some(exact);
    }
    let mut folded = tools.iter().filter(|tool| tool.name.eq_ignore_ascii_case(name));
    match (folded.next(), folded.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

fn unknown_tool(state: &State, action: &str) -> String {
    let together = state.settings.tools.iter().filter(|tool| action.contains(&tool.name)).count();
    let hint = if together > 1 { " It looks like several names in one; choose one tool." } else { "" };
    format!("There is no tool of the chosen name.{hint} {}", known_tools(state))
}

fn known_tools(state: &State) -> String {
    let names = state.settings.tools.iter().map(|tool| tool.name.as_str());
    let names: Vec<&str> = names.chain([HUMAN_HELP]).collect();
    bounds::cut(&format!("Known actions: {}.", names.join(", ")), bounds::LINE)
}

/// A choice that can't be carried out: an observation, and the stage is asked again.
fn unfit(state: &mut State, asking: &Asking, action: &str, input: &Value, seen: String) -> Outcome {
    note(state, asking.call, ModelStage::Decide, &seen);
    guard::remember(state, &bounds::one_line(action, bounds::TASK_ID), input, "unfit");
    begin(state);
    count(state);
    state.observation = Some(seen);
    Outcome::ChoiceUnfit
}

/// The task on top has been begun.
fn begin(state: &mut State) {
    if let Some(task) = state.stack.last_mut() {
        task.status = TaskStatus::InProgress;
    }
}
