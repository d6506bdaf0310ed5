//! What one call may take of the files altogether. Who goes beyond it is ended, as by the deadline:
//! an error to the guest could be mistaken for one of the file system's, or be ignored.

use crate::grant::Limits;
use crate::receipt::Exceeded;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use thiserror::Error;

/// Raised by the host call that goes beyond a quota.
#[derive(Debug, Clone, Copy, Error)]
#[error("a quota of the files is used up")]
pub(crate) struct QuotaExceeded(pub(crate) Exceeded);

/// What is left to a call.
#[derive(Debug)]
pub(super) struct Quotas {
    descriptors: u64,
    entries: u64,
    pub(super) bytes: ByteQuota,
    pub(super) writes: WriteQuota,
}

/// What may still be written; shared with streams, which are written without the view.
#[derive(Debug, Clone)]
pub(crate) struct WriteQuota {
    bytes: Arc<AtomicU64>,
    entries: Arc<AtomicU64>,
}

/// The bytes that may still be read; shared with streams, which are read without the view.
#[derive(Debug, Clone)]
pub(super) struct ByteQuota(Arc<AtomicU64>);

impl Quotas {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            descriptors: limits.open_files,
            entries: limits.dir_entries,
            bytes: ByteQuota(Arc::new(AtomicU64::new(limits.read_bytes))),
            writes: WriteQuota {
                bytes: Arc::new(AtomicU64::new(limits.write_bytes)),
                entries: Arc::new(AtomicU64::new(limits.write_entries)),
            },
        }
    }

    /// One more file, folder or listing is open.
    pub(super) fn open(&mut self) -> Result<(), QuotaExceeded> {
        self.descriptors = self.descriptors.checked_sub(1).ok_or(QuotaExceeded(Exceeded::OpenFiles))?;
        Ok(())
    }

    /// One of them was closed.
    pub(super) fn close(&mut self) {
        self.descriptors += 1;
    }

    /// Entries that may still be read.
    pub(super) fn entries_left(&self) -> u64 {
        self.entries
    }

    /// Entries of a folder were read, whether the guest is told of them or not.
    pub(super) fn entries(&mut self, read: u64) -> Result<(), QuotaExceeded> {
        self.entries = self.entries.checked_sub(read).ok_or(QuotaExceeded(Exceeded::DirEntries))?;
        Ok(())
    }
}

impl ByteQuota {
    /// So many bytes are about to be handed out.
    pub(super) fn read(&self, bytes: usize) -> Result<(), QuotaExceeded> {
        take(&self.0, bytes as u64, Exceeded::ReadBytes)
    }
}

impl WriteQuota {
    /// So many bytes are about to be written, or to be holes.
    pub(crate) fn bytes(&self, bytes: u64) -> Result<(), QuotaExceeded> {
        take(&self.bytes, bytes, Exceeded::WriteBytes)
    }

    /// One more file or folder is about to be staged.
    pub(crate) fn entry(&self) -> Result<(), QuotaExceeded> {
        take(&self.entries, 1, Exceeded::WriteEntries)
    }
}

/// One guest's calls come one after the other, so nobody takes in between.
fn take(left: &AtomicU64, wanted: u64, limit: Exceeded) -> Result<(), QuotaExceeded> {
    let rest = left.load(Relaxed).checked_sub(wanted);
    left.store(rest.ok_or(QuotaExceeded(limit))?, Relaxed);
    Ok(())
}
