//! Forgetting what is staged.

use super::apply_error::ApplyError;
use super::changes::path_of;
use super::index::Index;
use super::select::{Purpose, selected};
use super::{Stage, StageError, newest};
use crate::grant::GrantPath;

impl Stage {
    /// Forgets what is staged: all of it, or what is staged at and below `paths` together with what
    /// can't stay without it. Gives the places.
    ///
    /// Without paths it always leads to an empty stage: an apply that was cut off is given up, as by
    /// [`Stage::give_up_apply`], and records that can't be read are dropped.
    pub fn discard(&self, paths: Option<&[GrantPath]>) -> Result<Vec<GrantPath>, ApplyError> {
        if paths.is_none() {
            return self.discard_all();
        }
        let lock = self.change()?;
        let index = self.refresh()?;
        let chosen = selected(&index.entries, paths, Purpose::Discard).map_err(ApplyError::NothingStaged)?;
        if !chosen.is_empty() {
            self.advance(&lock, |index| {
                index.entries.retain(|place, _| !chosen.contains(place));
                index.floor = index.generation + 1;
            })?;
        }
        Ok(chosen.iter().map(|place| path_of(place)).collect())
    }

    fn discard_all(&self) -> Result<Vec<GrantPath>, ApplyError> {
        let lock = self.folder.lock()?;
        if let Some(left) = self.give_up(&lock)? {
            tracing::warn!(?left, "an apply that was cut off was given up");
        }
        self.forget_applied()?;
        let places = match self.refresh() {
            Ok(index) => {
                if index.entries.is_empty() {
                    return Ok(Vec::new());
                }
                let places = index.entries.keys().map(|place| path_of(place)).collect();
                self.advance(&lock, |index| {
                    index.entries.clear();
                    index.floor = index.generation + 1;
                })?;
                places
            }
            Err(StageError::Damaged { .. }) => {
                let generation = newest(&self.folder)?.unwrap_or(0).saturating_add(1);
                self.put(&lock, Index { generation, floor: generation, ..Index::empty() })?;
                Vec::new()
            }
            Err(error) => return Err(error.into()),
        };
        Ok(places)
    }
}
