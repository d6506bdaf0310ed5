//! What an apply came to, noted in the stage until it's written down elsewhere: whoever is cut off
//! before that finds it there.
//!
//! Doesn't own: carrying the apply out (`apply`), and where it's written down.

use super::in_the_way::SetAside;
use super::{Stage, StageError};
use crate::grant::GrantPath;
use serde::{Deserialize, Serialize};

/// The record of it.
const APPLIED: &str = "applied";

/// What came of an apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The places that are in the project as they were staged, in order.
    pub paths: Vec<GrantPath>,
    /// What somebody put in the way in the very moment of applying: kept, not overwritten.
    pub set_aside: Vec<SetAside>,
}

impl Stage {
    /// What the latest apply came to that nobody has said [`Stage::journaled`] of; none if there is
    /// no such apply. A later apply takes its place.
    pub fn unjournaled(&self) -> Result<Option<Applied>, StageError> {
        let Some(text) = self.folder.record(APPLIED)? else { return Ok(None) };
        let applied = serde_json::from_slice(&text).map_err(|error| self.damaged(&error))?;
        Ok(Some(applied))
    }

    /// What the latest apply came to is written down: the stage need not know it any more.
    pub fn journaled(&self) -> Result<(), StageError> {
        super::failpoint::hit();
        self.forget_applied()
    }

    pub(super) fn note(&self, applied: &Applied) -> Result<(), StageError> {
        let text = serde_json::to_vec(applied).map_err(|error| self.damaged(&error))?;
        self.folder.put_record(APPLIED, &text)
    }

    pub(super) fn forget_applied(&self) -> Result<(), StageError> {
        self.folder.remove_record(APPLIED)
    }

    fn damaged(&self, error: &serde_json::Error) -> StageError {
        StageError::Damaged { what: self.path().join(APPLIED), reason: error.to_string() }
    }
}
