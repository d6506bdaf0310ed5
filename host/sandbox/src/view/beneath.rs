//! Walking below an open folder, with links forbidden and no way out of it: the handle's own
//! guarantee, which holds whatever path it is given. Knows nothing of grants or masks.

use super::escape::{from_os, to_os};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat, openat, openat2, readlinkat, statat};
use rustix::io::Errno;
use std::borrow::Cow;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

/// An open folder or file, shared.
pub(crate) type Handle = Arc<OwnedFd>;

/// Enough to walk on from, and to look at names in it; opens nothing for reading.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How often an `openat2` that ran into somebody's rename is tried again.
const TRIES: u32 = 8;

/// How paths are walked below a handle. Both ways refuse links and never leave the handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// In one call, by the kernel's `openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`.
    Kernel,
    /// One `openat` with `O_NOFOLLOW` for each name: where the kernel lacks `openat2` (Linux
    /// before 5.6) or a seccomp filter forbids it.
    ByName,
}

impl Walk {
    /// Finds out which way works here, by trying it on an open folder.
    pub fn detect(folder: impl AsFd) -> Self {
        match openat2(folder, ".", FOLDER, Mode::empty(), rules()) {
            Ok(_) => Self::Kernel,
            Err(_) => Self::ByName,
        }
    }

    /// Opens a folder below `start`, to walk on from.
    pub(super) fn folder(self, start: impl AsFd, way: &str) -> Result<OwnedFd, Errno> {
        self.open(start, way, FOLDER)
    }

    /// Opens what lies at `way` below `start`. `ELOOP` or `ENOTDIR` if there is a link on it.
    pub(super) fn open(self, start: impl AsFd, way: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let way = to_os(way)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if self == Self::Kernel {
            for _ in 0..TRIES {
                match openat2(&start, &*way, flags, Mode::empty(), rules()) {
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    outcome => return outcome,
                }
            }
        }
        by_name(start, &way, flags)
    }
}

/// What a name in an open folder is, without following it; none if nothing is there.
pub(crate) fn look(folder: impl AsFd, name: &str) -> Result<Option<Stat>, Errno> {
    match statat(folder, &*one_name(name)?, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// What a link in an open folder says; `EINVAL` if it's no link.
pub(crate) fn link_text(folder: impl AsFd, name: &str) -> Result<String, Errno> {
    let text = readlinkat(folder, &*one_name(name)?, Vec::new())?;
    Ok(from_os(text.as_bytes()).into_owned())
}

/// The bytes of a name that is in the folder itself.
pub(crate) fn one_name(name: &str) -> Result<Cow<'_, [u8]>, Errno> {
    if name == ".." || name.contains('/') { Err(Errno::XDEV) } else { to_os(name) }
}

fn rules() -> ResolveFlags {
    ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS
}

fn by_name(start: impl AsFd, way: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let names = || way.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
    if way.is_empty() {
        return Err(Errno::NOENT);
    }
    if way.starts_with(b"/") || names().any(|name| name == b"..") {
        return Err(Errno::XDEV);
    }
    let mut names = names().peekable();
    let mut folder: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        let flags = if names.peek().is_some() { FOLDER | OFlags::NOFOLLOW } else { flags };
        let next = match &folder {
            Some(folder) => openat(folder, name, flags, Mode::empty())?,
            None => openat(&start, name, flags, Mode::empty())?,
        };
        if names.peek().is_none() {
            return Ok(next);
        }
        folder = Some(next);
    }
    openat(start, ".", flags, Mode::empty())
}
