//! Reading files and folders.
//!
//! Owns: which calls that takes. In a component they go to the host directly: the standard library
//! asks twice as often, and has each entry of a folder looked up for a number that nobody wants.
//! Doesn't own: writing, which is the standard library's.

#[cfg(target_family = "wasm")]
mod host;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
use host as how;
#[cfg(not(target_family = "wasm"))]
use native as how;

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// Anything else.
    Other,
}

/// A folder that is being read, open as long as this lives.
pub struct Entries(how::Entries);

/// Opens a folder to read its entries, in no order. Links on the way and at the end are followed;
/// fails as `std::fs::read_dir` does.
pub fn entries(place: &Path) -> io::Result<Entries> {
    how::entries(place).map(Entries)
}

impl Iterator for Entries {
    type Item = io::Result<(OsString, Kind)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// What is at a place, and its size in bytes. A link at the end isn't followed; fails as
/// `std::fs::symlink_metadata` does.
pub fn look(place: &Path) -> io::Result<(Kind, u64)> {
    how::look(place)
}

/// A file or folder, open for reading.
pub struct File {
    inner: how::File,
    kind: Kind,
    size: u64,
}

impl File {
    /// Opens what is at a place. Links are followed; fails as `std::fs::File::open` does.
    pub fn open(place: &Path) -> io::Result<Self> {
        let (inner, kind, size) = how::open(place)?;
        Ok(Self { inner, kind, size })
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its size in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}
