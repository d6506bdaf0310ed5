//! Why a value can't be converted: where, what was expected, what was found; bounded and free of
//! control characters, because it is shown to people and models.

use thiserror::Error;

/// Input that doesn't fit a function's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: expected {expected}, got {given}")]
pub struct InputError {
    /// Where, as a JSON path: `$.options.mode`, `$.lines[3]`.
    pub path: String,
    /// What would be right.
    pub expected: String,
    /// What is there instead.
    pub given: String,
}

/// A result that can't be written as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the tool's result can't be written as JSON: {path}: {reason}")]
pub struct OutputError {
    /// Where, as a JSON path.
    pub path: String,
    /// Why not.
    pub reason: String,
}
