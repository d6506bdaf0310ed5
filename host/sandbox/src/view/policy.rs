//! The one spot where a resolved place is judged: masks, then grants (the deepest decides), then
//! what may be done there. Reads no file system, so a refusal takes as long for what exists as
//! for what doesn't.

use super::grants::{Granted, GrantedTree};
use super::place::Place;
use super::refused::Refused;
use crate::grant::Access;
use crate::receipt::DenialReason;

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
    /// It only leads to granted folders; there is nothing else in it.
    Bare,
    /// It lies in this grant.
    Granted(&'t Granted),
}

impl GrantedTree {
    /// Whether a guest may do what it wants at a place without links.
    pub(super) fn judge(&self, place: &Place, want: Want) -> Result<Ground<'_>, Refused> {
        if is_masked(place.as_str()) {
            return Err(Refused::denied(DenialReason::Masked, place));
        }
        match (self.holder(place), want) {
            (Some(granted), Want::Look) => Ok(Ground::Granted(granted)),
            (Some(granted), Want::Change) => match granted.access {
                Access::Read => Err(Refused::denied(DenialReason::ReadOnly, place)),
            },
            (None, _) if !self.is_bare(place) => Err(Refused::denied(DenialReason::NotGranted, place)),
            (None, Want::Look) => Ok(Ground::Bare),
            (None, Want::Change) => Err(Refused::denied(DenialReason::ReadOnly, place)),
        }
    }
}

/// Whether a place, or a folder that holds it, is hidden from every guest.
pub(super) fn is_masked(place: &str) -> bool {
    let top = place.split('/').next().unwrap_or(place);
    names_state_folder(top)
}

/// File systems that ignore case, or characters that aren't seen, take more than one spelling
/// for the same folder; all of them are hidden everywhere.
fn names_state_folder(name: &str) -> bool {
    if name.is_ascii() {
        return name.eq_ignore_ascii_case(STATE_FOLDER);
    }
    let seen = name.chars().filter(|c| !is_unseen(*c)).flat_map(char::to_lowercase);
    seen.eq(STATE_FOLDER.chars())
}

/// Unicode's default ignorable code points, which HFS+ and case-folding ext4 leave out of names.
fn is_unseen(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_state_folder_is_masked() {
        for place in
            [".ringfence", ".RingFence", ".RINGFENCE/runs/1", ".ring\u{200b}fence", "\u{feff}.RingFence/x"]
        {
            assert!(is_masked(place), "{place:?}");
        }
    }

    #[test]
    fn only_the_state_folder_at_the_top_is_masked() {
        for place in ["", "src", "src/.ringfence", ".ringfence2", "ringfence", ".ringfence.toml", ".git"] {
            assert!(!is_masked(place), "{place:?}");
        }
    }
}
