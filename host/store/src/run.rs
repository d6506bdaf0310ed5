//! Runs as they are listed: who, what, where it stands.

use crate::codec::{DIGEST_BYTES, Row, encode};
use crate::{Result, StoreError};
use ringfence_engine::{Ending, RunId, StageName, Timestamp};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a run is entered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// Its id: 1 to 64 letters, digits, `-` or `_`.
    pub id: RunId,
    /// The real path of the project folder.
    pub project: PathBuf,
    /// The goal.
    pub goal: String,
    /// Provider and model, as a person would name them.
    pub model: String,
    /// When.
    pub created: Timestamp,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its id.
    pub id: RunId,
    /// The real path of the project folder.
    pub project: PathBuf,
    /// The goal.
    pub goal: String,
    /// Provider and model.
    pub model: String,
    /// When it was entered.
    pub created: Timestamp,
    /// When its latest event was recorded.
    pub updated: Timestamp,
    /// The stage after its latest event.
    pub stage: StageName,
    /// How it ended; none while it can go on.
    pub ending: Option<Ending>,
    /// Events recorded.
    pub events: u64,
}

/// The digest of what never changes of a run: a list is believed no more than a journal.
pub(crate) fn digest(
    run: &RunId,
    project: &Path,
    goal: &str,
    model: &str,
    created: Timestamp,
) -> Result<[u8; DIGEST_BYTES]> {
    let fixed = (project.as_os_str().as_bytes(), goal, model, created.0);
    Ok(encode(Row::Run { run: &run.0 }, &fixed)?.digest)
}

/// An id becomes a file name and part of printed commands, so it is kept plain.
pub(crate) fn check_id(run: &RunId) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let id = &run.0;
    if (1..=64).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with('-') {
        return Ok(());
    }
    Err(StoreError::InvalidRunId { id: id.chars().take(80).collect() })
}
