//! Patterns made ready, and asked whether they hide a place. Touches no file system.

use super::Masks;
use super::fold::{folded, without_tails};
use super::pattern::{MaskError, MaskPattern};
use crate::digest::Digest;
use globset::{Candidate, Glob, GlobSet, GlobSetBuilder};

/// The masks of one grant, ready to be asked.
#[derive(Debug)]
pub(crate) struct MaskSet {
    patterns: Vec<MaskPattern>,
    globs: GlobSet,
    /// The last names of the same patterns. Where a place's own name fits none of them no pattern
    /// fits the place, which is soon told, and so it is for nearly every place.
    names: GlobSet,
}

/// What hides a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hidden<'m> {
    /// The pattern.
    pub(crate) by: &'m MaskPattern,
    /// How many names from the root down it takes: of the place itself, or a folder above it.
    pub(crate) depth: usize,
}

impl MaskSet {
    pub(crate) fn new(masks: &Masks) -> Result<Self, MaskError> {
        let patterns: Vec<_> = masks.effective().collect();
        let (globs, names) = (set(&patterns, MaskPattern::glob)?, set(&patterns, MaskPattern::name_glob)?);
        Ok(Self { patterns, globs, names })
    }

    /// Over all patterns in their order, the built-in ones too.
    pub(crate) fn digest(&self) -> Digest {
        let mut text = String::new();
        for pattern in &self.patterns {
            text.push_str(pattern.as_str());
            text.push('\n');
        }
        Digest::of(text.as_bytes())
    }

    /// What hides a place or a folder above it; the topmost, since nothing below it is brought back.
    /// The first `known` names of the place are known to be visible.
    pub(crate) fn hides(&self, place: &str, known: usize) -> Option<Hidden<'_>> {
        let folded = folded(place);
        self.hides_folded(&folded, known).or_else(|| self.hides_folded(&without_tails(&folded)?, known))
    }

    /// Whether an entry of a visible folder is hidden.
    pub(crate) fn hides_entry(&self, place: &str) -> bool {
        // Of most entries the name alone tells; the folder above would only be folded again.
        let name = folded(place.rsplit('/').next().unwrap_or(place));
        if !self.may_fit(&name) && without_tails(&name).is_none_or(|name| !self.may_fit(&name)) {
            return false;
        }
        let folded = folded(place);
        self.decides(&folded).is_some()
            || without_tails(&folded).is_some_and(|folded| self.decides(&folded).is_some())
    }

    fn hides_folded(&self, place: &str, known: usize) -> Option<Hidden<'_>> {
        if place.is_empty() {
            return None;
        }
        let ends = place.match_indices('/').map(|(at, _)| at).chain([place.len()]);
        ends.enumerate().skip(known).find_map(|(above, end)| {
            let by = self.decides(place.get(..end)?)?;
            Some(Hidden { by, depth: above + 1 })
        })
    }

    /// Whether some pattern may fit a place of this name.
    fn may_fit(&self, name: &str) -> bool {
        self.names.is_match_candidate(&Candidate::new(name))
    }

    /// The last pattern that fits decides, if it hides.
    fn decides(&self, place: &str) -> Option<&MaskPattern> {
        let name = place.rsplit('/').next().unwrap_or(place);
        if !self.may_fit(name) {
            return None;
        }
        let last = self.globs.matches_candidate(&Candidate::new(place)).into_iter().max()?;
        self.patterns.get(last).filter(|pattern| !pattern.brings_back())
    }
}

fn set(
    patterns: &[MaskPattern],
    glob: impl Fn(&MaskPattern) -> Result<Glob, MaskError>,
) -> Result<GlobSet, MaskError> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        globs.add(glob(pattern)?);
    }
    globs.build().map_err(|error| MaskError::Unreadable {
        pattern: error.glob().unwrap_or("all together").to_owned(),
        reason: error.kind().to_string(),
    })
}
