//! What is kept of an answer while it comes in.
//!
//! Owns: the bound on its size, telling a stream of events from a whole body. Doesn't own:
//! waiting for it.

use crate::spending::Used;
use crate::sse::{Decoder, Listener, Whole};
use crate::usage;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use std::ops::ControlFlow;

/// Bytes of an error that are read.
const ERROR_BYTES: usize = 1 << 20;

/// An answer's body so far.
pub(crate) struct Intake<L> {
    limit: usize,
    taken: usize,
    is_success: bool,
    body: Vec<u8>,
    events: Option<(Decoder, L)>,
}

/// What to do after a piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Read on.
    More,
    /// The rest doesn't matter.
    Enough,
    /// There is more than is taken.
    TooMuch,
}

impl<L: Listener> Intake<L> {
    /// For an answer with this head, of which at most `limit` bytes are taken.
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, limit: usize) -> Self {
        let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let streams = L::STREAMS
            && status.is_success()
            && kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream");
        Self {
            limit: if status.is_success() { limit } else { limit.min(ERROR_BYTES) },
            taken: 0,
            is_success: status.is_success(),
            body: Vec::new(),
            events: streams.then(Default::default),
        }
    }

    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Next {
        let room = self.limit.saturating_sub(self.taken);
        if piece.len() > room {
            if self.is_success {
                return Next::TooMuch;
            }
            // An error's first words are enough.
            self.body.extend(piece.iter().take(room));
            return Next::Enough;
        }
        self.taken += piece.len();
        match &mut self.events {
            None => self.body.extend_from_slice(piece),
            Some((decoder, listener)) => {
                if let ControlFlow::Break(()) = decoder.feed(piece, |event| listener.hear(event)) {
                    return Next::Enough;
                }
            }
        }
        Next::More
    }

    /// What the exchange has used by now: a body that comes as a whole is counted by its length until
    /// it is there.
    pub(crate) fn heard(&self) -> Used {
        match &self.events {
            None => Used { uncounted: self.body.len(), ..Used::default() },
            Some((_, listener)) => listener.used(),
        }
    }

    /// The body, or what was heard.
    pub(crate) fn end(self) -> Body<L> {
        match self.events {
            Some((_, listener)) => Body::Events(listener),
            None => Body::Whole(self.body),
        }
    }
}

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Body<L> {
    /// As it stands.
    Whole(Vec<u8>),
    /// What was made of its events.
    Events(L),
}

impl<L: Listener> Body<L> {
    /// What is known of what the exchange used.
    pub(crate) fn used(&self) -> Used {
        match self {
            Self::Whole(bytes) => match usage::reported(bytes) {
                Some(reported) => Used { reported, uncounted: 0 },
                None => Used { uncounted: bytes.len(), ..Used::default() },
            },
            Self::Events(listener) => listener.used(),
        }
    }
}

impl Body<Whole> {
    /// The bytes: nothing listens to events here.
    pub(crate) fn bytes(self) -> Vec<u8> {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Events(Whole) => Vec::new(),
        }
    }
}
