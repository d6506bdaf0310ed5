//! One place in the stage: what the project had there, and what is there now.

use super::folder::ContentId;
use crate::digest::Digest;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// A staged place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// In the project, when the run first touched it.
    pub(crate) base: Base,
    /// For the run.
    pub(crate) now: Now,
}

/// What the project had at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(crate) enum Base {
    Absent,
    File {
        content: Blob,
        mode: u32,
    },
    Folder {
        mode: u32,
    },
    Link {
        /// What it says, as the guest sees it.
        text: String,
    },
}

/// What is at a place for the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(crate) enum Now {
    Gone,
    Folder {
        /// Set by the guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<Times>,
    },
    File(StagedFile),
}

/// A file in the stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StagedFile {
    pub(crate) content: Blob,
    /// The permissions that it had in the project, here or where it was renamed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    pub(crate) times: Times,
    /// The guest has set the times, so that they are to reach the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) times_set: bool,
    /// It is the project's content still, which the run hasn't read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unread: bool,
    /// The place of the project's file that it is, however changed; another one than its own if it
    /// was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
}

/// A content and what is known of it. It never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Blob {
    pub(crate) id: ContentId,
    pub(crate) hash: Digest,
    pub(crate) size: u64,
}

/// When a file or folder was read and changed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
}

/// Seconds and nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Time(pub(crate) i64, pub(crate) u32);

impl Time {
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
    }
}

impl Times {
    pub(crate) fn now() -> Self {
        Self { accessed: Time::now(), modified: Time::now() }
    }

    pub(crate) fn of(stat: &Stat) -> Self {
        // Widths differ between processors.
        #[allow(clippy::unnecessary_cast)]
        let time = |seconds, nanoseconds| Time(seconds as i64, nanoseconds as u32);
        Self {
            accessed: time(stat.st_atime, stat.st_atime_nsec),
            modified: time(stat.st_mtime, stat.st_mtime_nsec),
        }
    }
}

impl Entry {
    /// Whether it makes no difference: the project has the same.
    pub(crate) fn is_idle(&self) -> bool {
        match (&self.base, &self.now) {
            (Base::Absent, Now::Gone) | (Base::Folder { .. }, Now::Folder { times: None }) => true,
            (Base::File { content, mode }, Now::File(file)) => {
                content.hash == file.content.hash
                    && file.mode.is_none_or(|now| now == *mode)
                    && !file.times_set
            }
            (_, Now::Gone | Now::Folder { .. } | Now::File(_)) => false,
        }
    }

    /// Whether it makes the same of the project as another one: all but when it was written.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (&self.now, &other.now) {
            (Now::File(file), Now::File(new)) => {
                let same = StagedFile { content: file.content.clone(), times: file.times, ..new.clone() };
                let times_differ = file.times != new.times && (file.times_set || new.times_set);
                self.base == other.base
                    && *file == same
                    && file.content.hash == new.content.hash
                    && !times_differ
            }
            (Now::Gone | Now::Folder { .. } | Now::File(_), _) => self == other,
        }
    }

    /// Whether what the project has there goes, or becomes another kind of thing.
    pub(super) fn takes_away(&self) -> bool {
        match (&self.base, &self.now) {
            (Base::Absent, _)
            | (Base::File { .. }, Now::File(_))
            | (Base::Folder { .. }, Now::Folder { .. }) => false,
            (Base::File { .. } | Base::Folder { .. } | Base::Link { .. }, _) => true,
        }
    }

    /// The contents that it needs.
    pub(super) fn contents(&self) -> impl Iterator<Item = &ContentId> {
        let base = match &self.base {
            Base::File { content, .. } => Some(&content.id),
            Base::Absent | Base::Folder { .. } | Base::Link { .. } => None,
        };
        let now = match &self.now {
            Now::File(file) => Some(&file.content.id),
            Now::Gone | Now::Folder { .. } => None,
        };
        base.into_iter().chain(now)
    }

    /// The file that is there now.
    pub(crate) fn file(&self) -> Option<&StagedFile> {
        match &self.now {
            Now::File(file) => Some(file),
            Now::Gone | Now::Folder { .. } => None,
        }
    }
}
