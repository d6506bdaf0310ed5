//! Numbers as TOML writes them.

use toml::de::{DeInteger, DeValue};

/// A number that isn't below zero.
pub(super) fn whole(number: &DeInteger<'_>) -> Option<u64> {
    let digits = number.as_str();
    u64::from_str_radix(digits.strip_prefix('+').unwrap_or(digits), number.radix()).ok()
}

/// An amount as its reader wants it; empty where it can't be one.
pub(super) fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Integer(number) => number.as_str().to_owned(),
        // As the reader sees it: `1e3` is a thousand.
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .map_or_else(|_| number.as_str().to_owned(), |read| read.to_string()),
        DeValue::String(text) => text.to_string(),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => String::new(),
    }
}
