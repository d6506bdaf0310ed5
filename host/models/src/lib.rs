//! Language models behind one trait.
//!
//! Owns: how each provider is spoken to, which failures are worth another try, the built-in
//! playbook. Doesn't own: prompts, the meaning of replies, how often a stage is asked.

#![forbid(unsafe_code)]

mod anthropic;
mod bulk;
mod cassette;
mod catalogue;
mod conversation;
mod endpoint;
mod error;
mod exchange;
mod intake;
mod ledger;
mod openai;
mod reply;
mod request;
mod retry;
mod schema;
mod secret;
mod spending;
mod sse;
mod usage;
mod words;

pub use anthropic::{Anthropic, AnthropicConfig, ModelLimits};
pub use cassette::{CassetteError, Recording, Replaying};
pub use catalogue::{Catalogue, CatalogueError, Effort, LongPrice, MicroDollars, ModelFacts, Price};
pub use endpoint::PlainHttp;
pub use error::{ModelError, Refusal};
pub use exchange::Transport;
pub use ledger::Ledger;
pub use openai::{OpenAi, OpenAiConfig};
pub use reply::{Reply, Stop, Usage};
pub use request::{Ask, Request, ToolDeclaration, ToolResult, ToolUse, Turn};
pub use secret::Secret;
pub use spending::Spending;

pub mod playbook;

use async_trait::async_trait;

pub use playbook::Playbook;

/// Something that answers requests.
#[async_trait]
pub trait Model: Send + Sync {
    /// Provider and model as a person would name it, e.g. `anthropic claude-sonnet-5-5`.
    fn identity(&self) -> String;

    /// What the model that serves this stage, or this expert, costs; `None` when not known.
    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price>;

    /// Whether requests must carry their content as data too.
    fn reads_facts(&self) -> bool {
        false
    }

    /// What this request uses at least once it is sent, estimated on the high side: all that is
    /// known of a call whose end nobody saw. Nothing where asking is free.
    fn least(&self, _request: &Request) -> Spending {
        Spending::default()
    }

    /// Answers one request, retrying what is worth it; dropping the future gives up.
    async fn complete(&self, request: Request) -> Result<Reply, ModelError>;
}
