//! Where something that is looked for may begin, told from the bytes there alone.
//!
//! Owns: passing over most of a text fast. What it lets through is for the forms to judge.

use super::forms::{HEAD, Head};

/// One bit for each thing that is looked for, or for several.
type Bits = u64;

/// What each of the first bytes is allowed to be, by whom.
pub(super) struct Sieve {
    tables: [Box<[Bits; 256]>; HEAD],
    /// Which things each bit stands for.
    of_bit: Vec<Vec<usize>>,
}

/// A place that may be the beginning of one of these.
pub(super) struct Candidate {
    pub(super) at: usize,
    bits: Bits,
}

impl Default for Sieve {
    fn default() -> Self {
        Self {
            tables: std::array::from_fn(|_| Box::new([0; 256])),
            of_bit: vec![Vec::new(); Bits::BITS as usize],
        }
    }
}

impl Sieve {
    /// Looks for one more thing.
    pub(super) fn add(&mut self, thing: usize, head: &Head) {
        let bits = self.of_bit.len();
        let bit = self.of_bit.iter().map(Vec::len).enumerate().min_by_key(|(_, things)| *things);
        let bit = bit.map_or(0, |(bit, _)| bit) % bits;
        if let Some(things) = self.of_bit.get_mut(bit) {
            things.push(thing);
        }
        for (table, set) in self.tables.iter_mut().zip(head.sets()) {
            for (byte, allowed) in (0..=u8::MAX).zip(table.iter_mut()) {
                if set.has(byte) {
                    *allowed |= 1 << bit;
                }
            }
        }
    }

    /// The first candidate at `from` or after it, before `until`.
    pub(super) fn next(&self, input: &[u8], from: usize, until: usize) -> Option<Candidate> {
        let [first, second, third] = &self.tables;
        let at = |table: &[Bits; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or_default();
        let here = input.get(from..until.saturating_add(HEAD - 1).min(input.len()))?;
        for (place, window) in here.windows(HEAD).enumerate() {
            let &[a, b, c] = window else { continue };
            let bits = at(first, a) & at(second, b) & at(third, c);
            if bits != 0 {
                return Some(Candidate { at: from + place, bits });
            }
        }
        // Whatever is looked for has more bytes than are left.
        None
    }

    /// What may begin there.
    pub(super) fn things(&self, candidate: &Candidate) -> impl Iterator<Item = usize> {
        let bits = candidate.bits;
        let set = self.of_bit.iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 == 1);
        set.flat_map(|(_, things)| things.iter().copied())
    }
}
