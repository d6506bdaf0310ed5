//! Why a driver stopped, and what the process says of it.

use crate::exit::Exit;
use ringfence_engine::{Ending, Review, Subject};

/// Why the driver stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    /// The run is over.
    Ended(Ending),
    /// A person must answer first.
    Waiting(Review),
    /// Somebody interrupted; the run can be resumed.
    Interrupted,
}

impl Halt {
    /// What the process says of it.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Ended(Ending::Achieved) => Exit::Done,
            Self::Ended(Ending::Failed { .. } | Ending::Aborted) => Exit::Failed,
            Self::Ended(Ending::Limit { .. }) => Exit::Limit,
            Self::Waiting(review) => match &review.subject {
                Subject::StageFailed { .. } => Exit::Model,
                Subject::Plan { .. }
                | Subject::Call { .. }
                | Subject::Judgement { .. }
                | Subject::Finish { .. }
                | Subject::Question { .. }
                | Subject::Stagnation { .. }
                | Subject::UnknownOutcome { .. }
                | Subject::Interrupted => Exit::Waiting,
            },
            Self::Interrupted => Exit::Interrupted,
        }
    }
}
