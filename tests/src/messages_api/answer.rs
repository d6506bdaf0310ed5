//! What a test can have the server do with a request.

use serde_json::Value;

/// What happens to a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// This value, in the form that the request's schema forces it into.
    Json(Value),
    /// This text, whatever was asked for, with this reason to stop.
    Text {
        /// The text block.
        text: String,
        /// `end_turn`, `max_tokens`, `refusal`, …
        stop_reason: &'static str,
    },
    /// These tools are called, after these words.
    Calls {
        /// Empty for none.
        text: String,
        /// In this order.
        calls: Vec<Called>,
    },
    /// These content blocks of the Messages API, with this reason to stop.
    Blocks {
        /// As they are.
        content: Vec<Value>,
        /// `end_turn`, `pause_turn`, …
        stop_reason: &'static str,
    },
    /// An error of the API.
    Failure {
        /// HTTP status.
        status: u16,
        /// `overloaded_error`, …
        kind: &'static str,
        /// More headers, such as `retry-after`.
        headers: Vec<(&'static str, String)>,
    },
    /// 400 with these words.
    Invalid {
        /// What the server doesn't take.
        message: String,
    },
    /// The error of a spend limit that is enforced: a 429 that no wait helps.
    SpendLimit,
    /// An error of this kind in the middle of a stream that began well.
    FailInBody {
        /// `overloaded_error`, …
        kind: &'static str,
    },
    /// These bytes as the body of a 200.
    Body(Vec<u8>),
    /// These bytes as a stream of events.
    Events(Vec<u8>),
    /// The connection is closed without an answer.
    Close,
    /// The connection is closed in the middle of the answer.
    CloseInBody,
    /// The stream ends properly, but before the message does.
    EndInBody,
    /// No answer for as long as the server lives.
    Hang,
    /// The first half of the answer, then nothing for as long as the server lives.
    HangInBody,
    /// The first half of the answer, then pings for as long as the client stays.
    PingForever,
    /// This answer, as soon as so many requests have come in.
    After {
        /// Counted over all accepted requests.
        requests: usize,
        /// The answer.
        answer: Box<Answer>,
    },
    /// An answer that travels in an unusual way.
    Sent {
        /// The answer.
        answer: Box<Answer>,
        /// How it travels.
        delivery: Delivery,
    },
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Its id; made up by the Messages API and left out by chat completions where there is none.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// JSON, or whatever else a model writes.
    pub arguments: String,
}

impl Called {
    /// A call without an id of its own.
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: None, name: name.into(), arguments: arguments.into() }
    }
}

/// How an answer's bytes travel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Event by event.
    #[default]
    Whole,
    /// One byte a packet.
    Bytes,
    /// Cut within every character of more than one byte.
    InCharacters,
    /// Lines end with a carriage return and a line feed, and packets between the two.
    CarriageReturns,
    /// Each event's data takes many lines.
    ManyLines,
}

impl Answer {
    /// A text that ends by itself.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), stop_reason: "end_turn" }
    }

    /// A text that the output cap cut off.
    pub fn truncated(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), stop_reason: "max_tokens" }
    }

    /// A refusal to go on after this text.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), stop_reason: "refusal" }
    }

    /// Calls of tools, after these words.
    pub fn calls(text: impl Into<String>, calls: impl IntoIterator<Item = Called>) -> Self {
        Self::Calls { text: text.into(), calls: calls.into_iter().collect() }
    }

    /// 429, to be tried again after so many milliseconds.
    pub fn rate_limited(retry_after_ms: u64) -> Self {
        Self::rate_limited_with("retry-after-ms", retry_after_ms.to_string())
    }

    /// 429, to be tried again after so many seconds, fractions included.
    pub fn rate_limited_seconds(seconds: f64) -> Self {
        Self::rate_limited_with("retry-after", seconds.to_string())
    }

    /// 429, to be tried again at this date as HTTP writes it.
    pub fn rate_limited_until(date: impl Into<String>) -> Self {
        Self::rate_limited_with("retry-after", date.into())
    }

    fn rate_limited_with(header: &'static str, value: String) -> Self {
        Self::Failure { status: 429, kind: "rate_limit_error", headers: vec![(header, value)] }
    }

    /// 529, to be tried again almost at once.
    pub fn overloaded() -> Self {
        let headers = vec![("retry-after-ms", "5".to_owned())];
        Self::Failure { status: 529, kind: "overloaded_error", headers }
    }

    /// 500, to be tried again almost at once.
    pub fn internal_error() -> Self {
        let headers = vec![("retry-after-ms", "5".to_owned())];
        Self::Failure { status: 500, kind: "api_error", headers }
    }

    /// An error of the caller's making, in these words.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid { message: message.into() }
    }

    /// The same, as soon as so many requests have come in.
    pub fn after(self, requests: usize) -> Self {
        Self::After { requests, answer: Box::new(self) }
    }

    /// The same, travelling like this.
    pub fn sent(self, delivery: Delivery) -> Self {
        Self::Sent { answer: Box::new(self), delivery }
    }
}
