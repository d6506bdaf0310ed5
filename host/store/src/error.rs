//! What can go wrong with a store, told so that a person knows what to do.

use ringfence_engine::RunId;
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store could not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// No such file, or a folder in its way.
    #[error("{} can't be opened: {why}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The disk is full; what was to be written has not been written at all.
    #[error("{} can't grow: the disk or the quota is full; free some space and try again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder can't be written to.
    #[error("{} is read-only; make it and its folder writable, or choose another folder with --state", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file isn't what was written.
    #[error("{} is damaged: {why}; move it away to start afresh, or restore a copy", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where and how.
        why: String,
    },
    /// The file belongs to another program.
    #[error("{} is a database of another program; choose another folder with --state", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error(
        "{} was written by a newer version (schema {found}, this one knows {known}); update ringfence, or choose another folder with --state",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema that was found.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// Another process is writing and didn't finish in time.
    #[error("{} is locked by another process; try again when it is done", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The run is being driven by a live process.
    #[error("run {run} is being driven by {}; wait for it, or end that process first", named(.holder))]
    Busy {
        /// The run.
        run: RunId,
        /// Who holds the lease; none while they haven't said so yet.
        holder: Option<Holder>,
    },
    /// Somebody else took the run over: this process must stop driving it.
    #[error(
        "run {run} was taken over by another process (lease {current}, this one holds {held}); nothing was written"
    )]
    LeaseLost {
        /// The run.
        run: RunId,
        /// The token that was presented.
        held: u64,
        /// The token that counts.
        current: u64,
    },
    /// A run of this id exists.
    #[error("a run {run} exists already")]
    Exists {
        /// The run.
        run: RunId,
    },
    /// An id that can't name a run.
    #[error("`{id}` can't name a run: want 1 to 64 letters, digits, `-` or `_`")]
    InvalidRunId {
        /// The id, cut to a sane length.
        id: String,
    },
    /// No run of that name.
    #[error("no run `{asked}` in {}", path.display())]
    NoSuchRun {
        /// What was asked for.
        asked: String,
        /// The file that was searched.
        path: PathBuf,
    },
    /// A prefix that several runs share.
    #[error("`{asked}` could be any of {count} runs ({}{}); give more of the id", candidates.join(", "), if *count > candidates.len() { " …" } else { "" })]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// How many runs begin with it.
        count: usize,
        /// Some of them, newest first.
        candidates: Vec<String>,
    },
    /// A value nested so deeply that reading it back would be unsafe.
    #[error("{what} is nested more than {limit} levels deep and can't be kept")]
    TooDeep {
        /// What was to be stored.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// What was to be recorded contradicts itself: it couldn't be read back.
    #[error("a step of run {run} can't be recorded: {why}")]
    Inconsistent {
        /// The run.
        run: RunId,
        /// What doesn't fit.
        why: String,
    },
    /// A receipt of this id was stored before.
    #[error("run {run} already has a receipt {receipt}")]
    DuplicateReceipt {
        /// The run.
        run: RunId,
        /// The receipt.
        receipt: String,
    },
    /// A value that can't be written as JSON.
    #[error("{what} can't be written as JSON: {why}")]
    Unwritable {
        /// What was to be stored.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// The system failed in another way.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        why: String,
    },
}

/// Whether less could be read than must be there.
fn ends_early(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

/// A process that drives a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// The machine it runs on.
    pub host: String,
}

fn named(holder: &Option<Holder>) -> String {
    match holder {
        Some(Holder { pid, host }) => format!("process {pid} on {host}"),
        None => "another process".to_owned(),
    }
}

impl StoreError {
    /// A failure of SQLite on this file, as what it means to a person.
    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) if ends_early(&error) => {
                Self::Corrupt { path, why: "it ends in the middle of a page".to_owned() }
            }
            Some(ErrorCode::SystemIoFailure) => {
                Self::Io { path, why: format!("{why}; is the disk full, or the folder gone?") }
            }
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { path, why },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Self::CannotOpen { path, why },
            _ => Self::Io { path, why },
        }
    }

    /// A failure of the file system on this path.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                Self::CannotOpen { path, why: error.to_string() }
            }
            _ => Self::Io { path, why: error.to_string() },
        }
    }
}
