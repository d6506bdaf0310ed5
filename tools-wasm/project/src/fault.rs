//! Why a file operation failed, in words that name what was asked.

use crate::name::quoted;
use std::fmt;
use std::io;

/// Error numbers of WASI preview 1 that std doesn't classify.
#[cfg(target_family = "wasm")]
mod number {
    pub(super) const NOT_CAPABLE: i32 = 76;
    pub(super) const LOOP: i32 = 32;
    pub(super) const READ_ONLY: i32 = 69;
}
#[cfg(not(target_family = "wasm"))]
mod number {
    pub(super) const NOT_CAPABLE: i32 = i32::MIN;
    pub(super) const LOOP: i32 = 40;
    pub(super) const READ_ONLY: i32 = 30;
}

/// A failed call, told apart as the tools' interfaces do; each holds a message for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No such file or directory.
    NotFound(String),
    /// The host refused.
    NotPermitted(String),
    /// A file was wanted.
    NotAFile(String),
    /// A directory was wanted.
    NotADirectory(String),
    /// Binary, or not UTF-8.
    NotText(String),
    /// Anything else.
    Io(String),
}

impl Fault {
    /// What `error` means for the one who asked for `path`.
    pub fn of(path: &str, error: &io::Error) -> Self {
        let path = quoted(path);
        match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::NotFound, _) => Self::NotFound(format!("{path}: no such file or directory")),
            (io::ErrorKind::PermissionDenied, _) | (_, Some(number::NOT_CAPABLE)) => {
                Self::NotPermitted(format!(
                    "{path}: not permitted: outside the granted directories, hidden from tools, or no ordinary file"
                ))
            }
            (io::ErrorKind::NotADirectory, _) => {
                Self::NotADirectory(format!("{path}: a part of this path is not a directory"))
            }
            (io::ErrorKind::IsADirectory, _) => Self::directory(&path),
            (io::ErrorKind::InvalidFilename, _) => Self::NotFound(format!("{path}: the name is too long")),
            (_, Some(number::LOOP)) => Self::NotPermitted(format!("{path}: a link that is not followed")),
            (io::ErrorKind::InvalidInput, _) => Self::NotFound(format!("{path}: can't be a path")),
            _ => Self::Io(format!("{path}: {error}")),
        }
    }

    /// The same where `path` was to be written.
    pub fn of_write(path: &str, error: &io::Error) -> Self {
        match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::PermissionDenied, _) | (_, Some(number::NOT_CAPABLE | number::READ_ONLY)) => {
                Self::NotPermitted(format!(
                    "{}: writing is not permitted: outside the directories granted for writing, hidden from tools, or no ordinary file",
                    quoted(path)
                ))
            }
            _ => Self::of(path, error),
        }
    }

    /// A directory where a file was wanted; `path` as it is to be shown.
    pub(crate) fn directory(path: &str) -> Self {
        Self::NotAFile(format!("{path}: a directory, not a file"))
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        match self {
            Self::NotFound(text)
            | Self::NotPermitted(text)
            | Self::NotAFile(text)
            | Self::NotADirectory(text)
            | Self::NotText(text)
            | Self::Io(text) => text,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}
