//! Names of things: newtypes, so that a call can't be mistaken for a review.
//!
//! Numbers are handed out by the state itself, so that a replayed run names things as the
//! original did. Run and receipt ids come in from outside with the events.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

text_id! {
    /// A run, chosen by whoever starts it.
    RunId
}
text_id! {
    /// A sub-task, as the planner or a person named it; unique in a run.
    TaskId
}
text_id! {
    /// A receipt of one tool call, kept by the store.
    ReceiptId
}
text_id! {
    /// The hash of one version of the plan (hex); an approval names the hash it approves.
    PlanHash
}
text_id! {
    /// The hash of everything that one request to a model sends (hex).
    PromptDigest
}
number_id! {
    /// A call to a model or a tool, counted from 1 within a run.
    CallId
}
number_id! {
    /// A question to a person, counted from 1 within a run.
    ReviewId
}
number_id! {
    /// A carried-out action, counted from 1 within a run: what reports cite as a step.
    StepId
}

/// Milliseconds since the Unix epoch. The engine has no clock: time comes in with events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);
