//! Requests as the Messages API wants them.
//!
//! Owns: where each part goes, which parts are kept in the provider's cache. Doesn't own:
//! making schemas fit, sending.
//!
//! What never changes comes first (tools, system text) and ends with a mark, so that it is read
//! from the cache the next time. A conversation also has marks on its last two turns that
//! aren't the model's: what was said up to there is the next request's prefix.

use crate::conversation::{NO_WORDS, check};
use crate::schema::{Dialect, Wire, strict_tools};
use crate::{Ask, Effort, ModelError, Reply, Request, ToolDeclaration, ToolUse, Turn};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::num::NonZero;

/// The largest body that the API takes, in bytes.
const MAX_REQUEST: usize = 32 * 1024 * 1024;

/// How the model is set up.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) model: String,
    pub(super) effort: Option<Effort>,
    pub(super) temperature: Option<f64>,
    pub(super) streaming: bool,
    pub(super) strict_tools: bool,
}

/// A request ready to be sent, with the way back for its reply.
#[derive(Debug)]
pub(super) struct Prepared {
    stage: String,
    body: Value,
    /// For the text of a stage's reply; none in a conversation.
    pub(super) reply: Option<Wire>,
    /// For the arguments of strict tools, by name.
    arguments: BTreeMap<String, Wire>,
}

impl Prepared {
    /// Prepares a request, or says what in it can't be sent.
    pub(super) fn new(request: &Request, settings: &Settings) -> Result<Self, ModelError> {
        let mut body = json!({ "model": settings.model, "max_tokens": request.max_tokens });
        let mut output = Map::new();
        let mut prepared =
            Self { stage: request.stage.clone(), body: Value::Null, reply: None, arguments: BTreeMap::new() };
        match &request.ask {
            Ask::Stage { system, user, schema } => {
                if user.trim().is_empty() {
                    let why = format!("the request of stage {} has no text", request.stage);
                    return Err(ModelError::Unsupported { why });
                }
                let wire = Wire::new(schema, Dialect::Anthropic)?;
                put_system(&mut body, system);
                body["messages"] = json!([{ "role": "user", "content": [text(user)] }]);
                output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": wire.schema }));
                prepared.reply = Some(wire);
            }
            Ask::Conversation { system, turns, tools } => {
                check(turns)?;
                if settings.strict_tools {
                    prepared.arguments = strict_tools(tools)?;
                }
                put_tools(&mut body, tools, &prepared.arguments, system.trim().is_empty());
                put_system(&mut body, system);
                body["messages"] = messages(turns);
            }
        }
        if let Some(effort) = settings.effort {
            output.insert("effort".to_owned(), json!(effort.word()));
        }
        if !output.is_empty() {
            body["output_config"] = Value::Object(output);
        }
        if let Some(temperature) = settings.temperature {
            body["temperature"] = json!(temperature);
        }
        if settings.streaming {
            body["stream"] = json!(true);
        }
        prepared.body = body;
        Ok(prepared)
    }

    /// Appends what the model had said when it paused, for it to go on from there with what is
    /// left of its cap.
    pub(super) fn go_on(&mut self, said: &[Value], room: NonZero<u32>) {
        self.body["max_tokens"] = json!(room);
        let Some(messages) = self.body.get_mut("messages").and_then(Value::as_array_mut) else { return };
        if messages.last().is_some_and(|message| message["role"] == "assistant") {
            messages.pop();
        }
        messages.push(json!({ "role": "assistant", "content": said }));
    }

    /// A reply as the original schemas mean it.
    pub(super) fn led_back(&self, reply: Reply) -> Reply {
        let text = match &self.reply {
            Some(wire) => wire.read(reply.text),
            None => reply.text,
        };
        let calls = reply.calls.into_iter().map(|call| match self.arguments.get(&call.name) {
            Some(wire) => ToolUse { arguments: wire.read(call.arguments), ..call },
            None => call,
        });
        Reply { text, calls: calls.collect(), ..reply }
    }

    /// The bytes to send.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, ModelError> {
        let bytes = self.body.to_string().into_bytes();
        if bytes.len() > MAX_REQUEST {
            return Err(ModelError::Unsupported {
                why: format!(
                    "the request of stage {} has {} bytes and {} takes {MAX_REQUEST}",
                    self.stage,
                    bytes.len(),
                    super::PROVIDER,
                ),
            });
        }
        Ok(bytes)
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Marks the end of what is kept in the cache.
fn mark(block: &mut Value) {
    block["cache_control"] = json!({ "type": "ephemeral" });
}

fn put_system(body: &mut Value, system: &str) {
    if !system.trim().is_empty() {
        let mut block = text(system);
        mark(&mut block);
        body["system"] = json!([block]);
    }
}

/// Tools stand before the system text, so they need a mark of their own only without one.
fn put_tools(body: &mut Value, tools: &[ToolDeclaration], strict: &BTreeMap<String, Wire>, marked: bool) {
    let mut sent: Vec<Value> = tools.iter().map(|tool| declared(tool, strict.get(&tool.name))).collect();
    match sent.last_mut() {
        Some(last) if marked => mark(last),
        Some(_) => {}
        None => return,
    }
    body["tools"] = Value::Array(sent);
}

fn declared(tool: &ToolDeclaration, strict: Option<&Wire>) -> Value {
    let ToolDeclaration { name, description, input_schema } = tool;
    let schema = strict.map_or(input_schema, |wire| &wire.schema);
    let mut sent = json!({ "name": name, "description": description, "input_schema": schema });
    if strict.is_some() {
        sent["strict"] = json!(true);
    }
    sent
}

fn messages(turns: &[Turn]) -> Value {
    let mut messages: Vec<Value> = turns.iter().map(message).collect();
    let theirs = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in theirs.take(2) {
        if let Some(last) = message["content"].as_array_mut().and_then(|content| content.last_mut()) {
            mark(last);
        }
    }
    Value::Array(messages)
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User { text: words } => json!({ "role": "user", "content": [text(words)] }),
        Turn::Model { content: Some(content), .. } if is_said(content) => {
            json!({ "role": "assistant", "content": content })
        }
        Turn::Model { text, calls, content: _ } => {
            json!({ "role": "assistant", "content": made(text, calls) })
        }
        Turn::Results { results, text: words } => {
            let results = results.iter().map(|result| {
                let mut block = json!({ "type": "tool_result", "tool_use_id": result.id });
                if !result.text.trim().is_empty() {
                    block["content"] = json!([text(&result.text)]);
                }
                if result.is_error {
                    block["is_error"] = json!(true);
                }
                block
            });
            let words = words.as_deref().filter(|words| !words.trim().is_empty()).map(text);
            json!({ "role": "user", "content": results.chain(words).collect::<Value>() })
        }
    }
}

/// Whether a content has anything in it.
fn is_said(content: &Value) -> bool {
    content.as_array().is_some_and(|blocks| !blocks.is_empty())
}

/// The content of a turn of which only words and calls were kept.
fn made(words: &str, calls: &[ToolUse]) -> Value {
    let words = match (words.trim().is_empty(), calls) {
        (false, _) => Some(text(words)),
        (true, []) => Some(text(NO_WORDS)),
        (true, _) => None,
    };
    let called = |call: &ToolUse| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.input() });
    words.into_iter().chain(calls.iter().map(called)).collect()
}
