//! What was read of one file: how many bytes, and a hash of them, taken as they are handed out.

use super::ranges::Ranges;
use super::stream::MAX_READ;
use crate::digest::Digest;
use crate::receipt::Content;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The record of one file, shared by all who read it. A file that no list has room for has none:
/// its bytes aren't hashed.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    record: Option<Arc<Mutex<Record>>>,
    /// Only of a deterministic call.
    ranges: Option<Ranges>,
}

/// Bytes that were read in a row are one piece. Only the piece that is being read has a hasher at
/// work, so each byte is hashed once.
#[derive(Debug, Default)]
struct Record {
    bytes: u64,
    /// How long the file was when it was opened last.
    length: u64,
    current: Option<Piece>,
    before: Pieces,
    /// Of the piece that was the whole file, if there was one; of the last.
    whole: Option<Digest>,
}

#[derive(Debug)]
struct Piece {
    start: u64,
    next: u64,
    at_end: bool,
    /// Of the file, when this began.
    file_length: u64,
    hasher: Box<blake3::Hasher>,
}

/// The pieces that are done with.
#[derive(Debug, Default)]
enum Pieces {
    #[default]
    None,
    /// The whole file, once or more often, the same each time.
    Whole { length: u64, hash: Digest },
    /// Anything else: where each piece began, how long it was, and its hash.
    Ranges(Box<blake3::Hasher>),
}

impl Reading {
    pub(super) fn recorded() -> Self {
        Self { record: Some(Arc::default()), ranges: None }
    }

    /// The same, with what is read also noted to be read again.
    pub(super) fn noted_in(self, ranges: Option<Ranges>) -> Self {
        Self { ranges, ..self }
    }

    fn record(&self) -> Option<MutexGuard<'_, Record>> {
        // A record is never left half written.
        self.record.as_ref().map(|record| record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The file was opened, and has so many bytes now.
    pub(super) fn opened(&self, length: u64) {
        if let Some(mut record) = self.record() {
            record.length = length;
        }
    }

    /// These bytes were handed out for a read of up to `asked`; none where the file ends.
    pub(super) fn read(&self, position: u64, asked: usize, bytes: &[u8]) {
        if let Some(ranges) = &self.ranges {
            ranges.read(position, asked.min(MAX_READ), bytes);
        }
        let Some(mut record) = self.record() else { return };
        record.bytes += bytes.len() as u64;
        let goes_on = record.current.as_ref().is_some_and(|piece| piece.next == position);
        if !goes_on {
            if bytes.is_empty() && position > 0 {
                return;
            }
            record.finish_piece();
        }
        let file_length = record.length;
        let piece = record.current.get_or_insert_with(|| Piece::at(position, file_length));
        piece.hasher.update(bytes);
        piece.next += bytes.len() as u64;
        piece.at_end = bytes.is_empty();
    }

    /// The hash of the whole file as it was read last, if it ever was.
    pub(super) fn whole(&self) -> Option<Digest> {
        let record = self.record()?;
        match &record.current {
            Some(piece) if piece.is_whole() => Some(Digest::from_hash(piece.hasher.finalize())),
            Some(_) | None => record.whole,
        }
    }

    /// A read failed.
    pub(super) fn failed(&self) {
        if let Some(ranges) = &self.ranges {
            ranges.failed();
        }
    }

    /// Bytes handed out, and what is known of them.
    pub(super) fn finish(&self) -> (u64, Content) {
        let Some(mut record) = self.record() else { return (0, Content::Nothing) };
        record.finish_piece();
        let content = match &record.before {
            Pieces::None => Content::Nothing,
            Pieces::Whole { hash, .. } => Content::Whole { hash: *hash },
            Pieces::Ranges(hasher) => Content::Ranges { hash: Digest::from_hash(hasher.finalize()) },
        };
        (record.bytes, content)
    }
}

impl Record {
    fn finish_piece(&mut self) {
        let Some(piece) = self.current.take() else { return };
        let length = piece.next - piece.start;
        let hash = Digest::from_hash(piece.hasher.finalize());
        let is_whole = piece.is_whole();
        if is_whole {
            self.whole = Some(hash);
        }
        self.before = match std::mem::take(&mut self.before) {
            Pieces::None if is_whole => Pieces::Whole { length, hash },
            Pieces::Whole { length: before, hash: same } if is_whole && same == hash => {
                Pieces::Whole { length: before, hash }
            }
            before => {
                let mut hasher = match before {
                    Pieces::None => Box::default(),
                    Pieces::Whole { length, hash } => with_piece(Box::default(), 0, length, hash),
                    Pieces::Ranges(hasher) => hasher,
                };
                hasher = with_piece(hasher, piece.start, length, hash);
                Pieces::Ranges(hasher)
            }
        };
    }
}

impl Piece {
    fn at(start: u64, file_length: u64) -> Self {
        Self { start, next: start, at_end: false, file_length, hasher: Box::default() }
    }

    fn is_whole(&self) -> bool {
        self.start == 0 && (self.at_end || self.next == self.file_length)
    }
}

fn with_piece(mut hasher: Box<blake3::Hasher>, start: u64, length: u64, hash: Digest) -> Box<blake3::Hasher> {
    hasher.update(&start.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(hash.as_bytes());
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"0123456789";

    /// Reads these ranges of the text, each in one go; an empty one meets the end.
    fn content(length: u64, ranges: &[(usize, usize)]) -> Content {
        let reading = Reading::recorded();
        reading.opened(length);
        for (start, end) in ranges {
            reading.read(*start as u64, end - start, &TEXT[*start..*end]);
        }
        reading.finish().1
    }

    fn whole(bytes: &[u8]) -> Content {
        Content::Whole { hash: Digest::of(bytes) }
    }

    #[test]
    fn a_file_read_in_order_to_its_end_has_the_hash_of_the_file() {
        for ranges in [
            &[(0, 10)][..],
            &[(0, 10), (10, 10)],
            &[(0, 3), (3, 4), (4, 10)],
            &[(0, 5), (5, 10), (10, 10)],
            &[(0, 10), (0, 10), (0, 4), (4, 10)],
            &[(0, 10), (10, 10), (10, 10), (0, 10)],
        ] {
            assert_eq!(content(10, ranges), whole(TEXT), "{ranges:?}");
        }
        // It grew while it was read: what counts is that the end was met.
        assert_eq!(content(4, &[(0, 6), (6, 10), (10, 10)]), whole(TEXT));
        assert_eq!(content(0, &[(0, 0)]), whole(b""));
    }

    #[test]
    fn anything_else_has_a_hash_of_its_ranges_which_tells_them_apart() {
        let all = [
            &[(0, 4)][..],
            &[(0, 4), (6, 10)],
            &[(6, 10), (0, 4)],
            &[(4, 10)],
            &[(0, 4), (0, 4)],
            &[(0, 10), (0, 4)],
            &[(5, 10), (0, 5)],
            &[(0, 10), (10, 10), (3, 4)],
        ];
        let mut known = std::collections::HashSet::new();
        for ranges in all {
            let Content::Ranges { hash } = content(10, ranges) else { panic!("{ranges:?}") };
            assert!(known.insert(hash), "{ranges:?}");
            assert_eq!(content(10, ranges), Content::Ranges { hash }, "{ranges:?}");
        }
        assert_eq!(content(10, &[(1, 2), (2, 4)]), content(10, &[(1, 4)]), "in a row is one range");
    }

    #[test]
    fn the_hash_of_ranges_can_be_computed_again() {
        let mut all = Vec::new();
        for range in [2..5_u64, 7..8] {
            all.extend(range.start.to_le_bytes());
            all.extend((range.end - range.start).to_le_bytes());
            all.extend(blake3::hash(&TEXT[range.start as usize..range.end as usize]).as_bytes());
        }
        assert_eq!(content(10, &[(2, 5), (7, 8)]), Content::Ranges { hash: Digest::of(&all) });
    }

    #[test]
    fn a_file_of_which_nothing_was_read_has_no_hash() {
        assert_eq!(content(10, &[]), Content::Nothing);
        assert_eq!(content(10, &[(9, 9)]), Content::Nothing);
    }
}
