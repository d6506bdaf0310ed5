//! What rules find in one file.

use crate::language::Language;
use serde::{Deserialize, Serialize};

/// Places that rules found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Matches {}

impl Matches {
    /// What the standard rules find.
    pub(crate) fn of_standard_rules(_language: Language, _path: &str, _text: &str) -> Self {
        Self {}
    }

    /// What rules given as YAML find; or what is wrong with the rules.
    pub(crate) fn of_rules(
        _rules: &str,
        _language: Language,
        _path: &str,
        _text: &str,
    ) -> Result<Self, String> {
        Ok(Self {})
    }
}
