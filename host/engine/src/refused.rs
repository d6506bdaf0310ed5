//! Why an event doesn't fit: said to a person, with what would fit.

use crate::id::{CallId, PlanHash, ReviewId};
use crate::ordering::TasksError;
use crate::prompts::PromptError;
use thiserror::Error;

/// An event was refused; the state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// The first event of a run isn't `Started`.
    #[error("a run begins with the event `started`")]
    NotStarted,
    /// `Started` came again.
    #[error("the run has begun already")]
    StartedAgain,
    /// The settings can't be run with.
    #[error("{what}: {why}")]
    Settings {
        /// Which setting.
        what: String,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A prompt template can't be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The run is over.
    #[error("the run has ended; nothing can be added to it")]
    Ended,
    /// An answer to a call that isn't under way: an old one, or one that has been answered.
    #[error("call {call} isn't under way; its answer came too late or came twice")]
    NotPending {
        /// The call.
        call: CallId,
    },
    /// An answer by a person while nothing is asked.
    #[error("review {review} isn't open: the run waits for no answer")]
    NothingAsked {
        /// The review that was answered.
        review: ReviewId,
    },
    /// An answer to an older review.
    #[error("review {given} isn't open any more; the open one is review {open}")]
    OtherReview {
        /// The review that was answered.
        given: ReviewId,
        /// The one that waits.
        open: ReviewId,
    },
    /// An approval that names another version of the plan.
    #[error("the approval names plan {given}, but the plan to approve is {current}; look at it again")]
    StaleApproval {
        /// The hash that was approved.
        given: PlanHash,
        /// The hash that waits for approval.
        current: PlanHash,
    },
    /// An answer of a kind that the review doesn't take.
    #[error("{subject} can't be answered with `{answer}`; it takes {takes}")]
    UnfitAnswer {
        /// What is asked about.
        subject: &'static str,
        /// The answer that was given.
        answer: &'static str,
        /// The answers that fit.
        takes: &'static str,
    },
    /// A person's tasks, where there is no plan to put them into.
    #[error("the flow `{flow}` has no plan that could be changed")]
    NoPlan {
        /// The flow.
        flow: &'static str,
    },
    /// A person's tasks can't be a plan.
    #[error(transparent)]
    Tasks(#[from] TasksError),
    /// A person's input doesn't fit the tool.
    #[error("the input doesn't fit {tool}: {why}")]
    Input {
        /// The tool.
        tool: String,
        /// Path and what was expected there.
        why: String,
    },
    /// A person's words are empty or too long.
    #[error("{what} {why}")]
    Words {
        /// What was said.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// A journal that can't be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// There are no events.
    #[error("the journal is empty")]
    Empty,
    /// An event doesn't fit the ones before it.
    #[error("event {number} of the journal doesn't fit the ones before it: {why}")]
    Unfit {
        /// Which, counted from 1.
        number: usize,
        /// Why.
        #[source]
        why: Refused,
    },
}
