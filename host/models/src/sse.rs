//! Server-sent events.
//!
//! Owns: making events of bytes that come in pieces of any size. Doesn't own: what an event
//! means, how much is read.

use crate::spending::Used;
use std::ops::ControlFlow;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name; empty when it has none.
    pub(crate) name: String,
    /// Its data, lines joined.
    pub(crate) data: String,
}

/// Takes events as they come in.
pub(crate) trait Listener: Default + Send {
    /// Whether events are expected at all.
    const STREAMS: bool;

    /// Takes one event; breaks when nothing after it matters.
    fn hear(&mut self, event: Event) -> ControlFlow<()>;

    /// What is known so far of what the exchange used.
    fn used(&self) -> Used;
}

/// For answers that come whole.
#[derive(Debug, Default)]
pub(crate) struct Whole;

impl Listener for Whole {
    const STREAMS: bool = false;

    fn hear(&mut self, _event: Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn used(&self) -> Used {
        Used::default()
    }
}

/// What has come in of the event under way.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    /// The last byte ended a line, and a line feed after it belongs to that end.
    after_return: bool,
    begun: bool,
    name: String,
    data: Option<String>,
}

impl Decoder {
    /// Takes the next bytes and hands on each event that they complete.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        mut hear: impl FnMut(Event) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\r' | b'\n' => {
                    if let Some(event) = self.line_ended() {
                        hear(event)?;
                    }
                }
                byte => self.line.push(byte),
            }
        }
        ControlFlow::Continue(())
    }

    /// The event that an empty line completes.
    fn line_ended(&mut self) -> Option<Event> {
        // Only whole lines are decoded, so a character may be split between pieces.
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let first = !std::mem::replace(&mut self.begun, true);
        let line = if first { text.strip_prefix('\u{feff}').unwrap_or(&text) } else { &text };
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            return self.data.take().map(|data| Event { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_owned(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // A comment has no field; ids and waits are for clients that reconnect.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let mut heard = Vec::new();
        for piece in pieces {
            let flow = decoder.feed(piece, |event| {
                heard.push((event.name, event.data));
                ControlFlow::Continue(())
            });
            assert_eq!(flow, ControlFlow::Continue(()));
        }
        heard
    }

    fn of(text: &str) -> Vec<(String, String)> {
        events([text.as_bytes()])
    }

    fn event(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn an_event_has_a_name_and_lines_of_data() {
        assert_eq!(of("event: a\ndata: 1\ndata:  2\ndata\n\n"), [event("a", "1\n 2\n")]);
        assert_eq!(of("\u{feff}data:x\n\nevent: b\n\ndata: y\n\n"), [event("", "x"), event("", "y")]);
    }

    #[test]
    fn lines_end_in_every_way() {
        let expected = [event("a", "1"), event("", "2")];
        for end in ["\n", "\r\n", "\r"] {
            let text = "event: a\ndata: 1\n\ndata: 2\n\n".replace('\n', end);
            assert_eq!(of(&text), expected, "{end:?}");
        }
    }

    #[test]
    fn comments_and_unknown_fields_are_passed_over() {
        assert_eq!(of(": hello\nid: 7\nretry: 3\nfuture: x\ndata: 1\n\n: bye\n\n"), [event("", "1")]);
    }

    #[test]
    fn an_event_that_was_cut_off_is_none() {
        assert_eq!(of("data: 1\n\ndata: 2\n"), [event("", "1")]);
    }

    #[test]
    fn nothing_is_heard_after_the_last_event() {
        let mut decoder = Decoder::default();
        let mut heard = 0;
        let flow = decoder.feed(b"data: 1\n\ndata: 2\n\n", |_| {
            heard += 1;
            ControlFlow::Break(())
        });
        assert_eq!((flow, heard), (ControlFlow::Break(()), 1));
    }

    proptest! {
        #[test]
        fn the_pieces_that_bytes_come_in_make_no_difference(
            lines in proptest::collection::vec("(data|event|:|id)?(: )?[a-zé日 ]{0,8}", 0..12),
            end in "\n|\r\n|\r",
            size in 1usize..9,
        ) {
            let text = lines.iter().flat_map(|line| [line.as_str(), &end]).collect::<String>() + &end;
            prop_assert_eq!(events(text.as_bytes().chunks(size)), of(&text));
        }
    }
}
