//! Noting what a deterministic call sees of the files, so that it can be looked at again.
//!
//! Off for every other call, and then nothing is noted and nothing is hashed. Owns: which of a
//! guest's questions count, and giving up where too much was seen, where a question had two
//! answers, or where something was to be changed. Doesn't own: asking again (`footprint`).

use super::footprint::{
    Footprint, Listed, Question, Sight, of_identity, of_link, of_opened, of_resolved, of_stat,
};
use super::open::{Manner, Open};
use super::place::Place;
use super::policy::Want;
use super::ranges::Ranges;
use super::refused::Refused;
use super::resolve::{Links, Spot};
use super::stat::{describe, describe_steady, identity};
use crate::digest::Digest;
use rustix::fs::Stat;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorStat, DirectoryEntry, ErrorCode, MetadataHashValue,
};

/// More questions, pieces of files included, aren't noted: the call is made again then.
const MAX_SIGHTS: usize = 20_000;
/// Of all paths and places together.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// More to read again would take as long as the call itself.
const MAX_CONTENT_BYTES: u64 = 256 << 20;

/// The notes of one call; none where it isn't to be remembered.
#[derive(Default)]
pub(super) struct Trail(Option<Box<Mutex<Notes>>>);

#[derive(Default)]
struct Notes {
    seen: Vec<Sight>,
    /// Where in `seen` a question is.
    known: HashMap<Question, usize>,
    contents: HashMap<String, Ranges>,
    /// Folders that are being read, by the number of their listing.
    listings: HashMap<u32, (String, Listed)>,
    text_bytes: usize,
    lost: bool,
}

impl Trail {
    pub(super) fn noting() -> Self {
        Self(Some(Box::default()))
    }

    fn notes(&self) -> Option<MutexGuard<'_, Notes>> {
        // Notes are never left half written.
        self.0.as_ref().map(|notes| notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What happened can't be looked at again.
    pub(super) fn lose(&self) {
        if let Some(mut notes) = self.notes() {
            notes.lost = true;
        }
    }

    pub(super) fn resolved(&self, from: &Place, path: &str, links: Links, spot: &Result<Spot, Refused>) {
        let Some(mut notes) = self.notes() else { return };
        notes.lost |= spot.as_ref().is_err_and(passes);
        let (from, path, follow) = (from.as_str().to_owned(), path.to_owned(), links == Links::Follow);
        notes.note(Question::Resolve { from, path, follow }, of_resolved(spot));
    }

    pub(super) fn opened(&self, from: &Place, path: &str, manner: Manner, opened: &Result<Open, Refused>) {
        let Some(mut notes) = self.notes() else { return };
        notes.lost |= manner.want == Want::Change || opened.as_ref().is_err_and(passes);
        let (from, path, follow) = (from.as_str().to_owned(), path.to_owned(), manner.links == Links::Follow);
        notes.note(Question::Open { from, path, follow, folder: manner.folder }, of_opened(opened));
    }

    /// What a guest is told of a file. When it was read last is nobody's business here: the call
    /// itself would change it.
    pub(super) fn described(&self, place: &Place, stat: &Stat) -> DescriptorStat {
        let Some(mut notes) = self.notes() else { return describe(stat) };
        let told = describe_steady(stat);
        notes.note(Question::Stat { place: place.as_str().to_owned() }, of_stat(&told));
        told
    }

    pub(super) fn identified(&self, place: &Place, stat: &Stat) -> MetadataHashValue {
        if let Some(mut notes) = self.notes() {
            notes.note(Question::Identity { place: place.as_str().to_owned() }, of_identity(stat));
        }
        identity(stat)
    }

    pub(super) fn link(&self, place: &Place, text: &Result<String, Refused>) {
        let Some(mut notes) = self.notes() else { return };
        notes.lost |= text.as_ref().is_err_and(passes);
        notes.note(Question::Link { place: place.as_str().to_owned() }, of_link(text));
    }

    /// Where the pieces of a file are noted as they're read.
    pub(super) fn ranges(&self, place: &Place) -> Option<Ranges> {
        let mut notes = self.notes()?;
        if let Some(known) = notes.contents.get(place.as_str()) {
            return Some(known.clone());
        }
        if !notes.room_for(place.as_str().len()) {
            return None;
        }
        Some(notes.contents.entry(place.as_str().to_owned()).or_default().clone())
    }

    pub(super) fn listing(&self, number: u32, place: &Place) {
        if let Some(mut notes) = self.notes() {
            notes.listings.insert(number, (place.as_str().to_owned(), Listed::default()));
        }
    }

    pub(super) fn listed(&self, number: u32, entry: Option<&DirectoryEntry>) {
        let Some(mut notes) = self.notes() else { return };
        let Some((_, listed)) = notes.listings.get_mut(&number) else { return };
        match entry {
            Some(entry) => listed.entry(entry),
            None => listed.ended = true,
        }
    }

    pub(super) fn listing_closed(&self, number: u32) {
        let Some(mut notes) = self.notes() else { return };
        if let Some((place, listed)) = notes.listings.remove(&number) {
            notes.note_listing(place, &listed);
        }
    }

    /// Everything that was seen; none if it can't all be looked at again.
    pub(super) fn finish(&mut self) -> Option<Footprint> {
        let notes = self.0.take()?.into_inner().unwrap_or_else(PoisonError::into_inner);
        notes.finish()
    }
}

impl Notes {
    fn note(&mut self, question: Question, answer: Digest) {
        if let Some(sight) = self.known.get(&question).and_then(|at| self.seen.get(*at)) {
            self.lost |= sight.answer != answer;
            return;
        }
        if self.room_for(question.text_bytes()) {
            self.known.insert(question.clone(), self.seen.len());
            self.seen.push(Sight { question, answer });
        }
    }

    fn note_listing(&mut self, place: String, listed: &Listed) {
        let question = Question::List { place, entries: listed.entries, ended: listed.ended };
        self.note(question, listed.finish());
    }

    fn room_for(&mut self, text_bytes: usize) -> bool {
        self.text_bytes += text_bytes;
        self.lost |= self.seen.len() + self.contents.len() >= MAX_SIGHTS || self.text_bytes > MAX_TEXT_BYTES;
        !self.lost
    }

    fn finish(mut self) -> Option<Footprint> {
        for (place, listed) in std::mem::take(&mut self.listings).into_values() {
            self.note_listing(place, &listed);
        }
        let mut content_bytes = 0_u64;
        let mut contents: Vec<_> = std::mem::take(&mut self.contents).into_iter().collect();
        contents.sort_by(|one, other| one.0.cmp(&other.0));
        for (place, ranges) in contents {
            for range in ranges.finish()? {
                content_bytes = content_bytes.saturating_add(range.length);
                self.seen.push(range.sight(&place));
            }
        }
        let fits = self.seen.len() <= MAX_SIGHTS && content_bytes <= MAX_CONTENT_BYTES;
        (fits && !self.lost).then_some(Footprint { seen: self.seen })
    }
}

impl Question {
    fn text_bytes(&self) -> usize {
        match self {
            Self::Resolve { from, path, .. } | Self::Open { from, path, .. } => from.len() + path.len(),
            Self::Stat { place }
            | Self::Identity { place }
            | Self::Link { place }
            | Self::List { place, .. }
            | Self::Content { place, .. } => place.len(),
        }
    }
}

/// Whether an error says nothing of the files, but of the machine's state at that moment.
fn passes(refused: &Refused) -> bool {
    match refused {
        Refused::Plain(code) => matches!(
            code,
            ErrorCode::Io
                | ErrorCode::InsufficientMemory
                | ErrorCode::Interrupted
                | ErrorCode::WouldBlock
                | ErrorCode::Busy
                | ErrorCode::Loop
        ),
        Refused::Denied { .. } | Refused::Masked { .. } => false,
    }
}
