//! Carrying out one step of an apply, or seeing that it was carried out before. What came into the
//! way since it was decided is never overwritten: it is set aside, or left alone.

use super::apply::{failed, os_name, timestamps};
use super::apply_error::ApplyError;
use super::entry::{Entry, Now};
use super::index::{Entries, below};
use super::marks::{Ended, Known};
use super::plan::{Action, Plan, Step};
use super::target::{Identity, holds, is_folder, split};
use super::temporary::{self, Temporaries};
use crate::view::{ProjectDir, look};
use rustix::fs::{AtFlags, FileType, RenameFlags, Stat, futimens, renameat_with, unlinkat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// What carrying out steps needs.
pub(super) struct Steps<'a> {
    pub(super) project: &'a ProjectDir,
    pub(super) plan: &'a Plan,
    pub(super) entries: &'a Entries,
    pub(super) temporaries: Temporaries<'a>,
}

impl Steps<'_> {
    pub(super) fn carry_out(&self, step: &Step, known: Known) -> Result<Ended, ApplyError> {
        let system = |errno| failed(&step.place, "putting it into place", errno);
        let folder = || self.project.folder(split(&step.place).0);
        let before = match known {
            Known::Done => Some(Ended::Done),
            Known::Left => Some(Ended::Left),
            Known::Perhaps | Known::No => None,
        };
        // It came to its end, and a person has moved its folder since.
        if let Some(before) = before
            && matches!(folder(), Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
        {
            return Ok(before);
        }
        if let Some(temporary) = step.temporary() {
            if !temporary::is_there(self.project, &temporary).map_err(system)? {
                if let Some(ended) = self.ended_before(step, known).map_err(system)? {
                    return Ok(ended);
                }
                self.temporaries.write_again(step)?;
            }
            return self.put(step, split(&temporary).1).map(|()| Ended::Done).map_err(system);
        }
        self.change(step, known).map_err(system)
    }

    /// Whether a step whose temporary file is gone was done, or is to be left alone; else somebody
    /// took that file away.
    fn ended_before(&self, step: &Step, known: Known) -> Result<Option<Ended>, Errno> {
        if known == Known::Done || is_in_place(self.project, step, self.plan, self.entries)? {
            return Ok(Some(Ended::Done));
        }
        if known == Known::Left {
            return Ok(Some(Ended::Left));
        }
        let (folder, name) = split(&step.place);
        let Some(found) = look(&self.project.folder(folder)?, name)? else { return Ok(None) };
        let theirs = known == Known::Perhaps && Some(Identity::of(&found)) != was(step);
        Ok(theirs.then_some(Ended::Left))
    }

    /// Renames the temporary file or folder into place.
    fn put(&self, step: &Step, temporary: &str) -> Result<(), Errno> {
        let folder = self.project.folder(split(&step.place).0)?;
        let mut found = look(&folder, split(&step.place).1)?;
        if let Some(stat) = &found
            && Some(Identity::of(stat)) != was(step)
        {
            set_aside(&folder, step)?;
            found = None;
        }
        let name = os_name(&step.place)?;
        match found {
            Some(_) => renameat_with(&folder, temporary, &folder, &*name, RenameFlags::empty()),
            None => move_to_free(&folder, temporary.as_bytes(), &name),
        }
    }

    fn change(&self, step: &Step, known: Known) -> Result<Ended, Errno> {
        let (folder, name) = split(&step.place);
        let folder = match (self.project.folder(folder), &step.action) {
            (Ok(folder), _) => folder,
            // It went with its folder.
            (Err(Errno::NOENT | Errno::NOTDIR), Action::Remove { .. } | Action::RemoveFolder) => {
                return Ok(Ended::Done);
            }
            (Err(errno), _) => return Err(errno),
        };
        let Some(found) = look(&folder, name)? else { return Ok(Ended::Done) };
        let os_name = os_name(&step.place)?;
        match &step.action {
            Action::Remove { was } if Some(Identity::of(&found)) == *was => {
                unlinkat(&folder, &*os_name, AtFlags::empty())?;
                Ok(Ended::Done)
            }
            Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. }
                if known == Known::Done =>
            {
                Ok(Ended::Done)
            }
            Action::RemoveFolder if is_a_folder(&found) => {
                match unlinkat(&folder, &*os_name, AtFlags::REMOVEDIR) {
                    Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Ended::Left),
                    outcome => outcome.map(|()| Ended::Done),
                }
            }
            Action::SetTimes { times } if is_a_folder(&found) => {
                futimens(self.project.folder(&step.place)?, &timestamps(*times))?;
                Ok(Ended::Done)
            }
            // The folder that was put there.
            Action::Remove { .. } if is_a_folder(&found) => Ok(Ended::Done),
            Action::Remove { .. } => Ok(Ended::Left),
            Action::RemoveFolder
            | Action::SetTimes { .. }
            | Action::PutFolder { .. }
            | Action::Put { .. } => Ok(Ended::Done),
        }
    }
}

/// Moves what is in the way to a name beside it that nothing has.
fn set_aside(folder: &OwnedFd, step: &Step) -> Result<(), Errno> {
    let from = os_name(&step.place)?;
    for kept in step.kept() {
        if look(folder, split(&kept).1)?.is_none() {
            return move_to_free(folder, &from, &os_name(&kept)?);
        }
    }
    Err(Errno::EXIST)
}

/// Whether what a step puts into place is there, as it is staged.
pub(super) fn is_in_place(
    project: &ProjectDir,
    step: &Step,
    plan: &Plan,
    entries: &Entries,
) -> Result<bool, Errno> {
    let there = |place: &str, entry: &Entry| match &entry.now {
        Now::Gone => Ok(true),
        Now::Folder { .. } => Ok(is_folder(project, place)),
        Now::File(file) => holds(project, place, file.content.hash),
    };
    match &step.action {
        Action::Put { .. } => entries.get(&step.place).map_or(Ok(false), |entry| there(&step.place, entry)),
        Action::PutFolder { .. } => {
            if !is_folder(project, &step.place) {
                return Ok(false);
            }
            for (place, entry) in below(entries, &step.place).filter(|(place, _)| plan.applies(place)) {
                if !there(place, entry)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. } => Ok(false),
    }
}

/// What a step takes the place of.
fn was(step: &Step) -> Option<Identity> {
    match &step.action {
        Action::Put { was, .. } => *was,
        Action::PutFolder { .. } | Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. } => {
            None
        }
    }
}

fn is_a_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// Renames within a folder to a name that nothing has.
pub(super) fn move_to_free(folder: &OwnedFd, from: &[u8], to: &[u8]) -> Result<(), Errno> {
    match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        // Most file systems in user space know no flags. That nothing has the name was seen just now.
        Err(Errno::INVAL) => renameat_with(folder, from, folder, to, RenameFlags::empty()),
        outcome => outcome,
    }
}
