//! Walking below an open folder, with links forbidden and no way out of it: the handle's own
//! guarantee, which holds whatever path it is given. Knows nothing of grants or masks.

use super::escape::to_os;
use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;
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
