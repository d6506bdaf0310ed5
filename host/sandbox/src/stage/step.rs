//! Carrying out one step of an apply, or seeing that it was carried out before. What came into the
//! way since it was decided is never overwritten: it is set aside.

use super::apply::{SetAside, os_name, timestamps};
use super::changes::path_of;
use super::folder::random_name;
use super::plan::{Action, Step};
use super::target::{Identity, split};
use crate::view::{ProjectDir, look};
use rustix::fs::{AtFlags, FileType, Mode, RenameFlags, Stat, futimens, mkdirat, renameat_with, unlinkat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

pub(super) fn carry_out(project: &ProjectDir, step: &Step, aside: &mut Vec<SetAside>) -> Result<(), Errno> {
    let (folder, name) = split(&step.place);
    let folder = match (project.folder(folder), &step.action) {
        (Ok(folder), _) => folder,
        // It went with its folder.
        (Err(Errno::NOENT | Errno::NOTDIR), Action::Remove { .. } | Action::RemoveFolder) => return Ok(()),
        (Err(errno), _) => return Err(errno),
    };
    let os_name = os_name(&step.place)?;
    let found = look(&folder, name)?;
    match &step.action {
        Action::Remove { was } => match found {
            None => Ok(()),
            Some(found) if Some(Identity::of(&found)) == *was => {
                unlinkat(&folder, &*os_name, AtFlags::empty())
            }
            // The folder that was made there.
            Some(found) if is_folder(&found) => Ok(()),
            Some(_) => leave(step, aside),
        },
        Action::RemoveFolder => match found {
            Some(found) if is_folder(&found) => match unlinkat(&folder, &*os_name, AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY | Errno::EXIST) => leave(step, aside),
                outcome => outcome,
            },
            Some(_) | None => Ok(()),
        },
        Action::MakeFolder => match found {
            Some(found) if is_folder(&found) => Ok(()),
            Some(_) => {
                set_aside(&folder, step, aside)?;
                mkdirat(&folder, &*os_name, Mode::from_raw_mode(0o777))
            }
            None => mkdirat(&folder, &*os_name, Mode::from_raw_mode(0o777)),
        },
        Action::Put { folder: room, temporary, was } => {
            let room = project.folder(room)?;
            if look(&room, temporary)?.is_none() {
                // It is in place; a lost one was written again.
                return Ok(());
            }
            if let Some(found) = found
                && Some(Identity::of(&found)) != *was
            {
                set_aside(&folder, step, aside)?;
            }
            renameat_with(&room, temporary, &folder, &*os_name, RenameFlags::empty())
        }
        Action::SetTimes { times } => match found {
            Some(found) if is_folder(&found) => {
                let folder = project.folder(&step.place)?;
                futimens(&folder, &timestamps(*times))
            }
            Some(_) | None => Ok(()),
        },
    }
}

fn is_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

fn leave(step: &Step, aside: &mut Vec<SetAside>) -> Result<(), Errno> {
    let path = path_of(&step.place);
    aside.push(SetAside { now_at: path.clone(), path });
    Ok(())
}

/// Moves what is in the way to a name beside it.
fn set_aside(folder: &OwnedFd, step: &Step, aside: &mut Vec<SetAside>) -> Result<(), Errno> {
    let suffix = random_name();
    let suffix = suffix.get(..8).unwrap_or_default();
    let now_at = format!("{}.kept-{suffix}", step.place);
    let (from, to) = (os_name(&step.place)?, os_name(&now_at)?);
    match renameat_with(folder, &*from, folder, &*to, RenameFlags::NOREPLACE) {
        // Most file systems in user space know no flags. Nobody has a file of that random name.
        Err(Errno::INVAL) => renameat_with(folder, &*from, folder, &*to, RenameFlags::empty())?,
        outcome => outcome?,
    }
    aside.push(SetAside { path: path_of(&step.place), now_at: path_of(&now_at) });
    Ok(())
}
