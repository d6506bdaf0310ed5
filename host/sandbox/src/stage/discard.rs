//! Forgetting what is staged, and giving up an apply that can't come to its end.

use super::apply_error::ApplyError;
use super::changes::path_of;
use super::entry::Entry;
use super::folder::Lock;
use super::index::Index;
use super::plan::{Action, Plan, Progress};
use super::select::{Purpose, selected};
use super::target::holds;
use super::{APPLY, Stage, StageError, newest, temporary};
use crate::grant::GrantPath;
use crate::view::ProjectDir;
use rustix::fs::fstat;
use std::path::Path;

/// What an apply that was given up leaves behind in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// The places that had been put into the project before: they stay.
    pub in_project: Vec<GrantPath>,
    /// The temporary files that could not be removed.
    pub temporaries: Vec<GrantPath>,
}

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

    /// Ends an apply that was cut off without carrying it on: its temporary files are removed where
    /// they can be, and all stays staged. Says what it leaves in the project; none if there was no
    /// such apply.
    pub fn give_up_apply(&self) -> Result<Option<GivenUp>, ApplyError> {
        let lock = self.folder.lock()?;
        self.give_up(&lock)
    }

    fn give_up(&self, _: &Lock) -> Result<Option<GivenUp>, ApplyError> {
        let Some(text) = self.folder.record(APPLY)? else { return Ok(None) };
        // What can't be read says of nothing where it would be.
        let left = serde_json::from_slice(&text).map(|plan| self.left_by(&plan)).unwrap_or_default();
        self.folder.remove_record(APPLY)?;
        Ok(Some(left))
    }

    fn left_by(&self, plan: &Plan) -> GivenUp {
        let mut left = GivenUp::default();
        let project = plan.at.as_deref().and_then(|path| ProjectDir::open(Path::new(path)).ok());
        let project = project.filter(|project| {
            fstat(&project.handle).is_ok_and(|stat| plan.project == (stat.st_dev, stat.st_ino))
        });
        let index = self.refresh().ok();
        for step in &plan.steps {
            let Action::Put { folder, temporary, .. } = &step.action else { continue };
            let is_removed =
                project.as_ref().is_some_and(|project| temporary::remove(project, folder, temporary).is_ok());
            if !is_removed {
                left.temporaries.push(path_of(format!("{folder}/{temporary}").trim_start_matches('/')));
            }
            let file = index.as_ref().and_then(|index| index.entries.get(&step.place)).and_then(Entry::file);
            if plan.progress == Progress::Committed
                && let (Some(project), Some(file)) = (&project, file)
                && holds(project, &step.place, file.content.hash).unwrap_or(false)
            {
                left.in_project.push(path_of(&step.place));
            }
        }
        left
    }
}
