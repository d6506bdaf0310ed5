//! Where in a value the conversion is. Steps live on the stack and become text only when
//! something is wrong.

use super::error::{InputError, OutputError};
use serde_json::Value;

/// A path is cut in the middle when it is longer than this.
const MAX_PATH: usize = 240;
/// Values and names of the caller are shown up to this many characters.
const MAX_SHOWN: usize = 60;
const MAX_NAMES: usize = 20;

/// A place in a value, with the way to it.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    pub(super) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Key(key) }
    }

    pub(super) fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    fn render(&self) -> String {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            steps.push(path.step);
            at = path.parent;
        }
        let mut text = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Root => text.push('$'),
                Step::Key(key) if is_plain(key) => text.push_str(&format!(".{key}")),
                Step::Key(key) => text.push_str(&format!("[{}]", quoted(key))),
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        if text.chars().count() > MAX_PATH {
            let chars: Vec<char> = text.chars().collect();
            let (head, tail) = (&chars[..MAX_PATH / 2], &chars[chars.len() - MAX_PATH / 2..]);
            return head.iter().chain(&['…']).chain(tail).collect();
        }
        text
    }

    pub(super) fn refuse(&self, expected: impl Into<String>, given: &Value) -> InputError {
        InputError { path: self.render(), expected: expected.into(), given: describe(given) }
    }

    pub(super) fn missing(&self, expected: impl Into<String>) -> InputError {
        InputError { path: self.render(), expected: expected.into(), given: "nothing".to_owned() }
    }

    pub(super) fn unwritable(&self, reason: impl Into<String>) -> OutputError {
        OutputError { path: self.render(), reason: reason.into() }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= MAX_SHOWN
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A text of the caller between quotes, cut and escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// A list of names for "expected one of": `a`, `b`, `c` and 12 more.
pub(super) fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let shown = names.get(..MAX_NAMES).unwrap_or(&names).join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 if names.is_empty() => "nothing".to_owned(),
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", quoted(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => format!("an object with {}", one_of_given(map.keys())),
    }
}

fn one_of_given<'a>(keys: impl ExactSizeIterator<Item = &'a String>) -> String {
    const SHOWN: usize = 5;
    let more = keys.len().saturating_sub(SHOWN);
    let shown: Vec<String> = keys.take(SHOWN).map(|key| quoted(key)).collect();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more keys", shown.join(", ")) }
}
