//! A value within base64, in either alphabet: wherever it begins in a group, in lines or not, its
//! letters escaped or not.

use super::heads::{ByteSet, Head};
use super::places::Places;
use super::reading::{Input, Width, is_mark, may_be_second};

/// Bytes that one letter may take.
const LETTER: usize = 7;
/// Bytes that a break between two letters may take, and how many characters it has at most.
const BREAK: usize = 8;
const BREAKS: usize = 4;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Letters that are looked for: at each place a set of them, as the first and the last one are shared
/// with what stands before and after.
pub(super) struct Base64 {
    letters: Vec<u64>,
}

impl Base64 {
    /// Where so many bytes stand before the value in its group.
    pub(super) fn new(value: &[u8], before: usize) -> Self {
        let bits = value.iter().flat_map(|byte| (0..8).rev().map(move |bit| Some(byte >> bit & 1)));
        let shared = before * 8 % 6;
        let mut bits: Vec<Option<u8>> = std::iter::repeat_n(None, shared).chain(bits).collect();
        bits.resize(bits.len().next_multiple_of(6), None);
        let letters = bits.chunks(6).map(|letter| {
            let is_one = |value: u64| {
                letter
                    .iter()
                    .zip((0..6).rev())
                    .all(|(bit, place)| bit.is_none_or(|bit| u64::from(bit) == value >> place & 1))
            };
            (0..64).filter(|value| is_one(*value)).fold(0, |letters, value| letters | 1 << value)
        });
        Self { letters: letters.collect() }
    }

    /// The letters that the value alone decides, in this alphabet's last two.
    pub(super) fn own_letters(value: &[u8], before: usize, last: [u8; 2]) -> Vec<u8> {
        let form = Self::new(value, before);
        let own = form.letters.iter().filter(|letters| letters.count_ones() == 1);
        own.filter_map(|letters| {
            let value = usize::try_from(letters.trailing_zeros()).ok()?;
            let [plus, slash] = last;
            match value {
                62 => Some(plus),
                63 => Some(slash),
                _ => LETTERS.get(value).copied(),
            }
        })
        .collect()
    }

    pub(super) fn units(&self) -> usize {
        self.letters.len()
    }

    /// Letters that so many bytes are told by.
    pub(super) fn letters_of(before: usize, bytes: usize) -> usize {
        (before * 8 % 6 + bytes * 8).div_ceil(6)
    }

    pub(super) fn longest(&self) -> usize {
        self.letters.len().saturating_mul(LETTER + BREAK)
    }

    /// `is_folded`: in a text that has lost its capitals.
    pub(super) fn step(&self, bytes: &[u8], unit: usize, at: usize, is_folded: bool, next: &mut Places) {
        let Some(&letters) = self.letters.get(unit) else { return };
        let input = Input { bytes, width: Width::One };
        letter(input, letters, at, is_folded, next);
        let mut line = at;
        for _ in 0..BREAKS {
            let Some(end) = gap(input, line).filter(|end| unit > 0 && *end <= at + BREAK) else { return };
            letter(input, letters, end, is_folded, next);
            line = end;
        }
    }

    pub(super) fn rest(&self) -> ByteSet {
        ByteSet::of(|byte| byte.is_ascii_alphanumeric() || b"+/-_=%\\&#; \t\r\n".contains(&byte))
    }

    pub(super) fn heads(&self) -> Vec<Head> {
        let is_letter = |unit: usize, byte: u8| {
            let letters = self.letters.get(unit).copied().unwrap_or(u64::MAX);
            value_of(u32::from(byte)).is_some_and(|value| letters >> value & 1 == 1)
        };
        let is_escape = |byte: u8| is_mark(u32::from(byte));
        let is_space = |byte: u8| is_gap(u32::from(byte));
        let [mut run, mut broken, mut escaped] = std::array::from_fn(|_| {
            let mut head = Head::any();
            head.narrow(0, &ByteSet::of(|byte| is_letter(0, byte)));
            head
        });
        run.narrow(1, &ByteSet::of(|byte| is_letter(1, byte)));
        run.narrow(2, &ByteSet::of(|byte| is_letter(2, byte) || is_space(byte) || is_escape(byte)));
        broken.narrow(1, &ByteSet::of(is_space));
        broken.narrow(2, &ByteSet::of(|byte| is_letter(1, byte) || is_space(byte) || is_escape(byte)));
        escaped.narrow(1, &ByteSet::of(is_escape));
        escaped.narrow(2, &ByteSet::of(may_be_second));
        escaped.second_stands_for(ByteSet::of(|byte| is_letter(1, byte) || is_space(byte)));
        vec![run, broken, escaped]
    }

    /// Only the last two letters are ever escaped alone.
    pub(super) fn escaped_heads(&self) -> Option<ByteSet> {
        let letters = self.letters.first().filter(|letters| *letters >> 62 != 0)?;
        let is_one = |value: u8| (62..64).contains(&value) && letters >> value & 1 == 1;
        Some(ByteSet::of(|byte| value_of(u32::from(byte)).is_some_and(is_one)))
    }
}

fn letter(input: Input<'_>, letters: u64, at: usize, is_folded: bool, next: &mut Places) {
    let is_one = |code: u32| {
        let is_one = |code: u32| value_of(code).is_some_and(|value| letters >> value & 1 == 1);
        let capital = u8::try_from(code).map(|byte| u32::from(byte.to_ascii_uppercase()));
        is_one(code) || (is_folded && capital.is_ok_and(is_one))
    };
    let Some(here) = input.unit(at) else { return };
    if !is_mark(here.code) {
        if is_one(here.code) {
            next.add(here.end);
        }
        return;
    }
    for reading in
        input.readings(at).iter().filter(|reading| reading.end <= at + LETTER && is_one(reading.code))
    {
        next.add(reading.end);
    }
}

fn gap(input: Input<'_>, at: usize) -> Option<usize> {
    let here = input.unit(at)?;
    if !is_mark(here.code) {
        return is_gap(here.code).then_some(here.end);
    }
    input.readings(at).iter().find(|reading| is_gap(reading.code)).map(|reading| reading.end)
}

fn is_gap(code: u32) -> bool {
    u8::try_from(code).is_ok_and(|byte| b"\r\n\t ".contains(&byte))
}

/// What a letter stands for.
fn value_of(code: u32) -> Option<u8> {
    match u8::try_from(code).ok()? {
        letter @ b'A'..=b'Z' => Some(letter - b'A'),
        letter @ b'a'..=b'z' => Some(letter - b'a' + 26),
        digit @ b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
