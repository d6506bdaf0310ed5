//! A trial: calls that see what is staged and change it for each other alone. Nothing of it is staged
//! unless it is kept, and then all of it at once; dropped, or with its process gone, it has never
//! been, so that nothing need be taken back.
//!
//! Owns: the trial's state, which no record holds, and the contents that it leaves over. Doesn't own:
//! what one call adds (`layer`), what the changes are (`difference`).

use super::changes::Change;
use super::difference::{Effect, changes};
use super::entry::Entry;
use super::folder::{ContentId, Lock, StageFolder};
use super::index::{Entries, Index};
use super::{Stage, StageError, load};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Changes on trial. Nobody else changes the stage meanwhile.
#[derive(Debug)]
pub struct Trial {
    of: Arc<Stage>,
    stage: Arc<Stage>,
    lock: Arc<Lock>,
    start: Arc<Index>,
    /// From where changes are told.
    since: Entries,
}

/// What a stage that is only on trial has besides.
#[derive(Debug)]
pub(super) struct Trying {
    folder: Arc<StageFolder>,
    lock: Arc<Lock>,
    made: Mutex<Vec<ContentId>>,
}

impl Trying {
    pub(super) fn lock(&self) -> Arc<Lock> {
        self.lock.clone()
    }

    /// Remembers contents of calls whose changes are on trial.
    pub(super) fn remember(&self, made: Vec<ContentId>) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
    }
}

impl Drop for Trying {
    fn drop(&mut self) {
        let made = std::mem::take(self.made.get_mut().unwrap_or_else(PoisonError::into_inner));
        if made.is_empty() {
            return;
        }
        // What stays now is removed with the states that there is no way back to.
        let Ok(newest) = load(&self.folder) else { return };
        let kept: HashSet<&ContentId> =
            newest.iter().flat_map(|index| index.entries.values()).flat_map(Entry::contents).collect();
        for id in made.iter().filter(|id| !kept.contains(id)) {
            if let Err(error) = self.folder.remove(id) {
                tracing::warn!(%error, "a content of a trial stays in the stage's folder");
            }
        }
    }
}

impl Stage {
    /// Begins a trial, if nobody changes the stage at the moment.
    pub fn trial(self: &Arc<Self>) -> Result<Trial, StageError> {
        let lock = Arc::new(self.change()?);
        let start = self.refresh()?;
        let trying = Trying { folder: self.folder.clone(), lock: lock.clone(), made: Mutex::new(Vec::new()) };
        let stage = Self {
            folder: self.folder.clone(),
            current: Mutex::new(start.clone()),
            total: self.total,
            trial: Some(trying),
        };
        let since = start.entries.clone();
        Ok(Trial { of: self.clone(), stage: Arc::new(stage), lock, start, since })
    }
}

impl Trial {
    /// Where calls on trial are made, one after the other.
    pub fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// Takes what was changed so far for granted: [`Self::changes`] and [`Self::effect`] begin here.
    pub fn from_here(&mut self) -> Result<(), StageError> {
        self.since = self.stage.refresh()?.entries.clone();
        Ok(())
    }

    /// What was changed, place by place, each beside what the run saw there before: where files were
    /// renamed from and what became of the project's own again among it.
    pub fn changes(&self) -> Result<Vec<Change>, StageError> {
        Ok(changes(&self.since, &self.stage.refresh()?.entries, &self.of.folder))
    }

    /// What stands for all that applying makes different by these changes.
    pub fn effect(&self) -> Result<Effect, StageError> {
        Effect::between(&self.since, &self.stage.refresh()?.entries).map_err(|error| StageError::Damaged {
            what: self.of.path().to_owned(),
            reason: error.to_string(),
        })
    }

    /// Stages it all. A crash before the end leaves the stage as it was.
    pub fn keep(self) -> Result<(), StageError> {
        let tried = self.stage.refresh()?;
        if tried.entries == self.start.entries {
            return Ok(());
        }
        self.of.advance(&self.lock, |index| index.entries.clone_from(&tried.entries))
    }
}
