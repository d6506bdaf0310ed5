//! Runs as they are listed: who, what, where it stands.

use crate::codec::{self, DIGEST_BYTES, Row};
use crate::{Result, StoreError};
use ringfence_engine::{Ending, RunId, StageName, Timestamp};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Where a fork left another run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    /// The run that it was forked from.
    pub run: RunId,
    /// The last event that they share, from 1.
    pub event: u64,
}

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
    /// Where it left another run; none for a run of its own.
    pub parent: Option<Parent>,
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
    /// Where it left another run; none for a run of its own.
    pub parent: Option<Parent>,
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
pub(crate) fn digest(run: &NewRun) -> Result<[u8; DIGEST_BYTES]> {
    let NewRun { id, project, goal, model, created, parent } = run;
    let fixed = (project.as_os_str().as_bytes(), goal, model, created.0);
    let fixed = codec::write("the entry of a run", &fixed)?;
    let row = Row::Run { run: &id.0 };
    Ok(match parent {
        // As it was before there were forks, so that older entries hold.
        None => row.digest(&[&fixed]),
        Some(Parent { run, event }) => row.digest(&[&fixed, &format!("{event} {run}")]),
    })
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
