//! Where something that is looked for may begin, told from the bytes there alone.
//!
//! Owns: passing over most of a text fast. What it lets through is for the forms to judge.

use super::forms::{ByteSet, HEAD, Head, readings_at, short_escape};

/// One bit for each head that is looked for, or for several.
type Bits = u64;
/// Of escapes, whatever they stand for.
const ESCAPE: Bits = 1;
/// One bit for each two bytes that anything begins with.
const PAIRS: usize = (1 << 16) / 64;

/// What each of the first bytes is allowed to be, by whom.
pub(super) struct Sieve {
    pairs: Box<[u64; PAIRS]>,
    tables: [Box<[Bits; 256]>; HEAD],
    /// By their bits.
    heads: [Vec<(usize, Head)>; Bits::BITS as usize],
    count: usize,
    /// What escapes at the beginning of a thing stand for.
    escaped: Vec<(usize, ByteSet)>,
    /// All of these.
    any_escaped: ByteSet,
}

/// A place that may be the beginning of something.
pub(super) struct Candidate {
    pub(super) at: usize,
    bits: Bits,
}

impl Default for Sieve {
    fn default() -> Self {
        Self {
            pairs: Box::new([0; PAIRS]),
            tables: std::array::from_fn(|_| Box::new([0; 256])),
            heads: std::array::from_fn(|_| Vec::new()),
            count: 0,
            escaped: Vec::new(),
            any_escaped: ByteSet::none(),
        }
    }
}

impl Sieve {
    /// Looks for one more thing, that begins so.
    pub(super) fn add(&mut self, thing: usize, head: Head) {
        let bit = 1 + self.count % (self.heads.len() - 1);
        self.count += 1;
        self.let_through(ESCAPE << bit, &head);
        if let Some(heads) = self.heads.get_mut(bit) {
            heads.push((thing, head));
        }
    }

    /// Looks for it where it begins with an escape, too, that stands for one of these.
    pub(super) fn add_escaped(&mut self, thing: usize, codes: ByteSet) {
        self.let_through(ESCAPE, &Head::escape());
        self.any_escaped.add_all(&codes);
        self.escaped.push((thing, codes));
    }

    fn let_through(&mut self, bits: Bits, head: &Head) {
        let [first, second, ..] = head.sets();
        for a in (0..=u8::MAX).filter(|byte| first.has(*byte)) {
            for b in (0..=u8::MAX).filter(|byte| second.has(*byte)) {
                let (word, bit) = pair(a, b);
                if let Some(word) = self.pairs.get_mut(word) {
                    *word |= bit;
                }
            }
        }
        for (table, set) in self.tables.iter_mut().zip(head.sets()) {
            for (byte, allowed) in (0..=u8::MAX).zip(table.iter_mut()) {
                if set.has(byte) {
                    *allowed |= bits;
                }
            }
        }
    }

    /// The first candidate at `from` or after it, before `until`.
    pub(super) fn next(&self, input: &[u8], from: usize, until: usize) -> Option<Candidate> {
        let [first, second, third, fourth] = &self.tables;
        let of = |table: &[Bits; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or_default();
        // Whatever is looked for has no fewer bytes than are looked at.
        let here = input.get(from..until.saturating_add(HEAD - 1).min(input.len()))?;
        for (place, window) in here.windows(HEAD).enumerate() {
            let &[a, b, c, d] = window else { continue };
            let (word, bit) = pair(a, b);
            if self.pairs.get(word).is_none_or(|word| word & bit == 0) {
                continue;
            }
            let bits = of(first, a) & of(second, b) & of(third, c) & of(fourth, d);
            if bits != 0 && (bits != ESCAPE || self.may_stand_for_any(window)) {
                return Some(Candidate { at: from + place, bits });
            }
        }
        None
    }

    /// Whether what an escape stands for is looked for.
    fn may_stand_for_any(&self, text: &[u8]) -> bool {
        if text.first().is_some_and(|mark| self.any_escaped.has(*mark)) {
            return true;
        }
        // Of many backslashes the last few count.
        let are_backslashes = || text.iter().all(|byte| *byte == b'\\');
        short_escape(text).map_or_else(|| !are_backslashes(), |byte| self.any_escaped.has(byte))
    }

    /// What may begin there.
    pub(super) fn things(&self, input: &[u8], candidate: &Candidate) -> Vec<usize> {
        let here = input.get(candidate.at..).unwrap_or_default();
        let mut things = Vec::new();
        let mut bits = candidate.bits & !ESCAPE;
        while bits != 0 {
            let heads = self.heads.get(bits.trailing_zeros() as usize);
            let found = heads.into_iter().flatten().filter(|(_, head)| head.fits(here));
            things.extend(found.map(|(thing, _)| *thing));
            bits &= bits - 1;
        }
        if candidate.bits & ESCAPE != 0 {
            let readings = readings_at(input, candidate.at);
            // Letters that are no byte are looked for by who looks for every byte.
            let codes = || readings.iter().map(|reading| u8::try_from(reading.code).unwrap_or(u8::MAX));
            let escaped = self.escaped.iter().filter(|(_, set)| codes().any(|code| set.has(code)));
            things.extend(escaped.map(|(thing, _)| *thing));
        }
        things
    }
}

fn pair(first: u8, second: u8) -> (usize, u64) {
    let pair = usize::from(first) << 8 | usize::from(second);
    (pair / 64, 1 << (pair % 64))
}
