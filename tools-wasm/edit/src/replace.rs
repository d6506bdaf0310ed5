//! Replacing an exact text.

use crate::LARGEST;
use crate::document::{Splice, line_number, plain};
use crate::failure::Failure;
use crate::nearest;
use memchr::memmem;
use ringfence_guest_project::quoted;

/// How many places a message lists.
const LISTED: usize = 20;

/// A text and what replaces it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) which: Which,
}

/// Which of the places where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// The only one there is.
    Only,
    /// This one, from 1.
    Nth(u32),
    /// All.
    All,
}

/// The parts of `text` to replace. Line ends don't matter when comparing.
pub(crate) fn splices(path: &str, text: &str, change: &Replacement<'_>) -> Result<Vec<Splice>, Failure> {
    let (old, new) = (plain(change.old), plain(change.new));
    if old.is_empty() {
        let path = quoted(path);
        return Err(Failure::InvalidEdit(format!(
            "{path}: `old` is empty; give the text to replace, or use write_file to write the whole file"
        )));
    }
    if old == new {
        let path = quoted(path);
        return Err(Failure::InvalidEdit(format!(
            "{path}: `old` and `new` are the same (line ends are kept)"
        )));
    }
    let places: Vec<usize> = memmem::find_iter(text.as_bytes(), old.as_bytes()).collect();
    let splice = |at: usize| Splice { range: at..at + old.len(), new: new.clone().into_owned() };
    match (change.which, places.as_slice()) {
        (_, []) => Err(Failure::NoMatch(format!(
            "{}: `old` is not in this file{}",
            quoted(path),
            nearest::describe(text, &old)
        ))),
        (Which::Only, [at]) => match overlapping(text, &old, *at) {
            None => Ok(vec![splice(*at)]),
            Some(other) => Err(ambiguous(path, text, &[*at, other])),
        },
        (Which::Only, places) => Err(ambiguous(path, text, places)),
        (Which::Nth(number), places) => {
            let place = (number as usize).checked_sub(1).and_then(|index| places.get(index));
            place.map(|at| vec![splice(*at)]).ok_or_else(|| {
                let count = places.len();
                Failure::NoMatch(format!(
                    "{}: occurrence {number} of `old` was asked for, but it stands there {count} times, {}",
                    quoted(path),
                    lines(text, places)
                ))
            })
        }
        (Which::All, places) => {
            if places.len().saturating_mul(new.len()) > 2 * LARGEST {
                let (path, count) = (quoted(path), places.len());
                return Err(Failure::TooLarge(format!("{path}: `new` in {count} places is too much text")));
            }
            Ok(places.iter().copied().map(splice).collect())
        }
    }
}

/// A second place that shares bytes with the one at `at`: in `aaa`, `aa` stands at two places.
fn overlapping(text: &str, old: &str, at: usize) -> Option<usize> {
    let from = at + old.chars().next().map_or(1, char::len_utf8);
    memmem::find(text.as_bytes().get(from..)?, old.as_bytes()).map(|found| from + found)
}

fn ambiguous(path: &str, text: &str, places: &[usize]) -> Failure {
    let (path, count) = (quoted(path), places.len());
    Failure::Ambiguous(format!(
        "{path}: `old` stands there {count} times, {}; give more of the text around it, or `occurrence` (1 to {count}), or `all`",
        lines(text, places)
    ))
}

fn lines(text: &str, places: &[usize]) -> String {
    let shown: Vec<String> =
        places.iter().take(LISTED).map(|at| line_number(text, *at).to_string()).collect();
    let more = if places.len() > LISTED { ", …" } else { "" };
    format!("at lines {}{more}", shown.join(", "))
}
