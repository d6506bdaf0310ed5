//! The prompt cache: what was marked in one request is read again by the next that begins with it.

use super::conversation::unmarked;
use super::texts;
use serde_json::Value;
use std::collections::HashSet;

/// A request's tokens, told apart as the API does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    /// Neither read nor written.
    pub(super) input: usize,
    pub(super) read: usize,
    pub(super) written: usize,
}

/// Beginnings of requests that are kept.
#[derive(Debug, Default)]
pub(super) struct Cache {
    kept: HashSet<String>,
}

impl Cache {
    /// Counts a request, and keeps what it marks.
    pub(super) fn count(&mut self, body: &Value) -> Counted {
        let mut prefix = String::new();
        let (mut total, mut marked, mut read) = (0, 0, 0);
        for (role, block) in blocks(body) {
            prefix.push_str(&format!("{role}{}\n", unmarked(block)));
            total += tokens(block);
            if block.get("cache_control").is_some() {
                marked = total;
                if !self.kept.insert(prefix.clone()) {
                    read = total;
                }
            } else if self.kept.contains(&prefix) {
                // A mark that has moved on still ends what is kept.
                read = total;
            }
        }
        Counted { input: total - marked.max(read), read, written: marked.saturating_sub(read) }
    }
}

/// All blocks in the order in which they are cached, with the side of a message.
fn blocks(body: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let list = |name: &str| body[name].as_array().into_iter().flatten();
    let fixed = list("tools").chain(list("system")).map(|block| ("", block));
    let said = list("messages").flat_map(|message| {
        let role = message["role"].as_str().unwrap_or_default();
        message["content"].as_array().into_iter().flatten().map(move |block| (role, block))
    });
    fixed.chain(said)
}

fn tokens(block: &Value) -> usize {
    let text = match block["type"].as_str() {
        Some("text" | "tool_result") => texts(&Value::Array(vec![block.clone()])),
        Some(_) | None => unmarked(block).to_string(),
    };
    text.len().div_ceil(4)
}
