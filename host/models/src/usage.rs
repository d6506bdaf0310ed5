//! What a reply used, where the server doesn't say.

use crate::{Ask, Request, ToolDeclaration, Turn, Usage};

/// An estimate on the high side, so that a token budget holds with a server that counts
/// nothing: three bytes a token.
pub(crate) fn estimate(request: &Request, text: &str) -> Usage {
    tracing::warn!("the model's server told no usage; it is estimated from the texts' length");
    let tokens = |bytes: usize| bytes.div_ceil(3) as u64;
    Usage {
        input_tokens: tokens(size(&request.ask)),
        cached_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: tokens(text.len()),
    }
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
