//! The project as an apply meets it: whether a place still is what the stage took it for, and what
//! tells one file from another that came in its place. All below the project's handle, through no
//! link.

use super::body::{errno_of, hash_of};
use super::entry::{Base, Time};
use crate::digest::Digest;
use crate::view::{ProjectDir, link_text, look};
use rustix::fs::{FileType, Stat, fstat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::os::fd::OwnedFd;

/// What tells a file from another one, and from itself after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    number: u64,
    mode: u32,
    size: i64,
    modified: Time,
    changed: Time,
}

impl Identity {
    // Widths differ between processors.
    #[allow(clippy::unnecessary_cast)]
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            number: stat.st_ino as u64,
            mode: stat.st_mode as u32,
            size: stat.st_size as i64,
            modified: Time(stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            changed: Time(stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        }
    }

    /// The permission bits of a regular file. Not those that run it as somebody else: they were
    /// given to another content.
    pub(super) fn file_mode(&self) -> Option<u32> {
        let is_file = FileType::from_raw_mode(self.mode) == FileType::RegularFile;
        is_file.then_some(self.mode & 0o777)
    }

    pub(super) fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.mode) == FileType::Directory
    }
}

/// How a place differs from what the stage took it for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// Something is there now.
    Appeared,
    /// It's not there any more.
    Vanished,
    /// It has another content.
    Changed,
    /// It is another kind of thing.
    OtherKind,
}

/// Splits a place into the folder that holds it and its name.
pub(super) fn split(place: &str) -> (&str, &str) {
    match place.rsplit_once('/') {
        Some(split) => split,
        None if place.is_empty() => ("", "."),
        None => ("", place),
    }
}

/// What is at a place: its folder, and itself if it's there.
pub(super) fn find(project: &ProjectDir, place: &str) -> Result<Option<(OwnedFd, Stat)>, Errno> {
    let (folder, name) = split(place);
    let folder = match project.folder(folder) {
        Ok(folder) => folder,
        // A link counts as nothing: what lies behind it is another place.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        Err(errno) => return Err(errno),
    };
    Ok(look(&folder, name)?.map(|stat| (folder, stat)))
}

/// Compares a place with what the stage took it for; gives the identity of what is there.
pub(super) fn check(
    project: &ProjectDir,
    place: &str,
    base: &Base,
) -> Result<Result<Option<Identity>, Mismatch>, Errno> {
    let Some((folder, stat)) = find(project, place)? else {
        return Ok(match base {
            Base::Absent => Ok(None),
            Base::File { .. } | Base::Folder { .. } | Base::Link { .. } => Err(Mismatch::Vanished),
        });
    };
    let (_, name) = split(place);
    let identity = Identity::of(&stat);
    Ok(match (base, FileType::from_raw_mode(stat.st_mode)) {
        (Base::Absent, _) => Err(Mismatch::Appeared),
        (Base::Folder { .. }, FileType::Directory) => Ok(Some(identity)),
        (Base::Link { text }, FileType::Symlink) => {
            if link_text(&folder, name)? == *text {
                Ok(Some(identity))
            } else {
                Err(Mismatch::Changed)
            }
        }
        (Base::File { content, .. }, FileType::RegularFile) => {
            if u64::try_from(stat.st_size) != Ok(content.size) {
                return Ok(Err(Mismatch::Changed));
            }
            let Some(mut file) = project.file(&folder, name)? else { return Ok(Err(Mismatch::OtherKind)) };
            let (hash, _) = hash_of(&mut file, |_| Ok::<(), Errno>(()))?;
            let after = Identity::of(&fstat(&file)?);
            if hash == content.hash && after == identity {
                Ok(Some(identity))
            } else {
                Err(Mismatch::Changed)
            }
        }
        (Base::Folder { .. } | Base::Link { .. } | Base::File { .. }, _) => Err(Mismatch::OtherKind),
    })
}

/// Whether there is a regular file of this content at a place.
pub(super) fn holds(project: &ProjectDir, place: &str, hash: Digest) -> Result<bool, Errno> {
    let Some((folder, stat)) = find(project, place)? else { return Ok(false) };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(false);
    }
    let Some(mut file) = project.file(&folder, split(place).1)? else { return Ok(false) };
    Ok(hash_of(&mut file, |_| Ok::<(), Errno>(()))?.0 == hash)
}

/// Whether a place is a folder of the project.
pub(super) fn is_folder(project: &ProjectDir, place: &str) -> bool {
    project.folder(place).is_ok()
}

/// Reads a file of the project, so many bytes at most; none if there is no regular file.
pub(super) fn read(project: &ProjectDir, place: &str, limit: u64) -> Result<Option<Vec<u8>>, Errno> {
    use std::io::Read;
    let Some((folder, stat)) = find(project, place)? else { return Ok(None) };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let Some(file) = project.file(&folder, split(place).1)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|error| errno_of(&error))?;
    Ok(Some(bytes))
}
