//! What a reply used, where the server doesn't say.

use crate::{Request, Usage};

/// An estimate on the high side, so that a token budget holds with a server that counts
/// nothing: three bytes a token.
pub(crate) fn estimate(request: &Request, text: &str) -> Usage {
    tracing::warn!("the model's server told no usage; it is estimated from the texts' length");
    let tokens = |bytes: usize| bytes.div_ceil(3) as u64;
    Usage {
        input_tokens: tokens(request.system.len() + request.user.len() + request.schema.to_string().len()),
        cached_tokens: 0,
        output_tokens: tokens(text.len()),
    }
}
