//! The stage's folder on the disk: contents by random names, small records that are replaced as a
//! whole, and the lock that keeps two writers apart. Knows nothing of what the contents are for.

use super::error::StageError;
use rustix::fs::{
    AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, RenameFlags, flock, fstat, fsync, mkdirat, openat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

const CONTENTS: &str = "contents";
const LOCK: &str = "lock";
/// A record that is being written; nobody reads it.
const UNFINISHED: &str = "unfinished";
/// A longer record isn't one of ours.
const MAX_RECORD_BYTES: u64 = 256 << 20;

/// The name of one content: of a file as it was, is, or was to be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ContentId(String);

impl ContentId {
    /// A name that no content has.
    pub(crate) fn fresh() -> Self {
        Self(random_name())
    }
}

/// 32 random hex digits.
pub(super) fn random_name() -> String {
    format!("{:032x}", rand::random::<u128>())
}

impl TryFrom<String> for ContentId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text))
        } else {
            Err(format!("`{text}` names no content"))
        }
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> Self {
        id.0
    }
}

/// A stage's folder, open.
#[derive(Debug)]
pub(crate) struct StageFolder {
    path: PathBuf,
    handle: OwnedFd,
    contents: OwnedFd,
}

/// Held while something of the stage is changed, by this process or another.
#[derive(Debug)]
pub(crate) struct Lock {
    file: OwnedFd,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone wouldn't do: a child that is about to be another program has the file open
        // as well.
        if let Err(error) = flock(&self.file, FlockOperation::Unlock) {
            tracing::warn!(%error, "a stage's lock could not be given back");
        }
    }
}

impl StageFolder {
    /// Opens the folder, and makes it if it isn't there. Others must have no access to it.
    pub(super) fn open(path: &Path) -> Result<Self, StageError> {
        // Without a slash at its end, behind which a link would be followed.
        let path: &Path = &path.components().collect::<PathBuf>();
        let failed = |errno: Errno| StageError::Open { path: path.to_owned(), source: errno.into() };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = make_folder(CWD, path).map_err(failed)?;
        let handle = openat(CWD, path, flags, Mode::empty()).map_err(failed)?;
        let stat = fstat(&handle).map_err(failed)?;
        let shared = Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO);
        if shared || stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(StageError::NotPrivate(path.to_owned()));
        }
        make_folder(&handle, CONTENTS).map_err(failed)?;
        let contents = openat(&handle, CONTENTS, flags, Mode::empty()).map_err(failed)?;
        if made {
            fsync(&handle).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), handle, contents })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock, if nobody has it.
    pub(super) fn lock(&self) -> Result<Lock, StageError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            openat(&self.handle, LOCK, flags, private()).map_err(|errno| self.failed("lock", errno))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Lock { file }),
            Err(Errno::WOULDBLOCK) => Err(StageError::Busy(self.path.clone())),
            Err(errno) => Err(self.failed("lock", errno)),
        }
    }

    /// Makes a new, empty content.
    pub(crate) fn create(&self, id: &ContentId) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.contents, &*id.0, flags, private()).map(File::from)
    }

    /// The permissions that a new file of this process gets: only making one tells.
    pub(super) fn usual_mode(&self) -> Result<Mode, Errno> {
        let id = ContentId::fresh();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.contents, &*id.0, flags, Mode::from_raw_mode(0o666))?;
        let stat = fstat(&file);
        self.remove(&id)?;
        Ok(Mode::from_raw_mode(stat?.st_mode & 0o777))
    }

    /// Opens a content for reading.
    pub(crate) fn content(&self, id: &ContentId) -> Result<File, Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.contents, &*id.0, flags, Mode::empty()).map(File::from)
    }

    /// Makes sure that the names of new contents survive a crash.
    pub(super) fn sync_contents(&self) -> Result<(), Errno> {
        fsync(&self.contents)
    }

    /// Removes a content; one that isn't there is no error.
    pub(super) fn remove(&self, id: &ContentId) -> Result<(), Errno> {
        gone(unlinkat(&self.contents, &*id.0, AtFlags::empty()))
    }

    /// The bytes of all contents, holes among them.
    pub(super) fn content_bytes(&self) -> Result<u64, Errno> {
        let mut bytes = 0_u64;
        for id in self.content_ids()? {
            match statat(&self.contents, &*id.0, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => bytes = bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or(0)),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(bytes)
    }

    /// The names of all contents.
    pub(super) fn content_ids(&self) -> Result<Vec<ContentId>, Errno> {
        Ok(names(&self.contents)?.into_iter().filter_map(|name| ContentId::try_from(name).ok()).collect())
    }

    /// Puts a record in place of the one of that name, as a whole or not at all.
    pub(super) fn put_record(&self, name: &str, text: &[u8]) -> Result<(), StageError> {
        let put = || -> Result<(), std::io::Error> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut file = File::from(openat(&self.handle, UNFINISHED, flags, private())?);
            file.write_all(text)?;
            file.sync_all()?;
            renameat_with(&self.handle, UNFINISHED, &self.handle, name, RenameFlags::empty())?;
            Ok(fsync(&self.handle)?)
        };
        put().map_err(|source| StageError::Io { what: self.path.join(name), source })
    }

    /// A record's text; none if there is no such record.
    pub(super) fn record(&self, name: &str) -> Result<Option<Vec<u8>>, StageError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&self.handle, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(self.failed(name, errno)),
        };
        let mut text = Vec::new();
        let read = file.take(MAX_RECORD_BYTES).read_to_end(&mut text);
        read.map_err(|source| StageError::Io { what: self.path.join(name), source })?;
        Ok(Some(text))
    }

    /// Opens a record that is there, to be read and changed in place.
    pub(super) fn open_record(&self, name: &str) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.handle, name, flags, Mode::empty()).map(File::from)
    }

    /// Removes a record for good.
    pub(super) fn remove_record(&self, name: &str) -> Result<(), StageError> {
        gone(unlinkat(&self.handle, name, AtFlags::empty()))
            .and_then(|()| fsync(&self.handle))
            .map_err(|errno| self.failed(name, errno))
    }

    /// The names of all records, and of whatever else is in the folder.
    pub(super) fn records(&self) -> Result<Vec<String>, StageError> {
        names(&self.handle).map_err(|errno| self.failed("", errno))
    }

    pub(super) fn failed(&self, name: &str, errno: Errno) -> StageError {
        StageError::Io { what: self.path.join(name), source: errno.into() }
    }
}

/// Makes a folder of this user's alone; says whether it did.
fn make_folder(at: impl std::os::fd::AsFd, path: impl rustix::path::Arg) -> Result<bool, Errno> {
    match mkdirat(at, path, Mode::RWXU) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn names(folder: &OwnedFd) -> Result<Vec<String>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        if let Ok(name) = entry?.file_name().to_str() {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn gone(removed: Result<(), Errno>) -> Result<(), Errno> {
    match removed {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn private() -> Mode {
    Mode::RUSR | Mode::WUSR
}
