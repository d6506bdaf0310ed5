//! What one call does to a stage: seen by that call alone until it is committed, and gone without
//! a trace if it isn't.
//!
//! Doesn't own: where a guest's path leads, and whether it may be changed (`view`).

use super::body::{Body, Made, copy_in};
use super::entry::{Base, Entry, Now, StagedFile, Times};
use super::folder::{ContentId, Lock};
use super::index::{Entries, Index, Shown, children, covers_project, shown};
use super::written::written;
use super::{KnownReads, MAX_INDEX_BYTES, Stage, StageError};
use crate::digest::Digest;
use crate::limit::{Exceeded, LimitKind};
use crate::mask::likeness;
use crate::receipt::{DenialReason, Written};
use crate::view::{Halt, QuotaExceeded, WriteQuota};
use rustix::fs::Stat;
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::sync::{Arc, PoisonError};

/// A stage holds so many entries, whatever the limits of its calls are.
const MAX_ENTRIES: usize = 100_000;

/// A call's changes.
#[derive(Debug)]
pub(crate) struct Layer {
    stage: Arc<Stage>,
    known: Arc<KnownReads>,
    /// None for a call that may only read.
    lock: Option<Arc<Lock>>,
    start: Arc<Index>,
    entries: Entries,
    /// Files that the call has opened, by their present places.
    open: HashMap<String, Arc<Body>>,
    made: Made,
    room: (u64, u64),
    /// What the stage's record has in bytes, about: how long it is exactly shows when it's written.
    record: u64,
}

impl Layer {
    pub(super) fn new(
        stage: Arc<Stage>,
        known: Arc<KnownReads>,
        lock: Option<Arc<Lock>>,
        start: Arc<Index>,
        room: (u64, u64),
    ) -> Self {
        let entries = start.entries.clone();
        // Who only reads adds nothing.
        let record = match lock {
            Some(_) => entries.iter().map(|(place, entry)| recorded(place, entry)).sum(),
            None => 0,
        };
        Self { stage, known, lock, start, entries, open: HashMap::new(), made: Made::default(), room, record }
    }

    /// The bytes that the stage's contents may have, and those that they had at the beginning.
    pub(crate) fn room_for_bytes(&self) -> (u64, u64) {
        self.room
    }

    pub(crate) fn may_write(&self) -> bool {
        self.lock.is_some()
    }

    pub(crate) fn shown(&self, place: &str) -> Shown {
        shown(&self.entries, place)
    }

    /// Size and times of a staged file.
    pub(crate) fn stat(&self, place: &str) -> Option<(u64, Times)> {
        match self.open.get(place) {
            Some(body) => Some(body.stat()),
            None => self.entries.get(place)?.file().map(|file| (file.content.size, file.times)),
        }
    }

    /// The staged names in a folder; each with whether it is a folder, none if it is gone.
    pub(crate) fn names(&self, folder: &str) -> Vec<(String, Option<bool>)> {
        let kind = |now: &Now| match now {
            Now::Gone => None,
            Now::Folder { .. } => Some(true),
            Now::File(_) => Some(false),
        };
        children(&self.entries, folder).map(|(name, entry)| (name.to_owned(), kind(&entry.now))).collect()
    }

    /// The staged places that some file systems take for this one.
    pub(crate) fn spelled_like(&self, place: &str) -> impl Iterator<Item = &str> {
        let like = likeness(place).into_owned();
        self.entries.keys().map(String::as_str).filter(move |other| *likeness(other) == *like)
    }

    /// Whether nothing of what the project has in a folder is to be seen.
    pub(crate) fn hides_project(&self, folder: &str) -> bool {
        match self.entries.get(folder) {
            Some(entry) => !matches!((&entry.base, &entry.now), (Base::Folder { .. }, Now::Folder { .. })),
            None => covers_project(&self.entries, folder),
        }
    }

    /// Opens a staged file.
    pub(crate) fn open(&mut self, place: &str) -> Result<Arc<Body>, Errno> {
        if let Some(body) = self.open.get(place) {
            return Ok(body.clone());
        }
        let file = self.entries.get(place).and_then(Entry::file).ok_or(Errno::NOENT)?;
        let body = Arc::new(Body::open(&self.stage.folder, &self.made, &file.content, file.times)?);
        self.open.insert(place.to_owned(), body.clone());
        Ok(body)
    }

    /// Whether a staged file may lose its content: the run made it, or has read it.
    /// `read_now` is what this call has read there.
    pub(crate) fn permit(&mut self, place: &str, read_now: Option<Digest>) -> Result<(), DenialReason> {
        let Some(file) = self.entries.get(place).and_then(Entry::file) else { return Ok(()) };
        if !file.unread {
            return Ok(());
        }
        let hash = file.content.hash;
        self.knows(place, read_now, hash)?;
        if let Some(Now::File(file)) = self.entries.get_mut(place).map(|entry| &mut entry.now) {
            file.unread = false;
        }
        Ok(())
    }

    fn knows(&self, place: &str, read_now: Option<Digest>, hash: Digest) -> Result<(), DenialReason> {
        let applied = self.start.applied.get(place).copied();
        if read_now == Some(hash) || applied == Some(hash) || self.known.knows(place, hash) {
            Ok(())
        } else if read_now.is_some() || applied.is_some() || self.known.has_read(place) {
            Err(DenialReason::ChangedSinceRead)
        } else {
            Err(DenialReason::NotRead)
        }
    }

    /// Takes a file of the project into the stage. With `must_know` only if the run has read it.
    pub(crate) fn copy_up(
        &mut self,
        place: &str,
        (file, stat): (&mut File, &Stat),
        read_now: Option<Digest>,
        must_know: bool,
        quota: &WriteQuota,
    ) -> Result<Result<(), DenialReason>, Halt> {
        let has_read =
            read_now.is_some() || self.start.applied.contains_key(place) || self.known.has_read(place);
        if must_know && !has_read {
            return Ok(Err(DenialReason::NotRead));
        }
        self.room(quota)?;
        let content = copy_in(&self.stage.folder, &self.made, file, quota)?;
        let known = self.knows(place, read_now, content.hash);
        if must_know && let Err(reason) = known {
            self.stage.folder.remove(&content.id)?;
            return Ok(Err(reason));
        }
        let mode = stat.st_mode & 0o7777;
        let base = Base::File { content: content.clone(), mode };
        let now = Now::File(StagedFile {
            content,
            mode: Some(mode),
            times: Times::of(stat),
            times_set: false,
            unread: known.is_err(),
            origin: Some(place.to_owned()),
        });
        self.insert(place, Entry { base, now });
        self.record_fits()?;
        Ok(Ok(()))
    }

    /// Takes room for one more entry.
    fn room(&self, quota: &WriteQuota) -> Result<(), Halt> {
        if self.entries.len() >= MAX_ENTRIES {
            return Err(
                QuotaExceeded(Exceeded::by_one_more(LimitKind::StageEntries, MAX_ENTRIES as u64)).into()
            );
        }
        quota.entry()
    }

    /// Remembers a folder or link of the project, which is about to change.
    pub(crate) fn note(&mut self, place: &str, base: Base, quota: &WriteQuota) -> Result<(), Halt> {
        self.room(quota)?;
        self.insert(place, Entry { base, now: Now::Gone });
        self.record_fits()
    }

    fn insert(&mut self, place: &str, entry: Entry) {
        self.record += recorded(place, &entry);
        if let Some(old) = self.entries.insert(place.to_owned(), entry) {
            self.record = self.record.saturating_sub(recorded(place, &old));
        }
    }

    fn take(&mut self, place: &str) -> Option<Entry> {
        let old = self.entries.remove(place)?;
        self.record = self.record.saturating_sub(recorded(place, &old));
        Some(old)
    }

    /// Ends a call before it heaps up more names than a stage's record can have.
    fn record_fits(&self) -> Result<(), Halt> {
        let (limit, used) = (MAX_INDEX_BYTES as u64, self.record);
        if used > limit {
            return Err(QuotaExceeded(Exceeded { which: LimitKind::StageRecord, limit, used }).into());
        }
        Ok(())
    }

    /// Puts something at a place. What the project has there must have been noted or copied up.
    fn put(&mut self, place: &str, now: Now) {
        self.open.remove(place);
        let base = self.take(place).map_or(Base::Absent, |entry| entry.base);
        if !matches!((&base, &now), (Base::Absent, Now::Gone)) {
            self.insert(place, Entry { base, now });
        }
    }

    /// Makes an empty file.
    pub(crate) fn create(&mut self, place: &str, quota: &WriteQuota) -> Result<Arc<Body>, Halt> {
        self.room(quota)?;
        let body = Body::new(&self.stage.folder, &self.made)?;
        let (content, times) = body.settle_empty();
        let mode = match self.entries.get(place).map(|entry| &entry.base) {
            Some(Base::File { mode, .. }) => Some(*mode),
            Some(Base::Absent | Base::Folder { .. } | Base::Link { .. }) | None => None,
        };
        let file = StagedFile { content, mode, times, times_set: false, unread: false, origin: None };
        self.put(place, Now::File(file));
        self.record_fits()?;
        let body = Arc::new(body);
        self.open.insert(place.to_owned(), body.clone());
        Ok(body)
    }

    pub(crate) fn make_folder(&mut self, place: &str, quota: &WriteQuota) -> Result<(), Halt> {
        self.room(quota)?;
        self.put(place, Now::Folder { times: None });
        self.record_fits()
    }

    /// Removes what is staged at a place, or what was noted there.
    pub(crate) fn remove(&mut self, place: &str) {
        self.put(place, Now::Gone);
    }

    /// Moves a staged file, over whatever is staged or noted there.
    pub(crate) fn rename_file(&mut self, from: &str, to: &str, quota: &WriteQuota) -> Result<(), Halt> {
        self.room(quota)?;
        let Some(Now::File(mut file)) = self.entries.get(from).map(|entry| entry.now.clone()) else {
            return Err(Errno::NOENT.into());
        };
        let body = self.open.remove(from);
        if file.mode.is_none()
            && let Some(Base::File { mode, .. }) = self.entries.get(to).map(|entry| &entry.base)
        {
            file.mode = Some(*mode);
        }
        self.put(from, Now::Gone);
        self.put(to, Now::File(file));
        self.record_fits()?;
        if let Some(body) = body {
            self.open.insert(to.to_owned(), body);
        }
        Ok(())
    }

    /// Sets the times of a staged file or folder.
    pub(crate) fn set_times(&mut self, place: &str, set: Times) {
        if let Some(body) = self.open.get(place) {
            body.set_times(set);
        }
        match self.entries.get_mut(place).map(|entry| &mut entry.now) {
            Some(Now::File(file)) => (file.times, file.times_set) = (set, true),
            Some(Now::Folder { times }) => *times = Some(set),
            Some(Now::Gone) | None => {}
        }
    }

    /// Puts the changes into the stage, all at once, and says what they were. A crash before the
    /// end leaves the stage as it was.
    pub(crate) fn commit(mut self) -> Result<(Vec<Written>, u64), StageError> {
        let Some(lock) = self.lock.take() else { return Ok((Vec::new(), 0)) };
        let failed = |stage: &Stage, errno| stage.folder.failed("contents", errno);
        for (place, body) in &self.open {
            if let Some(Now::File(file)) = self.entries.get_mut(place).map(|entry| &mut entry.now) {
                let (content, times) = body.settle().map_err(|errno| failed(&self.stage, errno))?;
                file.unread &= content.hash == file.content.hash;
                (file.content, file.times) = (content, times);
            }
        }
        self.entries.retain(|_, entry| !entry.is_idle());
        for (place, entry) in &mut self.entries {
            // Written again with what was there already.
            if let Some(old) = self.start.entries.get(place).filter(|old| old.is_like(entry)) {
                *entry = old.clone();
            }
        }
        let report = written(&self.start.entries, &self.entries);
        if self.entries != self.start.entries {
            self.stage.folder.sync_contents().map_err(|errno| failed(&self.stage, errno))?;
            let entries = std::mem::take(&mut self.entries);
            self.stage.advance(&lock, |index| index.entries = entries)?;
        }
        Ok(report)
    }
}

/// Bytes that a place takes in the stage's record.
fn recorded(place: &str, entry: &Entry) -> u64 {
    let mut bytes = Counted(0);
    // Counting never fails, and what can't be written is found when it is.
    let _ = serde_json::to_writer(&mut bytes, &(place, entry));
    bytes.0
}

struct Counted(u64);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        // The newest on the disk: a commit may have failed after it was all but done.
        let Ok(index) = self.stage.refresh() else { return };
        let kept: HashSet<&ContentId> = index.entries.values().flat_map(Entry::contents).collect();
        let made = std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner));
        let (on_trial, gone): (Vec<_>, Vec<_>) = made.into_iter().partition(|id| kept.contains(id));
        for id in gone {
            if let Err(error) = self.stage.folder.remove(&id) {
                tracing::warn!(%error, "a content that is no longer needed stays in the stage's folder");
            }
        }
        if let Some(trial) = &self.stage.trial {
            trial.remember(on_trial);
        }
    }
}
