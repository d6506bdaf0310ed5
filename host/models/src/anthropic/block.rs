//! One block of a message's content.
//!
//! Owns: a block's growth in a stream, its call's arguments. Blocks are kept whole, unknown
//! ones too, since a conversation sends them back as they were.

use crate::ToolUse;
use crate::bulk;
use crate::conversation::unreadable;
use serde::Deserialize;
use serde_json::{Value, json};

/// A block as the provider sent it.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Value")]
pub(super) struct Block {
    value: Value,
    /// A call's input as it was streamed, piece by piece.
    raw: String,
}

impl From<Value> for Block {
    fn from(value: Value) -> Self {
        Self { value, raw: String::new() }
    }
}

impl Block {
    fn is(&self, kind: &str) -> bool {
        self.value.get("type").and_then(Value::as_str) == Some(kind)
    }

    /// Takes a change of a streamed block, or says why it can't be one.
    pub(super) fn change(&mut self, delta: Value) -> Result<(), String> {
        let piece = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => append(&mut self.value, "text", piece("text")),
            Some("thinking_delta") => append(&mut self.value, "thinking", piece("thinking")),
            Some("signature_delta") => self.put("signature", json!(piece("signature"))),
            Some("input_json_delta") => self.raw.push_str(piece("partial_json")),
            Some("citations_delta") => {
                let Some(citation) = delta.get("citation") else { return Ok(()) };
                match self.value.get_mut("citations").and_then(Value::as_array_mut) {
                    Some(citations) => {
                        citations.push(citation.clone());
                        bulk::check_blocks(citations.len())?;
                    }
                    None => self.put("citations", json!([citation])),
                }
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Ends a streamed block: only now its input can be read.
    pub(super) fn close(&mut self) {
        if !self.raw.trim().is_empty() {
            let input = serde_json::from_str(&self.raw).ok().filter(Value::is_object);
            self.put("input", input.unwrap_or_else(unreadable));
        }
    }

    fn put(&mut self, name: &str, value: Value) {
        if let Value::Object(fields) = &mut self.value {
            fields.insert(name.to_owned(), value);
        }
    }

    /// The words, of a block of text.
    pub(super) fn text(&self) -> Option<&str> {
        if self.is("text") { self.value.get("text").and_then(Value::as_str) } else { None }
    }

    /// The call, of a block that is one.
    pub(super) fn call(&self) -> Option<ToolUse> {
        let field = |name: &str| Some(self.value.get(name)?.as_str()?.to_owned());
        if !self.is("tool_use") {
            return None;
        }
        let arguments = match self.raw.trim().is_empty() {
            // An input without pieces is the one that the block began with.
            true => self.value.get("input").map(Value::to_string).unwrap_or_default(),
            false => self.raw.clone(),
        };
        Some(ToolUse { id: field("id")?, name: field("name").unwrap_or_default(), arguments })
    }

    /// Bytes that the model has written in it so far.
    pub(super) fn written(&self) -> usize {
        let field = |name: &str| self.value.get(name).and_then(Value::as_str).map_or(0, str::len);
        let input = match self.raw.is_empty() {
            true if self.is("tool_use") => self.value.get("input").map_or(0, |input| input.to_string().len()),
            true => 0,
            false => self.raw.len(),
        };
        field("text") + field("thinking") + field("name") + input
    }

    /// The block as it was sent.
    pub(super) fn into_value(self) -> Value {
        self.value
    }
}

fn append(block: &mut Value, name: &str, piece: &str) {
    let Value::Object(fields) = block else { return };
    match fields.get_mut(name) {
        Some(Value::String(text)) => text.push_str(piece),
        Some(_) | None => {
            fields.insert(name.to_owned(), json!(piece));
        }
    }
}
