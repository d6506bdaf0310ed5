//! Where something stands in a JSON text: the parser knows no lines, so keys are looked for.

use super::{Text, line_at};
use serde_json::Value;

/// A parsed JSON file.
pub(super) struct Document<'t> {
    text: &'t Text,
    pub(super) value: Value,
}

impl<'t> Document<'t> {
    /// None where the text is no JSON object.
    pub(super) fn parse(text: &'t Text) -> Option<Self> {
        let value: Value = serde_json::from_str(text.text.trim_start_matches('\u{feff}')).ok()?;
        value.is_object().then_some(Self { text, value })
    }

    /// The line of a key, given the keys that lead to it.
    pub(super) fn line(&self, path: &[&str]) -> u32 {
        let mut from = 0;
        for key in path {
            from = find_key(&self.text.text, key, from).unwrap_or(from);
        }
        line_at(self.text, from)
    }

    /// The line of a text that stands in the file, after a key.
    pub(super) fn line_of_value(&self, path: &[&str], value: &str) -> u32 {
        let mut from = 0;
        for key in path {
            from = find_key(&self.text.text, key, from).unwrap_or(from);
        }
        let quoted = Value::from(value).to_string();
        let at = self.text.text.get(from..).and_then(|rest| rest.find(&quoted)).map_or(from, |at| from + at);
        line_at(self.text, at)
    }
}

/// Where a quoted key followed by a colon begins.
fn find_key(text: &str, key: &str, from: usize) -> Option<usize> {
    let quoted = Value::from(key).to_string();
    let mut at = from;
    loop {
        let found = at + text.get(at..)?.find(&quoted)?;
        let after = found + quoted.len();
        if text.get(after..)?.trim_start().starts_with(':') {
            return Some(found);
        }
        at = after;
    }
}
