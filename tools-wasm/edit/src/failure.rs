//! Why a call failed, with a message that names what was asked.

use crate::LARGEST;
use ringfence_guest_project::{Fault, quoted};

/// The interface's error, one to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file system said no.
    Fault(Fault),
    /// The text or a hunk's lines are not in the file.
    NoMatch(String),
    /// They are there more than once.
    Ambiguous(String),
    /// Parameters or patch can't be understood.
    InvalidEdit(String),
    /// The file or the text is too large.
    TooLarge(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Refuses to write this many bytes where they are too many.
pub(crate) fn bounded(path: &str, bytes: usize) -> Result<(), Failure> {
    if bytes <= LARGEST {
        return Ok(());
    }
    let path = quoted(path);
    Err(Failure::TooLarge(format!("{path}: {bytes} bytes; files up to {LARGEST} bytes are written")))
}
