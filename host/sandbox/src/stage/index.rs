//! All that is staged, place by place, and how it lies over the project.

use super::entry::{Base, Entry, Now, Times};
use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form of the record.
pub(super) const FORM: u32 = 1;

/// The staged places, by their names joined with slashes.
pub(crate) type Entries = BTreeMap<String, Entry>;

/// One state of a stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) form: u32,
    /// Grows with each change.
    pub(super) generation: u64,
    /// There is no way back to what was before this one.
    pub(super) floor: u64,
    pub(super) entries: Entries,
    /// What the run itself has put into the project: it needs no reading before it is changed.
    #[serde(default)]
    pub(super) applied: BTreeMap<String, Digest>,
}

impl Index {
    pub(super) fn empty() -> Self {
        Self { form: FORM, generation: 0, floor: 0, entries: Entries::new(), applied: BTreeMap::new() }
    }
}

/// What the stage has to say of a place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    /// Nothing: it is as in the project.
    Through,
    /// There is nothing.
    Gone,
    /// A folder; what is below it is as in the project unless it is staged itself.
    Folder(Option<Times>),
    /// A file.
    File,
}

/// What is to be seen at a place.
pub(crate) fn shown(entries: &Entries, place: &str) -> Shown {
    match entries.get(place).map(|entry| &entry.now) {
        Some(Now::Gone) => return Shown::Gone,
        Some(Now::Folder { times }) => return Shown::Folder(*times),
        Some(Now::File(_)) => return Shown::File,
        None => {}
    }
    if covers_project(entries, place) { Shown::Gone } else { Shown::Through }
}

/// Whether a folder above a place hides what the project has there: it is gone, or isn't the
/// project's folder.
pub(crate) fn covers_project(entries: &Entries, place: &str) -> bool {
    let mut above = place;
    while let Some((parent, _)) = above.rsplit_once('/') {
        above = parent;
        if let Some(entry) = entries.get(above) {
            return !matches!((&entry.base, &entry.now), (Base::Folder { .. }, Now::Folder { .. }));
        }
    }
    false
}

/// The staged places right in a folder: the name, and what is there.
pub(crate) fn children<'e>(entries: &'e Entries, folder: &str) -> impl Iterator<Item = (&'e str, &'e Entry)> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    below(entries, folder).filter_map(move |(place, entry)| {
        let name = place.strip_prefix(prefix.as_str())?;
        (!name.contains('/')).then_some((name, entry))
    })
}

/// The staged places below a folder, at any depth, in order.
pub(crate) fn below<'e>(entries: &'e Entries, folder: &str) -> impl Iterator<Item = (&'e str, &'e Entry)> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let range =
        entries.range::<str, _>((std::ops::Bound::Included(prefix.as_str()), std::ops::Bound::Unbounded));
    range
        .take_while(move |(place, _)| place.starts_with(prefix.as_str()))
        .map(|(place, entry)| (place.as_str(), entry))
}
