//! From a model's words to one JSON value that fits a schema.
//!
//! Owns: finding the object, repairing what can only be meant one way, coercing what the schema
//! asks for, naming what is wrong with the rest. Doesn't own: what the value means, whether the
//! model is asked again. What is said about a bad reply names places and types, not its text,
//! since it goes into the next prompt.

mod check;
mod coerce;
mod extract;
mod fault;
mod lenient;
mod markup;
mod path;
#[cfg(test)]
mod tests;

pub(crate) use check::mismatch;
pub(crate) use coerce::coerce;
pub(crate) use fault::{Fault, Unusable};
pub(crate) use markup::refuse_a_call_as_text;

use crate::bounds;
use serde_json::Value;

/// A value that was read and how its text had to be mended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    /// The value; always an object.
    pub(crate) value: Value,
    /// What was repaired, a line each.
    pub(crate) repairs: Vec<String>,
}

/// Finds the one object in a model's text.
pub(crate) fn find(text: &str) -> Result<Read, Unusable> {
    if text.len() > bounds::REPLY_BYTES {
        return Err(Unusable::TooLong { bytes: text.len(), limit: bounds::REPLY_BYTES });
    }
    if text.starts_with('\u{feff}') {
        return Err(Unusable::Broken { path: "$".to_owned(), fault: Fault::ByteOrderMark });
    }
    let bare = text.trim();
    if bare.is_empty() || bare.strip_prefix('{').is_some_and(|rest| rest.trim().is_empty()) {
        return Err(Unusable::Empty);
    }
    let read = extract::one_object(text)?;
    markup::refuse_in_value(&read.value)?;
    Ok(read)
}

/// Coerces `value` where `schema` asks for it, then validates it.
pub(crate) fn fit(read: Read, schema: &Value) -> Result<Read, Unusable> {
    let Read { mut value, mut repairs } = read;
    coerce(&mut value, schema, &mut repairs);
    match mismatch(&value, schema, "$") {
        None => Ok(Read { value, repairs }),
        Some(mismatch) => Err(Unusable::Schema(mismatch)),
    }
}
