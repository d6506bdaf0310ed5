//! What a call opened and what it was refused, each once, bounded in number and in length.

use super::hint::{grant_for, unmasking};
use super::place::Place;
use super::reading::Reading;
use super::refused::Refused;
use crate::digest::Digest;
use crate::receipt::{Denial, DenialReason, Opened};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// So many files are listed: a report cites what each of its claims rests on.
const MAX_OPENED: usize = 10_000;
/// Bytes of their paths together.
const MAX_OPENED_BYTES: usize = 1 << 20;
/// So many denials are listed.
const MAX_DENIALS: usize = 1000;
/// A path in the log has so many bytes at most, mark included.
const MAX_PATH_BYTES: usize = 1024;
/// Ends a path that was cut.
const CUT_MARK: &str = "…";

/// The log as it goes into a receipt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLog {
    /// Every file that was opened, in the order of first opening.
    pub opened: Vec<Opened>,
    /// Every refusal, oldest first; equal ones once.
    pub denials: Vec<Denial>,
    /// Files and refusals that didn't fit into these lists. A file or refusal that comes again
    /// and again counts each time, for what isn't listed isn't remembered.
    pub omitted: u64,
}

/// The log while the call runs.
#[derive(Default)]
pub(crate) struct Log {
    opened: Vec<(String, Reading)>,
    /// Of the paths in `opened`.
    opened_bytes: usize,
    /// Where in `opened` a path is, by its hash.
    known: HashMap<u64, usize>,
    denials: Vec<Recorded>,
    /// Hashes of what is in `denials`; keyed at random, so a guest can't aim for equal ones.
    seen: HashSet<u64>,
    hashes: RandomState,
    omitted: u64,
}

struct Recorded {
    operation: &'static str,
    asked: String,
    refused: Refused,
}

impl Log {
    pub(super) fn has_denials(&self) -> bool {
        !self.denials.is_empty()
    }

    /// Records that a file was opened, which has so many bytes.
    pub(super) fn opened(&mut self, place: &Place, length: u64) -> Reading {
        let reading = self.reading_of(place);
        reading.opened(length);
        reading
    }

    fn reading_of(&mut self, place: &Place) -> Reading {
        let path = bounded(place.as_str());
        let hash = self.hashes.hash_one(place.as_str());
        if let Some((known, reading)) = self.known.get(&hash).and_then(|at| self.opened.get(*at))
            && *known == path
        {
            return reading.clone();
        }
        let bytes = self.opened_bytes.saturating_add(path.len());
        if self.opened.len() >= MAX_OPENED || bytes > MAX_OPENED_BYTES {
            self.omitted += 1;
            return Reading::default();
        }
        self.opened_bytes = bytes;
        let reading = Reading::recorded();
        self.known.insert(hash, self.opened.len());
        self.opened.push((path, reading.clone()));
        reading
    }

    /// The hash of the file at a place, if it was read whole, as it was read last.
    pub(super) fn whole_read(&self, place: &Place) -> Option<Digest> {
        let hash = self.hashes.hash_one(place.as_str());
        let (path, reading) = self.opened.get(*self.known.get(&hash)?)?;
        if *path == bounded(place.as_str()) { reading.whole() } else { None }
    }

    /// Records a refusal of the fence; what any file system would say isn't one.
    pub(super) fn refused(&mut self, operation: &'static str, asked: &str, refused: &Refused) {
        let Some((reason, place)) = refused.recorded() else { return };
        let hash = self.hashes.hash_one((operation, asked, place.as_str(), reason));
        if self.seen.contains(&hash) {
            return;
        }
        if self.denials.len() >= MAX_DENIALS {
            self.omitted += 1;
            return;
        }
        self.seen.insert(hash);
        self.denials.push(Recorded { operation, asked: bounded(asked), refused: refused.clone() });
    }

    pub(super) fn finish(self) -> FileLog {
        let opened = self.opened.into_iter().map(|(path, reading)| {
            let (bytes_read, content) = reading.finish();
            Opened { path, bytes_read, content }
        });
        FileLog {
            opened: opened.collect(),
            denials: self.denials.into_iter().filter_map(Recorded::finish).collect(),
            omitted: self.omitted,
        }
    }
}

impl Recorded {
    fn finish(self) -> Option<Denial> {
        let (reason, place) = self.refused.recorded()?;
        // A path of the host's, most likely, and those are nobody's to grant.
        let of_the_host = self.asked.starts_with('/');
        let changes = !matches!(self.operation, "open" | "stat" | "readlink");
        let granting = || grant_for(place).map(|grant| if changes { grant + ":write" } else { grant });
        let (would_allow, mask) = match &self.refused {
            Refused::Masked { mask, hidden, granted, .. } => {
                let shown = unmasking(hidden);
                let allow = match (granted, shown) {
                    (_, None) => None,
                    (true, Some(shown)) => Some(shown),
                    (false, Some(_)) if of_the_host => None,
                    (false, Some(shown)) => granting().map(|grant| format!("{grant} {shown}")),
                };
                (allow, Some(mask.clone()))
            }
            Refused::Denied { reason, .. } => match reason {
                DenialReason::NotGranted if of_the_host => (None, None),
                DenialReason::NotGranted => (granting(), None),
                DenialReason::ReadOnly if of_the_host => (None, None),
                DenialReason::ReadOnly => (granting(), None),
                DenialReason::NotRead
                | DenialReason::ChangedSinceRead
                | DenialReason::OtherSpelling
                | DenialReason::CrossesGrants
                | DenialReason::GrantItself
                | DenialReason::HoldsHidden
                | DenialReason::NoLinks
                | DenialReason::LeavesRoot
                | DenialReason::LinkLeaves
                | DenialReason::SpecialFile
                | DenialReason::Masked
                | DenialReason::Network
                | DenialReason::UrlPath
                | DenialReason::Method
                | DenialReason::Address
                | DenialReason::Malformed => (None, None),
            },
            Refused::Plain(_) => return None,
        };
        let resolved = bounded(place.shown());
        Some(Denial {
            operation: self.operation.to_owned(),
            asked: self.asked,
            resolved,
            reason,
            mask,
            would_allow,
            left_out_by: None,
        })
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_PATH_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_PATH_BYTES - CUT_MARK.len());
    let kept = text.get(..end).unwrap_or_default();
    format!("{kept}{CUT_MARK}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Place {
        let mut place = Place::root();
        place.push(name).expect("short");
        place
    }

    fn read(log: &mut Log, place: &Place, bytes: &[u8]) {
        log.opened(place, 10).read(0, bytes.len(), bytes);
    }

    fn counts(log: Log) -> Vec<(String, u64)> {
        log.finish().opened.into_iter().map(|opened| (opened.path, opened.bytes_read)).collect()
    }

    #[test]
    fn a_file_opened_twice_is_one_entry_with_the_sum_of_its_bytes() {
        let mut log = Log::default();
        read(&mut log, &place("a"), b"123");
        read(&mut log, &place("b"), b"1");
        read(&mut log, &place("a"), b"1234");
        assert_eq!(log.omitted, 0);
        assert_eq!(counts(log), [("a".to_owned(), 7), ("b".to_owned(), 1)]);
    }

    #[test]
    fn the_lists_are_bounded_and_say_what_they_leave_out() {
        let mut log = Log::default();
        for i in 0..10_500 {
            read(&mut log, &place(&format!("f{i}")), b"x");
            let refused = Refused::denied(DenialReason::NotGranted, &place(&format!("x{i}")));
            log.refused("open", &format!("x{i}"), &refused);
            let again = Refused::denied(DenialReason::NotGranted, &place("x0"));
            log.refused("open", "x0", &again);
        }
        assert_eq!((log.opened.len(), log.denials.len(), log.omitted), (10_000, 1000, 500 + 9_500));
    }

    #[test]
    fn files_with_long_paths_take_no_more_room_than_many_with_short_ones() {
        let mut log = Log::default();
        for i in 0..2_000 {
            read(&mut log, &place(&format!("{i:01000}")), b"x");
        }
        assert_eq!((log.opened.len(), log.omitted), (1_048, 952));
    }

    #[test]
    fn long_paths_are_cut_between_characters_with_a_mark() {
        let cut = bounded(&"文".repeat(1000));
        assert!(cut.len() <= MAX_PATH_BYTES && cut.ends_with("文…"), "{}", cut.len());
        assert_eq!(bounded("short"), "short");
    }

    #[test]
    fn long_paths_that_differ_only_where_they_are_cut_keep_their_own_counts() {
        let mut log = Log::default();
        let long = |end: &str| place(&format!("{}{end}", "x".repeat(2000)));
        read(&mut log, &long("a"), b"1");
        read(&mut log, &long("b"), b"12");
        assert_eq!(counts(log).iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 2]);
    }
}
