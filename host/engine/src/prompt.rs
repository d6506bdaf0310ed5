//! What one request to a model says: made from the state whenever it is wanted.

use crate::canonical::canonical;
use crate::id::PromptDigest;
use crate::message::{Conversation, Message};
use crate::settings::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "prompt", rename_all = "snake_case")]
pub enum Prompt {
    /// One question with one answer.
    Stage {
        /// What never changes between calls of one stage: role, rules, tools.
        system: String,
        /// The state, as far as the model is shown it.
        user: String,
        /// The JSON Schema that the reply must satisfy.
        schema: Value,
    },
    /// The next turn of a conversation.
    Conversation {
        /// What was said so far.
        conversation: Conversation,
        /// The tools that can be asked for.
        tools: Vec<ToolSpec>,
    },
}

impl Prompt {
    /// Over everything that is sent.
    pub fn digest(&self) -> PromptDigest {
        // Plain data: writing it as JSON can't fail.
        let value = serde_json::to_value(self).unwrap_or_default();
        let hash = blake3::hash(canonical(&value).as_bytes()).to_hex();
        PromptDigest(hash.chars().take(32).collect())
    }

    /// Everything that is sent, piece by piece.
    pub(crate) fn each_text(&self, take: &mut dyn FnMut(&str)) {
        match self {
            Self::Stage { system, user, schema } => {
                take(system);
                take(user);
                take(&schema.to_string());
            }
            Self::Conversation { conversation, tools } => {
                take(&conversation.system);
                for message in &conversation.messages {
                    each_of(message, take);
                }
                for tool in tools {
                    take(&tool.name);
                    take(&tool.description);
                    take(&tool.input_schema.to_string());
                }
            }
        }
    }
}

fn each_of(message: &Message, take: &mut dyn FnMut(&str)) {
    match message {
        Message::User { text } => take(text),
        Message::Model { text, calls, content } => match content {
            Some(content) => take(&content.to_string()),
            None => {
                take(text);
                calls.iter().for_each(|call| take(&call.arguments));
            }
        },
        Message::Results { results, text } => {
            results.iter().for_each(|result| take(&result.text));
            take(text.as_deref().unwrap_or_default());
        }
    }
}
