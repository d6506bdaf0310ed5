//! Putting staged changes into the project: all that was asked for or nothing, also if the process
//! is killed on the way.
//!
//! Each target is compared with what the stage took it for; the new contents are written into
//! temporary files and folders beside their targets; a record says that it's decided; then they are
//! renamed into place. A crash before that record takes the temporary ones away again, one after it
//! is carried on to the end (`recover`). What takes room on the disk comes before the record. It all
//! goes through the project's handle, and through no link.

use super::applied::Applied;
use super::apply_error::{ApplyError, Conflict, ConflictKind};
use super::changes::{Change, path_of};
use super::entry::{Base, Entry, Now, Time, Times};
use super::failpoint::hit;
use super::folder::Lock;
use super::in_the_way::{SetAside, in_the_way};
use super::index::Index;
use super::marks::{Ended, Known, Marks};
use super::plan::{Action, Plan, Progress, Step, Targets, steps};
use super::select::{Purpose, selected};
use super::step::Steps;
use super::target::{Identity, Mismatch, check, find, is_folder, split};
use super::temporary::{Temporaries, take_away};
use super::{APPLY, Stage, StageError};
use crate::grant::GrantPath;
use crate::view::{GrantedTree, ProjectDir, from_os, one_name};
use rustix::fs::{Dir, Timespec, Timestamps, fstat, fsync};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::iter::successors;

/// What came into the way of an apply's steps.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) set_aside: Vec<SetAside>,
    /// The places that a person may have changed after their step, or before it: they stay staged.
    pub(super) left: BTreeSet<String>,
}

/// What [`Stage::recover`] found to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// No apply was cut off.
    Nothing,
    /// One was cut off before it was decided: the project is as it was.
    RolledBack,
    /// One was cut off after that, and is finished now.
    Finished(Applied),
}

impl Stage {
    /// Puts what is staged into the project: all of it, or what is staged at and below `paths`
    /// together with what belongs to it (the other end of a rename, the folders that hold it, what
    /// a deleted folder held). What is applied isn't staged any more; the rest stays.
    ///
    /// All or nothing: if a target isn't what the run has changed, nothing is applied and the error
    /// lists each with both sides; and so if the run's grants, which are judged once more, don't let
    /// a tool change one of them. An apply that was cut off before is to be recovered first. What it
    /// comes to is noted until [`Stage::journaled`].
    pub fn apply(&self, granted: &GrantedTree, paths: Option<&[GrantPath]>) -> Result<Applied, ApplyError> {
        let project = granted.project();
        let lock = self.change()?;
        let index = self.refresh()?;
        let chosen = selected(&index.entries, paths, Purpose::Apply).map_err(ApplyError::NothingStaged)?;
        let forbidden: Vec<_> = index
            .entries
            .iter()
            .filter(|(place, _)| chosen.contains(*place))
            .filter_map(|(place, entry)| granted.may_apply(place, entry.takes_away()).err())
            .collect();
        if !forbidden.is_empty() {
            return Err(ApplyError::Forbidden(forbidden));
        }
        let targets = self.targets(project, &index, &chosen)?;
        let stat = fstat(&project.handle).map_err(|errno| failed(".", "looking at it", errno))?;
        let mut plan = Plan {
            progress: Progress::Preparing,
            project: (stat.st_dev, stat.st_ino),
            steps: steps(&targets),
            at: project.path().to_str().map(str::to_owned),
            places: chosen.iter().cloned().collect(),
        };
        if plan.steps.is_empty() {
            return self.finish(lock, &plan, Carried::default());
        }
        self.record(&plan)?;
        hit();
        let prepared = self.prepare(project, &index, &plan).and_then(|()| {
            Marks::begin(&self.folder, plan.steps.len())?;
            plan.progress = Progress::Committed;
            self.record(&plan)?;
            hit();
            // The last look before the first rename.
            match moved(project, &plan) {
                Some(path) => {
                    plan.progress = Progress::Preparing;
                    self.record(&plan)?;
                    Err(ApplyError::ChangedMeanwhile(path))
                }
                None => Ok(()),
            }
        });
        match prepared {
            Ok(()) => {
                let carried = self.carry_out(project, &plan)?;
                self.finish(lock, &plan, carried)
            }
            Err(error) => {
                take_back(project, &plan)?;
                self.forget()?;
                Err(error)
            }
        }
    }

    /// Finishes or takes back an apply that was cut off. Needed before anything else is done with
    /// the stage; does nothing if there was none.
    pub fn recover(&self, project: &ProjectDir) -> Result<Recovered, ApplyError> {
        if !self.apply_unfinished()? {
            return Ok(Recovered::Nothing);
        }
        let lock = self.folder.lock()?;
        let Some(text) = self.folder.record(APPLY)? else { return Ok(Recovered::Nothing) };
        let plan: Plan = serde_json::from_slice(&text).map_err(|error| StageError::Damaged {
            what: self.path().join(APPLY),
            reason: error.to_string(),
        })?;
        let stat = fstat(&project.handle).map_err(|errno| failed(".", "looking at it", errno))?;
        if plan.project != (stat.st_dev, stat.st_ino) {
            return Err(ApplyError::OtherProject(project.path().to_owned()));
        }
        match plan.progress {
            Progress::Preparing => {
                take_back(project, &plan)?;
                self.forget()?;
                Ok(Recovered::RolledBack)
            }
            Progress::Committed => {
                let carried = self.carry_out(project, &plan)?;
                Ok(Recovered::Finished(self.finish(lock, &plan, carried)?))
            }
        }
    }

    fn record(&self, plan: &Plan) -> Result<(), ApplyError> {
        let text = serde_json::to_vec(plan).map_err(|error| StageError::Damaged {
            what: self.path().join(APPLY),
            reason: error.to_string(),
        })?;
        Ok(self.folder.put_record(APPLY, &text)?)
    }

    /// Removes the records of an apply. Marks alone are nobody's.
    pub(super) fn forget(&self) -> Result<(), StageError> {
        self.folder.remove_record(APPLY)?;
        Marks::remove(&self.folder)
    }

    /// Compares each target with what the stage took it for.
    fn targets<'e>(
        &self,
        project: &ProjectDir,
        index: &'e Index,
        chosen: &BTreeSet<String>,
    ) -> Result<Targets<'e>, ApplyError> {
        let (mut targets, mut conflicts) = (Targets::new(), Vec::new());
        for (place, entry) in index.entries.iter().filter(|(place, _)| chosen.contains(*place)) {
            let found =
                check(project, place, &entry.base).map_err(|errno| failed(place, "reading it", errno))?;
            let kind = match found {
                Ok(was) => {
                    targets.insert(place.as_str(), (entry, was));
                    match &entry.now {
                        Now::Gone | Now::File(_) if matches!(entry.base, Base::Folder { .. }) => {
                            unstaged_inside(project, index, place)
                                .map_err(|errno| failed(place, "listing it", errno))?
                                .map(ConflictKind::NotEmpty)
                        }
                        Now::Gone => None,
                        Now::Folder { .. } | Now::File(_) => folder_missing(project, index, chosen, place),
                    }
                }
                Err(Mismatch::Appeared) => Some(ConflictKind::Appeared),
                Err(Mismatch::Vanished) => Some(ConflictKind::Vanished),
                Err(Mismatch::Changed) => Some(ConflictKind::Changed),
                Err(Mismatch::OtherKind) => Some(ConflictKind::OtherKind),
            };
            if let Some(kind) = kind {
                let nth = conflicts.len();
                conflicts.push(Conflict::new(nth, self.folder.clone(), project, place, entry, kind)?);
            }
        }
        if conflicts.is_empty() { Ok(targets) } else { Err(ApplyError::Conflicts(conflicts)) }
    }

    /// Makes all that is new, beside its place.
    fn prepare(&self, project: &ProjectDir, index: &Index, plan: &Plan) -> Result<(), ApplyError> {
        let temporaries = Temporaries::new(&self.folder, project, &index.entries, plan);
        let mut folders = BTreeSet::new();
        for step in plan.steps.iter().filter(|step| step.temporary().is_some()) {
            temporaries.write(step, hit)?;
            folders.insert(split(&step.place).0);
        }
        sync_folders(project, folders)
    }

    /// Does each step that isn't done yet.
    fn carry_out(&self, project: &ProjectDir, plan: &Plan) -> Result<Carried, ApplyError> {
        let index = self.refresh()?;
        let (entries, mut folders) = (&index.entries, BTreeSet::new());
        let temporaries = Temporaries::new(&self.folder, project, entries, plan);
        let steps = Steps { project, plan, entries, temporaries };
        let marks = Marks::read(&self.folder, plan.steps.len());
        let mut left = Vec::new();
        for (nth, step) in plan.steps.iter().enumerate() {
            let known = marks.of(nth);
            // What isn't staged any more was finished before: what became of it since is the person's.
            let ended = match entries.contains_key(&step.place) {
                false if known == Known::Left => Ended::Left,
                false => Ended::Done,
                true => {
                    let folder = split(&step.place).0;
                    folders.insert(folder);
                    let ended = steps.carry_out(step, known).map_err(|error| stuck(folder, error))?;
                    marks.set(nth, ended);
                    hit();
                    ended
                }
            };
            if ended == Ended::Left {
                left.push(step);
            }
        }
        sync_folders(project, folders)?;
        hit();
        let set_aside = in_the_way(project, plan, &left);
        let stays = left.into_iter().filter(|step| step.temporary().is_some());
        Ok(Carried { set_aside, left: stays.map(|step| step.place.clone()).collect() })
    }

    /// The changes are in the project: they aren't staged any more, and the run knows its own files.
    fn finish(&self, lock: Lock, plan: &Plan, carried: Carried) -> Result<Applied, ApplyError> {
        let Carried { set_aside, left } = carried;
        let places: Vec<_> = plan.places.iter().filter(|place| !is_within(&left, place)).collect();
        if !places.is_empty() {
            self.advance(&lock, |index| {
                for place in places.iter().copied() {
                    match index.entries.remove(place).as_ref().map(Entry::file) {
                        Some(Some(file)) => {
                            index.applied.insert(place.clone(), file.content.hash);
                        }
                        Some(None) => {
                            index.applied.remove(place);
                        }
                        None => {}
                    }
                }
                index.floor = index.generation + 1;
            })?;
        }
        let paths = places.into_iter().map(|place| path_of(place)).collect();
        let applied = Applied { paths, set_aside };
        self.note(&applied)?;
        hit();
        self.forget()?;
        self.clean(&lock)?;
        Ok(applied)
    }

    /// The change at a place, for showing it.
    pub(super) fn change_of(
        folder: &std::sync::Arc<super::folder::StageFolder>,
        place: &str,
        entry: &Entry,
    ) -> Change {
        use super::changes::{ChangeKind, Side};
        let (before, after) = (Side::of_base(&entry.base), Side::of_now(&entry.now));
        Change { path: path_of(place), kind: ChangeKind::Modified, before, after, folder: folder.clone() }
    }
}

/// A name in a folder that is to go, which isn't staged to go with it.
fn unstaged_inside(project: &ProjectDir, index: &Index, place: &str) -> Result<Option<String>, Errno> {
    for entry in Dir::read_from(project.folder(place)?)? {
        let entry = entry?;
        let name = from_os(entry.file_name().to_bytes());
        let gone =
            || index.entries.get(&format!("{place}/{name}")).is_some_and(|entry| entry.now == Now::Gone);
        if !matches!(&*name, "." | "..") && !gone() {
            return Ok(Some(name.into_owned()));
        }
    }
    Ok(None)
}

/// Whether the folder that a place is to be in will not be there.
fn folder_missing(
    project: &ProjectDir,
    index: &Index,
    chosen: &BTreeSet<String>,
    place: &str,
) -> Option<ConflictKind> {
    let folder = split(place).0;
    let staged = index.entries.get(folder).filter(|_| chosen.contains(folder));
    let will_be = match staged.map(|entry| &entry.now) {
        Some(Now::Folder { .. }) => true,
        Some(Now::Gone | Now::File(_)) => false,
        None => is_folder(project, folder),
    };
    (!will_be).then_some(ConflictKind::NoFolder)
}

/// The first step whose target isn't what was found when it was compared.
fn moved(project: &ProjectDir, plan: &Plan) -> Option<GrantPath> {
    // A step makes room there for another one, and is looked at itself.
    let clears = |step: &&Step| matches!(step.action, Action::Remove { .. } | Action::RemoveFolder);
    let cleared: BTreeSet<_> = plan.steps.iter().filter(clears).map(|step| step.place.as_str()).collect();
    let is_unmoved = |step: &&Step| {
        let Ok(found) = find(project, &step.place) else { return false };
        let found = found.map(|(_, stat)| Identity::of(&stat));
        match &step.action {
            Action::Remove { was } => found == *was,
            Action::RemoveFolder => found.is_some_and(|found| found.is_folder()),
            Action::PutFolder { .. } => found.is_none() || cleared.contains(step.place.as_str()),
            Action::Put { was, .. } => found == *was || cleared.contains(step.place.as_str()),
            Action::SetTimes { .. } => true,
        }
    };
    plan.steps.iter().find(|step| !is_unmoved(step)).map(|step| path_of(&step.place))
}

/// Whether a place is one of these or below one.
fn is_within(places: &BTreeSet<String>, place: &str) -> bool {
    successors(Some(place), |place| Some(place.rsplit_once('/')?.0)).any(|place| places.contains(place))
}

/// Removes the temporary files and folders.
fn take_back(project: &ProjectDir, plan: &Plan) -> Result<(), ApplyError> {
    let made = plan.steps.iter().filter_map(|step| Some((step, step.temporary()?)));
    for (Step { place, .. }, temporary) in made {
        take_away(project, &temporary)
            .map_err(|errno| failed(place, "removing what was made beside it", errno))
            .map_err(|error| stuck(split(place).0, error))?;
    }
    Ok(())
}

/// An error that keeps an apply from its end.
fn stuck(folder: &str, error: ApplyError) -> ApplyError {
    ApplyError::Stuck { folder: path_of(folder), source: Box::new(error) }
}

fn sync_folders(project: &ProjectDir, folders: BTreeSet<&str>) -> Result<(), ApplyError> {
    for place in folders {
        match project.folder(place).and_then(|folder| fsync(&folder)) {
            // One that was removed has nothing to keep.
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => return Err(failed(place, "syncing the folder", errno)),
        }
    }
    Ok(())
}

pub(super) fn timestamps(times: Times) -> Timestamps {
    let time = |Time(seconds, nanoseconds)| Timespec { tv_sec: seconds, tv_nsec: nanoseconds.into() };
    Timestamps { last_access: time(times.accessed), last_modification: time(times.modified) }
}

pub(super) fn failed(place: &str, doing: &'static str, errno: Errno) -> ApplyError {
    ApplyError::Project { path: path_of(place), doing, source: errno.into() }
}

/// The bytes of a name, for a call of the system's.
pub(super) fn os_name(place: &str) -> Result<std::borrow::Cow<'_, [u8]>, Errno> {
    one_name(split(place).1)
}
