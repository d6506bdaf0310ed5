//! What a call saw of the files, and whether it is still there to be seen.
//!
//! A footprint is a list of questions as the call asked them, each with the hash of the answer.
//! They are asked again through the same view, under the same judgement: what became hidden, or
//! leads elsewhere now, is another answer, and so is a file that appeared where none was.

use super::beneath::Handle;
use super::grants::GrantedTree;
use super::listing::Listing;
use super::open::{Manner, Open};
use super::place::Place;
use super::policy::Want;
use super::ranges::Range;
use super::refused::Refused;
use super::resolve::{Base, Links, Pinned, Spot};
use super::stat::{describe_steady, identity};
use super::stream::{MAX_READ, read_at};
use crate::digest::Digest;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorStat, DirectoryEntry};

/// What one call saw, to be looked at again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    pub(super) seen: Vec<Sight>,
}

/// A question about the files and the hash of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sight {
    pub(super) question: Question,
    pub(super) answer: Digest,
}

/// Places are spelled as in the guest's tree, without links; paths as the guest wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum Question {
    /// Where a path leads, and what is there: possibly nothing.
    Resolve { from: String, path: String, follow: bool },
    /// What opening a path gives.
    Open { from: String, path: String, follow: bool, folder: bool },
    /// Kind, size, times and number of names.
    Stat { place: String },
    /// Which file of all it is.
    Identity { place: String },
    /// What a link says.
    Link { place: String },
    /// The first entries of a folder, in its order; `ended`: and no more.
    List { place: String, entries: u64, ended: bool },
    /// A run of bytes of a file; `ended`: and no more.
    Content { place: String, start: u64, length: u64, ended: bool },
}

impl GrantedTree {
    /// Whether a call would see just what an earlier one saw. Reads what that one read.
    pub fn still_holds(&self, footprint: &Footprint) -> bool {
        footprint.seen.iter().all(|sight| self.ask(&sight.question) == Some(sight.answer))
    }

    /// The answer now; none where it can't be had any more.
    fn ask(&self, question: &Question) -> Option<Digest> {
        match question {
            Question::Resolve { from, path, follow } => {
                let from = place(from)?;
                let base = Base { place: &from, handle: None };
                Some(of_resolved(&self.resolve(base, path, links(*follow))))
            }
            Question::Open { from, path, follow, folder } => {
                let from = place(from)?;
                let base = Base { place: &from, handle: None };
                let manner = Manner { links: links(*follow), want: Want::Look, folder: *folder };
                Some(of_opened(&self.open_path(base, path, manner)))
            }
            Question::Stat { place } => {
                self.pinned(place)?.found.map(|stat| of_stat(&describe_steady(&stat)))
            }
            Question::Identity { place } => self.pinned(place)?.found.map(|stat| of_identity(&stat)),
            Question::Link { place } => Some(of_link(&self.pinned(place)?.link_text())),
            Question::List { place, entries, ended } => self.list_again(place, *entries, *ended),
            Question::Content { place, start, length, ended } => {
                let Open::File(_, handle, _) = self.open_again(place)? else { return None };
                let hash = read_again(&handle, *start, *length)?;
                if *ended && !read_at(&handle, 1, start.checked_add(*length)?).ok()?.is_empty() {
                    return None;
                }
                Some(hash)
            }
        }
    }

    /// What is at a place; none if it can't be reached without a link, or nothing is granted there.
    fn pinned(&self, text: &str) -> Option<Pinned> {
        match self.at(text, |base, path| self.resolve(base, path, Links::Keep))? {
            Spot::Real(pinned) if pinned.place.as_str() == text => Some(pinned),
            Spot::Real(_) | Spot::Bare(_) => None,
        }
    }

    fn open_again(&self, text: &str) -> Option<Open> {
        let manner = Manner { links: Links::Keep, want: Want::Look, folder: false };
        let open = self.at(text, |base, path| self.open_path(base, path, manner))?;
        match &open {
            Open::Folder(place, _) | Open::File(place, ..) if place.as_str() == text => Some(open),
            Open::Bare(_) | Open::Folder(..) | Open::File(..) => None,
        }
    }

    fn at<T>(&self, text: &str, look: impl FnOnce(Base<'_>, &str) -> Result<T, Refused>) -> Option<T> {
        let root = Place::root();
        let path = if text.is_empty() { "." } else { text };
        look(Base { place: &root, handle: None }, path).ok()
    }

    fn list_again(&self, text: &str, entries: u64, ended: bool) -> Option<Digest> {
        let Open::Folder(place, handle) = self.open_again(text)? else { return None };
        let mut listing = Listing::folder(self, &place, &handle).ok()?;
        let mut listed = Listed::default();
        for _ in 0..entries {
            listed.entry(&listing.next(u64::MAX).1.ok()??);
        }
        if ended && listing.next(u64::MAX).1.ok()?.is_some() {
            return None;
        }
        Some(listed.finish())
    }
}

/// The entries of a folder, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) entries: u64,
    pub(super) ended: bool,
    hasher: Box<blake3::Hasher>,
}

impl Listed {
    pub(super) fn entry(&mut self, entry: &DirectoryEntry) {
        self.entries += 1;
        // No name has a NUL in it.
        self.hasher.update(entry.name.as_bytes()).update(&[0, entry.type_ as u8]);
    }

    pub(super) fn finish(&self) -> Digest {
        Digest::from_hash(self.hasher.finalize())
    }
}

impl Range {
    pub(super) fn sight(self, place: &str) -> Sight {
        let place = place.to_owned();
        let question = Question::Content { place, start: self.start, length: self.length, ended: self.ends };
        Sight { question, answer: self.hash }
    }
}

fn read_again(handle: &Handle, start: u64, length: u64) -> Option<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut left = length;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(MAX_READ).min(MAX_READ);
        let bytes = read_at(handle, most, start + (length - left)).ok()?;
        // It is shorter now, or grew between two looks.
        if bytes.is_empty() || bytes.len() > most {
            return None;
        }
        hasher.update(&bytes);
        left -= bytes.len() as u64;
    }
    Some(Digest::from_hash(hasher.finalize()))
}

fn place(text: &str) -> Option<Place> {
    let mut place = Place::root();
    for name in text.split('/').filter(|name| !name.is_empty()) {
        place.push(name).ok()?;
    }
    Some(place)
}

fn links(follow: bool) -> Links {
    if follow { Links::Follow } else { Links::Keep }
}

/// Places and names have no NUL, so the parts can't run into each other.
fn hashed(parts: &[&str]) -> Digest {
    Digest::of(parts.join("\0").as_bytes())
}

pub(super) fn of_resolved(resolved: &Result<Spot, Refused>) -> Digest {
    match resolved {
        Ok(Spot::Bare(place)) => hashed(&["bare", place.as_str()]),
        Ok(Spot::Real(pinned)) => hashed(&["real", pinned.place.as_str(), &format!("{:?}", pinned.kind())]),
        Err(refused) => of_refused(refused),
    }
}

pub(super) fn of_opened(opened: &Result<Open, Refused>) -> Digest {
    match opened {
        Ok(Open::Bare(place)) => hashed(&["bare", place.as_str()]),
        Ok(Open::Folder(place, _)) => hashed(&["folder", place.as_str()]),
        Ok(Open::File(place, ..)) => hashed(&["file", place.as_str()]),
        Err(refused) => of_refused(refused),
    }
}

fn of_refused(refused: &Refused) -> Digest {
    hashed(&["refused", &format!("{refused:?}")])
}

pub(super) fn of_stat(stat: &DescriptorStat) -> Digest {
    hashed(&["stat", &format!("{stat:?}")])
}

pub(super) fn of_identity(stat: &Stat) -> Digest {
    let id = identity(stat);
    hashed(&["identity", &format!("{:x} {:x}", id.lower, id.upper)])
}

pub(super) fn of_link(text: &Result<String, Refused>) -> Digest {
    match text {
        Ok(text) => hashed(&["link", text]),
        Err(refused) => of_refused(refused),
    }
}
