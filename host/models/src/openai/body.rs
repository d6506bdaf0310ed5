//! Requests as chat completions servers want them.
//!
//! Owns: where each part goes. Doesn't own: making schemas fit, what a server turned out not
//! to take.

use crate::conversation::{NO_WORDS, check};
use crate::schema::{Dialect, Wire};
use crate::{Ask, Effort, ModelError, Request, ToolDeclaration, ToolResult, ToolUse, Turn};
use serde_json::{Value, json};

/// How the model is set up.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) model: String,
    pub(super) effort: Option<Effort>,
    pub(super) temperature: Option<f64>,
}

/// How one request is put to the server, by what is known of it so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) schema_in_prompt: bool,
    pub(super) completion_cap: bool,
}

impl Settings {
    /// The body, and for a stage whose schema is sent the way back for its reply.
    pub(super) fn body(&self, request: &Request, way: Way) -> Result<(Value, Option<Wire>), ModelError> {
        let mut body = json!({ "model": self.model, "messages": [] });
        let cap = if way.completion_cap { "max_completion_tokens" } else { "max_tokens" };
        body[cap] = json!(request.max_tokens);
        let wire = match &request.ask {
            Ask::Stage { system, user, schema } => {
                let wire =
                    if way.schema_in_prompt { None } else { Some(Wire::new(schema, Dialect::OpenAi)?) };
                let told = if wire.is_none() { in_words(schema) } else { String::new() };
                let user = json!({ "role": "user", "content": user });
                body["messages"] = system_message(&(system.clone() + &told)).chain([user]).collect();
                if let Some(wire) = &wire {
                    let name = schema_name(&request.stage);
                    body["response_format"] = json!({
                        "type": "json_schema",
                        "json_schema": { "name": name, "strict": true, "schema": wire.schema },
                    });
                }
                wire
            }
            Ask::Conversation { system, turns, tools } => {
                check(turns)?;
                body["messages"] = system_message(system).chain(turns.iter().flat_map(messages)).collect();
                if !tools.is_empty() {
                    body["tools"] = tools.iter().map(declared).collect();
                }
                None
            }
        };
        if let Some(temperature) = self.temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(effort) = self.effort {
            body["reasoning_effort"] = json!(effort.word());
        }
        Ok((body, wire))
    }
}

fn in_words(schema: &Value) -> String {
    format!(
        "\n\nReply with one JSON object and nothing else, no code fence and no words \
         around it. It must satisfy this JSON Schema:\n{schema}"
    )
}

fn system_message(system: &str) -> impl Iterator<Item = Value> {
    let said = !system.trim().is_empty();
    said.then(|| json!({ "role": "system", "content": system })).into_iter()
}

fn declared(tool: &ToolDeclaration) -> Value {
    let ToolDeclaration { name, description, input_schema } = tool;
    let function = json!({ "name": name, "description": description, "parameters": input_schema });
    json!({ "type": "function", "function": function })
}

/// One turn: each result is a message of its own.
fn messages(turn: &Turn) -> Vec<Value> {
    match turn {
        Turn::User { text } => vec![json!({ "role": "user", "content": text })],
        Turn::Model { text, calls, content: _ } => {
            let said = !text.trim().is_empty();
            if calls.is_empty() {
                let words = if said { text } else { NO_WORDS };
                return vec![json!({ "role": "assistant", "content": words })];
            }
            let calls: Value = calls.iter().map(called).collect();
            vec![json!({ "role": "assistant", "content": said.then_some(text), "tool_calls": calls })]
        }
        Turn::Results { results, text } => {
            let words = text.as_deref().filter(|words| !words.trim().is_empty());
            let words = words.map(|words| json!({ "role": "user", "content": words }));
            results.iter().map(resulted).chain(words).collect()
        }
    }
}

fn called(call: &ToolUse) -> Value {
    let readable = serde_json::from_str::<Value>(&call.arguments).is_ok_and(|input| input.is_object());
    let arguments = if readable { call.arguments.clone() } else { call.input().to_string() };
    let function = json!({ "name": call.name, "arguments": arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}

/// The API has no mark for a failed call, so it is said in words.
fn resulted(result: &ToolResult) -> Value {
    let ToolResult { id, text, is_error } = result;
    let words = if *is_error { format!("Error: {text}") } else { text.clone() };
    json!({ "role": "tool", "tool_call_id": id, "content": words })
}

/// A name as the API takes it: letters, digits, `_` and `-`, at most 64.
fn schema_name(stage: &str) -> String {
    let name: String = stage
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || "_-".contains(*character))
        .take(64)
        .collect();
    if name.is_empty() { "reply".to_owned() } else { name }
}
