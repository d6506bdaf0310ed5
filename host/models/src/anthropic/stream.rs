//! A reply of the Messages API that comes as a stream of events.
//!
//! Owns: putting the message together. Doesn't own: splitting bytes into events, what the
//! message means. Unknown events and changes are passed over.

use super::reply::{Block, ErrorBody, ErrorDetails, Message, TokenCounts};
use crate::bulk;
use crate::spending::Used;
use crate::sse::{Event, Listener};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The message so far.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    message: Message,
    blocks: BTreeMap<u64, Block>,
    /// The server has counted what the model wrote: it does so at the end.
    is_counted: bool,
    end: Option<End>,
}

/// Why nothing more is heard.
#[derive(Debug)]
enum End {
    /// The message is complete.
    Message,
    /// The server said no in the middle of it.
    Failed(ErrorDetails),
    /// It isn't what the API promises.
    Wrong(String),
}

/// What became of a stream.
#[derive(Debug)]
pub(super) enum Streamed {
    Message(Message),
    Failed(ErrorDetails),
    Wrong(String),
    /// It ended before the message did.
    CutOff,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Told {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: Value,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<TokenCounts>,
    },
    MessageStop,
    Error {
        error: ErrorDetails,
    },
    /// `ping`, and what there will be.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Ending {
    stop_reason: Option<String>,
    stop_details: Option<Value>,
}

impl Listener for Stream {
    const STREAMS: bool = true;

    fn hear(&mut self, event: Event) -> ControlFlow<()> {
        let read = || serde_json::from_str(&event.data).map_err(|error| error.to_string());
        let end = match bulk::check(event.data.as_bytes()).and_then(|()| read()) {
            Ok(told) => self.take(told),
            // Some gateways tell an error without saying that it is one.
            Err(why) => Some(match serde_json::from_str::<ErrorBody>(&event.data) {
                Ok(body) => End::Failed(body.error),
                Err(_) => End::Wrong(format!("the event {}: {why}", event.name)),
            }),
        };
        match end {
            None => ControlFlow::Continue(()),
            Some(end) => {
                self.end = Some(end);
                ControlFlow::Break(())
            }
        }
    }
    fn used(&self) -> Used {
        let written = self.blocks.values().map(Block::written).sum();
        Used {
            reported: self.message.usage.as_ref().map(TokenCounts::total).unwrap_or_default(),
            uncounted: if self.is_counted { 0 } else { written },
        }
    }
}

impl Stream {
    fn take(&mut self, told: Told) -> Option<End> {
        match told {
            Told::MessageStart { message } => self.message = message,
            Told::ContentBlockStart { index, content_block } => {
                self.blocks.insert(index, Block::from(content_block));
                if let Err(why) = bulk::check_blocks(self.blocks.len()) {
                    return Some(End::Wrong(why));
                }
            }
            Told::ContentBlockDelta { index, delta } => match self.blocks.get_mut(&index) {
                Some(block) => {
                    if let Err(why) = block.change(delta) {
                        return Some(End::Wrong(why));
                    }
                }
                None => return Some(End::Wrong(format!("a change of block {index}, which never started"))),
            },
            Told::ContentBlockStop { index } => {
                if let Some(block) = self.blocks.get_mut(&index) {
                    block.close();
                }
            }
            Told::MessageDelta { delta, usage } => {
                self.message.stop_reason = delta.stop_reason.or(self.message.stop_reason.take());
                self.message.stop_details = delta.stop_details.or(self.message.stop_details.take());
                if let Some(usage) = usage {
                    self.is_counted = true;
                    self.message.usage = Some(usage.over(self.message.usage.take()));
                }
            }
            Told::MessageStop => return Some(End::Message),
            Told::Error { error } => return Some(End::Failed(error)),
            Told::Other => {}
        }
        None
    }

    /// What became of it, once nothing more comes.
    pub(super) fn end(self) -> Streamed {
        match self.end {
            None => Streamed::CutOff,
            Some(End::Failed(error)) => Streamed::Failed(error),
            Some(End::Wrong(why)) => Streamed::Wrong(why),
            Some(End::Message) => {
                let mut message = self.message;
                message.content.extend(self.blocks.into_values().map(|mut block| {
                    block.close();
                    block
                }));
                Streamed::Message(message)
            }
        }
    }
}
