//! Staged writes: what a run has changed, kept in a folder of its own until a person applies it to
//! the project or discards it.
//!
//! Owns: the stage's folder, what is staged and how it lies over the project, what one call adds
//! (`layer`), what that means for a person (`changes`), and putting it into the project (`apply`).
//! Doesn't own: where a guest's path leads and what a guest may change (`view`), who approves.
//!
//! A content never changes once it has a name in the index, and the index is replaced as a whole,
//! so a process that dies leaves the stage as it was before the call, or as it was after it. A call
//! that ends as done or failed keeps its changes; those of any other are dropped.

mod applied;
mod apply;
mod apply_error;
mod attributes;
mod body;
mod changes;
mod diff;
mod difference;
mod discard;
mod entry;
mod error;
mod failpoint;
mod folder;
mod given_up;
mod in_the_way;
mod index;
mod known;
mod layer;
mod marks;
mod plan;
mod select;
mod step;
mod target;
mod temporary;
mod trial;
mod written;

pub use applied::Applied;
pub use apply::Recovered;
pub use apply_error::{ApplyError, Conflict, ConflictKind};
pub(crate) use body::{Body, Position};
pub use changes::{Change, ChangeKind, FileSide, Side};
pub use difference::Effect;
pub(crate) use entry::{Base, Time, Times};
pub use error::StageError;
pub use given_up::{Deleted, GivenUp, Kept};
pub use in_the_way::SetAside;
pub(crate) use index::Shown;
pub use known::KnownReads;
pub(crate) use layer::Layer;
pub use trial::Trial;

use crate::limit::{Exceeded, LimitKind};
use entry::Entry;
use folder::{ContentId, Lock, StageFolder};
use index::{FORM, Index};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trial::Trying;

/// The record of an apply that is under way.
const APPLY: &str = "apply";
/// What the names of the states' records start with.
const INDEX: &str = "index-";
/// The contents of a stage, and of the states to go back to, have so many bytes at most.
const MAX_CONTENT_BYTES: u64 = 2 << 30;
/// A state's record has so many bytes at most.
const MAX_INDEX_BYTES: usize = 32 << 20;
/// So many states are kept to go back to.
const KEPT_STATES: u64 = 16;

/// A run's staged changes. Share it: calls that write take turns, by the caller's order.
#[derive(Debug)]
pub struct Stage {
    folder: Arc<StageFolder>,
    current: Mutex<Arc<Index>>,
    /// Its contents have so many bytes at most.
    total: u64,
    /// Of a stage that isn't the run's, but one to try changes on.
    trial: Option<Trying>,
}

/// A state of a stage that [`Stage::roll_back`] can go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark(u64);

impl Stage {
    /// Opens a stage's folder, mode 0700, and makes it if it isn't there (the folder that holds it
    /// must be). What an earlier process staged there is there again. Where the newest state can't
    /// be read it is the newest one that can; where none can, all but [`Stage::discard`] without
    /// paths is refused.
    pub fn open(dir: &Path) -> Result<Self, StageError> {
        let (stage, is_readable) = Self::at(dir)?;
        // Whoever has the lock cleans up himself; what can't be read can only be discarded.
        if is_readable && let Ok(lock) = stage.folder.lock() {
            stage.clean(&lock)?;
        }
        Ok(stage)
    }

    /// The same to look at what is staged: it keeps nobody from changing it meanwhile.
    pub fn look(dir: &Path) -> Result<Self, StageError> {
        Self::at(dir).map(|(stage, _)| stage)
    }

    fn at(dir: &Path) -> Result<(Self, bool), StageError> {
        let folder = Arc::new(StageFolder::open(dir)?);
        let (index, is_readable) = match load(&folder) {
            Ok(index) => (index.unwrap_or_else(Index::empty), true),
            Err(StageError::Damaged { .. }) => (Index::empty(), false),
            Err(error) => return Err(error),
        };
        let current = Mutex::new(Arc::new(index));
        Ok((Self { folder, current, total: MAX_CONTENT_BYTES, trial: None }, is_readable))
    }

    /// The same with room for so many bytes of contents instead of 2 GiB. A call that would go
    /// beyond it is ended; states to go back to make room from the oldest on once half is taken.
    pub fn within(self, bytes: u64) -> Self {
        Self { total: bytes, ..self }
    }

    /// The stage's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether nothing is staged.
    pub fn is_empty(&self) -> Result<bool, StageError> {
        Ok(self.refresh()?.entries.is_empty())
    }

    /// Whether an apply was cut off, so that [`Stage::recover`] must come before anything else.
    pub fn apply_unfinished(&self) -> Result<bool, StageError> {
        Ok(self.folder.record(APPLY)?.is_some())
    }

    /// The state that the stage is in. Keep it before a call, to go back to if it must not count.
    pub fn mark(&self) -> Result<Mark, StageError> {
        Ok(Mark(self.refresh()?.generation))
    }

    /// Goes back to an earlier state, in this process or a later one. The last 16 states since
    /// something was applied or discarded are kept.
    pub fn roll_back(&self, mark: Mark) -> Result<(), StageError> {
        let lock = self.change()?;
        let current = self.refresh()?;
        if mark.0 == current.generation {
            return Ok(());
        }
        let old = match mark.0 {
            old if old < current.floor => None,
            0 => Some(Index::empty()),
            old => read_index(&self.folder, old)?,
        };
        let old = old.ok_or(StageError::MarkGone(mark.0))?;
        // Going back again, after a crash, must not use up the states that are kept.
        if (&old.entries, &old.applied) == (&current.entries, &current.applied) {
            return Ok(());
        }
        self.advance(&lock, |index| (index.entries, index.applied) = (old.entries, old.applied))
    }

    /// Begins a call on this stage.
    pub(crate) fn begin(self: &Arc<Self>, known: Arc<KnownReads>, writes: bool) -> Result<Layer, StageError> {
        let lock = match (&self.trial, writes) {
            (_, false) => None,
            (Some(trial), true) => Some(trial.lock()),
            (None, true) => Some(Arc::new(self.change()?)),
        };
        if self.apply_unfinished()? {
            return Err(StageError::ApplyUnfinished(self.path().to_owned()));
        }
        let start = self.refresh()?;
        let taken = lock.as_ref().map_or(Ok(0), |lock| self.make_room(lock, start.generation))?;
        Ok(Layer::new(self.clone(), known, lock, start, (self.total, taken)))
    }

    /// Drops the oldest states until the contents take half of the room at most, or only the newest
    /// state is left, the one that a call begins with. Gives the bytes that they take then.
    fn make_room(&self, lock: &Lock, newest: u64) -> Result<u64, StageError> {
        let taken = || self.folder.content_bytes().map_err(|errno| self.folder.failed("contents", errno));
        let mut older = generations(&self.folder)?;
        older.retain(|generation| *generation < newest);
        older.sort_unstable();
        let mut bytes = taken()?;
        for generation in older {
            if bytes <= self.total / 2 {
                break;
            }
            self.folder.remove_record(&index_name(generation))?;
            self.clean(lock)?;
            bytes = taken()?;
        }
        Ok(bytes)
    }

    /// Takes the lock to change what is staged.
    fn change(&self) -> Result<Lock, StageError> {
        let lock = self.folder.lock()?;
        if self.apply_unfinished()? {
            return Err(StageError::ApplyUnfinished(self.path().to_owned()));
        }
        Ok(lock)
    }

    fn slot(&self) -> MutexGuard<'_, Arc<Index>> {
        // Only whole states are put there.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest state: another process may have gone on. That of a trial is its own.
    fn refresh(&self) -> Result<Arc<Index>, StageError> {
        if self.trial.is_some() {
            return Ok(self.slot().clone());
        }
        let newest = newest(&self.folder)?;
        let mut slot = self.slot();
        if newest.is_some_and(|newest| newest != slot.generation)
            && let Some(index) = load(&self.folder)?
        {
            *slot = Arc::new(index);
        }
        Ok(slot.clone())
    }

    /// Makes the next state, which takes the place of the newest one.
    fn advance(&self, lock: &Lock, change: impl FnOnce(&mut Index)) -> Result<(), StageError> {
        let mut index = Index::clone(&*self.refresh()?);
        change(&mut index);
        if self.trial.is_some() {
            self.record_of(&index, true)?;
            *self.slot() = Arc::new(index);
            return Ok(());
        }
        index.generation += 1;
        index.floor = index.floor.max(index.generation.saturating_sub(KEPT_STATES));
        self.put(lock, index)
    }

    /// Puts a state in place of the newest one. One that has grown too large isn't put there.
    fn put(&self, lock: &Lock, index: Index) -> Result<(), StageError> {
        let clean = index.generation.is_multiple_of(KEPT_STATES) || index.floor == index.generation;
        // What is applied or discarded only makes it smaller.
        let text = self.record_of(&index, index.floor != index.generation)?;
        self.folder.put_record(&index_name(index.generation), &text)?;
        *self.slot() = Arc::new(index);
        if clean { self.clean(lock) } else { Ok(()) }
    }

    /// A state's record; an error if it has grown too large.
    fn record_of(&self, index: &Index, may_grow: bool) -> Result<Vec<u8>, StageError> {
        let text = serde_json::to_vec(index).map_err(|error| StageError::Damaged {
            what: self.path().join(index_name(index.generation)),
            reason: error.to_string(),
        })?;
        if text.len() > MAX_INDEX_BYTES && may_grow {
            let exceeded = Exceeded {
                which: LimitKind::StageRecord,
                limit: MAX_INDEX_BYTES as u64,
                used: text.len() as u64,
            };
            return Err(StageError::TooMuch { path: self.path().to_owned(), exceeded });
        }
        Ok(text)
    }

    /// Removes the states that there is no way back to, and the contents that no state needs.
    fn clean(&self, _: &Lock) -> Result<(), StageError> {
        let current = self.refresh()?;
        let mut needed: HashSet<ContentId> =
            current.entries.values().flat_map(Entry::contents).cloned().collect();
        for generation in generations(&self.folder)? {
            if generation < current.floor {
                self.folder.remove_record(&index_name(generation))?;
                continue;
            }
            match read_index(&self.folder, generation) {
                Ok(index) => {
                    let entries = index.iter().flat_map(|index| index.entries.values());
                    needed.extend(entries.flat_map(Entry::contents).cloned());
                }
                // Nobody knows what it needs.
                Err(StageError::Damaged { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if self.apply_unfinished()? {
            return Ok(());
        }
        let failed = |errno| self.folder.failed("contents", errno);
        for id in self.folder.content_ids().map_err(failed)?.iter().filter(|id| !needed.contains(id)) {
            self.folder.remove(id).map_err(failed)?;
        }
        Ok(())
    }
}

fn index_name(generation: u64) -> String {
    format!("{INDEX}{generation:020}")
}

fn generations(folder: &StageFolder) -> Result<Vec<u64>, StageError> {
    let number = |name: &String| name.strip_prefix(INDEX).and_then(|number| number.parse().ok());
    Ok(folder.records()?.iter().filter_map(number).collect())
}

fn newest(folder: &StageFolder) -> Result<Option<u64>, StageError> {
    Ok(generations(folder)?.into_iter().max())
}

/// The newest state that can be read; the error is that of the newest one if none can.
fn load(folder: &StageFolder) -> Result<Option<Index>, StageError> {
    loop {
        let mut all = generations(folder)?;
        all.sort_unstable();
        let mut unreadable = None;
        for generation in all.iter().rev() {
            match read_index(folder, *generation) {
                Ok(Some(index)) => return Ok(Some(index)),
                Ok(None) => {}
                Err(error @ StageError::Damaged { .. }) => {
                    tracing::warn!(%error, "a state of the stage is passed over");
                    unreadable = unreadable.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        match unreadable {
            Some(error) => return Err(error),
            None if all.is_empty() => return Ok(None),
            // Newer ones have taken their place meanwhile.
            None => {}
        }
    }
}

fn read_index(folder: &StageFolder, generation: u64) -> Result<Option<Index>, StageError> {
    let name = index_name(generation);
    let damaged = |reason: String| StageError::Damaged { what: folder.path().join(&name), reason };
    let Some(text) = folder.record(&name)? else { return Ok(None) };
    let index: Index = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if index.form != FORM || index.generation != generation {
        return Err(damaged("it is of another version".to_owned()));
    }
    Ok(Some(index))
}
