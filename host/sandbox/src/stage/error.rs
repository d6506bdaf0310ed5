//! What can be wrong with a stage.

use crate::limit::Exceeded;
use std::path::PathBuf;
use thiserror::Error;

/// Why a stage can't be used.
#[derive(Debug, Error)]
pub enum StageError {
    /// Its folder can't be opened or made.
    #[error("the stage `{}` can't be opened: {source}; check its path and permissions", path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others have access to its folder.
    #[error("the stage `{}` isn't this user's alone; make it so with `chmod 700`, or give another folder", .0.display())]
    NotPrivate(PathBuf),
    /// Somebody else changes it at the moment.
    #[error("the stage `{}` is being changed by another call or command; wait until that has ended", .0.display())]
    Busy(PathBuf),
    /// An apply was cut off and has to be finished first.
    #[error("the stage `{}` has an apply that was cut off; recover it first", .0.display())]
    ApplyUnfinished(PathBuf),
    /// A record in it can't be read.
    #[error("`{}` can't be read as part of a stage: {reason}; discard all that is staged", what.display())]
    Damaged {
        /// The record.
        what: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What a call changed is more than a stage can hold. A call's report says so as its outcome.
    #[error("the stage `{}` would hold too much: {exceeded}", path.display())]
    TooMuch {
        /// The stage's folder.
        path: PathBuf,
        /// What it would hold.
        exceeded: Exceeded,
    },
    /// The state that a mark stands for isn't kept any more.
    #[error(
        "the stage can't go back to mark {0}: something was applied or discarded since, or it is too long ago"
    )]
    MarkGone(u64),
    /// The system refuses.
    #[error("`{}`: {source}; check the space and the permissions there", what.display())]
    Io {
        /// The file.
        what: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
