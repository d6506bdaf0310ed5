//! What lies between two states of a stage: for a person, who is shown it, and as what an approval is
//! held to.
//!
//! Both are of the same places: wherever applying would do something else than before.

use super::changes::{Change, ChangeKind, Side, path_of};
use super::entry::{Base, Entry, Now};
use super::folder::StageFolder;
use super::index::Entries;
use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A fingerprint of all that applying makes different by some changes. Equal ones do the same to the
/// project, but for when a file is said to have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effect(Digest);

impl Effect {
    pub(super) fn between(before: &Entries, after: &Entries) -> Result<Self, serde_json::Error> {
        Ok(Self(Digest::of(&serde_json::to_vec(&places(before, after))?)))
    }
}

/// One place, before and after the changes; none where nothing is staged.
#[derive(Serialize)]
struct Place {
    before: Option<Doing>,
    after: Option<Doing>,
}

/// What applying does at a place.
#[derive(PartialEq, Serialize)]
struct Doing {
    /// What the project has there.
    has: Thing,
    /// What it gets.
    gets: Thing,
    /// The place of the project's file that this is.
    origin: Option<String>,
    /// Whether it sets when it was read and changed.
    sets_times: bool,
}

#[derive(PartialEq, Serialize)]
enum Thing {
    Nothing,
    Folder { mode: Option<u32> },
    Link { text: String },
    File { hash: Digest, mode: Option<u32> },
}

impl Doing {
    fn of(entry: &Entry) -> Self {
        let has = match &entry.base {
            Base::Absent => Thing::Nothing,
            Base::Folder { mode } => Thing::Folder { mode: Some(*mode) },
            Base::Link { text } => Thing::Link { text: text.clone() },
            Base::File { content, mode } => Thing::File { hash: content.hash, mode: Some(*mode) },
        };
        let (gets, origin, sets_times) = match &entry.now {
            Now::Gone => (Thing::Nothing, None, false),
            Now::Folder { times } => (Thing::Folder { mode: None }, None, times.is_some()),
            Now::File(file) => {
                let thing = Thing::File { hash: file.content.hash, mode: file.mode };
                (thing, file.origin.clone(), file.times_set)
            }
        };
        Self { has, gets, origin, sets_times }
    }
}

/// The places where applying does something else than before.
fn places(before: &Entries, after: &Entries) -> BTreeMap<String, Place> {
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let doing = |entries: &Entries, place: &str| entries.get(place).map(Doing::of);
    let differs = |place: &String| {
        let (before, after) = (doing(before, place), doing(after, place));
        (before != after).then(|| (place.clone(), Place { before, after }))
    };
    all.into_iter().filter_map(differs).collect()
}

/// The changes of the places where something is different, in their order. A file that comes to where
/// nothing was is told as renamed; wherever else one comes from is told of as what it is there: gone.
pub(super) fn changes(before: &Entries, after: &Entries, folder: &Arc<StageFolder>) -> Vec<Change> {
    let places = places(before, after);
    let sides = |place: &str| (seen(before, after, place), seen(after, before, place));
    let moved = |place: &String| {
        let from = after.get(place)?.file()?.origin.clone()?;
        let (was, is) = sides(&from);
        let goes = places.contains_key(&from) && was.file().is_some() && is == Side::Nothing;
        (goes && sides(place).0 == Side::Nothing).then_some((place.clone(), from))
    };
    let renames: BTreeMap<String, String> = places.keys().filter_map(moved).collect();
    let told_of: BTreeSet<&String> = renames.values().collect();
    let change = |place: &String| {
        let (was, after) = sides(place);
        let (kind, before) = match (renames.get(place), &was, &after) {
            (Some(from), _, _) => (ChangeKind::Renamed { from: path_of(from) }, sides(from).0),
            (None, Side::Nothing, _) => (ChangeKind::Created, was),
            (None, _, Side::Nothing) => (ChangeKind::Deleted, was),
            (None, _, _) => (ChangeKind::Modified, was),
        };
        Change { path: path_of(place), kind, before, after, folder: folder.clone() }
    };
    places.keys().filter(|place| !told_of.contains(place)).map(change).collect()
}

/// What is to be seen at a place where something is staged here or in the other state.
fn seen(entries: &Entries, other: &Entries, place: &str) -> Side {
    match (entries.get(place), other.get(place)) {
        (Some(entry), _) => Side::of_now(&entry.now),
        (None, Some(entry)) => Side::of_base(&entry.base),
        (None, None) => Side::Nothing,
    }
}
