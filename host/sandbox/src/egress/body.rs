//! Bodies as they pass: counted, bounded in time, and without secrets. One piece at a time is in
//! memory, and none is read before the one before it was taken.

use super::log::{InFlight, SentMeter};
use super::scrub::Scrubbing;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::time::{Sleep, sleep, sleep_until};
use wasmtime_wasi_http::{Error, WasiBody};

/// A request's body on its way out.
pub(super) struct SentBody {
    body: WasiBody,
    meter: SentMeter,
}

impl SentBody {
    pub(super) fn new(body: WasiBody, meter: SentMeter) -> Self {
        Self { body, meter }
    }
}

impl Body for SentBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
            Some(Ok(frame)) => frame,
            end @ (None | Some(Err(_))) => return Poll::Ready(end),
        };
        Poll::Ready(Some(match frame.data_ref().map(Bytes::len) {
            Some(bytes) => match self.meter.sent(bytes) {
                Ok(()) => Ok(frame),
                Err(_) => Err(Error::HttpRequestBodySize(None)),
            },
            // They come after the headers were judged.
            None => Err(Error::HttpRequestTrailerSectionSize(Some(0))),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A reply's body on its way in.
pub(super) struct ReplyBody {
    incoming: Incoming,
    in_flight: InFlight,
    scrubbing: Scrubbing,
    /// When the whole request must be over.
    deadline: Pin<Box<Sleep>>,
    /// What the guest asked for: the most between two pieces.
    pause: Option<(Duration, Pin<Box<Sleep>>)>,
    is_over: bool,
}

impl ReplyBody {
    pub(super) fn new(
        incoming: Incoming,
        in_flight: InFlight,
        until: Instant,
        longest_pause: Option<Duration>,
    ) -> Self {
        Self {
            incoming,
            scrubbing: Scrubbing::new(in_flight.log().scrubs().replies.clone()),
            in_flight,
            deadline: Box::pin(sleep_until(until.into())),
            pause: longest_pause.map(|pause| (pause, Box::pin(sleep(pause)))),
            is_over: false,
        }
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        loop {
            if self.deadline.as_mut().poll(context).is_ready() {
                self.in_flight.is_late();
                return Poll::Ready(Some(Err(Error::HttpResponseTimeout)));
            }
            let frame = match Pin::new(&mut self.incoming).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(broken(&error)))),
                Poll::Ready(None) => {
                    self.is_over = true;
                    let rest = self.scrubbing.end();
                    return Poll::Ready((!rest.is_empty()).then_some(Ok(rest)));
                }
                Poll::Pending => {
                    if let Some((_, pause)) = &mut self.pause {
                        ready!(pause.as_mut().poll(context));
                        return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
                    }
                    return Poll::Pending;
                }
            };
            if let Some((longest, pause)) = &mut self.pause {
                let now = tokio::time::Instant::now();
                pause.as_mut().reset(now.checked_add(*longest).unwrap_or(now));
            }
            // Trailers are dropped: they come after the headers were looked at.
            let Ok(piece) = frame.into_data() else { continue };
            if self.in_flight.received(piece.len()).is_err() {
                return Poll::Ready(Some(Err(Error::HttpResponseBodySize(None))));
            }
            let piece = self.scrubbing.next(piece);
            if !piece.is_empty() {
                return Poll::Ready(Some(Ok(piece)));
            }
        }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let piece = ready!(self.poll_piece(context));
        if matches!(piece, Some(Err(_))) {
            self.is_over = true;
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || (self.scrubbing.is_idle() && self.incoming.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        if self.scrubbing.is_idle() { self.incoming.size_hint() } else { SizeHint::default() }
    }
}

/// What a guest is told of a connection that failed.
pub(super) fn broken(error: &hyper::Error) -> Error {
    tracing::debug!(%error, "a request failed");
    if error.is_incomplete_message() {
        Error::HttpResponseIncomplete
    } else if error.is_timeout() {
        Error::HttpResponseTimeout
    } else if error.is_parse() {
        Error::HttpProtocolError
    } else {
        Error::ConnectionTerminated
    }
}
