//! Finding the one object in a text that may hold fences, prose and repetitions.

use super::fault::Unusable;
use super::lenient::{self, Broken};
use super::{Read, markup};
use serde_json::Value;

/// Languages of a fence that may hold the answer.
const JSON_FENCES: [&str; 4] = ["", "json", "jsonc", "json5"];

/// How many bytes a text and its repetition must share before it counts as sent twice.
const REPEATED: usize = 16;

struct Candidate {
    value: Value,
    repairs: Vec<String>,
}

/// Finds it, or says why not.
pub(super) fn one_object(text: &str) -> Result<Read, Unusable> {
    match search(text) {
        Ok(read) => Ok(read),
        // A stream that was sent again from its beginning: what counts is the second text.
        Err(first) => match second_sending(text).map(search) {
            Some(Ok(mut read)) => {
                read.repairs.push("$: the text was sent twice".to_owned());
                Ok(read)
            }
            Some(Err(_)) | None => Err(first),
        },
    }
}

fn search(text: &str) -> Result<Read, Unusable> {
    if let Some(inner) = quoted_object(text) {
        let mut read = scan(&inner)?;
        read.repairs.push("$: the object was sent inside a string".to_owned());
        return Ok(read);
    }
    scan(text)
}

/// The content of a text that is one JSON string holding an object.
fn quoted_object(text: &str) -> Option<String> {
    let inner: String = serde_json::from_str(text.trim()).ok()?;
    inner.trim_start().starts_with('{').then_some(inner)
}

fn scan(text: &str) -> Result<Read, Unusable> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut outside = String::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(ahead) = rest.find(['{', '[', '`']) else {
            outside.push_str(rest);
            break;
        };
        outside.push_str(rest.get(..ahead).unwrap_or_default());
        at += ahead;
        let here = text.get(at..).unwrap_or_default();
        if here.starts_with("```") {
            at += fence_length(here);
        } else if opens_value(here) {
            match lenient::parse_at(text, at) {
                Ok(parsed) => {
                    at = parsed.end;
                    found.push(Candidate { value: parsed.value, repairs: parsed.repairs });
                }
                Err(Broken { path, fault }) => {
                    return Err(match markup::tag_in(&outside) {
                        Some(tag) => in_text(tag),
                        None => Unusable::Broken { path, fault },
                    });
                }
            }
        } else {
            let length = here.chars().next().map_or(1, char::len_utf8);
            outside.push_str(here.get(..length).unwrap_or_default());
            at += length;
        }
    }
    if let Some(tag) = markup::tag_in(&outside) {
        return Err(in_text(tag));
    }
    let mut read = choose(found, text)?;
    if !outside.trim().is_empty() {
        read.repairs.push("$: text around the object was left out".to_owned());
    }
    Ok(read)
}

fn in_text(tag: &'static str) -> Unusable {
    Unusable::Markup { path: "$".to_owned(), tag }
}

/// Whether an object or a list of objects begins here, as against a brace in prose or code.
fn opens_value(text: &str) -> bool {
    let inside = |text: &str| text.get(1..).unwrap_or_default().trim_start().chars().next();
    match text.chars().next() {
        Some('{') => matches!(inside(text), Some('"' | '\'' | '}' | '/' | '\u{feff}') | None),
        Some('[') => {
            let items = text.get(1..).unwrap_or_default().trim_start();
            items.starts_with('{') && opens_value(items)
        }
        _ => false,
    }
}

/// Bytes to skip at a fence: its marker and language, or all of it where it holds other code.
fn fence_length(text: &str) -> usize {
    let marker = text.len() - text.trim_start_matches('`').len();
    let after = text.get(marker..).unwrap_or_default();
    let word = after
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '_'))
        .unwrap_or(after.len());
    let language = after.get(..word).unwrap_or_default().to_ascii_lowercase();
    if JSON_FENCES.contains(&language.as_str()) {
        return marker + word;
    }
    let close = "`".repeat(marker);
    match after.find(&close) {
        Some(end) => marker + end + marker,
        None => marker + word,
    }
}

fn choose(found: Vec<Candidate>, text: &str) -> Result<Read, Unusable> {
    let total = found.len();
    // An empty object in prose says nothing beside a full one.
    let mut full: Vec<Candidate> = Vec::new();
    let mut empty: Vec<Candidate> = Vec::new();
    for candidate in found {
        match &candidate.value {
            Value::Object(map) if map.is_empty() => empty.push(candidate),
            _ => full.push(candidate),
        }
    }
    let candidates = if full.is_empty() { empty } else { full };
    let count = candidates.len();
    let Some(mut chosen) = candidates.into_iter().try_fold(None, |kept, candidate| match kept {
        None => Ok(Some(candidate)),
        Some(Candidate { value, .. }) if within(&value, &candidate.value) => Ok(Some(candidate)),
        Some(_) => Err(Unusable::Several { count }),
    })?
    else {
        return Err(nothing_found(text));
    };
    match &chosen.value {
        Value::Object(_) => {
            if total > 1 {
                chosen.repairs.push("$: the object was sent more than once".to_owned());
            }
            Ok(Read { value: chosen.value, repairs: chosen.repairs })
        }
        other => Err(Unusable::NotAnObject { found: kind(other) }),
    }
}

fn nothing_found(text: &str) -> Unusable {
    match serde_json::from_str::<Value>(text.trim()) {
        Ok(value) => Unusable::NotAnObject { found: kind(&value) },
        Err(_) => Unusable::NoObject,
    }
}

/// What a value is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Whether `larger` says everything that `smaller` says.
fn within(smaller: &Value, larger: &Value) -> bool {
    match (smaller, larger) {
        (Value::Object(small), Value::Object(large)) => {
            small.iter().all(|(key, value)| large.get(key).is_some_and(|other| within(value, other)))
        }
        (Value::Array(small), Value::Array(large)) => {
            small.len() <= large.len() && small.iter().zip(large).all(|(a, b)| within(a, b))
        }
        (a, b) => a == b,
    }
}

/// The second of two sendings, where the first was cut off: the text is `P` and then `F`, and `F`
/// begins with `P`.
fn second_sending(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let begin = bytes.get(..REPEATED)?;
    let mut tried = 0;
    for (index, _) in text.match_indices('{').filter(|(at, _)| *at >= REPEATED) {
        let second = bytes.get(index..)?;
        if !second.starts_with(begin) {
            continue;
        }
        if bytes.get(..index).is_some_and(|first| second.starts_with(first)) {
            return text.get(index..);
        }
        tried += 1;
        if tried > 64 {
            break;
        }
    }
    None
}
