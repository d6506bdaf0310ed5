//! Tool calls that leak out of a model as XML text: found, refused, never carried out.

use super::fault::Unusable;
use super::path;
use serde_json::Value;

/// Elements that tool calls are written with.
const ELEMENTS: [&str; 5] = ["invoke", "function_calls", "tool_call", "tool_use", "parameter"];

/// The first such tag in a text, opening or closing, with or without a namespace.
pub(super) fn tag_in(text: &str) -> Option<&'static str> {
    text.match_indices('<').find_map(|(at, _)| element(text.get(at + 1..).unwrap_or_default()))
}

/// The element whose tag begins here, after its angle bracket.
fn element(after: &str) -> Option<&'static str> {
    let name = after.strip_prefix('/').unwrap_or(after);
    let end =
        name.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':')).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or(name);
    ELEMENTS.into_iter().find(|known| *known == local)
}

/// Refuses a value one of whose strings ends in a closing tag.
pub(super) fn refuse_in_value(value: &Value) -> Result<(), Unusable> {
    let mut at = "$".to_owned();
    walk(value, &mut at)
}

/// Refuses plain words that are a whole tool call written as text: they begin or end with its tags.
pub(crate) fn refuse_a_call_as_text(text: &str) -> Result<(), Unusable> {
    let begins = text.trim_start().strip_prefix('<').and_then(element);
    match begins.or_else(|| closing_at_end(text)) {
        Some(tag) => Err(Unusable::Markup { path: "$".to_owned(), tag }),
        None => Ok(()),
    }
}

fn walk(value: &Value, at: &mut String) -> Result<(), Unusable> {
    match value {
        Value::String(text) => match closing_at_end(text) {
            Some(tag) => Err(Unusable::Markup { path: at.clone(), tag }),
            None => Ok(()),
        },
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            let length = at.len();
            path::push_index(at, index);
            let walked = walk(item, at);
            at.truncate(length);
            walked
        }),
        Value::Object(map) => map.iter().try_for_each(|(key, item)| {
            let length = at.len();
            path::push_key(at, key);
            let walked = walk(item, at);
            at.truncate(length);
            walked
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn closing_at_end(text: &str) -> Option<&'static str> {
    let text = text.trim_end().strip_suffix('>')?;
    let after = text.get(text.rfind('<')? + 1..)?;
    if after.contains(char::is_whitespace) {
        return None;
    }
    after.starts_with('/').then(|| element(after)).flatten()
}
