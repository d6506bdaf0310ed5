//! Giving up an apply that can't come to its end: its temporary files go, what it had deleted comes
//! back, and what it has put into the project stays and is told.

use super::apply::os_name;
use super::apply_error::ApplyError;
use super::changes::path_of;
use super::entry::{Base, Blob};
use super::folder::{Lock, random_name};
use super::index::Index;
use super::marks::{Known, Marks};
use super::plan::{Action, Plan, Progress, Step, join};
use super::step::{is_in_place, move_to_free};
use super::target::{Identity, find, split};
use super::temporary::{CopyError, copy, copy_into, is_there, take_away};
use super::{APPLY, Stage, StageError};
use crate::grant::GrantPath;
use crate::view::{ProjectDir, to_os};
use rustix::fs::{Mode, fchmod, fstat, mkdirat, symlinkat};
use rustix::io::Errno;
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What an apply that was given up leaves behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// The files that had been put into the project before: they stay.
    pub in_project: Vec<GrantPath>,
    /// What had been deleted before, and where it is now.
    pub deleted: Vec<Deleted>,
    /// The temporary files and folders that could not be removed.
    pub temporaries: Vec<GrantPath>,
}

/// Something that an apply had deleted when it was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    /// Where it was.
    pub path: GrantPath,
    /// Where it is.
    pub now: Kept,
}

/// Where something is that had been deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// Where it was.
    PutBack,
    /// In this file, outside of the project: something else is in its place, or nothing can be put
    /// there.
    At(PathBuf),
    /// Nowhere: what the stage held of it is damaged. Of a link, this is what it said.
    Lost(Option<String>),
}

impl Stage {
    /// Ends an apply that was cut off without carrying it on: its temporary files are removed where
    /// they can be, what it had deleted is put back or kept beside the stage, and all stays staged.
    /// Says what it leaves; none if there was no such apply. If what was deleted can't be kept, that
    /// is an error, and nothing is given up.
    pub fn give_up_apply(&self) -> Result<Option<GivenUp>, ApplyError> {
        let lock = self.folder.lock()?;
        self.give_up(&lock)
    }

    pub(super) fn give_up(&self, _: &Lock) -> Result<Option<GivenUp>, ApplyError> {
        let Some(text) = self.folder.record(APPLY)? else { return Ok(None) };
        let left = match serde_json::from_slice(&text) {
            Ok(plan) => self.left_by(&plan)?,
            // What can't be read says of nothing where it would be.
            Err(_) => GivenUp::default(),
        };
        self.forget()?;
        Ok(Some(left))
    }

    fn left_by(&self, plan: &Plan) -> Result<GivenUp, StageError> {
        let project = plan.at.as_deref().and_then(|path| ProjectDir::open(Path::new(path)).ok());
        let project = project.filter(|project| {
            fstat(&project.handle).is_ok_and(|stat| plan.project == (stat.st_dev, stat.st_ino))
        });
        let mut left = GivenUp::default();
        if plan.progress == Progress::Committed
            && let Ok(index) = self.refresh()
        {
            if let Some(project) = &project {
                left.in_project = put_by(project, plan, &index);
            }
            left.deleted = self.bring_back(project.as_ref(), plan, &index)?;
        }
        for at in plan.steps.iter().filter_map(Step::temporary) {
            if project.as_ref().is_none_or(|project| take_away(project, &at).is_err()) {
                left.temporaries.push(path_of(&at));
            }
        }
        Ok(left)
    }

    /// Puts back what was deleted, the outermost first.
    fn bring_back(
        &self,
        project: Option<&ProjectDir>,
        plan: &Plan,
        index: &Index,
    ) -> Result<Vec<Deleted>, StageError> {
        let marks = Marks::read(&self.folder, plan.steps.len());
        let kept = PathBuf::from(format!(
            "{}.kept-{}",
            self.path().display(),
            random_name().get(..8).unwrap_or_default()
        ));
        let mut deleted = Vec::new();
        for (nth, step) in plan.steps.iter().enumerate().rev() {
            let was = match &step.action {
                Action::Remove { was } => *was,
                Action::RemoveFolder => None,
                Action::PutFolder { .. } | Action::Put { .. } | Action::SetTimes { .. } => continue,
            };
            let Some(base) = index.entries.get(&step.place).map(|entry| &entry.base) else { continue };
            let found = project.map(|project| find(project, &step.place));
            let is_there = match &found {
                Some(Ok(Some((_, stat)))) => was.is_none() || Some(Identity::of(stat)) == was,
                Some(Ok(None) | Err(_)) | None => false,
            };
            let is_other = matches!(&found, Some(Ok(Some(_)))) && !is_there;
            // What is gone and was not deleted by this, a person has deleted.
            let by_this = matches!(marks.of(nth), Known::Done | Known::Perhaps) || !marks.hold();
            if is_there || !by_this {
                continue;
            }
            let back = project.filter(|_| !is_other).map(|project| self.put_back(project, &step.place, base));
            let now = match (back, base) {
                (Some(Ok(())), _) => Kept::PutBack,
                (Some(Err(CopyError::Damaged(_))), _) => Kept::Lost(None),
                (_, Base::File { content, .. }) => self.keep(&kept, &step.place, content)?,
                (_, Base::Link { text }) => Kept::Lost(Some(text.clone())),
                // Nothing was in it.
                (_, Base::Folder { .. } | Base::Absent) => continue,
            };
            deleted.push(Deleted { path: path_of(&step.place), now });
        }
        deleted.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(deleted)
    }

    /// Makes again what was at a place where nothing is now.
    fn put_back(&self, project: &ProjectDir, place: &str, base: &Base) -> Result<(), CopyError> {
        let above = split(place).0;
        let folder = project.folder(above).map_err(CopyError::System)?;
        let name = os_name(place).map_err(CopyError::System)?;
        match base {
            Base::Absent => Ok(()),
            Base::Folder { mode } => {
                mkdirat(&folder, &*name, Mode::from_raw_mode(mode & 0o777)).map_err(CopyError::System)
            }
            Base::Link { text } => {
                to_os(text).and_then(|text| symlinkat(&*text, &folder, &*name)).map_err(CopyError::System)
            }
            Base::File { content, mode } => {
                let temporary = format!(".ringfence-{}", random_name());
                let at = join(above, &temporary);
                let placed = copy(&self.folder, project, &at, content).and_then(|file| {
                    fchmod(&file, Mode::from_raw_mode(mode & 0o777))
                        .and_then(|()| rustix::fs::fsync(&file))
                        .and_then(|()| move_to_free(&folder, temporary.as_bytes(), &name))
                        .map_err(CopyError::System)
                });
                if placed.is_err() {
                    let _ = take_away(project, &at);
                }
                placed
            }
        }
    }

    /// Copies what was deleted into a folder of the user's own.
    fn keep(&self, folder: &Path, place: &str, content: &Blob) -> Result<Kept, StageError> {
        let at = folder.join(place);
        let create = || {
            let above = at.parent().unwrap_or(folder);
            DirBuilder::new().recursive(true).mode(0o700).create(above)?;
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&at)
        };
        let create = || create().map_err(|error| super::body::errno_of(&error));
        let kept = copy_into(&self.folder, content, create).and_then(|file| {
            file.sync_all().map_err(|error| CopyError::System(super::body::errno_of(&error)))
        });
        match kept {
            Ok(()) => Ok(Kept::At(at)),
            Err(CopyError::Damaged(_)) => Ok(Kept::Lost(None)),
            Err(CopyError::System(errno)) => Err(StageError::Io { what: at, source: errno.into() }),
        }
    }
}

/// The files that an apply has put into the project.
fn put_by(project: &ProjectDir, plan: &Plan, index: &Index) -> Vec<GrantPath> {
    let is_put = |step: &&Step| -> Result<bool, Errno> {
        let Some(temporary) = step.temporary() else { return Ok(false) };
        Ok(!is_there(project, &temporary)? && is_in_place(project, step, plan, &index.entries)?)
    };
    let mut put = Vec::new();
    for step in plan.steps.iter().filter(|step| is_put(step).unwrap_or(false)) {
        let inner = super::index::below(&index.entries, &step.place);
        let own = index.entries.get_key_value(&step.place).map(|(place, entry)| (place.as_str(), entry));
        let files = own
            .into_iter()
            .chain(inner)
            .filter(|(place, entry)| plan.applies(place) && entry.file().is_some());
        put.extend(files.map(|(place, _)| path_of(place)));
    }
    put
}
