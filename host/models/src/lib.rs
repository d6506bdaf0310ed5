//! Language models behind one trait.
//!
//! Owns: how each provider is spoken to, which failures are worth another try, the built-in
//! playbook. Doesn't own: prompts, the meaning of replies, how often a stage is asked.

#![forbid(unsafe_code)]

mod anthropic;
mod catalogue;
mod endpoint;
mod exchange;
mod openai;
mod retry;
mod schema;
mod secret;
mod usage;
mod words;

pub use anthropic::{Anthropic, AnthropicConfig, ModelLimits};
pub use catalogue::{Catalogue, CatalogueError, Effort, LongPrice, MicroDollars, ModelFacts, Price};
pub use endpoint::PlainHttp;
pub use exchange::Transport;
pub use openai::{OpenAi, OpenAiConfig};
pub use secret::Secret;

pub mod playbook;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

pub use playbook::Playbook;

/// Something that answers stage requests.
#[async_trait]
pub trait Model: Send + Sync {
    /// Provider and model as a person would name it, e.g. `anthropic claude-sonnet-5-5`.
    fn identity(&self) -> String;

    /// Answers one request, retrying what is worth it; dropping the future gives up.
    async fn complete(&self, request: Request) -> Result<Reply, ModelError>;
}

/// One stage's request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the stage, a word: `plan`, `decide`, `evaluate`.
    pub stage: String,
    /// What never changes between calls of one stage.
    pub system: String,
    /// The rest.
    pub user: String,
    /// JSON Schema of the reply.
    pub schema: Value,
    /// The same content as data, for models that don't read prose.
    pub facts: Value,
    /// Cap on output tokens, thinking included.
    pub max_tokens: u32,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text, normally one JSON object.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
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
}

/// Tokens of one reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input_tokens: u64,
    /// Of them, read from the provider's cache.
    pub cached_tokens: u64,
    /// Output tokens, thinking included.
    pub output_tokens: u64,
}

/// Why no answer came. Messages never hold a secret, nor does anything in a [`Reply`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// No connection, or it broke.
    #[error("{provider} could not be reached: {why}")]
    Unreachable {
        /// Provider and address.
        provider: String,
        /// What the network said.
        why: String,
    },
    /// The server said no, and says that another try may help.
    #[error("{provider} is busy ({status}): {why}")]
    Busy {
        /// Provider and address.
        provider: String,
        /// HTTP status.
        status: u16,
        /// The server's words.
        why: String,
    },
    /// The server refused the request itself: another try can't help.
    #[error("{provider} refused {what} ({status}): {why}")]
    Refused {
        /// Provider and address.
        provider: String,
        /// HTTP status.
        status: u16,
        /// What it said no to.
        what: Refusal,
        /// The server's words, and what a person can do.
        why: String,
    },
    /// The answer isn't what the API promises.
    #[error("{provider} answered something unreadable: {why}")]
    Unreadable {
        /// Provider and address.
        provider: String,
        /// What was wrong with it.
        why: String,
    },
    /// The request can't be sent to this provider as it is.
    #[error("{why}")]
    Unsupported {
        /// What can't be sent and why.
        why: String,
    },
}

/// What a server said no to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The request as it is.
    Request,
    /// The key that came with it.
    Key,
    /// A request that came without a key.
    Keyless,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Request => "the request",
            Self::Key => "the key",
            Self::Keyless => "the request without a key",
        })
    }
}

impl ModelError {
    /// Whether the same request might work later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Busy { .. } | Self::Unreadable { .. } => true,
            Self::Refused { .. } | Self::Unsupported { .. } => false,
        }
    }
}
