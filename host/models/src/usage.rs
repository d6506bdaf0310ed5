//! What a reply used: the server's count, mended where it can't be, an estimate where there is none.
//!
//! Estimates are on the high side, three bytes a token, so that a budget holds with a server that
//! counts nothing.

use crate::{Ask, Request, ToolDeclaration, Turn, Usage, bulk};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The most tokens that one exchange is taken to have used: more is a server's mistake.
const MOST: u64 = 1 << 40;

/// What an exchange used by the server's count, as far as that can be: a prompt or a reply that
/// isn't empty has tokens, and what was cached is a part of the prompt. `written` is the size of
/// the reply in bytes.
pub(crate) fn sound(reported: Option<Usage>, request: &Request, written: usize) -> Usage {
    let mut usage = reported.unwrap_or_default();
    if usage.input_tokens == 0 || (usage.output_tokens == 0 && written > 0) {
        tracing::warn!("the model's server told no usage; it is estimated from the texts' length");
    }
    if usage.input_tokens == 0 {
        usage.input_tokens = input(request);
    }
    if usage.output_tokens == 0 {
        usage.output_tokens = tokens(written);
    }
    usage.bounded()
}

impl Usage {
    /// The same without counts that no exchange can have.
    pub(crate) fn bounded(self) -> Self {
        let input_tokens = self.input_tokens.min(MOST);
        let cached_tokens = self.cached_tokens.min(input_tokens);
        Self {
            input_tokens,
            cached_tokens,
            cache_write_tokens: self.cache_write_tokens.min(input_tokens - cached_tokens),
            output_tokens: self.output_tokens.min(MOST),
        }
    }
}

/// Reads a server's count, which may be any number, or anything else where it has none.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Value::deserialize(deserializer).map(|value| counted(&value))
}

fn counted(value: &Value) -> Option<u64> {
    // A float stands for a number too large for anything else, and is cut to the largest there is.
    value.as_u64().or_else(|| value.as_f64().filter(|count| *count >= 0.0).map(|count| count as u64))
}

/// Tokens of a prompt, on the high side.
pub(crate) fn input(request: &Request) -> u64 {
    tokens(size(&request.ask))
}

/// Tokens of so many bytes, on the high side.
pub(crate) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(3) as u64
}

/// The usage that a body tells of, by any provider's names, whatever else it is.
pub(crate) fn reported(body: &[u8]) -> Option<Usage> {
    #[derive(Deserialize)]
    struct Told {
        usage: Value,
    }
    bulk::check(body).ok()?;
    let Told { usage } = serde_json::from_slice(body).ok()?;
    let count = |name: &str| usage.get(name).and_then(counted);
    let cached_tokens = count("cache_read_input_tokens").unwrap_or(0);
    let cache_write_tokens = count("cache_creation_input_tokens").unwrap_or(0);
    let input_tokens = count("input_tokens").or_else(|| count("prompt_tokens"));
    let output_tokens = count("output_tokens").or_else(|| count("completion_tokens"));
    Some(Usage {
        input_tokens: input_tokens?.saturating_add(cached_tokens).saturating_add(cache_write_tokens),
        cached_tokens,
        cache_write_tokens,
        output_tokens: output_tokens?,
    })
}

/// Bytes of what is asked.
fn size(ask: &Ask) -> usize {
    match ask {
        Ask::Stage { system, user, schema } => system.len() + user.len() + schema.to_string().len(),
        Ask::Conversation { system, turns, tools } => {
            let told = |tool: &ToolDeclaration| {
                tool.name.len() + tool.description.len() + tool.input_schema.to_string().len()
            };
            system.len() + turns.iter().map(said).sum::<usize>() + tools.iter().map(told).sum::<usize>()
        }
    }
}

fn said(turn: &Turn) -> usize {
    match turn {
        Turn::User { text } => text.len(),
        Turn::Model { text, calls, content: _ } => {
            let called = calls.iter().map(|call| call.name.len() + call.arguments.len());
            text.len() + called.sum::<usize>()
        }
        Turn::Results { results, text } => {
            let told = results.iter().map(|result| result.text.len());
            told.sum::<usize>() + text.as_ref().map_or(0, String::len)
        }
    }
}
