//! A part of a long text.

use crate::failure::Failure;

/// The most bytes of a part; its characters may be fewer than asked for then.
const MOST_BYTES: usize = 160 << 10;

/// Where a part of a text lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its end in characters, and how many the whole text has.
    pub(crate) end_characters: usize,
    pub(crate) total_characters: usize,
}

/// The part of `text` that starts after `offset` characters and has at most `limit`.
pub(crate) fn part(text: &str, offset: u32, limit: u32) -> Result<Part, Failure> {
    let (offset, limit) = (offset as usize, limit as usize);
    let total = text.chars().count();
    if offset > total || (offset == total && total > 0) {
        return Err(Failure::InvalidRange(format!(
            "offset is {offset}, but the text has {total} characters"
        )));
    }
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let rest = text.get(start..).unwrap_or_default();
    let mut taken = 0;
    let mut end = start;
    for c in rest.chars().take(limit) {
        if end - start + c.len_utf8() > MOST_BYTES {
            break;
        }
        end += c.len_utf8();
        taken += 1;
    }
    Ok(Part { start, end, end_characters: offset + taken, total_characters: total })
}
