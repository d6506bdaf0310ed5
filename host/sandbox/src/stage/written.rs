//! What became of each place between two states of a stage, for the receipt.

use super::entry::{Base, Entry, Now};
use super::index::Entries;
use crate::digest::Digest;
use crate::receipt::{Written, WrittenChange};
use std::collections::BTreeSet;

/// So many changes are listed.
const MAX_WRITTEN: usize = 1000;

/// What is at a place.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Nothing,
    Folder,
    File(Digest, u64),
    Link,
}

/// The changes in the order of their paths, and how many don't fit into the list.
pub(super) fn written(before: &Entries, after: &Entries) -> (Vec<Written>, u64) {
    let places: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let (mut listed, mut omitted) = (Vec::new(), 0);
    for place in places {
        let (old, new) = (before.get(place), after.get(place));
        if old == new {
            continue;
        }
        let Some(base) = old.or(new).map(|entry| of_base(&entry.base)) else { continue };
        let [was, is] = [old, new].map(|entry| entry.map_or(base, of_now));
        let from = |entry: Option<&Entry>| {
            let origin = entry.and_then(Entry::file).and_then(|file| file.origin.clone());
            origin.filter(|origin| origin != place)
        };
        let change = match (was, is, from(new)) {
            (State::Nothing, State::Nothing, _) => continue,
            (_, State::Nothing, _) => WrittenChange::Deleted,
            (_, _, Some(moved)) if from(old).as_ref() != Some(&moved) => {
                WrittenChange::Renamed { from: moved }
            }
            (State::Nothing, _, _) => WrittenChange::Created,
            (_, _, _) => WrittenChange::Modified,
        };
        if listed.len() >= MAX_WRITTEN {
            omitted += 1;
            continue;
        }
        let (before, _) = content(was);
        let (after, bytes) = content(is);
        listed.push(Written { path: place.clone(), change, before, after, bytes });
    }
    (listed, omitted)
}

fn of_base(base: &Base) -> State {
    match base {
        Base::Absent => State::Nothing,
        Base::File { content, .. } => State::File(content.hash, content.size),
        Base::Folder { .. } => State::Folder,
        Base::Link { .. } => State::Link,
    }
}

fn of_now(entry: &Entry) -> State {
    match &entry.now {
        Now::Gone => State::Nothing,
        Now::Folder { .. } => State::Folder,
        Now::File(file) => State::File(file.content.hash, file.content.size),
    }
}

fn content(state: State) -> (Option<Digest>, u64) {
    match state {
        State::File(hash, size) => (Some(hash), size),
        State::Nothing | State::Folder | State::Link => (None, 0),
    }
}
