//! Carries an answer out on a connection.

use super::answer::{Answer, Delivery};
use super::cache::Counted;
use super::message::{Message, ping, written};
use super::{Asked, Shared, chat, conversation, http};
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

const EVENTS: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

/// One accepted request and the connection that it came on.
pub(super) struct Exchange<'s> {
    pub(super) shared: &'s Shared,
    pub(super) connection: &'s mut http::Connection,
    pub(super) asked: &'s Asked,
    pub(super) chat: bool,
    pub(super) counted: Counted,
}

/// What comes after the first half of an answer.
enum Then<'k> {
    Closed,
    Ended,
    Silence,
    Pings,
    Failure(&'k str),
}

impl Exchange<'_> {
    /// Whether the connection can be used again.
    pub(super) fn send(&mut self, answer: Answer, delivery: Delivery) -> bool {
        if let Some(completion) = self.chat.then(|| chat::completion(self.asked, &answer)).flatten() {
            let (id, body) = (self.request_id(), completion.to_string());
            return self.connection.send_in_pieces(JSON, &[id], body.as_bytes(), delivery);
        }
        match answer {
            Answer::Json(value) => self.say(Message::of_json(self.asked, value), delivery),
            Answer::Text { text, stop_reason } => {
                self.say(Message::of_text(self.asked, &text, stop_reason), delivery)
            }
            Answer::Calls { text, calls } => self.say(Message::of_calls(self.asked, &text, calls), delivery),
            Answer::Blocks { content, stop_reason } => {
                self.say(Message::of_blocks(content, stop_reason), delivery)
            }
            Answer::Failure { status, kind, headers } => {
                failure(self.connection, self.chat, status, kind, "scripted", &headers)
            }
            Answer::Invalid { message } => {
                failure(self.connection, self.chat, 400, "invalid_request_error", &message, &[])
            }
            Answer::SpendLimit => {
                let body = json!({ "type": "error", "error": {
                    "type": "rate_limit_error", "message": "your limit is reached",
                    "details": { "error_code": "enforced_spend_limit_reached" },
                }});
                self.connection.send(429, &[], body.to_string().as_bytes())
            }
            Answer::FailInBody { kind } => self.half(Then::Failure(kind)),
            Answer::Body(body) => self.connection.send(200, &[self.request_id()], &body),
            Answer::Events(events) => {
                self.connection.send_in_pieces(EVENTS, &[self.request_id()], &events, delivery)
            }
            Answer::Close => false,
            Answer::CloseInBody => self.half(Then::Closed),
            Answer::EndInBody => self.half(Then::Ended),
            Answer::Hang => {
                self.shared.hang();
                false
            }
            Answer::HangInBody => self.half(Then::Silence),
            Answer::PingForever => self.half(Then::Pings),
            Answer::After { requests, answer } => {
                self.shared.await_requests(requests);
                self.send(*answer, delivery)
            }
            Answer::Sent { answer, delivery } => self.send(*answer, delivery),
        }
    }

    fn request_id(&self) -> (&'static str, String) {
        let name = if self.chat { "x-request-id" } else { "request-id" };
        (name, format!("req_{:04}", self.asked.number))
    }

    fn streams(&self) -> bool {
        self.asked.body["stream"] == true
    }

    fn say(&mut self, message: Message, delivery: Delivery) -> bool {
        let paused = message.stop_reason == "pause_turn";
        if paused || self.asked.body.get("tools").is_some() {
            self.shared.remember(conversation::Said::new(&self.asked.body, &message.content, paused));
        }
        let id = self.request_id();
        if self.streams() {
            let events = message.events(self.asked, self.counted);
            return self.connection.begin(EVENTS, &[id])
                && events
                    .iter()
                    .all(|event| self.connection.pieces(written(event, delivery).as_bytes(), delivery))
                && self.connection.end();
        }
        let body = message.body(self.asked, self.counted).to_string();
        match delivery {
            Delivery::Whole => self.connection.send(200, &[id], body.as_bytes()),
            Delivery::Bytes | Delivery::InCharacters | Delivery::CarriageReturns | Delivery::ManyLines => {
                self.connection.send_in_pieces(JSON, &[id], body.as_bytes(), delivery)
            }
        }
    }

    /// The first half of a stream, or of a body; the connection can't be used again.
    fn half(&mut self, then: Then) -> bool {
        if self.streams() {
            let message = Message::of_text(self.asked, "{\"this is\": \"the first half", "end_turn");
            let events = message.events(self.asked, self.counted);
            let began = self.connection.begin(EVENTS, &[self.request_id()]);
            let told = events.iter().take(events.len() / 2);
            if !began || !told.into_iter().all(|event| self.event(event)) {
                return false;
            }
        } else if !self.connection.send_half() {
            return false;
        }
        match then {
            Then::Closed => {}
            Then::Ended => {
                self.connection.end();
            }
            Then::Silence => self.shared.hang(),
            Then::Pings => {
                while self.event(&ping()) {
                    thread::sleep(Duration::from_millis(5));
                }
            }
            Then::Failure(kind) => {
                let error = json!({ "type": kind, "message": "scripted" });
                self.event(&json!({ "type": "error", "error": error }));
            }
        }
        false
    }

    fn event(&mut self, event: &Value) -> bool {
        let text = written(event, Delivery::Whole);
        self.connection.pieces(text.as_bytes(), Delivery::Whole)
    }
}

/// Sends an error of the API.
pub(super) fn failure(
    connection: &mut http::Connection,
    chat: bool,
    status: u16,
    kind: &str,
    message: &str,
    headers: &[(&'static str, String)],
) -> bool {
    let body = if chat {
        chat::error(kind, message)
    } else {
        json!({ "type": "error", "error": { "type": kind, "message": message } })
    };
    connection.send(status, headers, body.to_string().as_bytes())
}
