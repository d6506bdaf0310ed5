//! What a connection brings, counted before anything is made of it.
//!
//! Owns: the bounds on bytes that no other meter sees, as they become neither a reply's headers nor
//! its body: interim replies, what frames chunks, records of TLS.

use super::limits::RequestLimits;
use super::log::NetworkLog;
use crate::limit::{Exceeded, LimitKind};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// However small the limit of headers, certificates have to fit.
const LEAST_BEFORE_REPLY: u64 = 256 << 10;
/// What may frame a body, besides as much again as it has.
const AROUND_BODIES: u64 = 1 << 20;

/// Counts what one request's connection brings.
#[derive(Clone)]
pub(super) struct WireMeter(Arc<Counted>);

struct Counted {
    log: Arc<NetworkLog>,
    read: AtomicU64,
    is_answered: AtomicBool,
}

impl WireMeter {
    pub(super) fn new(log: Arc<NetworkLog>) -> Self {
        Self(Arc::new(Counted { log, read: AtomicU64::new(0), is_answered: AtomicBool::new(false) }))
    }

    /// The reply's headers have come; what comes now is its body.
    pub(super) fn answered(&self) {
        self.0.is_answered.store(true, Ordering::Relaxed);
    }

    /// So many bytes more were read. Too many end the call.
    fn read(&self, bytes: usize) -> io::Result<()> {
        let Counted { log, read, is_answered } = self.0.as_ref();
        let bytes = bytes as u64;
        let used = read.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let limits = log.limits();
        let (most, which, limit) = match is_answered.load(Ordering::Relaxed) {
            false => (before_reply(limits), LimitKind::HeaderBytes, limits.header_bytes),
            true => (in_all(limits), LimitKind::ReceivedBytes, limits.received_bytes),
        };
        if used <= most {
            return Ok(());
        }
        let _ = log.exceed(Exceeded { which, limit, used });
        Err(io::Error::other("the connection brought more than the limits allow"))
    }
}

/// Until a reply's headers are complete.
fn before_reply(limits: &RequestLimits) -> u64 {
    limits.header_bytes.saturating_mul(4).max(LEAST_BEFORE_REPLY)
}

/// Until its end.
fn in_all(limits: &RequestLimits) -> u64 {
    let bodies = limits.received_bytes.saturating_mul(2).saturating_add(AROUND_BODIES);
    before_reply(limits).saturating_add(bodies)
}

/// A connection whose bytes are counted as they come.
pub(super) struct Metered<S> {
    stream: S,
    meter: WireMeter,
}

impl<S> Metered<S> {
    pub(super) fn new(stream: S, meter: WireMeter) -> Self {
        Self { stream, meter }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        Poll::Ready(self.meter.read(buffer.filled().len().saturating_sub(before)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
