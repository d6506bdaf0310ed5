//! A secret that can't be shown by accident.
//!
//! Owns: the newtype that keys travel in. Doesn't own: where keys come from.

mod escaped;

use serde_json::Value;
use std::fmt;

/// A key or token. Neither `Debug` nor `Display` shows it, and it has no serialization.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret; white space around it (a file's last newline) is not part of it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret itself; only for the place that puts it on the wire.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The text with every occurrence of the secret taken out, as it stands and as JSON
    /// writes it.
    pub(crate) fn censor(&self, text: &str) -> String {
        let mut censored = text.to_owned();
        if self.0.is_empty() {
            return censored;
        }
        // The longer forms first: the plain one may be a part of them.
        for form in [self.in_json().replace('/', "\\/"), self.in_json(), self.0.clone()] {
            if censored.contains(&form) {
                censored = censored.replace(&form, HIDDEN);
            }
        }
        censored
    }

    /// As [`Secret::censor`], for words that are gone on with: a placeholder for a server that
    /// wants no key (`x`, `ollama`) stays in, since taking it out would garble them.
    pub(crate) fn censor_reply(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_KEY { text.to_owned() } else { self.censor(text) }
    }

    /// As [`Secret::censor_reply`], for every text within a value.
    pub(crate) fn censor_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.censor_reply(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.censor_value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.censor_reply(&name), self.censor_value(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// Whether reading the escapes of a text would bring the secret out. Nothing can be taken out
    /// of such a text without knowing who reads it.
    pub(crate) fn is_concealed_in(&self, text: &str) -> bool {
        self.0.len() >= SHORTEST_KEY && escaped::conceals(text, &self.0)
    }

    /// As [`Secret::is_concealed_in`], for any text within a value.
    pub(crate) fn is_concealed_in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_concealed_in(text),
            Value::Array(items) => items.iter().any(|item| self.is_concealed_in_value(item)),
            Value::Object(fields) => fields
                .iter()
                .any(|(name, value)| self.is_concealed_in(name) || self.is_concealed_in_value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// The secret within a JSON string.
    fn in_json(&self) -> String {
        let quoted = Value::from(self.0.as_str()).to_string();
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.unwrap_or(&quoted).to_owned()
    }
}

/// What stands in a secret's place.
pub(crate) const HIDDEN: &str = "[secret]";

/// Bytes; what is shorter could be guessed and is nobody's key.
const SHORTEST_KEY: usize = 8;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_in_no_format() {
        let secret = Secret::new("sk-very-private\n");
        assert_eq!(format!("{secret} {secret:?} {secret:#?}"), "[secret] [secret] [secret]");
        assert_eq!(secret.expose(), "sk-very-private");
    }

    #[test]
    fn a_secret_is_taken_out_of_other_peoples_words() {
        let secret = Secret::new("sk-1");
        assert_eq!(secret.censor("bad key sk-1, yes sk-1"), "bad key [secret], yes [secret]");
        assert_eq!(Secret::new("").censor("abc"), "abc");
    }

    #[test]
    fn a_secret_is_found_as_json_writes_it() {
        let secret = Secret::new(r#"\sk/"1"\"#);
        let in_json = serde_json::json!({ "key": secret.expose() }).to_string();
        assert_eq!(secret.censor(&in_json), r#"{"key":"[secret]"}"#);
        assert_eq!(secret.censor(&in_json.replace('/', r"\/")), r#"{"key":"[secret]"}"#);
        assert_eq!(secret.censor(r#"it's \sk/"1"\."#), "it's [secret].");
    }

    #[test]
    fn a_secret_is_taken_out_of_every_place_of_a_value() {
        let secret = Secret::new("sk-12345");
        let value = serde_json::json!([{ "sk-12345": ["a sk-12345", 1, null] }]);
        assert_eq!(secret.censor_value(value).to_string(), r#"[{"[secret]":["a [secret]",1,null]}]"#);
    }

    #[test]
    fn a_placeholder_in_place_of_a_key_does_not_garble_replies() {
        assert_eq!(Secret::new("ollama").censor_reply("served by ollama"), "served by ollama");
        assert_eq!(Secret::new("sk-12345").censor_reply("it is sk-12345"), "it is [secret]");
    }
}
