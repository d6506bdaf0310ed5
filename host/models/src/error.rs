//! Why no answer came.
//!
//! Owns: what failures are called and whether they can pass. Doesn't own: how one is recognised.

use crate::Spending;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why no answer came. Messages never hold a secret, nor does anything in a [`Reply`].
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelError {
    /// No connection, or it broke.
    #[error("{provider} could not be reached: {why}")]
    Unreachable {
        /// Provider and address.
        provider: String,
        /// What the network said.
        why: String,
    },
    /// The server said no, and says that another try may help.
    #[error("{provider} is busy ({status}): {why}")]
    Busy {
        /// Provider and address.
        provider: String,
        /// HTTP status.
        status: u16,
        /// The server's words.
        why: String,
    },
    /// The server refused the request itself: another try can't help.
    #[error("{provider} refused {what} ({status}): {why}")]
    Refused {
        /// Provider and address.
        provider: String,
        /// HTTP status.
        status: u16,
        /// What it said no to.
        what: Refusal,
        /// The server's words, and what a person can do.
        why: String,
    },
    /// The answer isn't what the API promises.
    #[error("{provider} answered something unreadable: {why}")]
    Unreadable {
        /// Provider and address.
        provider: String,
        /// What was wrong with it.
        why: String,
    },
    /// The request can't be sent to this provider as it is.
    #[error("{why}")]
    Unsupported {
        /// What can't be sent and why.
        why: String,
    },
    /// It failed as `error` says, after something had been spent on it.
    #[error("{error}")]
    Paid {
        /// What was spent.
        spending: Spending,
        /// The failure.
        error: Box<ModelError>,
    },
}

/// What a server said no to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The request as it is.
    Request,
    /// The key that came with it.
    Key,
    /// A request that came without a key.
    Keyless,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Request => "the request",
            Self::Key => "the key",
            Self::Keyless => "the request without a key",
        })
    }
}

impl ModelError {
    /// Whether the same request might work later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Busy { .. } | Self::Unreadable { .. } => true,
            Self::Refused { .. } | Self::Unsupported { .. } => false,
            Self::Paid { error, .. } => error.is_transient(),
        }
    }

    /// The failure itself, whatever was spent on it.
    pub fn cause(&self) -> &Self {
        match self {
            Self::Paid { error, .. } => error.cause(),
            Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::Refused { .. }
            | Self::Unreadable { .. }
            | Self::Unsupported { .. } => self,
        }
    }

    /// What was spent before it failed, as far as it is known or can be estimated.
    pub fn spending(&self) -> Spending {
        match self {
            Self::Paid { spending, .. } => *spending,
            Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::Refused { .. }
            | Self::Unreadable { .. }
            | Self::Unsupported { .. } => Spending::default(),
        }
    }
}
