//! What chat completions servers answer.
//!
//! Owns: telling replies from errors, reasons to finish, usage, complaints about parts of
//! a request that can be put in another way.

use crate::exchange::{Connection, Head};
use crate::retry::{Failure, Verdict};
use crate::{Ask, ModelError, Refusal, Reply, Request, Stop, ToolUse, Usage, bulk, usage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// An answer, or what this server doesn't take.
pub(super) enum Heard<T> {
    Good(T),
    Quirk(Quirk, ModelError),
}

/// A part of a request that a server doesn't take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    /// `response_format` or its schema.
    NoResponseFormat,
    /// The cap has to be named `max_completion_tokens`.
    CompletionCap,
}

#[derive(Deserialize)]
pub(super) struct Completion {
    #[serde(default)]
    model: String,
    choices: Vec<Choice>,
    usage: Option<TokenCounts>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Value>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Called>>,
}

#[derive(Deserialize)]
struct Called {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: String,
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct TokenCounts {
    #[serde(default, deserialize_with = "usage::count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "usage::count")]
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<CachedCounts>,
}

#[derive(Deserialize)]
struct CachedCounts {
    #[serde(default, deserialize_with = "usage::count")]
    cached_tokens: Option<u64>,
}

/// Tells a good answer from an error and reads it with `take`.
pub(super) fn read<B: DeserializeOwned, T>(
    connection: &Connection,
    head: &Head,
    body: &[u8],
    take: impl FnOnce(B) -> Result<T, String>,
) -> Verdict<Heard<T>> {
    let hopeless = |why: &str| {
        Verdict::Hopeless(ModelError::Unreadable {
            provider: connection.name.clone(),
            why: connection.shown(why),
        })
    };
    if let (true, Err(why)) = (head.status.is_success(), bulk::check(body)) {
        return hopeless(&why);
    }
    if let Some(failure) = failure(head.status.as_u16(), body) {
        return match quirk(&failure) {
            Some(quirk) => Verdict::Good(Heard::Quirk(
                quirk,
                ModelError::Refused {
                    provider: connection.name.clone(),
                    status: failure.status,
                    what: Refusal::Request,
                    why: connection.shown(&failure.message),
                },
            )),
            None => Verdict::Failed(failure),
        };
    }
    let body = serde_json::from_slice(body).map_err(|error| error.to_string());
    match body.and_then(take) {
        Ok(value) => Verdict::Good(Heard::Good(value)),
        Err(why) => hopeless(&why),
    }
}

fn quirk(failure: &Failure) -> Option<Quirk> {
    if !matches!(failure.status, 400 | 422) {
        return None;
    }
    let names = |word: &str| failure.message.contains(word);
    if names("response_format") || names("json_schema") {
        Some(Quirk::NoResponseFormat)
    } else if names("max_completion_tokens") {
        Some(Quirk::CompletionCap)
    } else {
        None
    }
}

/// The failure that an answer is: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`,
/// `{"detail": …}`, or any text.
fn failure(status: u16, text: &[u8]) -> Option<Failure> {
    let body: Option<Value> = serde_json::from_slice(text).ok();
    let error = body.as_ref().and_then(|body| body.get("error")).filter(|error| !error.is_null());
    if (200..300).contains(&status) && error.is_none() {
        return None;
    }
    let field = |name: &str| error.and_then(|error| error.get(name));
    let words = [field("message"), error]
        .into_iter()
        .chain(["message", "detail"].map(|name| body.as_ref().and_then(|body| body.get(name))))
        .flatten()
        .next();
    let mut message = match words {
        Some(Value::String(words)) => words.clone(),
        Some(other) => other.to_string(),
        None => String::from_utf8_lossy(text).into_owned(),
    };
    if let Some(param) = field("param").and_then(Value::as_str)
        && !message.contains(param)
    {
        message.push_str(&format!(" (parameter {param})"));
    }
    let status = match status {
        // Some gateways put the status into the body only.
        200..=299 => field("code")
            .and_then(Value::as_u64)
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| (400..600).contains(code))
            .unwrap_or(500),
        status => status,
    };
    let spent =
        ["code", "type"].iter().any(|name| field(name).and_then(Value::as_str) == Some("insufficient_quota"));
    Some(Failure { status, message, spent })
}

/// A reply, or what is wrong with it.
pub(super) fn completion(
    connection: &Connection,
    completion: Completion,
    request_id: Option<String>,
    request: &Request,
) -> Result<Reply, String> {
    let choice = completion.choices.into_iter().next().ok_or("the reply has no choices")?;
    let called = choice.message.tool_calls.unwrap_or_default();
    bulk::check_blocks(called.len())?;
    let calls = calls(called, &request.ask);
    let mut stop = match choice.finish_reason.as_deref() {
        Some("stop") => Stop::End,
        Some("length") => Stop::Length,
        Some("content_filter") => Stop::Refusal,
        Some("tool_calls" | "function_call") if !calls.is_empty() => Stop::ToolUse,
        Some(unasked @ ("tool_calls" | "function_call")) => {
            return Err(match request.ask {
                Ask::Stage { .. } => format!("the reply stopped for {unasked}, with no tools offered"),
                Ask::Conversation { .. } => format!("the reply stopped for {unasked} and calls none"),
            });
        }
        Some(unknown) => {
            let finish_reason = connection.shown(unknown);
            tracing::warn!(finish_reason, "unknown finish reason, taken as an end");
            Stop::End
        }
        // Small servers leave it out; a text that was cut shows when it is parsed.
        None => Stop::End,
    };
    // Some servers say `stop` whatever comes before it.
    if stop == Stop::End && !calls.is_empty() {
        stop = Stop::ToolUse;
    }
    let mut text = match choice.message.content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            bulk::check_blocks(parts.len())?;
            let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
            texts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        Some(Value::Null) | None => String::new(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            return Err("the reply's content is neither text nor parts".to_owned());
        }
    };
    if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.is_empty()) {
        stop = Stop::Refusal;
        text = refusal;
    }
    let reported = completion.usage.map(|counts| Usage {
        input_tokens: counts.prompt_tokens.unwrap_or(0),
        cached_tokens: counts.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0),
        cache_write_tokens: 0,
        output_tokens: counts.completion_tokens.unwrap_or(0),
    });
    let called = calls.iter().map(|call| call.name.len() + call.arguments.len());
    let usage = usage::sound(reported, request, text.len() + called.sum::<usize>());
    Ok(Reply {
        text: without_thoughts(text),
        calls,
        content: None,
        stop,
        usage,
        cost: None,
        model: completion.model,
        request_id,
    })
}

/// The calls of a reply. Ids that are missing, or that name two calls, are made up: from the
/// length of the conversation, so that they are its only ones.
fn calls(called: Vec<Called>, ask: &Ask) -> Vec<ToolUse> {
    let turn = match ask {
        Ask::Stage { .. } => return Vec::new(),
        Ask::Conversation { turns, .. } => turns.len() + 1,
    };
    let mut taken = BTreeSet::new();
    let with_id = |(number, called): (usize, Called)| {
        let given = called.id.filter(|id| !id.trim().is_empty() && !taken.contains(id));
        let id = given.unwrap_or_else(|| format!("call_{turn}_{}", number + 1));
        taken.insert(id.clone());
        let arguments = match called.function.arguments {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(value) => value.to_string(),
        };
        ToolUse { id, name: called.function.name, arguments }
    };
    called.into_iter().enumerate().map(with_id).collect()
}

/// Open reasoning models put their thoughts before the reply.
fn without_thoughts(text: String) -> String {
    match text.trim_start().strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, reply)) => reply.trim_start().to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_before_a_reply_are_left_out() {
        assert_eq!(without_thoughts("\n<think>{\"a\":1}</think>\n{}".into()), "{}");
        assert_eq!(without_thoughts("{\"a\":\"<think>\"}".into()), "{\"a\":\"<think>\"}");
        assert_eq!(without_thoughts("<think>cut off".into()), "<think>cut off");
    }
}
