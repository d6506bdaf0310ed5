//! What a reply used, where the server doesn't say.

use crate::{Ask, Request, ToolDeclaration, Turn, Usage};
use serde::Deserialize;
use serde_json::Value;

/// An estimate on the high side, so that a token budget holds with a server that counts
/// nothing: three bytes a token.
pub(crate) fn estimate(request: &Request, text: &str) -> Usage {
    tracing::warn!("the model's server told no usage; it is estimated from the texts' length");
    Usage {
        input_tokens: input(request),
        cached_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: tokens(text.len()),
    }
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
    let Told { usage } = serde_json::from_slice(body).ok()?;
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
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
