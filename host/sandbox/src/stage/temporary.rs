//! The temporary files of an apply: a new content beside its target, to be renamed into place. What
//! the stage holds is checked against its hash on the way.
//!
//! Doesn't own: when one is written, renamed or removed (`apply`, `step`).

use super::apply::{failed, timestamps};
use super::apply_error::ApplyError;
use super::body::{errno_of, hash_of};
use super::entry::StagedFile;
use super::error::StageError;
use super::folder::StageFolder;
use super::plan::{Action, Step};
use super::target::Identity;
use crate::view::{ProjectDir, look};
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, futimens, openat, unlinkat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;

/// What was being done when writing one fails.
const WRITING: &str = "writing its new content beside it";

/// Writes temporary files into a project.
pub(super) struct Temporaries<'a> {
    stage: &'a StageFolder,
    project: &'a ProjectDir,
    /// The permissions of a new file.
    usual: Mode,
}

impl<'a> Temporaries<'a> {
    pub(super) fn new(stage: &'a StageFolder, project: &'a ProjectDir) -> Result<Self, StageError> {
        let usual = stage.usual_mode().map_err(|errno| stage.failed("contents", errno))?;
        Ok(Self { stage, project, usual })
    }

    /// Writes the one of a step, if it puts a file into place. Only this user can open it until its
    /// content is whole.
    pub(super) fn write(&self, step: &Step, file: &StagedFile) -> Result<(), ApplyError> {
        let Action::Put { folder, temporary, was } = &step.action else { return Ok(()) };
        let system = |errno| failed(&step.place, WRITING, errno);
        let damaged = |reason: String| {
            let what = self.stage.path().join("contents").join(String::from(file.content.id.clone()));
            ApplyError::Stage(StageError::Damaged { what, reason })
        };
        let mut from = self
            .stage
            .content(&file.content.id)
            .map_err(|errno| damaged(std::io::Error::from(errno).to_string()))?;
        let folder = self.project.folder(folder).map_err(system)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let private = Mode::RUSR | Mode::WUSR;
        let mut to = File::from(openat(&folder, temporary, flags, private).map_err(system)?);
        let copied = hash_of(&mut from, |bytes| to.write_all(bytes).map_err(|error| errno_of(&error)));
        let (hash, _) = copied.map_err(system)?;
        if hash != file.content.hash {
            return Err(damaged("it isn't the content that was staged".to_owned()));
        }
        self.finish(&to, file, was.as_ref()).map_err(system)
    }

    fn finish(&self, to: &File, file: &StagedFile, was: Option<&Identity>) -> Result<(), Errno> {
        // An existing file keeps what permissions it has by now; a renamed one those it had.
        let own = was.and_then(Identity::file_mode);
        let renamed = file.mode.filter(|_| file.origin.is_some());
        let mode = own.or(renamed).map_or(self.usual, |mode| Mode::from_raw_mode(mode & 0o777));
        fchmod(to, mode)?;
        if file.times_set {
            futimens(to, &timestamps(file.times))?;
        }
        to.sync_all().map_err(|error| errno_of(&error))
    }
}

/// Whether a temporary file is there.
pub(super) fn is_there(project: &ProjectDir, folder: &str, name: &str) -> Result<bool, Errno> {
    Ok(look(&project.folder(folder)?, name)?.is_some())
}

/// Removes a temporary file; one that isn't there is no error.
pub(super) fn remove(project: &ProjectDir, folder: &str, name: &str) -> Result<(), Errno> {
    let folder = match project.folder(folder) {
        Ok(folder) => folder,
        // Its folder went away, and it went with it. A link in its place may go again: an error.
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    // Where nothing can be written, what isn't there can't be removed either.
    match look(&folder, name)? {
        Some(_) => unlinkat(&folder, name, AtFlags::empty()),
        None => Ok(()),
    }
}
