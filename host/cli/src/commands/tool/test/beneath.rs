//! Opening what lies below a folder, with no link followed and no way out of it.
//!
//! Whoever wrote a tool's cases isn't always whoever runs them.

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::path::Path;

/// Opens a folder.
pub(super) fn folder(below: &Path, way: &Path) -> Result<OwnedFd> {
    open(below, way, OFlags::PATH | OFlags::DIRECTORY)
}

/// Opens a file for reading; waits for nobody where it is a pipe.
pub(super) fn file(below: &Path, way: &Path) -> Result<OwnedFd> {
    open(below, way, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)
}

fn open(below: &Path, way: &Path, kind: OFlags) -> Result<OwnedFd> {
    let start = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let start = rustix::fs::open(below, start, Mode::empty())?;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(start, way, kind | OFlags::CLOEXEC, Mode::empty(), within).map_err(|error| match error {
        Errno::LOOP => Error::other("it is a link or lies behind one, and none is followed here"),
        Errno::NOTDIR => Error::new(ErrorKind::NotADirectory, "it, or something in its way, is no folder"),
        error => error.into(),
    })
}
