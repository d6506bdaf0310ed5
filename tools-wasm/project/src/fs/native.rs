//! By the standard library.

use super::Kind;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

pub(super) struct Entries(fs::ReadDir);

pub(super) fn entries(place: &Path) -> io::Result<Entries> {
    fs::read_dir(place).map(Entries)
}

pub(super) use fs::File;

pub(super) fn open(place: &Path) -> io::Result<(File, Kind, u64)> {
    let file = File::open(place)?;
    let metadata = file.metadata()?;
    Ok((file, metadata.file_type().into(), metadata.len()))
}

pub(super) fn look(place: &Path) -> io::Result<(Kind, u64)> {
    fs::symlink_metadata(place).map(|metadata| (metadata.file_type().into(), metadata.len()))
}

impl Iterator for Entries {
    type Item = io::Result<(OsString, Kind)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|entry| match entry {
            // What is gone since it was listed isn't there.
            Ok(entry) => entry.file_type().ok().map(|kind| Ok((entry.file_name(), kind.into()))),
            Err(error) => Some(Err(error)),
        })
    }
}

impl From<fs::FileType> for Kind {
    fn from(kind: fs::FileType) -> Self {
        if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}
