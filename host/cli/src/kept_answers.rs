//! One file of answers in the user's state folder, opened when it is first needed.
//!
//! Owns: where such files lie, and that nothing about one of them can fail a command. Doesn't own: what
//! they hold (`recall`, `worked_files`), keeping it (`ringfence-store`).

use crate::state_dir::Folders;
use ringfence_store::{AnswerBounds, Answers, StoreError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The file, not opened yet perhaps.
#[derive(Debug)]
pub struct KeptAnswers {
    folders: Folders,
    name: &'static str,
    bounds: AnswerBounds,
    /// None inside where it can't be had.
    opened: OnceLock<Option<Mutex<Answers>>>,
}

impl KeptAnswers {
    /// A file of this name in the user's state folder, with so much room.
    pub fn of(folders: &Folders, name: &'static str, bounds: AnswerBounds) -> Self {
        Self { folders: folders.clone(), name, bounds, opened: OnceLock::new() }
    }

    /// The file, open; none where it can't be.
    pub fn open(&self) -> Option<MutexGuard<'_, Answers>> {
        let opened = self.opened.get_or_init(|| {
            let unusable = |error: &anyhow::Error| tracing::warn!(%error, "there is no place for answers");
            let state = self.folders.state().inspect_err(unusable).ok()?;
            let opened = Answers::open(&state.join(self.name), self.bounds);
            opened.map(Mutex::new).map_or_else(warned, Some)
        });
        // The file's own transactions keep it whole.
        Some(opened.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Says what is wrong, and that it is no obstacle.
pub fn warned<T>(error: StoreError) -> Option<T> {
    tracing::warn!(%error, "answers of earlier calls can't be used; calls are made again");
    None
}
