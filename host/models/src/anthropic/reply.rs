//! What the Messages API answers.
//!
//! Owns: telling replies from errors by their bodies, stop reasons, usage. Unknown content
//! blocks and fields are passed over.

use crate::exchange::{Answer, Connection};
use crate::retry::{Failure, Verdict};
use crate::{ModelError, Reply, Request, Stop, Usage, usage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    model: String,
    content: Vec<Value>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
    usage: Option<TokenCounts>,
}

#[derive(Deserialize)]
struct TokenCounts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorDetails,
}

#[derive(Deserialize)]
struct ErrorDetails {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    details: Option<Value>,
}

/// Tells a good answer from an error, whatever the status says, and reads it with `take`.
pub(super) fn read<B: DeserializeOwned, T>(
    connection: &Connection,
    answer: &Answer,
    take: impl FnOnce(B) -> Result<T, String>,
) -> Verdict<T> {
    if let Some(failure) = failure(answer) {
        return Verdict::Failed(failure);
    }
    let body = serde_json::from_slice(&answer.body).map_err(|error| error.to_string());
    match body.and_then(take) {
        Ok(value) => Verdict::Good(value),
        Err(why) => Verdict::Hopeless(ModelError::Unreadable {
            provider: connection.name.clone(),
            why: connection.shown(&why),
        }),
    }
}

fn failure(answer: &Answer) -> Option<Failure> {
    let status = answer.status.as_u16();
    let body: Option<ErrorBody> = serde_json::from_slice(&answer.body).ok();
    if answer.status.is_success() {
        // An overload can be told after the status has been sent.
        let error = body?.error;
        let status = error.kind.as_deref().and_then(status_of).unwrap_or(500);
        return Some(Failure { status, message: error.message, spent: false });
    }
    let Some(ErrorBody { error }) = body else {
        let message = String::from_utf8_lossy(&answer.body).into_owned();
        return Some(Failure { status, message, spent: false });
    };
    let code = error.details.as_ref().and_then(|details| details.get("error_code"));
    let spent = code.and_then(Value::as_str) == Some("enforced_spend_limit_reached");
    Some(Failure { status, message: error.message, spent })
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

/// A reply, or what is wrong with it.
pub(super) fn message(
    connection: &Connection,
    message: Message,
    request_id: Option<String>,
    request: &Request,
) -> Result<Reply, String> {
    let stop = match message.stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence") => Stop::End,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Refusal,
        // Neither is asked for, so nobody could go on with it.
        Some(unasked @ ("tool_use" | "pause_turn")) => {
            return Err(format!("the reply stopped for {unasked}, with no tools offered"));
        }
        Some(unknown) => {
            let stop_reason = connection.shown(unknown);
            tracing::warn!(stop_reason, "unknown stop reason, taken as an end");
            Stop::End
        }
        None => return Err("the reply has no stop_reason".to_owned()),
    };
    let mut text = String::new();
    for block in &message.content {
        if block.get("type").and_then(Value::as_str) == Some("text") {
            text.push_str(block.get("text").and_then(Value::as_str).unwrap_or_default());
        }
    }
    if stop == Stop::Refusal && text.trim().is_empty() {
        let explanation = message.stop_details.as_ref().and_then(|details| details.get("explanation"));
        text = explanation.and_then(Value::as_str).unwrap_or_default().to_owned();
    }
    let usage = match message.usage {
        Some(counts) => counts.total(),
        None => usage::estimate(request, &text),
    };
    Ok(Reply {
        text,
        calls: Vec::new(),
        content: None,
        stop,
        usage,
        cost: None,
        model: message.model,
        request_id,
    })
}

impl TokenCounts {
    fn total(&self) -> Usage {
        let cached_tokens = self.cache_read_input_tokens.unwrap_or(0);
        Usage {
            input_tokens: self
                .input_tokens
                .unwrap_or(0)
                .saturating_add(self.cache_creation_input_tokens.unwrap_or(0))
                .saturating_add(cached_tokens),
            cached_tokens,
            cache_write_tokens: self.cache_creation_input_tokens.unwrap_or(0),
            output_tokens: self.output_tokens.unwrap_or(0),
        }
    }
}
