//! The one spot where a resolved place is judged: masks, then grants (the deepest decides), then
//! what may be done there. Reads no file system, so a refusal takes as long for what exists as
//! for what doesn't.

use super::grants::{Granted, GrantedTree, Held};
use super::place::Place;
use super::refused::Refused;
use crate::grant::Access;
use crate::mask::{Hidden, folded, without_tails};
use crate::receipt::DenialReason;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// Ringfence's own folder at the project's top; no guest ever sees it.
const STATE_FOLDER: &str = ".ringfence";

/// What a call wants of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// Open it for reading, list it, look at what it is.
    Look,
    /// Write, create, rename, delete, or change its times or size.
    Change,
}

/// What a place stands on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ground<'t> {
    /// It only leads to what is granted; there is nothing else in it.
    Bare,
    /// It lies in this grant, or is the file that is granted.
    Granted(&'t Granted),
}

impl GrantedTree {
    /// Whether a guest may do what it wants at a place without links.
    pub(super) fn judge(&self, place: &Place, want: Want) -> Result<Ground<'_>, Refused> {
        self.judge_below(0, place, want)
    }

    /// The same where the place's first `known` names were judged before, so that a walk name by
    /// name asks for each of them once. Grants aren't hidden themselves, so it doesn't matter whose
    /// masks were asked for a name above the grant.
    pub(super) fn judge_below(&self, known: usize, place: &Place, want: Want) -> Result<Ground<'_>, Refused> {
        if is_state_folder(place.as_str()) {
            return Err(Refused::denied(DenialReason::Masked, place));
        }
        let holder = self.holder(place);
        if holder.is_some_and(|holder| self.may_be_held_deeper(place, holder)) {
            return Err(Refused::denied(DenialReason::NotGranted, place));
        }
        let bare = holder.is_none() && self.is_bare(place);
        // Where nothing is granted a grant alone would not show it: that is the better answer.
        let masks = holder.map_or(&self.usual_masks, |granted| &granted.masks);
        if !bare && let Some(hidden) = masks.hides(place.as_str(), known) {
            return Err(masked(place, hidden, holder.is_some()));
        }
        if let Some(Granted { held: Held::File { .. }, place: file, .. }) = holder
            && file != place
        {
            return Err(Refused::Plain(ErrorCode::NotDirectory));
        }
        match (holder, want) {
            (Some(granted), Want::Look) => Ok(Ground::Granted(granted)),
            (Some(granted), Want::Change) => match granted.access {
                Access::Read => Err(Refused::denied(DenialReason::ReadOnly, place)),
                Access::Write => Ok(Ground::Granted(granted)),
            },
            (None, _) if !bare => Err(Refused::denied(DenialReason::NotGranted, place)),
            (None, Want::Look) => Ok(Ground::Bare),
            (None, Want::Change) => Err(Refused::denied(DenialReason::ReadOnly, place)),
        }
    }
}

/// Whether a place is Ringfence's own folder or lies in it: no grant shows that. File systems that
/// ignore case, or characters that aren't seen, take more than one spelling for it.
pub(crate) fn is_state_folder(place: &str) -> bool {
    let top = folded(place.split('/').next().unwrap_or(place));
    *top == *STATE_FOLDER || without_tails(&top).is_some_and(|top| top == STATE_FOLDER)
}

/// What hides a place, as a refusal.
fn masked(place: &Place, hidden: Hidden<'_>, granted: bool) -> Refused {
    let mut at = place.clone();
    while at.depth() > hidden.depth && at.pop() {}
    Refused::Masked { mask: hidden.by.to_string(), hidden: at, place: place.clone(), granted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_state_folder_is_hidden() {
        for place in [
            ".ringfence",
            ".RingFence",
            ".RINGFENCE/1",
            ".ring\u{200b}fence",
            "\u{feff}.RingFence/x",
            ".ringfence./x",
        ] {
            assert!(is_state_folder(place), "{place:?}");
        }
    }

    #[test]
    fn only_the_state_folder_at_the_top_is_hidden() {
        for place in ["", "src", "src/.ringfence", ".ringfence2", "ringfence", ".ringfence.toml", ".git"] {
            assert!(!is_state_folder(place), "{place:?}");
        }
    }
}
