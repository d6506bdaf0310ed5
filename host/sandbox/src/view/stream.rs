//! Reading a file in pieces, recorded, and writing one in the stage. Files are read on the thread that asks: tool calls have a
//! runtime of their own, and what could block for long is never opened.

use super::beneath::Handle;
use super::halt::Halt;
use super::node::Source;
use super::quota::{ByteQuota, WriteQuota};
use super::reading::Reading;
use super::refused::Refused;
use crate::stage::{Body, Position};
use bytes::Bytes;
use rustix::io::Errno;
use std::sync::Arc;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

/// One read hands out so many bytes at most, whatever the guest asks for.
pub(super) const MAX_READ: usize = 256 << 10;

/// Reads up to `length` bytes at a position; none at the end of the file.
pub(super) fn read_at(handle: &Handle, length: usize, position: u64) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::with_capacity(length.min(MAX_READ));
    if length == 0 {
        return Ok(bytes);
    }
    rustix::io::retry_on_intr(|| {
        rustix::io::pread(handle, rustix::buffer::spare_capacity(&mut bytes), position)
    })?;
    Ok(bytes)
}

/// A file that is read from a position on.
pub(super) struct FileStream {
    pub(super) source: Source,
    pub(super) position: u64,
    pub(super) reading: Reading,
    pub(super) quota: ByteQuota,
}

#[async_trait]
impl Pollable for FileStream {
    async fn ready(&mut self) {}
}

#[async_trait]
impl InputStream for FileStream {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let bytes = self
            .source
            .read_at(size, self.position)
            .inspect_err(|_| self.reading.failed())
            .map_err(|errno| StreamError::LastOperationFailed(std::io::Error::from(errno).into()))?;
        self.quota.read(bytes.len()).map_err(|exceeded| StreamError::Trap(exceeded.into()))?;
        self.reading.read(self.position, size, &bytes);
        if bytes.is_empty() {
            return Err(StreamError::Closed);
        }
        self.position += bytes.len() as u64;
        Ok(bytes.into())
    }
}

/// One write takes so many bytes at most.
const MAX_WRITE: usize = 64 << 10;

/// A staged file that is written from a position on, or at its end.
pub(super) struct WriteStream {
    pub(super) body: Arc<Body>,
    pub(super) position: Position,
    pub(super) quota: WriteQuota,
}

#[async_trait]
impl Pollable for WriteStream {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for WriteStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        match self.body.write(self.position, &bytes, &self.quota) {
            Ok(end) => {
                if let Position::At(position) = &mut self.position {
                    *position = end;
                }
                Ok(())
            }
            Err(Halt::Over(exceeded)) => Err(StreamError::Trap(exceeded.into())),
            Err(Halt::Past(past)) => Err(StreamError::Trap(past.into())),
            Err(Halt::Refused(refused)) => Err(StreamError::LastOperationFailed(io_error(&refused).into())),
        }
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MAX_WRITE)
    }
}

/// The system's own error, from which the guest is told again what kind it is.
fn io_error(refused: &Refused) -> std::io::Error {
    match refused.code() {
        ErrorCode::InsufficientSpace => Errno::NOSPC.into(),
        ErrorCode::FileTooLarge => Errno::FBIG.into(),
        ErrorCode::Quota => Errno::DQUOT.into(),
        _ => Errno::IO.into(),
    }
}
