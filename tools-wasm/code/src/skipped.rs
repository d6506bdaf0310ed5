//! What a tool left out, as all of them say it.

use serde::Serialize;

/// Something that wasn't looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file, folder or rule.
    pub path: String,
    /// Why.
    pub reason: String,
}
