//! Which names in a grant are hidden from its guests: patterns, those that hold by default, and
//! whether they hide a place.
//!
//! Doesn't own: where a place is asked about (`view::policy`), who may bring something back (the
//! caller's configuration). A mask is asked about names, so a hard link under another name is an
//! ordinary file, and so is the short name that FAT makes of a long one.

mod defaults;
mod fold;
mod pattern;
mod set;

pub(crate) use fold::{folded, lies_in, likeness, without_tails};
pub use pattern::{MAX_MASK_BYTES, MaskError, MaskPattern};
pub(crate) use set::{Hidden, MaskSet};

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// One grant has so many patterns of its own at most.
pub const MAX_MASKS: usize = 128;

static DEFAULTS: LazyLock<Vec<MaskPattern>> = LazyLock::new(|| {
    let parse = |(pattern, _): &(&str, &str)| MaskPattern::parse(pattern);
    defaults::DEFAULTS.iter().map(parse).collect::<Result<_, _>>().expect("built-in patterns are patterns")
});

/// What one grant hides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Masks {
    /// Keys, credentials and history, by the names that they usually have.
    pub defaults: bool,
    /// Besides, in this order; the last that fits decides.
    pub patterns: Vec<MaskPattern>,
}

impl Default for Masks {
    fn default() -> Self {
        Self { defaults: true, patterns: Vec::new() }
    }
}

impl Masks {
    /// The built-in patterns with the reason for each, in order.
    pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
        defaults::DEFAULTS.iter().copied()
    }

    /// Whether nothing was said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The digest of the built-in patterns.
    pub(crate) fn built_in_digest() -> Digest {
        let text: Vec<_> = Self::built_in().map(|(pattern, _)| pattern).collect();
        Digest::of(text.join("\n").as_bytes())
    }

    fn effective(&self) -> impl Iterator<Item = MaskPattern> {
        let defaults = if self.defaults { DEFAULTS.as_slice() } else { &[] };
        defaults.iter().chain(&self.patterns).cloned()
    }
}

#[cfg(test)]
mod tests;
