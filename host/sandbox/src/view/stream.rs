//! Reading a file in pieces, recorded. Files are read on the thread that asks: tool calls have a
//! runtime of their own, and what could block for long is never opened.

use super::beneath::Handle;
use super::quota::ByteQuota;
use super::reading::Reading;
use bytes::Bytes;
use rustix::io::Errno;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::p2::{InputStream, Pollable, StreamError, StreamResult};

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
    pub(super) handle: Handle,
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
        let bytes = read_at(&self.handle, size, self.position)
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
