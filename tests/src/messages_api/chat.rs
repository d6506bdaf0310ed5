//! The chat completions API, as servers compatible with OpenAI's speak it.
//!
//! Owns: what such a server refuses, its form of an answer. Doesn't own: what is answered.

use super::answer::{Answer, Called};
use super::http::Incoming;
use super::rules::{Refusal, invalid};
use super::{Asked, fit};
use serde_json::{Map, Value, json};

/// Whether a request is for this API.
pub(super) fn is_meant(incoming: &Incoming) -> bool {
    incoming.method == "POST" && incoming.path.ends_with("/chat/completions")
}

/// Refuses what these servers refuse.
pub(super) fn check(incoming: &Incoming, key: &str) -> Result<(), Refusal> {
    if incoming.header("authorization") != Some(&format!("Bearer {key}")) {
        let message = "Incorrect API key provided".to_owned();
        return Err(Refusal { status: 401, kind: "invalid_request_error", message });
    }
    let Some(body) = incoming.body.as_object() else {
        return invalid("We could not parse the JSON body of your request.");
    };
    fields(body)?;
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        return invalid("you must provide a model parameter");
    }
    let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if messages.is_empty() {
        return invalid("[] is too short - 'messages'");
    }
    turns(messages)?;
    match body.get("response_format") {
        Some(format) => response_format(format),
        None => Ok(()),
    }
}

fn fields(body: &Map<String, Value>) -> Result<(), Refusal> {
    const KNOWN: [&str; 8] = [
        "model",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "tools",
        "temperature",
        "reasoning_effort",
    ];
    match body.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        Some(unknown) => invalid(format!("Unrecognized request argument supplied: {unknown}")),
        None => Ok(()),
    }
}

/// After calls come exactly their results, one message each.
fn turns(messages: &[Value]) -> Result<(), Refusal> {
    let mut due: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = due.iter().position(|known| *known == id) else {
                return invalid(format!(
                    "messages.[{index}]: 'tool' must be a response to a preceding message with 'tool_calls'"
                ));
            };
            due.remove(place);
            continue;
        }
        if let Some(missing) = due.first() {
            return invalid(format!(
                "messages.[{index}]: tool_call_ids did not have response messages: {missing}"
            ));
        }
        match role {
            "system" | "user" if message["content"].is_string() => {}
            "assistant" => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    due.push(call["id"].as_str().unwrap_or_default());
                    // Chat templates parse them again.
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    if !serde_json::from_str::<Value>(arguments).is_ok_and(|input| input.is_object()) {
                        return invalid(format!("messages.[{index}].tool_calls: arguments must be JSON"));
                    }
                }
                if due.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
                    return invalid(format!("messages.[{index}]: neither content nor tool_calls"));
                }
            }
            _ => return invalid(format!("messages.[{index}]: invalid role or content")),
        }
    }
    match due.first() {
        Some(missing) => invalid(format!("tool_call_ids did not have response messages: {missing}")),
        None => Ok(()),
    }
}

fn response_format(format: &Value) -> Result<(), Refusal> {
    let schema = &format["json_schema"]["schema"];
    if format["type"] != "json_schema" || format["json_schema"]["name"].as_str().is_none_or(str::is_empty) {
        return invalid("response_format: json_schema with a name is needed");
    }
    if schema["additionalProperties"] != false {
        return invalid("response_format: 'additionalProperties' is required to be supplied and to be false");
    }
    let properties = schema["properties"].as_object().map_or(0, Map::len);
    if schema["required"].as_array().map_or(0, Vec::len) != properties {
        return invalid("response_format: 'required' must include every key in properties");
    }
    Ok(())
}

/// The text of all messages of one side.
pub(super) fn said(body: &Value, is_system: bool) -> String {
    let messages = body["messages"].as_array().into_iter().flatten();
    let wanted = messages.filter(|message| (message["role"] == "system") == is_system);
    wanted.filter_map(|message| message["content"].as_str()).collect()
}

/// The completion that an answer is; none for one that isn't a reply.
pub(super) fn completion(asked: &Asked, answer: &Answer) -> Option<Value> {
    let (content, calls, finish) = match answer {
        Answer::Json(value) => (fit::fit(&asked.schema, value.clone()).to_string(), None, "stop"),
        Answer::Text { text, stop_reason } => (text.clone(), None, finish_reason(stop_reason)),
        Answer::Calls { text, calls } => (text.clone(), Some(calls), "tool_calls"),
        Answer::Blocks { .. }
        | Answer::Failure { .. }
        | Answer::Invalid { .. }
        | Answer::SpendLimit
        | Answer::FailInBody { .. }
        | Answer::Body(_)
        | Answer::Events(_)
        | Answer::Close
        | Answer::CloseInBody
        | Answer::EndInBody
        | Answer::Hang
        | Answer::HangInBody
        | Answer::PingForever
        | Answer::After { .. }
        | Answer::Sent { .. } => return None,
    };
    let mut message = json!({ "role": "assistant", "content": content });
    if let Some(calls) = calls {
        message["tool_calls"] = calls.iter().map(called).collect();
    }
    let tokens = |text: &str| text.len().div_ceil(4);
    Some(json!({
        "id": format!("chatcmpl-{:04}", asked.number),
        "object": "chat.completion",
        "model": asked.body["model"],
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": tokens(&asked.system) + tokens(&asked.user),
            "completion_tokens": tokens(&content),
        },
    }))
}

fn called(call: &Called) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments });
    match &call.id {
        Some(id) => json!({ "id": id, "type": "function", "function": function }),
        None => json!({ "type": "function", "function": function }),
    }
}

fn finish_reason(stop_reason: &str) -> &'static str {
    match stop_reason {
        "max_tokens" => "length",
        "refusal" => "content_filter",
        _ => "stop",
    }
}

/// An error in this API's form.
pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
}
