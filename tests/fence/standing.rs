//! All that stands in a folder, to be compared: kinds, modes, times, contents, where links lead.
//! Nothing but ordinary files is opened, and no link is followed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A folder's content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Standing(BTreeMap<PathBuf, Thing>);

#[derive(Debug, PartialEq, Eq)]
struct Thing {
    /// Kind and permissions.
    mode: u32,
    number: u64,
    /// In seconds and nanoseconds.
    modified: (i64, i64),
    /// A file's bytes, or where a link leads.
    content: Vec<u8>,
}

impl Standing {
    /// All in and below a folder.
    pub(crate) fn of(folder: &Path) -> Self {
        let mut found = BTreeMap::new();
        let mut left = vec![folder.to_owned()];
        while let Some(path) = left.pop() {
            let meta = fs::symlink_metadata(&path).unwrap();
            let kind = meta.file_type();
            let content = if kind.is_file() {
                fs::read(&path).unwrap()
            } else if kind.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                Vec::new()
            };
            if kind.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let modified = (meta.mtime(), meta.mtime_nsec());
            found.insert(path, Thing { mode: meta.mode(), number: meta.ino(), modified, content });
        }
        Self(found)
    }
}
