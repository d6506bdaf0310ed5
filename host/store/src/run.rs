//! Runs as they are listed: who, what, where it stands.

use crate::{Result, StoreError};
use ringfence_engine::{Ending, RunId, Stage, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

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

/// The engine's stages by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// Nothing asked yet.
    Initializing,
    /// The planner is asked.
    Planning,
    /// The next action is asked for.
    Deciding,
    /// A tool call is under way.
    Executing,
    /// The last action is being judged.
    Evaluating,
    /// A person is asked.
    PausedForReview,
    /// Ended as hoped.
    Finished,
    /// Ended otherwise.
    Failed,
}

impl StageName {
    const ALL: [Self; 8] = [
        Self::Initializing,
        Self::Planning,
        Self::Deciding,
        Self::Executing,
        Self::Evaluating,
        Self::PausedForReview,
        Self::Finished,
        Self::Failed,
    ];

    /// The name in snake_case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initializing => "initializing",
            Self::Planning => "planning",
            Self::Deciding => "deciding",
            Self::Executing => "executing",
            Self::Evaluating => "evaluating",
            Self::PausedForReview => "paused_for_review",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing more will happen to such a run.
    pub fn is_end(self) -> bool {
        match self {
            Self::Finished | Self::Failed => true,
            Self::Initializing
            | Self::Planning
            | Self::Deciding
            | Self::Executing
            | Self::Evaluating
            | Self::PausedForReview => false,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }
}

impl From<&Stage> for StageName {
    fn from(stage: &Stage) -> Self {
        match stage {
            Stage::Initializing => Self::Initializing,
            Stage::Planning(_) => Self::Planning,
            Stage::Deciding(_) => Self::Deciding,
            Stage::Executing { .. } => Self::Executing,
            Stage::Evaluating(_) => Self::Evaluating,
            Stage::PausedForReview { .. } => Self::PausedForReview,
            Stage::Finished => Self::Finished,
            Stage::Failed { .. } => Self::Failed,
        }
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a run in this stage ended, if it did.
pub(crate) fn ending(stage: &Stage) -> Option<Ending> {
    match stage {
        Stage::Finished => Some(Ending::Achieved),
        Stage::Failed { ending } => Some(ending.clone()),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::PausedForReview { .. } => None,
    }
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
