//! A message of the Messages API, whole or as the events of a stream.

use super::answer::{Called, Delivery};
use super::cache::Counted;
use super::{Asked, fit};
use serde_json::{Value, json};

/// What the model says.
pub(super) struct Message {
    /// The blocks; a call whose arguments aren't a JSON object has null for its input.
    pub(super) content: Vec<Value>,
    /// The arguments of each block that is a call, as the model wrote them.
    raw: Vec<Option<String>>,
    pub(super) stop_reason: &'static str,
}

impl Message {
    pub(super) fn of_blocks(content: Vec<Value>, stop_reason: &'static str) -> Self {
        let raw =
            content.iter().map(|block| (block["type"] == "tool_use").then(|| block["input"].to_string()));
        Self { raw: raw.collect(), content, stop_reason }
    }

    /// A thinking block comes first; with an empty text there is nothing else.
    pub(super) fn of_text(asked: &Asked, text: &str, stop_reason: &'static str) -> Self {
        let mut content = vec![thinking(asked)];
        if !text.is_empty() {
            content.push(json!({ "type": "text", "text": text }));
        }
        Self::of_blocks(content, stop_reason)
    }

    pub(super) fn of_json(asked: &Asked, value: Value) -> Self {
        Self::of_text(asked, &fit::fit(&asked.schema, value).to_string(), "end_turn")
    }

    pub(super) fn of_calls(asked: &Asked, text: &str, calls: Vec<Called>) -> Self {
        let mut message = Self::of_text(asked, text, "tool_use");
        for (index, call) in calls.into_iter().enumerate() {
            let id = call.id.unwrap_or_else(|| format!("toolu_{:04}_{index}", asked.number));
            let input: Option<Value> = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
            message.content.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": input }));
            message.raw.push(Some(call.arguments));
        }
        message
    }

    fn text(&self) -> String {
        self.content.iter().filter_map(|block| block["text"].as_str()).collect()
    }

    fn usage(&self, counted: Counted) -> Value {
        json!({
            "input_tokens": counted.input,
            "cache_creation_input_tokens": counted.written,
            "cache_read_input_tokens": counted.read,
            "output_tokens": self.text().len().div_ceil(4) + 20,
        })
    }

    fn frame(&self, asked: &Asked) -> Value {
        json!({
            "id": format!("msg_{:04}", asked.number),
            "type": "message",
            "role": "assistant",
            "model": asked.body["model"],
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
        })
    }

    fn stop_details(&self) -> Value {
        match self.stop_reason {
            "refusal" => json!({ "type": "refusal", "explanation": "declined by policy" }),
            _ => Value::Null,
        }
    }

    /// The whole message.
    pub(super) fn body(&self, asked: &Asked, counted: Counted) -> Value {
        let mut body = self.frame(asked);
        body["content"] = json!(self.content);
        body["stop_reason"] = json!(self.stop_reason);
        body["stop_details"] = self.stop_details();
        body["usage"] = self.usage(counted);
        body
    }

    /// The message as events, with a ping, and an event that no client knows, among them.
    pub(super) fn events(&self, asked: &Asked, counted: Counted) -> Vec<Value> {
        let mut start = self.frame(asked);
        start["usage"] = self.usage(counted);
        start["usage"]["output_tokens"] = json!(1);
        let mut events = vec![json!({ "type": "message_start", "message": start }), ping()];
        for (index, (block, raw)) in self.content.iter().zip(&self.raw).enumerate() {
            let (begun, deltas) = in_pieces(block, raw.as_deref());
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": begun }));
            let delta = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
            events.extend(deltas.into_iter().map(delta));
            events.push(json!({ "type": "content_block_stop", "index": index }));
            events.push(json!({ "type": "event_from_the_future", "index": index }));
        }
        events.push(json!({
            "type": "message_delta",
            "delta": {
                "stop_reason": self.stop_reason, "stop_sequence": null, "stop_details": self.stop_details(),
            },
            "usage": { "output_tokens": self.usage(counted)["output_tokens"] },
        }));
        events.push(json!({ "type": "message_stop" }));
        events
    }
}

/// Each thought has a signature of its own, so that a replay shows which one it is.
fn thinking(asked: &Asked) -> Value {
    let signature = format!("c2lnbmVk{:04}+/é=", asked.number);
    json!({ "type": "thinking", "thinking": "", "signature": signature })
}

/// A block as it begins, and its changes.
fn in_pieces(block: &Value, raw: Option<&str>) -> (Value, Vec<Value>) {
    let mut begun = block.clone();
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    let deltas = match block["type"].as_str() {
        Some("text") => {
            begun["text"] = json!("");
            let delta = |text| json!({ "type": "text_delta", "text": text });
            pieces(text("text")).into_iter().map(delta).collect()
        }
        Some("thinking") => {
            begun["thinking"] = json!("");
            begun["signature"] = json!("");
            let delta = |text| json!({ "type": "thinking_delta", "thinking": text });
            let mut deltas: Vec<_> = pieces(text("thinking")).into_iter().map(delta).collect();
            deltas.push(json!({ "type": "signature_delta", "signature": text("signature") }));
            deltas
        }
        Some("tool_use") => {
            begun["input"] = json!({});
            let delta = |text| json!({ "type": "input_json_delta", "partial_json": text });
            let pieces = pieces(raw.unwrap_or_default());
            // The first piece of the real API is empty.
            std::iter::once(String::new()).chain(pieces).map(delta).collect()
        }
        Some(_) | None => Vec::new(),
    };
    (begun, deltas)
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<_> = text.chars().collect();
    characters.chunks(7).map(|piece| piece.iter().collect()).collect()
}

pub(super) fn ping() -> Value {
    json!({ "type": "ping" })
}

/// An event of a stream as it is written.
pub(super) fn written(event: &Value, delivery: Delivery) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    let data = match delivery {
        Delivery::ManyLines => format!("{event:#}").replace('\n', "\ndata: "),
        Delivery::Whole | Delivery::Bytes | Delivery::InCharacters | Delivery::CarriageReturns => {
            event.to_string()
        }
    };
    let text = format!("event: {name}\ndata: {data}\n\n");
    match delivery {
        Delivery::CarriageReturns => text.replace('\n', "\r\n"),
        Delivery::Whole | Delivery::Bytes | Delivery::InCharacters | Delivery::ManyLines => text,
    }
}
