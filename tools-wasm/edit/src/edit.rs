//! `edit_file`: from the request to the changed file.

use crate::LARGEST;
use crate::diff;
use crate::document::Document;
use crate::failure::{Failure, bounded};
use crate::replace::{Replacement, Which};
use crate::{patch, replace, write};
use ringfence_guest_project::{Fault, Root, quoted, read_whole};

/// What to change where: `old` and `new`, or `patch`.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditRequest<'a> {
    /// The file.
    pub file_path: &'a str,
    /// The text to replace.
    pub old: Option<&'a str>,
    /// What to put there.
    pub new: Option<&'a str>,
    /// Which of several, from 1.
    pub occurrence: Option<u32>,
    /// All of them.
    pub all: bool,
    /// A unified diff.
    pub patch: Option<&'a str>,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The path, tidied.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Replaced texts, or hunks.
    pub places: u32,
    /// Added lines.
    pub lines_added: u32,
    /// Removed lines.
    pub lines_removed: u32,
    /// The change as hunks of a unified diff.
    pub diff: String,
    /// Whether `diff` shows less than all.
    pub diff_cut: bool,
}

enum Change<'a> {
    Replace(Replacement<'a>),
    Patch(&'a str),
}

/// Changes parts of a file; on failure it stays as it was.
pub fn edit_file(root: &Root, request: &EditRequest<'_>) -> Result<Edited, Failure> {
    let change = change(request)?;
    let asked = request.file_path;
    let before = read(root, asked)?;
    let (splices, places) = match change {
        Change::Replace(replacement) => {
            let splices = replace::splices(asked, before.text(), &replacement)?;
            let places = splices.len();
            (splices, places)
        }
        Change::Patch(text) => {
            let hunks = patch::parse(asked, text)?;
            (patch::splices(asked, before.text(), &hunks)?, hunks.len())
        }
    };
    // Counted before it is built: a short text that stands a million times grows by the million.
    let grown: usize = splices.iter().map(|splice| splice.new.len()).sum();
    let gone: usize = splices.iter().map(|splice| splice.range.len()).sum();
    bounded(asked, before.text().len().saturating_add(grown).saturating_sub(gone))?;
    let bytes = before.spliced(&splices).to_bytes();
    if bytes == before.to_bytes() {
        return Err(Failure::InvalidEdit(format!("{}: this changes nothing", quoted(asked))));
    }
    bounded(asked, bytes.len())?;
    let diff = diff::hunks(before.text(), &splices);
    write::overwrite(root, asked, &bytes)?;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Edited {
        path: root.tidy(asked),
        size: bytes.len() as u64,
        places: count(places),
        lines_added: count(diff.added),
        lines_removed: count(diff.removed),
        diff_cut: diff.is_cut(),
        diff: diff.text,
    })
}

fn change<'a>(request: &EditRequest<'a>) -> Result<Change<'a>, Failure> {
    let invalid = |why: &str| Err(Failure::InvalidEdit(why.to_owned()));
    let which = match (request.occurrence, request.all) {
        (None, false) => Which::Only,
        (None, true) => Which::All,
        (Some(0), false) => return invalid("occurrence is 0; occurrences are counted from 1"),
        (Some(number), false) => Which::Nth(number),
        (Some(_), true) => return invalid("give `occurrence` or `all`, not both"),
    };
    match (request.old, request.new, request.patch) {
        (Some(old), Some(new), None) => Ok(Change::Replace(Replacement { old, new, which })),
        (None, None, Some(patch)) if which == Which::Only => Ok(Change::Patch(patch)),
        (None, None, Some(_)) => {
            invalid("`occurrence` and `all` belong to `old`; a patch names its places itself")
        }
        (Some(_), None, None) => invalid("`new` is missing; to remove `old`, give an empty `new`"),
        (None, Some(_), None) => invalid("`old` is missing; to write a whole file, use write_file"),
        (None, None, None) => invalid("give `old` and `new`, or `patch`"),
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            invalid("give `old` and `new`, or `patch`, not both")
        }
    }
}

fn read(root: &Root, asked: &str) -> Result<Document, Failure> {
    let mut file = root.open(asked)?;
    let path = quoted(asked);
    let size = usize::try_from(file.size()).ok().filter(|size| *size <= LARGEST).ok_or_else(|| {
        Failure::TooLarge(format!("{path}: {} bytes; files up to {LARGEST} bytes are edited", file.size()))
    })?;
    let mut bytes = Vec::new();
    read_whole(&mut file, size, &mut bytes).map_err(|error| Fault::of(asked, &error))?;
    Document::parse(bytes).map_err(|binary| Fault::NotText(format!("{path}: {binary}")).into())
}
