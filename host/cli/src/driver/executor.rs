//! Who makes tool calls: the sandbox in the product, anything with declared facts in a test.

use crate::staging::Turn;
use anyhow::Result;
use async_trait::async_trait;
use ringfence_engine::{ReceiptId, ReviewId, ToolCall, ToolOutcome};
use serde_json::Value;
use std::time::Duration;

/// Runs tool calls.
#[async_trait]
pub trait Executor: Send + Sync {
    /// The component whose code a call of this tool would have to compile first, if any.
    fn cold(&self, tool: &str) -> Option<String>;

    /// Makes a tool's code ready, so that compiling isn't taken for calling.
    async fn ready(&self, tool: &str) -> Result<Readied>;

    /// Finds out what a call that waits for approval would change, after others that will be made
    /// before it, and keeps that to be shown. Nothing of it stays.
    async fn rehearse(&self, _review: ReviewId, _before: &[ToolCall], _call: &ToolCall) -> Result<()> {
        Ok(())
    }

    /// Makes one call. Dropping the future cancels it.
    async fn call(&self, call: &ToolCall) -> Result<Executed>;
}

/// A tool's code is ready.
pub struct Readied {
    /// How long that took.
    pub took: Duration,
}

/// What became of a tool call.
pub struct Executed {
    /// For the engine.
    pub outcome: ToolOutcome,
    /// For the store, under the id that the outcome names.
    pub receipt: Option<(ReceiptId, Value)>,
    /// The turn to write, where the call had it: held until this is journaled.
    pub turn: Option<Turn>,
}
