//! A staged file while a call has it open. What was there when the call began is never written
//! to: the first write makes a copy of the call's own.

use super::entry::{Blob, Time, Times};
use super::folder::{ContentId, StageFolder};
use crate::digest::Digest;
use crate::view::{Halt, WriteQuota};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files are copied in pieces of so many bytes.
const CHUNK: usize = 256 << 10;
/// One read hands out so many bytes at most.
const MAX_READ: usize = 256 << 10;

/// The contents that a call has made; they go when its changes are dropped.
pub(super) type Made = Arc<Mutex<Vec<ContentId>>>;

/// A staged file, shared by all that have it open and by the layer.
#[derive(Debug)]
pub(crate) struct Body(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    folder: Arc<StageFolder>,
    made: Made,
    file: File,
    id: ContentId,
    size: u64,
    times: Times,
    /// The content isn't this call's own, and has this hash.
    shared: Option<Digest>,
}

/// Where to write.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Position {
    At(u64),
    End,
}

impl Body {
    /// A new, empty file.
    pub(super) fn new(folder: &Arc<StageFolder>, made: &Made) -> Result<Self, Errno> {
        let (id, file) = create(folder, made)?;
        let (folder, made) = (folder.clone(), made.clone());
        Ok(Self(Mutex::new(Inner { folder, made, file, id, size: 0, times: Times::now(), shared: None })))
    }

    /// A file with a content that was there before.
    pub(super) fn open(
        folder: &Arc<StageFolder>,
        made: &Made,
        content: &Blob,
        times: Times,
    ) -> Result<Self, Errno> {
        Ok(Self(Mutex::new(Inner {
            file: folder.content(&content.id)?,
            folder: folder.clone(),
            made: made.clone(),
            id: content.id.clone(),
            size: content.size,
            times,
            shared: Some(content.hash),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // What is in it holds after each of its own steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes, and when it was changed.
    pub(crate) fn stat(&self) -> (u64, Times) {
        let inner = self.lock();
        (inner.size, inner.times)
    }

    pub(crate) fn set_times(&self, times: Times) {
        self.lock().times = times;
    }

    /// Reads up to `length` bytes at a position; none at the end of the file.
    pub(crate) fn read_at(&self, length: usize, position: u64) -> Result<Vec<u8>, Errno> {
        let inner = self.lock();
        let mut bytes = Vec::with_capacity(length.min(MAX_READ));
        if length > 0 {
            rustix::io::retry_on_intr(|| {
                rustix::io::pread(&inner.file, rustix::buffer::spare_capacity(&mut bytes), position)
            })?;
        }
        Ok(bytes)
    }

    /// Writes all of these bytes; gives the position behind them.
    pub(crate) fn write(&self, position: Position, bytes: &[u8], quota: &WriteQuota) -> Result<u64, Halt> {
        let mut inner = self.lock();
        let start = match position {
            Position::At(start) => start,
            Position::End => inner.size,
        };
        let end = start.checked_add(bytes.len() as u64).filter(|end| i64::try_from(*end).is_ok());
        let end = end.ok_or(Errno::FBIG)?;
        if bytes.is_empty() {
            return Ok(end);
        }
        quota.bytes(start.saturating_sub(inner.size).saturating_add(bytes.len() as u64))?;
        let whole = inner.size;
        inner.own(whole, quota)?;
        inner.file.write_all_at(bytes, start).map_err(|error| errno_of(&error))?;
        inner.size = inner.size.max(end);
        inner.times.modified = Time::now();
        Ok(end)
    }

    /// Cuts the file, or lengthens it with zeros.
    pub(crate) fn set_size(&self, size: u64, quota: &WriteQuota) -> Result<(), Halt> {
        let mut inner = self.lock();
        if i64::try_from(size).is_err() {
            return Err(Errno::FBIG.into());
        }
        quota.bytes(size.saturating_sub(inner.size))?;
        let kept = size.min(inner.size);
        inner.own(kept, quota)?;
        rustix::fs::ftruncate(&inner.file, size)?;
        inner.size = size;
        inner.times.modified = Time::now();
        Ok(())
    }

    /// What is known of it as long as it's empty.
    pub(super) fn settle_empty(&self) -> (Blob, Times) {
        let inner = self.lock();
        (Blob { id: inner.id.clone(), hash: Digest::of(b""), size: 0 }, inner.times)
    }

    /// Makes the content last: on the disk, and known by its hash. It must not change after this.
    pub(super) fn settle(&self) -> Result<(Blob, Times), Errno> {
        let mut inner = self.lock();
        let hash = match inner.shared {
            Some(hash) => hash,
            None => {
                inner.file.sync_all().map_err(|error| errno_of(&error))?;
                let mut file = inner.folder.content(&inner.id)?;
                let (hash, _) = hash_of(&mut file, |_| Ok::<(), Errno>(()))?;
                inner.shared = Some(hash);
                hash
            }
        };
        Ok((Blob { id: inner.id.clone(), hash, size: inner.size }, inner.times))
    }
}

impl Inner {
    /// Makes sure that the content is this call's own; a copy keeps so many bytes.
    fn own(&mut self, kept: u64, quota: &WriteQuota) -> Result<(), Halt> {
        if self.shared.is_none() {
            return Ok(());
        }
        quota.bytes(kept)?;
        let (id, mut copy) = create(&self.folder, &self.made)?;
        let mut from = self.folder.content(&self.id)?.take(kept);
        std::io::copy(&mut from, &mut copy).map_err(|error| errno_of(&error))?;
        (self.id, self.file, self.shared) = (id, copy, None);
        Ok(())
    }
}

/// Copies a file of the project into a new content, which lasts when this returns.
pub(super) fn copy_in(
    folder: &Arc<StageFolder>,
    made: &Made,
    from: &mut File,
    quota: &WriteQuota,
) -> Result<Blob, Halt> {
    let (id, to) = create(folder, made)?;
    let mut at = 0;
    let (hash, size) = hash_of(from, |bytes| {
        quota.bytes(bytes.len() as u64)?;
        to.write_all_at(bytes, at).map_err(|error| errno_of(&error))?;
        at += bytes.len() as u64;
        Ok::<(), Halt>(())
    })?;
    to.sync_all().map_err(|error| errno_of(&error))?;
    Ok(Blob { id, hash, size })
}

/// Reads a file to its end, piece by piece; gives its hash and size.
pub(super) fn hash_of<E: From<Errno>>(
    file: &mut File,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(Digest, u64), E> {
    let mut hasher = blake3::Hasher::new();
    let (mut chunk, mut size) = (vec![0; CHUNK], 0);
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => return Ok((Digest::from_hash(hasher.finalize()), size)),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(errno_of(&error).into()),
        };
        let bytes = chunk.get(..read).unwrap_or_default();
        hasher.update(bytes);
        each(bytes)?;
        size += read as u64;
    }
}

fn create(folder: &StageFolder, made: &Made) -> Result<(ContentId, File), Errno> {
    let id = ContentId::fresh();
    let file = folder.create(&id)?;
    made.lock().unwrap_or_else(PoisonError::into_inner).push(id.clone());
    Ok((id, file))
}

pub(super) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
