//! The guest's standard output and standard error: kept up to a bound, counted beyond it.
//!
//! A write never fails and never traps: a tool that talks too much still gets to its result.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// The most that one write hands over.
const WRITE_BYTES: usize = 64 << 10;

/// One captured stream; clones write to the same place.
#[derive(Debug, Clone)]
pub(crate) struct Captured(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    written: u64,
}

impl Captured {
    pub(crate) fn new(limit_bytes: u64) -> Self {
        let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
        Self(Arc::new(Mutex::new(Kept { bytes: Vec::new(), limit, written: 0 })))
    }

    /// Bytes that the guest wrote, kept or not.
    pub(crate) fn written(&self) -> u64 {
        self.kept().written
    }

    /// What was kept as text; where something was dropped, a last line says how much.
    pub(crate) fn text(&self) -> String {
        let kept = self.kept();
        let mut text = String::from_utf8_lossy(&kept.bytes).into_owned();
        let dropped = kept.written - kept.bytes.len() as u64;
        if dropped > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("[cut: {dropped} of {} bytes dropped]\n", kept.written));
        }
        text
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, bytes: &[u8]) {
        let mut kept = self.kept();
        kept.written = kept.written.saturating_add(bytes.len() as u64);
        let room = kept.limit.saturating_sub(kept.bytes.len()).min(bytes.len());
        let (fits, _) = bytes.split_at(room);
        kept.bytes.extend_from_slice(fits);
    }
}

#[async_trait]
impl Pollable for Captured {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for Captured {
    fn write(&mut self, bytes: bytes::Bytes) -> StreamResult<()> {
        self.take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

impl AsyncWrite for Captured {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.take(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl IsTerminal for Captured {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Captured {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_and_the_rest_is_counted() {
        let stream = Captured::new(8);
        stream.take(b"12345");
        stream.take(b"67890");
        stream.take(b"x");
        assert_eq!(stream.written(), 11);
        assert_eq!(stream.text(), "12345678\n[cut: 3 of 11 bytes dropped]\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let stream = Captured::new(8);
        stream.take(b"a\xffb");
        assert_eq!(stream.text(), "a\u{fffd}b");
    }
}
