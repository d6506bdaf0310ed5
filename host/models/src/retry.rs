//! When a request is made again, and after how long.
//!
//! Owns: which failures are worth another try, the server's own timing, the growing wait.
//! Doesn't own: how a failure is recognised in a provider's body.

use crate::exchange::{Broken, Cause, Connection, Head};
use crate::intake::Body;
use crate::spending::Account;
use crate::sse::Listener;
use crate::{ModelError, Usage};
use reqwest::Method;
use reqwest::header::HeaderMap;
use std::time::{Duration, SystemTime};

/// What a provider made of an answer.
pub(crate) enum Verdict<T> {
    /// It is what was asked for.
    Good(T),
    /// The server said no.
    Failed(Failure),
    /// It ended before its end: the network's failure.
    CutOff(String),
    /// Nothing can be made of it.
    Hopeless(ModelError),
}

impl<T> Verdict<T> {
    /// The same with another good value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Self::Good(value) => Verdict::Good(change(value)),
            Self::Failed(failure) => Verdict::Failed(failure),
            Self::CutOff(why) => Verdict::CutOff(why),
            Self::Hopeless(error) => Verdict::Hopeless(error),
        }
    }
}

/// A failure in the server's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The HTTP status, or the one that the body's error type stands for.
    pub(crate) status: u16,
    /// What the server said.
    pub(crate) message: String,
    /// Money or quota is used up: no wait helps.
    pub(crate) spent: bool,
}

/// Sends a request until it is answered, is refused for good, or the tries are used up. What the
/// tries that failed used is added to the account; what the answer used is the caller's to add.
pub(crate) async fn until_answered<L: Listener, T>(
    connection: &Connection,
    method: Method,
    path: &str,
    body: Option<&[u8]>,
    account: &mut Account<'_>,
    read: impl Fn(&Head, Body<L>) -> Verdict<T>,
) -> Result<T, ModelError> {
    let transport = &connection.transport;
    let unreachable = |why| (ModelError::Unreachable { provider: connection.name.clone(), why }, None);
    let mut attempt = 1;
    loop {
        let (error, asked) = match connection.send(method.clone(), path, body, account).await {
            Err(Broken { cause, used }) => {
                if let Some(used) = used {
                    account.add_lost(used);
                }
                match cause {
                    Cause::Final(error) => return Err(error),
                    Cause::Network(why) => unreachable(why),
                }
            }
            Ok((head, _)) if head.status.is_redirection() => return Err(connection.redirected(&head)),
            Ok((head, body)) => {
                let used = body.used();
                match read(&head, body) {
                    Verdict::Good(value) => return Ok(value),
                    Verdict::Hopeless(error) => {
                        account.add_lost(used);
                        return Err(error);
                    }
                    Verdict::CutOff(why) => {
                        account.add_lost(used);
                        unreachable(why)
                    }
                    Verdict::Failed(failure) => {
                        // A request that was refused before the model began used nothing.
                        if used.reported != Usage::default() {
                            account.add_lost(used);
                        }
                        let error = named(connection, &head, &failure);
                        if !worth_repeating(&failure, &head.headers) {
                            return Err(error);
                        }
                        (error, asked_wait(&head.headers, SystemTime::now()))
                    }
                }
            }
        };
        if let Some(wait) = asked.filter(|wait| *wait > transport.max_server_wait) {
            return Err(wait_too_long(error, wait));
        }
        if account.is_used_up() {
            return Err(with_note(error, "; the budget has no room for another try"));
        }
        if attempt >= transport.attempts {
            return Err(tried(error, attempt));
        }
        let wait = next_wait(attempt, asked, transport.first_wait, transport.max_wait);
        tracing::warn!(
            provider = %connection.name,
            attempt,
            of = transport.attempts,
            wait_ms = wait.as_millis() as u64,
            asked_for_by_server = asked.is_some(),
            %error,
            "the model's server failed; asking again"
        );
        account.forget();
        tokio::time::sleep(wait).await;
        attempt += 1;
    }
}

/// Whether the same request may be answered later.
fn worth_repeating(failure: &Failure, headers: &HeaderMap) -> bool {
    if failure.spent {
        return false;
    }
    match headers.get("x-should-retry").and_then(|value| value.to_str().ok()) {
        Some("true") => true,
        Some("false") => false,
        Some(_) | None => matches!(failure.status, 408 | 409 | 429 | 500..=599),
    }
}

fn named(connection: &Connection, head: &Head, failure: &Failure) -> ModelError {
    let provider = connection.name.clone();
    let status = failure.status;
    let mut why = connection.shown(&failure.message);
    let header = |name| connection.header(head, name);
    if let Some(id) = header("request-id").or_else(|| header("x-request-id")) {
        why = format!("{why} (request {})", connection.shown(&id));
    }
    if worth_repeating(failure, &head.headers) {
        ModelError::Busy { provider, status, why }
    } else {
        let (what, advice) = connection.refusal(status);
        ModelError::Refused { provider, status, what, why: why + &advice }
    }
}

fn with_note(error: ModelError, note: &str) -> ModelError {
    match error {
        ModelError::Unreachable { provider, why } => {
            ModelError::Unreachable { provider, why: format!("{why}{note}") }
        }
        ModelError::Busy { provider, status, why } => {
            ModelError::Busy { provider, status, why: format!("{why}{note}") }
        }
        ModelError::Refused { .. }
        | ModelError::Unreadable { .. }
        | ModelError::Unsupported { .. }
        | ModelError::Paid { .. } => error,
    }
}

fn tried(error: ModelError, attempts: u32) -> ModelError {
    if attempts == 1 { error } else { with_note(error, &format!("; tried {attempts} times")) }
}

fn wait_too_long(error: ModelError, wait: Duration) -> ModelError {
    let until = SystemTime::now()
        .checked_add(wait)
        .filter(|until| *until < SystemTime::UNIX_EPOCH + A_LONG_TIME)
        .map(|until| format!(", until {}", httpdate::fmt_http_date(until)))
        .unwrap_or_default();
    with_note(error, &format!("; it asks to wait {} s{until}", wait.as_secs()))
}

/// The last year that an HTTP date can name is 9999.
const A_LONG_TIME: Duration = Duration::from_secs(250_000_000_000);

/// The wait that a server asks for: `retry-after-ms`, else `retry-after` in seconds or as
/// a date, which is taken by the server's own clock where it tells it.
fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str, unit: f64| {
        let amount: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(amount * unit).ok()
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| number(text, 0.001)) {
        return Some(wait);
    }
    let after = text("retry-after")?;
    number(after, 1.0).or_else(|| {
        let until = httpdate::parse_http_date(after).ok()?;
        let now = text("date").and_then(|text| httpdate::parse_http_date(text).ok()).unwrap_or(now);
        Some(until.duration_since(now).unwrap_or_default())
    })
}

/// How long to wait before the try after `attempt`.
fn next_wait(attempt: u32, asked: Option<Duration>, first: Duration, longest: Duration) -> Duration {
    let grown = first.saturating_mul(1 << (attempt - 1).min(16)).min(longest);
    match asked {
        // Never earlier than asked; a little later, so that not all come back at once.
        Some(asked) => asked + (grown / 10).min(asked / 10).mul_f64(rand::random::<f64>()),
        None => grown.mul_f64(0.75 + 0.25 * rand::random::<f64>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    fn asked(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        let now = httpdate::parse_http_date("Tue, 01 Sep 2026 10:00:00 GMT").unwrap();
        asked_wait(&headers(pairs), now)
    }

    #[test]
    fn the_servers_timing_is_read_in_all_its_forms() {
        assert_eq!(asked(&[("retry-after-ms", "1500")]), Some(Duration::from_millis(1500)));
        assert_eq!(asked(&[("retry-after", "3")]), Some(Duration::from_secs(3)));
        assert_eq!(asked(&[("retry-after", " 0.25 ")]), Some(Duration::from_millis(250)));
        let both = [("retry-after", "9"), ("retry-after-ms", "20")];
        assert_eq!(asked(&both), Some(Duration::from_millis(20)));
        let date = ("retry-after", "Tue, 01 Sep 2026 10:00:30 GMT");
        assert_eq!(asked(&[date]), Some(Duration::from_secs(30)));
        let by_its_clock = [date, ("date", "Tue, 01 Sep 2026 10:00:20 GMT")];
        assert_eq!(asked(&by_its_clock), Some(Duration::from_secs(10)));
        let past = [("retry-after", "Tue, 01 Sep 2026 09:00:00 GMT")];
        assert_eq!(asked(&past), Some(Duration::ZERO));
    }

    #[test]
    fn timing_that_makes_no_sense_is_ignored() {
        for nonsense in ["soon", "-1", "NaN", "inf", "1e300", ""] {
            assert_eq!(asked(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        let bad_first = [("retry-after-ms", "x"), ("retry-after", "2")];
        assert_eq!(asked(&bad_first), Some(Duration::from_secs(2)));
    }

    #[test]
    fn the_wait_grows_to_a_cap_and_is_never_shorter_than_asked() {
        let (first, longest) = (Duration::from_millis(500), Duration::from_secs(8));
        for attempt in 1..100 {
            let wait = next_wait(attempt, None, first, longest);
            let most = first.saturating_mul(1 << (attempt - 1).min(16)).min(longest);
            assert!(wait <= most && wait >= most.mul_f64(0.74), "{attempt}: {wait:?}");
            let asked = Duration::from_secs(2);
            let wait = next_wait(attempt, Some(asked), first, longest);
            assert!(wait >= asked && wait <= asked.mul_f64(1.11), "{attempt}: {wait:?}");
        }
    }

    #[test]
    fn only_failures_that_may_pass_are_worth_another_try() {
        let worth = |status, pairs: &[(&'static str, &str)]| {
            let failure = Failure { status, message: String::new(), spent: false };
            worth_repeating(&failure, &headers(pairs))
        };
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(worth(status, &[]), "{status}");
            assert!(!worth(status, &[("x-should-retry", "false")]), "{status}");
        }
        for status in [400, 401, 402, 403, 404, 413, 422] {
            assert!(!worth(status, &[]), "{status}");
            assert!(worth(status, &[("x-should-retry", "true")]), "{status}");
        }
        let spent = Failure { status: 429, message: String::new(), spent: true };
        assert!(!worth_repeating(&spent, &headers(&[("x-should-retry", "true")])));
    }
}
