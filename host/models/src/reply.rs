//! What a model answers.
//!
//! Owns: the shape of a reply. Doesn't own: what its text means.

use crate::{MicroDollars, ToolUse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text; of a stage normally one JSON object.
    pub text: String,
    /// The tools that the model calls, in its order; to be called only if it stopped for that,
    /// else the last one may be cut off.
    pub calls: Vec<ToolUse>,
    /// What the provider sent, for the conversation's next request; none where text and calls
    /// say it all.
    pub content: Option<Value>,
    /// Why it ended.
    pub stop: Stop,
    /// What it used.
    pub usage: Usage,
    /// What it cost; none when the price isn't known.
    pub cost: Option<MicroDollars>,
    /// The model, as the provider names it.
    pub model: String,
    /// The provider's id of the request, for support.
    pub request_id: Option<String>,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model was done.
    End,
    /// The output cap, or the context window, cut it off.
    Length,
    /// The model refused.
    Refusal,
    /// The model waits for the results of its calls.
    ToolUse,
}

/// Tokens of one reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input_tokens: u64,
    /// Of them, read from the provider's cache.
    pub cached_tokens: u64,
    /// Of them, written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens, thinking included.
    pub output_tokens: u64,
}

impl Usage {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
        }
    }
}
