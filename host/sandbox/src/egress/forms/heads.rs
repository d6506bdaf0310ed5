//! The first bytes that something may begin with.

use super::reading::{MARKS, may_be_second, short_escape};

/// Bytes that are looked at before anything else is.
pub(in crate::egress) const HEAD: usize = 4;

/// Some of the bytes that there are.
#[derive(Clone)]
pub(in crate::egress) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(super) fn all() -> Self {
        Self([true; 256])
    }

    pub(in crate::egress) fn none() -> Self {
        Self([false; 256])
    }

    pub(in crate::egress) fn add_all(&mut self, other: &Self) {
        for (has, other) in self.0.iter_mut().zip(other.0) {
            *has |= other;
        }
    }

    pub(super) fn of(has: impl Fn(u8) -> bool) -> Self {
        Self(std::array::from_fn(|byte| u8::try_from(byte).is_ok_and(&has)))
    }

    pub(in crate::egress) fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).is_some_and(|has| *has)
    }
}

/// What each of the first bytes may be.
#[derive(Clone)]
pub(in crate::egress) struct Head {
    sets: [ByteSet; HEAD],
    /// What an escape in the second place stands for, where that matters.
    second: Option<ByteSet>,
}

impl Head {
    pub(super) fn any() -> Self {
        Self { sets: std::array::from_fn(|_| ByteSet::all()), second: None }
    }

    /// An escape, in UTF-8.
    pub(in crate::egress) fn escape() -> Self {
        let mut head = Self::any();
        head.narrow(0, &ByteSet::of(|byte| MARKS.contains(&byte)));
        head.narrow(1, &ByteSet::of(may_be_second));
        head
    }

    /// Whether this text begins so.
    pub(in crate::egress) fn fits(&self, text: &[u8]) -> bool {
        let stands_for = || text.get(1..).filter(|after| is_mark_first(after)).and_then(short_escape);
        text.len() >= HEAD
            && self.sets.iter().zip(text).all(|(set, byte)| set.has(*byte))
            && self.second.as_ref().is_none_or(|set| stands_for().is_none_or(|byte| set.has(byte)))
    }

    /// From a place on, one of these stands there.
    pub(super) fn be_one_of(&mut self, from: usize, all: &[Vec<u8>]) {
        for place in from..HEAD {
            let is_said = all.iter().all(|bytes| bytes.len() > place - from);
            let one = |byte: u8| all.iter().any(|bytes| bytes.get(place - from) == Some(&byte));
            if is_said {
                self.narrow(place, &ByteSet::of(one));
            }
        }
    }

    /// An escape in the second place stands for one of these.
    pub(super) fn second_stands_for(&mut self, set: ByteSet) {
        self.second = Some(set);
    }

    /// One of these stands at a place.
    pub(super) fn narrow(&mut self, place: usize, to: &ByteSet) {
        if let Some(set) = self.sets.get_mut(place) {
            *set = ByteSet::of(|byte| set.has(byte) && to.has(byte));
        }
    }

    pub(in crate::egress) fn sets(&self) -> &[ByteSet; HEAD] {
        &self.sets
    }
}

fn is_mark_first(text: &[u8]) -> bool {
    text.first().is_some_and(|first| MARKS.contains(first))
}
