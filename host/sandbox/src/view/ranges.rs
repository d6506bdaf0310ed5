//! What was read of one file piece by piece, so that it can be read again and compared.
//!
//! Other than `reading`, which tells a person what was read, this also remembers where a read
//! showed that the file ends.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More pieces of one file aren't remembered.
const MAX_PIECES: usize = 64;

/// Bytes of a file that were read in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    /// Where they begin.
    pub(super) start: u64,
    /// How many they are; possibly none, at the end.
    pub(super) length: u64,
    /// Of these bytes.
    pub(super) hash: Digest,
    /// Whether there were no more.
    pub(super) ends: bool,
}

/// The pieces of one file, shared by all who read it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranges(Arc<Mutex<Pieces>>);

#[derive(Debug, Default)]
struct Pieces {
    done: Vec<Range>,
    current: Option<Piece>,
    /// Something can't be read again: a read failed, the file changed meanwhile, or there were
    /// too many.
    lost: bool,
}

#[derive(Debug)]
struct Piece {
    start: u64,
    next: u64,
    ends: bool,
    hasher: Box<blake3::Hasher>,
}

impl Ranges {
    /// These bytes were handed out for a read of up to `asked`; fewer tell where the file ends.
    pub(super) fn read(&self, position: u64, asked: usize, bytes: &[u8]) {
        let mut pieces = self.lock();
        if pieces.current.as_ref().is_none_or(|piece| piece.next != position) {
            pieces.finish_piece();
        }
        let piece = pieces.current.get_or_insert_with(|| Piece {
            start: position,
            next: position,
            ends: false,
            hasher: Box::default(),
        });
        // It has grown since its end was seen: the answer rests on two states of it.
        let grown = piece.ends && !bytes.is_empty();
        piece.hasher.update(bytes);
        piece.next += bytes.len() as u64;
        piece.ends |= bytes.len() < asked;
        pieces.lost |= grown;
    }

    /// A read failed.
    pub(super) fn failed(&self) {
        self.lock().lost = true;
    }

    /// All pieces, equal ones once; none if they can't all be read again.
    pub(super) fn finish(&self) -> Option<Vec<Range>> {
        let mut pieces = self.lock();
        pieces.finish_piece();
        let done = std::mem::take(&mut pieces.done);
        if pieces.lost { None } else { Some(done) }
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        // Pieces are never left half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pieces {
    fn finish_piece(&mut self) {
        let Some(piece) = self.current.take() else { return };
        let range = Range {
            start: piece.start,
            length: piece.next - piece.start,
            hash: Digest::from_hash(piece.hasher.finalize()),
            ends: piece.ends,
        };
        if self.done.contains(&range) {
            return;
        }
        if self.done.len() >= MAX_PIECES {
            self.lost = true;
        } else {
            self.done.push(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(reads: &[(u64, usize, &[u8])]) -> Option<Vec<Range>> {
        let ranges = Ranges::default();
        for (position, asked, bytes) in reads {
            ranges.read(*position, *asked, bytes);
        }
        ranges.finish()
    }

    fn range(start: u64, bytes: &[u8], ends: bool) -> Range {
        Range { start, length: bytes.len() as u64, hash: Digest::of(bytes), ends }
    }

    #[test]
    fn bytes_in_a_row_are_one_piece_and_a_short_read_shows_the_end() {
        assert_eq!(ranges(&[(0, 3, b"abc"), (3, 3, b"def")]), Some(vec![range(0, b"abcdef", false)]));
        assert_eq!(ranges(&[(0, 3, b"abc"), (3, 3, b"d")]), Some(vec![range(0, b"abcd", true)]));
        assert_eq!(ranges(&[(0, 3, b"abc"), (3, 3, b"")]), Some(vec![range(0, b"abc", true)]));
    }

    #[test]
    fn a_read_beyond_the_end_is_remembered_though_it_gave_nothing() {
        assert_eq!(ranges(&[(100, 3, b"")]), Some(vec![range(100, b"", true)]));
    }

    #[test]
    fn equal_pieces_are_kept_once_and_too_many_others_not_at_all() {
        let again: Vec<_> = (0..1000).map(|_| (0, 3, &b"abc"[..])).collect();
        assert_eq!(ranges(&again), Some(vec![range(0, b"abc", false)]));
        let scattered: Vec<_> = (0..1000).map(|at| (at * 10, 3, &b"abc"[..])).collect();
        assert_eq!(ranges(&scattered), None);
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_is_not_to_be_read_again() {
        assert_eq!(ranges(&[(0, 9, b"abc"), (3, 9, b"def")]), None);
    }

    #[test]
    fn a_read_that_failed_can_t_be_made_again() {
        let ranges = Ranges::default();
        ranges.read(0, 3, b"abc");
        ranges.failed();
        assert_eq!(ranges.finish(), None);
    }
}
