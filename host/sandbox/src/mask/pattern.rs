//! One line of a gitignore file, read: what it hides, or brings back.

use super::fold::folded;
use globset::{Glob, GlobBuilder};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// A pattern has so many bytes at most.
pub const MAX_MASK_BYTES: usize = 256;

/// A pattern in the language of gitignore files, seen from the project folder. `*.csv` fits at any
/// depth; `/data` and `data/raw`, with a slash before their end, fit from the project folder down;
/// what lies below a hidden folder is hidden. A `!` brings back what an earlier pattern hides.
///
/// Unlike there, case doesn't count, and a slash at the end doesn't ask for a folder: the name is
/// hidden whatever it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MaskPattern(String);

/// Why a text is no mask.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MaskError {
    /// Nothing is left of it.
    #[error("`{0}` is no mask: it names nothing")]
    Empty(String),
    /// Longer than a mask may be.
    #[error("a mask has {bytes} bytes, {MAX_MASK_BYTES} at most are possible: `{start}…`")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// How it begins.
        start: String,
    },
    /// It would be a comment in a gitignore file.
    #[error("`{0}` is no mask but a comment; write `\\#` for a name that starts with #")]
    Comment(String),
    /// A name that no file can have.
    #[error("`{0}` is no mask: it has `.`, `..`, an empty name or a control character, which fit nothing")]
    FitsNothing(String),
    /// It can't be read.
    #[error("`{pattern}` is no mask: {reason}")]
    Unreadable {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl MaskPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, MaskError> {
        if text.len() > MAX_MASK_BYTES {
            let start = text.chars().take(40).collect();
            return Err(MaskError::TooLong { bytes: text.len(), start });
        }
        if text.starts_with('#') {
            return Err(MaskError::Comment(text.to_owned()));
        }
        let pattern = Self(text.to_owned());
        let names = pattern.names();
        if names.is_empty() || names == "/" {
            return Err(MaskError::Empty(text.to_owned()));
        }
        let inner = names.strip_prefix('/').unwrap_or(names);
        if inner.split('/').any(|name| matches!(name, "" | "." | "..")) || text.chars().any(char::is_control)
        {
            return Err(MaskError::FitsNothing(text.to_owned()));
        }
        pattern.glob()?;
        Ok(pattern)
    }

    /// Whether it brings back what another hides.
    pub fn brings_back(&self) -> bool {
        self.0.starts_with('!')
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without the mark at its start and the slash at its end.
    fn names(&self) -> &str {
        let names = self.0.strip_prefix('!').unwrap_or(&self.0);
        names.strip_suffix('/').unwrap_or(names)
    }

    /// To be matched against folded places.
    pub(super) fn glob(&self) -> Result<Glob, MaskError> {
        let names = self.names();
        let anywhere = if names.contains('/') { "" } else { "**/" };
        self.build(anywhere, names.strip_prefix('/').unwrap_or(names), true)
    }

    /// To be matched against the last name of folded places: fits wherever [`Self::glob`] does.
    pub(super) fn name_glob(&self) -> Result<Glob, MaskError> {
        let names = self.names();
        // A slash may stand in brackets, where it separates nothing.
        let last = match names.rsplit_once('/') {
            Some(_) if names.contains('[') => "*",
            Some((_, last)) => last,
            None => names,
        };
        self.build("", last, false)
    }

    fn build(&self, before: &str, names: &str, separated: bool) -> Result<Glob, MaskError> {
        let mut glob = before.to_owned();
        for c in folded(names).chars() {
            match c {
                // Alternatives in other languages of patterns, ordinary characters in this one.
                '{' => glob.push_str("[{]"),
                '}' => glob.push_str("[}]"),
                c => glob.push(c),
            }
        }
        GlobBuilder::new(&glob).literal_separator(separated).backslash_escape(true).build().map_err(|error| {
            MaskError::Unreadable { pattern: self.0.clone(), reason: error.kind().to_string() }
        })
    }
}

impl fmt::Display for MaskPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for MaskPattern {
    type Error = MaskError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<MaskPattern> for String {
    fn from(pattern: MaskPattern) -> Self {
        pattern.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_pattern_is_refused_by_name() {
        let long = "x".repeat(300);
        for (text, names) in [
            ("", "names nothing"),
            ("!", "names nothing"),
            ("/", "names nothing"),
            ("# keys", "comment"),
            ("../x", "fit nothing"),
            ("a//b", "fit nothing"),
            ("./a", "fit nothing"),
            ("a\nb", "fit nothing"),
            ("[a", "[a"),
            ("[z-a]", "[z-a]"),
            ("a\\", "a\\"),
            (long.as_str(), "300 bytes"),
        ] {
            let error = MaskPattern::parse(text).expect_err(text).to_string();
            assert!(error.contains(names), "{text:?}: {error}");
        }
    }
}
