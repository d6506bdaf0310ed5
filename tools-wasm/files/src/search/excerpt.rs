//! What is shown of a line.

use ringfence_guest_project::{cut_at, whole_characters};
use std::ops::Range;

/// The longest part of a line that is shown, in bytes.
const LONGEST: usize = 500;
/// How much of that stands before a match that is far inside a line.
const LEAD: usize = 100;

/// A line of context.
pub(crate) fn shown(line: &[u8]) -> String {
    let cut = cut_at(line, LONGEST);
    let mut text = String::from_utf8_lossy(cut).into_owned();
    if cut.len() < line.len() {
        text.push('…');
    }
    text
}

/// A matching line; of a long one the part around the match.
pub(crate) fn around(line: &[u8], found: Range<usize>) -> String {
    let start = if line.len() <= LONGEST || found.end <= LONGEST {
        0
    } else {
        character_start(line, found.start.saturating_sub(LEAD))
    };
    let part = shown(line.get(start..).unwrap_or_default());
    if start == 0 { part } else { format!("…{part}") }
}

/// Where a byte stands, in characters from 1.
pub(crate) fn column(line: &[u8], at: usize) -> u32 {
    let before = whole_characters(line.get(..at).unwrap_or(line));
    u32::try_from(String::from_utf8_lossy(before).chars().count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// The first byte at or after `at` that no character goes on with.
fn character_start(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}
