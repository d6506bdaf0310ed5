//! The conversation of the react flow: append-only, with native tool use.
//!
//! Owns: its messages and the rule that nothing said before is ever changed. Doesn't own: how a
//! provider writes a message down.

use crate::event::ToolRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that was said, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Role and rules.
    pub system: String,
    /// What was said. Begins with the goal.
    pub messages: Vec<Message>,
    /// Words that came while tools were under way; they go with the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaid: Option<String>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    /// The run, or a person through it.
    User {
        /// The words.
        text: String,
    },
    /// The model.
    Model {
        /// The words.
        text: String,
        /// The tools that it asks for.
        calls: Vec<ToolRequest>,
        /// The turn as the provider sent it.
        content: Option<Value>,
    },
    /// What the tools brought that the turn before asked for.
    Results {
        /// In the order of the requests.
        results: Vec<ToolAnswer>,
        /// Words besides, from a person or a review.
        text: Option<String>,
    },
}

/// What is told of one request for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The provider's name for the request.
    pub id: String,
    /// The result, or what went wrong.
    pub text: String,
    /// Whether it went wrong.
    pub is_error: bool,
}

impl Conversation {
    /// Says something to the model: with the results that came last or are to come, or on its own.
    pub(crate) fn tell(&mut self, words: &str) {
        match self.messages.last_mut() {
            Some(Message::Results { text, .. }) => append(text, words),
            // The model hasn't answered it.
            Some(Message::User { text }) => text.push_str(&format!("\n\n{words}")),
            // Nothing can stand between requests and their results.
            Some(Message::Model { calls, .. }) if !calls.is_empty() => append(&mut self.unsaid, words),
            Some(Message::Model { .. }) | None => {
                self.messages.push(Message::User { text: words.to_owned() });
            }
        }
    }

    /// The requests of the last turn that wait for results.
    pub(crate) fn waiting(&self) -> &[ToolRequest] {
        match self.messages.last() {
            Some(Message::Model { calls, .. }) => calls,
            Some(Message::User { .. } | Message::Results { .. }) | None => &[],
        }
    }

    /// Answers the requests of the last turn, each of them, in their order.
    pub(crate) fn answer(&mut self, mut answers: Vec<ToolAnswer>) {
        let mut results = Vec::new();
        for request in self.waiting() {
            let known = answers.iter().position(|answer| answer.id == request.id);
            results.push(match known {
                Some(place) => answers.swap_remove(place),
                None => {
                    let text = "this call was not made".to_owned();
                    ToolAnswer { id: request.id.clone(), text, is_error: true }
                }
            });
        }
        if !results.is_empty() {
            let text = self.unsaid.take();
            self.messages.push(Message::Results { results, text });
        }
    }
}

fn append(text: &mut Option<String>, words: &str) {
    let before = text.take().map(|text| text + "\n\n").unwrap_or_default();
    *text = Some(before + words);
}
