//! Carrying out one step of an apply, or seeing that it was carried out before. What came into the
//! way since it was decided is never overwritten: it is set aside, or left alone.

use super::apply::{Carried, SetAside, failed, os_name, timestamps};
use super::apply_error::ApplyError;
use super::changes::path_of;
use super::entry::{Entry, Now};
use super::folder::random_name;
use super::index::{Entries, below};
use super::marks::Known;
use super::plan::{Action, Plan, Step};
use super::target::{Identity, holds, is_folder, split};
use super::temporary::{self, Temporaries};
use crate::view::{ProjectDir, look};
use rustix::fs::{AtFlags, FileType, RenameFlags, Stat, futimens, renameat_with, unlinkat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// The longest name that a folder can have, in bytes.
const MAX_NAME: usize = 255;

/// What carrying out steps needs, and what came into their way so far.
pub(super) struct Steps<'a> {
    pub(super) project: &'a ProjectDir,
    pub(super) plan: &'a Plan,
    pub(super) entries: &'a Entries,
    pub(super) temporaries: Temporaries<'a>,
    pub(super) carried: Carried,
}

impl Steps<'_> {
    pub(super) fn carry_out(&mut self, step: &Step, known: Known) -> Result<(), ApplyError> {
        let system = |errno| failed(&step.place, "putting it into place", errno);
        let folder = || self.project.folder(split(&step.place).0);
        // It was done, and a person has moved its folder since.
        if known == Known::Done && matches!(folder(), Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)) {
            return Ok(());
        }
        if let Some(temporary) = step.temporary() {
            if !temporary::is_there(self.project, &temporary).map_err(system)? {
                if self.was_done(step, known).map_err(system)? {
                    return Ok(());
                }
                self.temporaries.write_again(step)?;
            }
            return self.put(step, split(&temporary).1).map_err(system);
        }
        self.change(step, known).map_err(system)
    }

    /// Whether a step whose temporary file is gone was done, or is to be left alone; else somebody
    /// took that file away.
    fn was_done(&mut self, step: &Step, known: Known) -> Result<bool, Errno> {
        if known == Known::Done || is_in_place(self.project, step, self.plan, self.entries)? {
            return Ok(true);
        }
        let (folder, name) = split(&step.place);
        let Some(found) = look(&self.project.folder(folder)?, name)? else { return Ok(false) };
        let theirs = known == Known::Perhaps && Some(Identity::of(&found)) != was(step);
        if theirs {
            self.carried.left = Some(step.place.clone());
            self.leave(step);
        }
        Ok(theirs)
    }

    /// Renames the temporary file or folder into place.
    fn put(&mut self, step: &Step, temporary: &str) -> Result<(), Errno> {
        let folder = self.project.folder(split(&step.place).0)?;
        let mut found = look(&folder, split(&step.place).1)?;
        if let Some(stat) = &found
            && Some(Identity::of(stat)) != was(step)
        {
            self.set_aside(&folder, step)?;
            found = None;
        }
        let name = os_name(&step.place)?;
        match found {
            Some(_) => renameat_with(&folder, temporary, &folder, &*name, RenameFlags::empty()),
            None => move_to_free(&folder, temporary.as_bytes(), &name),
        }
    }

    fn change(&mut self, step: &Step, known: Known) -> Result<(), Errno> {
        let (folder, name) = split(&step.place);
        let folder = match (self.project.folder(folder), &step.action) {
            (Ok(folder), _) => folder,
            // It went with its folder.
            (Err(Errno::NOENT | Errno::NOTDIR), Action::Remove { .. } | Action::RemoveFolder) => {
                return Ok(());
            }
            (Err(errno), _) => return Err(errno),
        };
        let Some(found) = look(&folder, name)? else { return Ok(()) };
        let os_name = os_name(&step.place)?;
        match &step.action {
            Action::Remove { was } if Some(Identity::of(&found)) == *was => {
                unlinkat(&folder, &*os_name, AtFlags::empty())
            }
            Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. }
                if known == Known::Done =>
            {
                Ok(())
            }
            Action::RemoveFolder if is_a_folder(&found) => {
                match unlinkat(&folder, &*os_name, AtFlags::REMOVEDIR) {
                    Err(Errno::NOTEMPTY | Errno::EXIST) => {
                        self.leave(step);
                        Ok(())
                    }
                    outcome => outcome,
                }
            }
            Action::SetTimes { times } if is_a_folder(&found) => {
                futimens(self.project.folder(&step.place)?, &timestamps(*times))
            }
            // The folder that was put there.
            Action::Remove { .. } if is_a_folder(&found) => Ok(()),
            Action::Remove { .. } => {
                self.leave(step);
                Ok(())
            }
            Action::RemoveFolder
            | Action::SetTimes { .. }
            | Action::PutFolder { .. }
            | Action::Put { .. } => Ok(()),
        }
    }

    fn leave(&mut self, step: &Step) {
        let path = path_of(&step.place);
        self.carried.set_aside.push(SetAside { now_at: path.clone(), path });
    }

    /// Moves what is in the way to a name beside it.
    fn set_aside(&mut self, folder: &OwnedFd, step: &Step) -> Result<(), Errno> {
        let now_at = kept_name(&step.place)?;
        move_to_free(folder, &os_name(&step.place)?, &os_name(&now_at)?)?;
        self.carried.set_aside.push(SetAside { path: path_of(&step.place), now_at: path_of(&now_at) });
        Ok(())
    }
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

/// A name beside a place that nobody has, no longer than a name may be.
fn kept_name(place: &str) -> Result<String, Errno> {
    let suffix = random_name();
    let suffix = format!(".kept-{}", suffix.get(..8).unwrap_or_default());
    let mut kept = place.to_owned();
    while os_name(&kept)?.len() + suffix.len() > MAX_NAME {
        kept.pop();
    }
    kept.push_str(&suffix);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_keeps_as_much_of_its_name_as_a_name_may_have() {
        for (name, kept) in [
            ("a".to_owned(), "a".to_owned()),
            ("n".repeat(255), "n".repeat(241)),
            ("中".repeat(85), "中".repeat(80)),
            ("\u{f7e9}".repeat(255), "\u{f7e9}".repeat(241)),
        ] {
            let found = kept_name(&format!("src/{name}")).expect("a name");
            let (before, after) = found.split_once(".kept-").expect("a suffix");
            assert_eq!((before, after.len()), (format!("src/{kept}").as_str(), 8), "{name}");
        }
    }
}
