//! Names: WIT's kebab-case and JSON's snake_case, which undo each other because a WIT name has
//! no underscore.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest tool name: what model APIs take.
pub const MAX_TOOL_NAME: usize = 64;

/// A name of WIT: a parameter, field, case or flag, in both of its spellings.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct WitName {
    kebab: String,
    snake: String,
}

impl WitName {
    /// As WIT spells it: `max-lines`.
    pub fn kebab(&self) -> &str {
        &self.kebab
    }

    /// As JSON spells it: `max_lines`.
    pub fn snake(&self) -> &str {
        &self.snake
    }
}

impl From<String> for WitName {
    fn from(kebab: String) -> Self {
        let snake = kebab.replace('-', "_");
        Self { kebab, snake }
    }
}

impl From<&str> for WitName {
    fn from(kebab: &str) -> Self {
        Self::from(kebab.to_owned())
    }
}

impl From<WitName> for String {
    fn from(name: WitName) -> Self {
        name.kebab
    }
}

impl fmt::Debug for WitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kebab, f)
    }
}

impl fmt::Display for WitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kebab)
    }
}

/// What a tool is called by: a function's name in snake_case; an ASCII identifier of at most
/// [`MAX_TOOL_NAME`] characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

impl ToolName {
    /// The tool name of a function as WIT spells it; none if it can't be one.
    pub fn of_function(kebab: &str) -> Option<Self> {
        (!kebab.contains('_')).then(|| Self::parse(&kebab.replace('-', "_"))).flatten()
    }

    /// Reads a tool name as a person or a model writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let starts = text.starts_with(|first: char| first.is_ascii_alphabetic());
        let goes_on = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (starts && goes_on && text.len() <= MAX_TOOL_NAME).then(|| Self(text.to_owned()))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| {
            let shown: String = text.chars().take(2 * MAX_TOOL_NAME).collect();
            format!(
                "`{}` is no tool name: want letters, digits and `_`, a letter first, {MAX_TOOL_NAME} at most",
                shown.escape_debug()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn snake_case_is_undone_by_the_reverse_replacement(kebab in "[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}|-[A-Z]{1,3}){0,4}") {
            let name = WitName::from(kebab.as_str());
            prop_assert!(!name.snake().contains('-'));
            prop_assert_eq!(name.snake().replace('_', "-"), kebab);
        }
    }

    #[test]
    fn a_tool_name_is_a_short_ascii_identifier() {
        assert_eq!(ToolName::of_function("read-file").unwrap().as_str(), "read_file");
        for bad in ["", "1a", "a b", "a/b", "ü", "[method]r.f", "a_b", &"x".repeat(65)] {
            assert_eq!(ToolName::of_function(bad), None, "{bad}");
        }
    }
}
