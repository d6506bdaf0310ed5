//! A secret that can't be shown by accident.
//!
//! Owns: the newtype that keys travel in. Doesn't own: where keys come from.

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

    /// The text with every occurrence of the secret taken out.
    pub(crate) fn censor(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, HIDDEN)
    }
}

const HIDDEN: &str = "[secret]";

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
}
