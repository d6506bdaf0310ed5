//! What is staged, as a person reviews it: place by place, before and after.

use super::entry::{Base, Blob, Entry, Now, StagedFile};
use super::folder::StageFolder;
use super::index::Entries;
use super::select::{Purpose, selected};
use super::{ApplyError, Stage, StageError};
use crate::digest::Digest;
use crate::grant::GrantPath;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

/// A staged change of one file or folder.
#[derive(Debug, Clone)]
pub struct Change {
    /// Where, seen from the project folder. A name that isn't UTF-8 is spelled as guests see it.
    pub path: GrantPath,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// What the project had when the run first changed it; for a renamed file, what it had where it
    /// was renamed from.
    pub before: Side,
    /// What is to be there.
    pub after: Side,
    pub(super) folder: Arc<StageFolder>,
}

/// What becomes of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// There was nothing.
    Created,
    /// There was something else.
    Modified,
    /// There is to be nothing.
    Deleted,
    /// There was nothing; a file of the project comes here, perhaps changed. Its old place isn't
    /// listed.
    Renamed {
        /// Where it was.
        from: GrantPath,
    },
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// Nothing.
    Nothing,
    /// A folder.
    Folder,
    /// A symbolic link, and what it says.
    Link(String),
    /// A regular file.
    File(FileSide),
}

/// A file on one side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSide {
    /// Its permission bits, after a change those that it is to have; none for a new file, which gets
    /// what the umask leaves of 0666.
    pub mode: Option<u32>,
    content: Blob,
}

impl FileSide {
    /// The hash of its content.
    pub fn hash(&self) -> Digest {
        self.content.hash
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.content.size
    }
}

impl Side {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&FileSide> {
        match self {
            Self::File(file) => Some(file),
            Self::Nothing | Self::Folder | Self::Link(_) => None,
        }
    }

    pub(super) fn of_base(base: &Base) -> Self {
        match base {
            Base::Absent => Self::Nothing,
            Base::Folder { .. } => Self::Folder,
            Base::Link { text } => Self::Link(text.clone()),
            Base::File { content, mode } => {
                Self::File(FileSide { mode: Some(*mode), content: content.clone() })
            }
        }
    }

    pub(super) fn of_now(now: &Now) -> Self {
        match now {
            Now::Gone => Self::Nothing,
            Now::Folder { .. } => Self::Folder,
            Now::File(StagedFile { mode, content, .. }) => {
                // No more is ever set.
                let mode = mode.map(|mode| mode & 0o777);
                Self::File(FileSide { mode, content: content.clone() })
            }
        }
    }
}

impl Change {
    /// Reads the content before or after the change, `limit` bytes at most; none if that side is no
    /// file.
    pub fn read(&self, side: &Side, limit: u64) -> Result<Option<Vec<u8>>, StageError> {
        let Some(file) = side.file() else { return Ok(None) };
        let failed = |source| StageError::Io { what: self.folder.path().join("contents"), source };
        let content = self.folder.content(&file.content.id).map_err(|errno| failed(errno.into()))?;
        let mut bytes = Vec::new();
        content.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }
}

impl Stage {
    /// All that is staged, in the order of the paths.
    pub fn changes(&self) -> Result<Vec<Change>, StageError> {
        let index = self.refresh()?;
        Ok(self.changes_at(&index.entries, |_| true))
    }

    /// Exactly the changes that [`Stage::apply`] of these paths puts into the project: besides what
    /// is staged at and below them the other ends of renames, the folders that hold it, and what a
    /// deleted folder held. An error if nothing is staged at one of them.
    pub fn selected_changes(&self, paths: &[GrantPath]) -> Result<Vec<Change>, ApplyError> {
        let index = self.refresh()?;
        let chosen =
            selected(&index.entries, Some(paths), Purpose::Apply).map_err(ApplyError::NothingStaged)?;
        Ok(self.changes_at(&index.entries, |place| chosen.contains(place)))
    }

    fn changes_at(&self, entries: &Entries, is_chosen: impl Fn(&str) -> bool) -> Vec<Change> {
        let renames = Renames::among(entries);
        let left = entries.iter().filter(|(place, _)| is_chosen(place) && renames.to(place).is_none());
        let change = |(place, entry): (&String, &Entry)| {
            let moved = renames.from(place).and_then(|from| Some((from, entries.get(from)?)));
            let (before, after) = (Side::of_base(&entry.base), Side::of_now(&entry.now));
            let (kind, before) = match (before, &after, moved) {
                (_, _, Some((from, moved))) => {
                    (ChangeKind::Renamed { from: path_of(from) }, Side::of_base(&moved.base))
                }
                (before @ Side::Nothing, _, None) => (ChangeKind::Created, before),
                (before, Side::Nothing, None) => (ChangeKind::Deleted, before),
                (before, _, None) => (ChangeKind::Modified, before),
            };
            Change { path: path_of(place), kind, before, after, folder: self.folder.clone() }
        };
        left.map(change).collect()
    }
}

/// The files of the project that are renamed: where they were, and where they come to.
#[derive(Debug, Default)]
pub(super) struct Renames<'e> {
    to: BTreeMap<&'e str, &'e str>,
    from: BTreeMap<&'e str, &'e str>,
}

impl<'e> Renames<'e> {
    pub(super) fn among(entries: &'e Entries) -> Self {
        let mut renames = Self::default();
        for (place, entry) in entries {
            let Some(from) = entry.file().and_then(|file| file.origin.as_deref()) else { continue };
            let leaves = |moved: &Entry| matches!((&moved.base, &moved.now), (Base::File { .. }, Now::Gone));
            if entry.base == Base::Absent && entries.get(from).is_some_and(leaves) {
                renames.to.insert(from, place);
                renames.from.insert(place, from);
            }
        }
        renames
    }

    /// Where the file at a place goes.
    pub(super) fn to(&self, from: &str) -> Option<&'e str> {
        self.to.get(from).copied()
    }

    /// Where the file at a place comes from.
    pub(super) fn from(&self, to: &str) -> Option<&'e str> {
        self.from.get(to).copied()
    }
}

/// A place as a path. Places have no `.`, no `..` and no empty names, so that it always is one.
pub(super) fn path_of(place: &str) -> GrantPath {
    GrantPath::parse(place).unwrap_or_else(|_| GrantPath::root())
}
