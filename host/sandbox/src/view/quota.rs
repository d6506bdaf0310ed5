//! What one call may take of the files altogether. Who goes beyond it is ended, as by the deadline:
//! an error to the guest could be mistaken for one of the file system's, or be ignored.

use super::halt::Halt;
use crate::grant::Limits;
use crate::limit::{Exceeded, LimitKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// Raised by the host call that goes beyond a quota.
#[derive(Debug, Clone, Copy, Error)]
#[error("a quota of the files is used up")]
pub(crate) struct QuotaExceeded(pub(crate) Exceeded);

/// What a call has taken so far, and may take.
#[derive(Debug)]
pub(super) struct Quotas {
    descriptors: Amount,
    entries: Amount,
    pub(super) bytes: ByteQuota,
    pub(super) writes: WriteQuota,
}

/// What may be written; shared with streams, which are written without the view.
#[derive(Debug, Clone)]
pub(crate) struct WriteQuota {
    bytes: Shared,
    entries: Shared,
    /// What the stage may hold altogether.
    stage: Shared,
    until: Option<Until>,
}

/// When a call is over, for host calls that take long.
#[derive(Debug, Clone)]
pub(crate) struct Until {
    pub(crate) deadline: Instant,
    pub(crate) cancel: CancellationToken,
}

/// Raised by a host call that goes on when the call is over.
#[derive(Debug, Clone, Copy, Error)]
pub(crate) enum PastEnd {
    #[error("the deadline has passed")]
    Deadline,
    #[error("the call was cancelled")]
    Cancelled,
}

/// How much of something was taken, of how much.
#[derive(Debug, Clone, Copy)]
struct Amount {
    which: LimitKind,
    limit: u64,
    used: u64,
}

/// The bytes that may be read; shared with streams, which are read without the view.
#[derive(Debug, Clone)]
pub(super) struct ByteQuota(Shared);

/// An amount that several hold.
#[derive(Debug, Clone)]
struct Shared {
    which: LimitKind,
    limit: u64,
    used: Arc<AtomicU64>,
}

impl Amount {
    fn of(which: LimitKind, limit: u64) -> Self {
        Self { which, limit, used: 0 }
    }

    fn take(&mut self, more: u64) -> Result<(), QuotaExceeded> {
        let used = self.used.saturating_add(more);
        if used > self.limit {
            return Err(QuotaExceeded(Exceeded { which: self.which, limit: self.limit, used }));
        }
        self.used = used;
        Ok(())
    }
}

impl Quotas {
    /// The same on a stage that may hold so many bytes, of which some are taken.
    pub(super) fn in_stage(self, room: (u64, u64)) -> Self {
        Self { writes: self.writes.in_stage(room), ..self }
    }

    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            descriptors: Amount::of(LimitKind::OpenFiles, limits.open_files),
            entries: Amount::of(LimitKind::DirEntries, limits.dir_entries),
            bytes: ByteQuota(Shared::of(LimitKind::ReadBytes, limits.read_bytes)),
            writes: WriteQuota {
                bytes: Shared::of(LimitKind::WriteBytes, limits.write_bytes),
                entries: Shared::of(LimitKind::WriteEntries, limits.write_entries),
                stage: Shared::of(LimitKind::StageBytes, u64::MAX),
                until: None,
            },
        }
    }

    /// The same, of a call that ends then.
    pub(super) fn until(&mut self, until: Until) {
        self.writes.until = Some(until);
    }

    /// One more file, folder or listing is open.
    pub(super) fn open(&mut self) -> Result<(), QuotaExceeded> {
        self.descriptors.take(1)
    }

    /// One of them was closed.
    pub(super) fn close(&mut self) {
        self.descriptors.used = self.descriptors.used.saturating_sub(1);
    }

    /// Entries that may still be read.
    pub(super) fn entries_left(&self) -> u64 {
        self.entries.limit - self.entries.used
    }

    /// Entries of a folder were read, whether the guest is told of them or not.
    pub(super) fn entries(&mut self, read: u64) -> Result<(), QuotaExceeded> {
        self.entries.take(read)
    }
}

impl ByteQuota {
    /// So many bytes are about to be handed out.
    pub(super) fn read(&self, bytes: usize) -> Result<(), QuotaExceeded> {
        self.0.take(bytes as u64)
    }
}

impl WriteQuota {
    /// So many bytes are about to be written, or to be holes.
    pub(crate) fn bytes(&self, bytes: u64) -> Result<(), Halt> {
        self.go_on()?;
        self.bytes.take(bytes)?;
        Ok(self.stage.take(bytes)?)
    }

    /// Passes one of many steps of a host call, unless the call is over.
    pub(super) fn go_on(&self) -> Result<(), Halt> {
        match &self.until {
            Some(until) if until.cancel.is_cancelled() => Err(PastEnd::Cancelled.into()),
            Some(until) if Instant::now() >= until.deadline => Err(PastEnd::Deadline.into()),
            Some(_) | None => Ok(()),
        }
    }

    /// The same for a stage that may hold so many bytes, of which some are taken.
    pub(super) fn in_stage(self, (limit, taken): (u64, u64)) -> Self {
        let stage =
            Shared { used: Arc::new(AtomicU64::new(taken)), ..Shared::of(LimitKind::StageBytes, limit) };
        Self { stage, ..self }
    }

    /// One more file or folder is about to be staged.
    pub(crate) fn entry(&self) -> Result<(), Halt> {
        self.go_on()?;
        Ok(self.entries.take(1)?)
    }
}

impl Shared {
    fn of(which: LimitKind, limit: u64) -> Self {
        Self { which, limit, used: Arc::default() }
    }

    fn take(&self, more: u64) -> Result<(), QuotaExceeded> {
        // One guest's calls come one after the other.
        let mut amount = Amount { which: self.which, limit: self.limit, used: self.used.load(Relaxed) };
        amount.take(more)?;
        self.used.store(amount.used, Relaxed);
        Ok(())
    }
}
