//! The temporary files and folders of an apply: what is new, whole, beside its place, to be renamed
//! there. All that takes room on the disk is done here. What the stage holds is checked against its
//! hash on the way.
//!
//! Doesn't own: when one is written, renamed or removed (`apply`, `step`).

use super::apply::{failed, os_name, timestamps};
use super::apply_error::ApplyError;
use super::attributes::carry_over;
use super::body::{errno_of, hash_of};
use super::entry::{Blob, Now, StagedFile, Times};
use super::error::StageError;
use super::folder::StageFolder;
use super::index::{Entries, below};
use super::plan::{Action, Plan, Step};
use super::target::{Identity, find, split};
use crate::view::{ProjectDir, from_os};
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, fchmod, fsync, futimens, mkdirat, openat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::cell::OnceCell;
use std::fs::File;
use std::io::Write;

/// What was being done when writing one fails.
const WRITING: &str = "writing its new content beside it";

/// Writes temporary files and folders into a project.
pub(super) struct Temporaries<'a> {
    stage: &'a StageFolder,
    project: &'a ProjectDir,
    entries: &'a Entries,
    plan: &'a Plan,
    /// The permissions of a new file.
    usual: OnceCell<Mode>,
}

impl<'a> Temporaries<'a> {
    pub(super) fn new(
        stage: &'a StageFolder,
        project: &'a ProjectDir,
        entries: &'a Entries,
        plan: &'a Plan,
    ) -> Self {
        Self { stage, project, entries, plan, usual: OnceCell::new() }
    }

    /// Writes that of a step, if it puts something into place; `wrote` hears of each file and folder.
    pub(super) fn write(&self, step: &Step, wrote: impl Fn()) -> Result<(), ApplyError> {
        step.temporary().map_or(Ok(()), |at| self.write_at(step, &at, wrote))
    }

    /// Writes one again that somebody took away; as a whole, or it isn't there.
    pub(super) fn write_again(&self, step: &Step) -> Result<(), ApplyError> {
        let Some(at) = step.temporary() else { return Ok(()) };
        let (system, part) = (|errno| failed(&step.place, WRITING, errno), part_of(&at));
        remove(self.project, &part).map_err(system)?;
        self.write_at(step, &part, || {})?;
        let folder = self.project.folder(split(&at).0).map_err(system)?;
        let (from, to) = (split(&part).1, split(&at).1);
        renameat_with(&folder, from, &folder, to, RenameFlags::empty()).map_err(system)
    }

    fn write_at(&self, step: &Step, at: &str, wrote: impl Fn()) -> Result<(), ApplyError> {
        match &step.action {
            Action::Put { was, .. } => {
                if let Some(file) = self.entries.get(&step.place).and_then(|entry| entry.file()) {
                    self.file(at, &step.place, file, was.as_ref())?;
                    wrote();
                }
                Ok(())
            }
            Action::PutFolder { .. } => self.folder(at, &step.place, wrote),
            Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. } => Ok(()),
        }
    }

    /// A new folder and all that is applied below it.
    fn folder(&self, at: &str, place: &str, wrote: impl Fn()) -> Result<(), ApplyError> {
        let mut folders: Vec<(String, &str, Option<Times>)> = Vec::new();
        let top = self.entries.get_key_value(place).map(|(place, entry)| (place.as_str(), entry));
        for (inner, entry) in top.into_iter().chain(below(self.entries, place)) {
            if !self.plan.applies(inner) {
                continue;
            }
            let inner_at = format!("{at}{}", inner.strip_prefix(place).unwrap_or_default());
            match &entry.now {
                Now::Gone => continue,
                Now::File(file) => self.file(&inner_at, inner, file, None)?,
                Now::Folder { times } => {
                    let system = |errno| failed(inner, "making the folder beside its place", errno);
                    let above = self.project.folder(split(&inner_at).0).map_err(system)?;
                    let name = os_name(&inner_at).map_err(system)?;
                    mkdirat(&above, &*name, Mode::from_raw_mode(0o777)).map_err(system)?;
                    folders.push((inner_at, inner, *times));
                }
            }
            wrote();
        }
        for (inner_at, inner, times) in folders.iter().rev() {
            let finished = self.project.folder(inner_at).and_then(|folder| {
                times.map_or(Ok(()), |times| futimens(&folder, &timestamps(times)))?;
                fsync(&folder)
            });
            finished.map_err(|errno| failed(inner, "syncing the folder", errno))?;
        }
        Ok(())
    }

    /// A new content. Only this user can open it until it is whole.
    fn file(
        &self,
        at: &str,
        place: &str,
        file: &StagedFile,
        was: Option<&Identity>,
    ) -> Result<(), ApplyError> {
        let system = |errno| failed(place, WRITING, errno);
        let to = copy(self.stage, self.project, at, &file.content).map_err(|error| error.at(place))?;
        let moved = file.origin.as_deref().filter(|origin| *origin != place);
        if let Some(like) = moved.or(was.map(|_| place)) {
            carry_over(self.project, like, &to);
        }
        // A renamed file has the permissions that it had; another one those of the file it was.
        let renamed = file.mode.filter(|_| moved.is_some());
        let mode = match renamed.or_else(|| was.and_then(Identity::file_mode)) {
            Some(mode) => Mode::from_raw_mode(mode & 0o777),
            None => self.usual(place)?,
        };
        fchmod(&to, mode).map_err(system)?;
        if file.times_set {
            futimens(&to, &timestamps(file.times)).map_err(system)?;
        }
        to.sync_all().map_err(|error| system(errno_of(&error)))
    }

    fn usual(&self, place: &str) -> Result<Mode, ApplyError> {
        if let Some(mode) = self.usual.get() {
            return Ok(*mode);
        }
        let mode = self.stage.usual_mode().map_err(|errno| failed(place, WRITING, errno))?;
        Ok(*self.usual.get_or_init(|| mode))
    }
}

/// Why a staged content can't be copied.
pub(super) enum CopyError {
    /// The stage doesn't hold it any more.
    Damaged(StageError),
    /// The system refuses.
    System(Errno),
}

impl CopyError {
    fn at(self, place: &str) -> ApplyError {
        match self {
            Self::Damaged(error) => error.into(),
            Self::System(errno) => failed(place, WRITING, errno),
        }
    }
}

/// Writes a staged content into a new file of the project, which only this user can open.
pub(super) fn copy(
    stage: &StageFolder,
    project: &ProjectDir,
    at: &str,
    content: &Blob,
) -> Result<File, CopyError> {
    let create = || {
        let folder = project.folder(split(at).0)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&folder, &*os_name(at)?, flags, Mode::RUSR | Mode::WUSR).map(File::from)
    };
    copy_into(stage, content, create)
}

/// Writes a staged content into the file that `create` makes, once there is something to write.
pub(super) fn copy_into(
    stage: &StageFolder,
    content: &Blob,
    create: impl FnOnce() -> Result<File, Errno>,
) -> Result<File, CopyError> {
    let damaged = |reason: String| {
        let what = stage.path().join("contents").join(String::from(content.id.clone()));
        CopyError::Damaged(StageError::Damaged { what, reason })
    };
    let opened = stage.content(&content.id);
    let mut from = opened.map_err(|errno| damaged(std::io::Error::from(errno).to_string()))?;
    let mut to = create().map_err(CopyError::System)?;
    let copied = hash_of(&mut from, |bytes| to.write_all(bytes).map_err(|error| errno_of(&error)));
    let (hash, _) = copied.map_err(CopyError::System)?;
    if hash != content.hash {
        return Err(damaged("it isn't the content that was staged".to_owned()));
    }
    Ok(to)
}

/// What one is called while it is written again.
fn part_of(at: &str) -> String {
    format!("{at}-part")
}

/// Whether a temporary file or folder is there; an error where its folder can't be looked into.
pub(super) fn is_there(project: &ProjectDir, at: &str) -> Result<bool, Errno> {
    project.folder(split(at).0)?;
    Ok(find(project, at)?.is_some())
}

/// Removes one, and one that was being written again.
pub(super) fn take_away(project: &ProjectDir, at: &str) -> Result<(), Errno> {
    remove(project, at).and_then(|()| remove(project, &part_of(at)))
}

/// Removes a file, or a folder with all that is in it; one that isn't there is no error.
fn remove(project: &ProjectDir, at: &str) -> Result<(), Errno> {
    let (above, name) = split(at);
    let folder = match project.folder(above) {
        Ok(folder) => folder,
        // Its folder went away, and it went with it. A link in its place may go again: an error.
        Err(Errno::NOENT) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    // Where nothing can be written, what isn't there can't be removed either.
    let Some(found) = crate::view::look(&folder, name)? else { return Ok(()) };
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        return unlinkat(&folder, &*os_name(at)?, AtFlags::empty());
    }
    let mut names = Vec::new();
    for entry in Dir::read_from(project.folder(at)?)? {
        names.push(from_os(entry?.file_name().to_bytes()).into_owned());
    }
    for name in names.iter().filter(|name| !matches!(name.as_str(), "." | "..")) {
        remove(project, &format!("{at}/{name}"))?;
    }
    unlinkat(&folder, &*os_name(at)?, AtFlags::REMOVEDIR)
}
