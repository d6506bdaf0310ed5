//! How much of a reply is kept.
//!
//! Owns: cutting a reply that is too long to be used, before it is journaled. Doesn't own: what a
//! stage makes of it; cut, it is still too long to be used.

use crate::bounds;
use crate::event::{ModelReply, ToolRequest};
use serde_json::Value;

/// Bytes of what a provider sent beside words and calls, such as thoughts.
const CONTENT_BYTES: usize = 4 * bounds::REPLY_BYTES;

impl ModelReply {
    /// The reply as it goes into the journal: of one that is too long to be used, the beginning,
    /// its length and the digest of the whole. What a provider sent beside words and calls is left
    /// out where it is too long: the turn is then sent back as its words and calls.
    pub fn kept(self) -> Self {
        let Self { text, calls, content, stop, usage, cost, model } = self;
        if said_bytes(&text, &calls) <= bounds::REPLY_BYTES {
            let content = content.filter(|content| bytes_of(content) <= CONTENT_BYTES);
            return Self { text, calls, content, stop, usage, cost, model };
        }
        let mut cut = Cut::of(&text, &calls);
        let text = cut.take(text);
        let mut kept = Vec::new();
        for call in calls {
            if cut.is_over() {
                break;
            }
            let ToolRequest { id, name, arguments } = call;
            let (id, name) = (cut.take(id), cut.take(name));
            kept.push(ToolRequest { id, name, arguments: cut.take(arguments) });
        }
        Self { text, calls: kept, content: None, stop, usage, cost, model }
    }
}

/// Bytes of a reply's words and calls.
pub(crate) fn said_bytes(text: &str, calls: &[ToolRequest]) -> usize {
    let called = calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len());
    text.len() + called.sum::<usize>()
}

/// Bytes of a value as JSON.
fn bytes_of(value: &Value) -> usize {
    value.to_string().len()
}

/// A reply that is being cut.
struct Cut {
    left: usize,
    /// Said once, where the cut is.
    mark: Option<String>,
}

impl Cut {
    fn of(text: &str, calls: &[ToolRequest]) -> Self {
        let mut digest = blake3::Hasher::new();
        digest.update(text.as_bytes());
        for call in calls {
            for part in [&call.id, &call.name, &call.arguments] {
                digest.update(part.as_bytes());
            }
        }
        let bytes = said_bytes(text, calls);
        let mark =
            format!("…\n[cut here: the reply has {bytes} bytes, BLAKE3 {}]", digest.finalize().to_hex());
        Self { left: bounds::REPLY_BYTES, mark: Some(mark) }
    }

    fn is_over(&self) -> bool {
        self.mark.is_none()
    }

    /// What is kept of the next part.
    fn take(&mut self, part: String) -> String {
        if part.len() <= self.left && !self.is_over() {
            self.left -= part.len();
            return part;
        }
        let end = part.floor_char_boundary(self.left);
        self.left = 0;
        let begun = part.get(..end).unwrap_or_default();
        format!("{begun}{}", self.mark.take().unwrap_or_default())
    }
}
