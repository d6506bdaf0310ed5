//! Variables of the environment that a call may see.
//!
//! Owns: their names and bounds, and the newtype that their values travel in. Values are given with
//! each call; grants and receipts hold names only. Doesn't own: where values come from, or what a
//! tool says of those that it saw.

use crate::trap::bounded;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use thiserror::Error;

/// Names that can be granted to one call.
pub const MAX_VARIABLES: usize = 64;
const NAME_BYTES: usize = 256;
const VALUE_BYTES: usize = 32 << 10;

/// The name of a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariableName(String);

/// The value of a variable. No format shows it, and it has no serialization.
#[derive(Clone, PartialEq, Eq)]
pub struct VariableValue(String);

/// The values that a call may need, by name; a variable that isn't set has none. No format shows
/// them.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<VariableName, VariableValue>);

/// Why a variable can't be granted. Never says what its value is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VariableError {
    /// Not a name.
    #[error(
        "{0:?} is no name of a variable: it has 1 to {NAME_BYTES} bytes, no `=` and no control characters"
    )]
    Name(String),
    /// A guest is given text.
    #[error("its value is not UTF-8")]
    NotText,
    /// More than a guest is given.
    #[error("its value has {0} bytes, which is more than {VALUE_BYTES}")]
    Length(usize),
}

impl VariableName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, VariableError> {
        let wrong = |one: char| one == '=' || one.is_control();
        if text.is_empty() || text.len() > NAME_BYTES || text.contains(wrong) {
            // What stands behind a `=` may be a value.
            let shown = text.split_inclusive('=').next().unwrap_or_default();
            return Err(VariableError::Name(bounded(shown, NAME_BYTES)));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl VariableValue {
    /// Takes a value that a guest can be given.
    pub fn new(value: OsString) -> Result<Self, VariableError> {
        let length = value.len();
        if length > VALUE_BYTES {
            return Err(VariableError::Length(length));
        }
        value.into_string().map(Self).map_err(|_| VariableError::NotText)
    }

    /// The value itself; only for the guest.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl Variables {
    /// Adds one; a later value stands in place of an earlier one of the same name.
    pub fn insert(&mut self, name: VariableName, value: VariableValue) {
        self.0.insert(name, value);
    }

    /// Those that are granted and set.
    pub(crate) fn among<'v>(
        &'v self,
        granted: &'v BTreeSet<VariableName>,
    ) -> impl Iterator<Item = (&'v VariableName, &'v VariableValue)> {
        self.0.iter().filter(|(name, _)| granted.contains(*name))
    }
}

impl fmt::Debug for VariableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[value]")
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(VariableName::as_str)).finish()
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for VariableName {
    type Error = VariableError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<VariableName> for String {
    fn from(name: VariableName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn a_name_is_what_a_variable_can_be_called() {
        for name in ["LANG", "_", "lower-case.and 7", "Ü", &"x".repeat(256)] {
            assert_eq!(VariableName::parse(name).unwrap().as_str(), name);
        }
        for wrong in ["", "A=B", "=", "A\0", "A\nB", "\u{1b}[2J", &"x".repeat(257)] {
            let error = VariableName::parse(wrong).unwrap_err().to_string();
            assert!(!error.contains(char::is_control), "{error}");
            assert!(serde_json::from_value::<VariableName>(wrong.into()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_stands_behind_a_name_may_be_a_value_and_is_not_told() {
        let error = VariableName::parse("TOKEN=hunter2").unwrap_err().to_string();
        assert!(error.starts_with("\"TOKEN=\" is no name") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_value_is_bounded_text_and_no_format_shows_it() {
        let name = VariableName::parse("TOKEN").unwrap();
        let value = VariableValue::new("hunter2".into()).unwrap();
        let mut all = Variables::default();
        all.insert(name, value.clone());
        assert_eq!(format!("{value:?} {all:?} {all:#?}"), "[value] {\"TOKEN\"} {\n    \"TOKEN\",\n}");
        assert!(VariableValue::new("x".repeat(32 << 10).into()).is_ok());
        let error = VariableValue::new("hunter2".repeat(5_000).into()).unwrap_err().to_string();
        assert_eq!(error, "its value has 35000 bytes, which is more than 32768");
        let error = VariableValue::new(OsString::from_vec(b"hunter2\xff".to_vec())).unwrap_err();
        assert_eq!(error.to_string(), "its value is not UTF-8");
    }
}
