//! What a model is asked.
//!
//! Owns: the two shapes of a request, a stage and a conversation. Doesn't own: how a provider
//! wants them, what they are about.

use crate::{Ledger, Usage, usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Name of the stage, a word: `plan`, `decide`, `evaluate`, …
    pub stage: String,
    /// The expert that is asked, where one was chosen for the task.
    pub expert: Option<String>,
    /// What is asked.
    pub ask: Ask,
    /// The same content as data; null unless the model reads facts.
    pub facts: Value,
    /// Cap on output tokens, thinking included.
    pub max_tokens: u32,
    /// Exchanges that may cost something, failed ones included; none for as many as there is
    /// reason for. No part of what is sent, so that a recording knows nothing of it.
    #[serde(skip)]
    pub tries: Option<u32>,
    /// What it has used so far.
    #[serde(skip)]
    pub ledger: Ledger,
}

impl Request {
    /// What it uses at least once it is sent, estimated on the high side.
    pub fn least_usage(&self) -> Usage {
        Usage { input_tokens: usage::input(self), ..Usage::default() }
    }
}

/// The shape of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// One stage, answered by one JSON object.
    Stage {
        /// What never changes between calls of one stage.
        system: String,
        /// The rest.
        user: String,
        /// JSON Schema of the reply.
        schema: Value,
    },
    /// A conversation with tools, of which the next turn is wanted.
    Conversation {
        /// What never changes in the course of it.
        system: String,
        /// From the first to the latest; no two of the same side follow each other.
        turns: Vec<Turn>,
        /// What the model may call.
        tools: Vec<ToolDeclaration>,
    },
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Words to the model.
    User {
        /// The words.
        text: String,
    },
    /// What the model said.
    Model {
        /// Its words.
        text: String,
        /// The tools it called.
        calls: Vec<ToolUse>,
        /// What the provider sent, sent back as it was; made from text and calls where there
        /// is none.
        content: Option<Value>,
    },
    /// What became of the calls of the turn before.
    Results {
        /// One for each call.
        results: Vec<ToolResult>,
        /// Words after the results.
        text: Option<String>,
    },
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDeclaration {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The provider's id, or a made up one.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// JSON as the model wrote it, possibly unreadable: never replaced by an empty object.
    pub arguments: String,
}

/// What became of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// What the model is told of it.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}
