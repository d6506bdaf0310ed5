//! What the Messages API answers.
//!
//! Owns: telling replies from errors by their bodies, stop reasons, usage. Unknown content
//! blocks and fields are passed over.

pub(super) use super::block::Block;
use super::stream::{Stream, Streamed};
use crate::exchange::{Connection, Head};
use crate::intake::Body;
use crate::retry::{Failure, Verdict};
use crate::{ModelError, Stop, Usage, bulk, usage};
use reqwest::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) model: String,
    pub(super) content: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<Value>,
    pub(super) usage: Option<TokenCounts>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct TokenCounts {
    #[serde(default, deserialize_with = "usage::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "usage::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "usage::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "usage::count")]
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ErrorBody {
    pub(super) error: ErrorDetails,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorDetails {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    details: Option<Value>,
}

/// Why a message ended, as far as it goes on differently.
pub(super) enum Ended {
    /// For good.
    Stopped(Stop),
    /// It is to be sent back, and goes on.
    Paused,
}

/// Tells a good answer from an error, whatever the status says.
pub(super) fn read<B: DeserializeOwned>(connection: &Connection, head: &Head, body: &[u8]) -> Verdict<B> {
    if let (true, Err(why)) = (head.status.is_success(), bulk::check(body)) {
        return Verdict::Hopeless(unreadable(connection, &why));
    }
    if let Some(failure) = failure(head.status, body) {
        return Verdict::Failed(failure);
    }
    match serde_json::from_slice(body) {
        Ok(value) => Verdict::Good(value),
        Err(error) => Verdict::Hopeless(unreadable(connection, &error.to_string())),
    }
}

/// The message that an answer is, streamed or whole: a gateway may not stream.
pub(super) fn message(connection: &Connection, head: &Head, body: Body<Stream>) -> Verdict<Message> {
    match body {
        Body::Whole(body) => read(connection, head, &body),
        Body::Events(stream) => match stream.end() {
            Streamed::Message(message) => Verdict::Good(message),
            Streamed::Failed(error) => Verdict::Failed(error.failure(None)),
            Streamed::Wrong(why) => Verdict::Hopeless(unreadable(connection, &why)),
            Streamed::CutOff => Verdict::CutOff("the stream ended before the message did".to_owned()),
        },
    }
}

pub(super) fn unreadable(connection: &Connection, why: &str) -> ModelError {
    ModelError::Unreadable { provider: connection.name.clone(), why: connection.shown(why) }
}

fn failure(status: StatusCode, body: &[u8]) -> Option<Failure> {
    let error: Option<ErrorBody> = serde_json::from_slice(body).ok();
    match error {
        // An overload can be told after the status has been sent.
        Some(body) => Some(body.error.failure((!status.is_success()).then_some(status.as_u16()))),
        None if status.is_success() => None,
        None => {
            let message = String::from_utf8_lossy(body).into_owned();
            Some(Failure { status: status.as_u16(), message, spent: false })
        }
    }
}

impl ErrorDetails {
    /// The failure, with the status that its type stands for where none came with it.
    fn failure(self, status: Option<u16>) -> Failure {
        let status = status.or_else(|| self.kind.as_deref().and_then(status_of)).unwrap_or(500);
        let code = self.details.as_ref().and_then(|details| details.get("error_code"));
        let spent = code.and_then(Value::as_str) == Some("enforced_spend_limit_reached");
        Failure { status, message: self.message, spent }
    }
}

/// The status that an error's type stands for.
fn status_of(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "conflict_error" => 409,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

impl Message {
    /// Why it ended, or what is wrong with that. `offered` says whether there are tools.
    pub(super) fn ended(&self, connection: &Connection, offered: bool) -> Result<Ended, String> {
        bulk::check_blocks(self.content.len())?;
        let called = offered && self.content.iter().any(|block| block.call().is_some());
        let stop = match self.stop_reason.as_deref() {
            Some("pause_turn") => return Ok(Ended::Paused),
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            Some("refusal") => Stop::Refusal,
            Some("tool_use") if called => Stop::ToolUse,
            Some("tool_use") if offered => return Err("the reply stopped for tool_use and calls none".into()),
            // It isn't asked for, so nobody could go on with it.
            Some("tool_use") => return Err("the reply stopped for tool_use, with no tools offered".into()),
            Some("end_turn" | "stop_sequence") => Stop::End,
            Some(unknown) => {
                let stop_reason = connection.shown(unknown);
                tracing::warn!(stop_reason, "unknown stop reason, taken as an end");
                Stop::End
            }
            None => return Err("the reply has no stop_reason".to_owned()),
        };
        // Calls without results would make the next request impossible.
        Ok(Ended::Stopped(if called && stop == Stop::End { Stop::ToolUse } else { stop }))
    }

    /// What the server says of a refusal.
    pub(super) fn explanation(&self) -> Option<&str> {
        self.stop_details.as_ref()?.get("explanation")?.as_str()
    }
}

impl TokenCounts {
    /// The later counts, which are cumulative, over the earlier ones.
    pub(super) fn over(self, earlier: Option<Self>) -> Self {
        let Some(earlier) = earlier else { return self };
        Self {
            input_tokens: self.input_tokens.or(earlier.input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .or(earlier.cache_creation_input_tokens),
            cache_read_input_tokens: self.cache_read_input_tokens.or(earlier.cache_read_input_tokens),
            output_tokens: self.output_tokens.or(earlier.output_tokens),
        }
    }

    pub(super) fn total(&self) -> Usage {
        let cached_tokens = self.cache_read_input_tokens.unwrap_or(0);
        let cache_write_tokens = self.cache_creation_input_tokens.unwrap_or(0);
        Usage {
            input_tokens: self
                .input_tokens
                .unwrap_or(0)
                .saturating_add(cache_write_tokens)
                .saturating_add(cached_tokens),
            cached_tokens,
            cache_write_tokens,
            output_tokens: self.output_tokens.unwrap_or(0),
        }
    }
}
