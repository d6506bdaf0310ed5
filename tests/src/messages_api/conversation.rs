//! What the real API refuses in a conversation.
//!
//! Calls and results belong together, and what the model said is sent back as it was: where a
//! thought is replayed, neither it nor anything before it may have changed.

use super::rules::{Refusal, invalid};
use serde_json::{Map, Value};

const MAX_MARKS: usize = 4;
const MAX_STRICT: usize = 20;

/// What the server said, and after what.
#[derive(Debug, Clone)]
pub(super) struct Said {
    system: Value,
    tools: Value,
    before: Vec<Value>,
    content: Vec<Value>,
    paused: bool,
}

impl Said {
    /// What is to be remembered of a reply to this request.
    pub(super) fn new(body: &Value, content: &[Value], paused: bool) -> Self {
        let mut before: Vec<Value> =
            body["messages"].as_array().into_iter().flatten().map(unmarked).collect();
        let mut said = Vec::new();
        // A turn that was paused goes on: both parts are one turn.
        if let Some(last) = before.pop_if(|last| last["role"] == "assistant") {
            said.extend(last["content"].as_array().cloned().unwrap_or_default());
        }
        said.extend(content.iter().cloned());
        let (system, tools) = (unmarked(&body["system"]), unmarked(&body["tools"]));
        Self { system, tools, before, content: said, paused }
    }
}

/// Refuses what the API refuses about turns, calls and tools.
pub(super) fn check(body: &Map<String, Value>, said: &[Said]) -> Result<(), Refusal> {
    let marks = marks(body.get("system")) + marks(body.get("tools")) + marks(body.get("messages"));
    if marks > MAX_MARKS {
        return invalid(format!(
            "A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}."
        ));
    }
    tools(body.get("tools"))?;
    let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if messages.first().is_some_and(|first| first["role"] != "user") {
        return invalid("messages: first message must use the \"user\" role");
    }
    for (index, message) in messages.iter().enumerate() {
        let results_due = match index.checked_sub(1).and_then(|before| messages.get(before)) {
            Some(before) => ids(before, "tool_use", "id"),
            None => Vec::new(),
        };
        results(index, message, &results_due)?;
        if message["role"] == "assistant" {
            replayed(index, messages, body, said)?;
        }
    }
    match messages.last() {
        Some(last) if last["role"] == "assistant" && !is_paused(last, said) => {
            invalid("messages: the last message must be the user's, prefill isn't supported")
        }
        Some(_) | None => Ok(()),
    }
}

fn tools(tools: Option<&Value>) -> Result<(), Refusal> {
    let tools = tools.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, tool) in tools.iter().enumerate() {
        let name = tool["name"].as_str().unwrap_or_default();
        let fits = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        if name.is_empty() || name.len() > 128 || !name.chars().all(fits) {
            return invalid(format!(
                "tools.{index}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            ));
        }
        if tool["input_schema"]["type"] != "object" {
            return invalid(format!("tools.{index}.input_schema.type: Input should be 'object'"));
        }
        let known = ["name", "description", "input_schema", "cache_control", "strict", "type"];
        let unknown = tool.as_object().into_iter().flatten().find(|(key, _)| !known.contains(&key.as_str()));
        if let Some((key, _)) = unknown {
            return invalid(format!("tools.{index}.{key}: Extra inputs are not permitted"));
        }
    }
    let strict = tools.iter().filter(|tool| tool["strict"] == true).count();
    if strict > MAX_STRICT {
        return invalid(format!("tools: {strict} strict tools, {MAX_STRICT} allowed"));
    }
    Ok(())
}

/// The results come at once, first in the message, one for each call and no others.
fn results(index: usize, message: &Value, due: &[&str]) -> Result<(), Refusal> {
    let given = ids(message, "tool_result", "tool_use_id");
    if let Some(stray) = given.iter().find(|id| !due.contains(id)) {
        return invalid(format!(
            "messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {stray}. Each \
             `tool_result` block must have a corresponding `tool_use` block in the previous message."
        ));
    }
    if let Some(missing) = due.iter().find(|id| !given.contains(id)) {
        return invalid(format!(
            "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}"
        ));
    }
    let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = content.iter().take(given.len());
    if given.len() > due.len() || first.into_iter().any(|block| block["type"] != "tool_result") {
        return invalid(format!("messages.{index}: `tool_result` blocks must be first, one for each call"));
    }
    Ok(())
}

/// A message of the model that has thoughts must be what the model said, after what it said it.
fn replayed(
    index: usize,
    messages: &[Value],
    body: &Map<String, Value>,
    said: &[Said],
) -> Result<(), Refusal> {
    let content = messages[index]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !content.iter().any(|block| block["type"] == "thinking") {
        return Ok(());
    }
    let Some(said) = said.iter().find(|said| is_same(&said.content, content)) else {
        return invalid(format!(
            "messages.{index}.content: `thinking` blocks in the latest assistant message cannot be modified"
        ));
    };
    let of = |name: &str| unmarked(body.get(name).unwrap_or(&Value::Null));
    let before: Vec<_> = messages[..index].iter().map(unmarked).collect();
    if said.system != of("system") || said.tools != of("tools") || said.before != before {
        return invalid(format!(
            "messages.{index}: system, tools and earlier messages cannot be edited before a replayed thinking block"
        ));
    }
    Ok(())
}

fn is_paused(message: &Value, said: &[Said]) -> bool {
    let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    said.iter().any(|said| said.paused && is_same(&said.content, content))
}

/// Whether these are the same blocks; an input that was never readable can be anything.
fn is_same(said: &[Value], content: &[Value]) -> bool {
    said.len() == content.len()
        && said.iter().zip(content).all(|(said, block)| match said.get("input") {
            Some(Value::Null) => said["id"] == block["id"] && said["name"] == block["name"],
            Some(_) | None => said == block,
        })
}

fn ids<'m>(message: &'m Value, kind: &str, field: &str) -> Vec<&'m str> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter(|block| block["type"] == kind).filter_map(|block| block[field].as_str()).collect()
}

/// A value without marks for the cache, which may move.
pub(super) fn unmarked(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| *name != "cache_control");
            kept.map(|(name, value)| (name.clone(), unmarked(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn marks(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| marks(Some(item))).sum(),
        Some(Value::Object(fields)) => {
            usize::from(fields.contains_key("cache_control")) + marks(fields.get("content"))
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => 0,
    }
}
