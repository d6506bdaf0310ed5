//! A value as text: each of its characters as it is or escaped, in capitals or not.

use super::heads::{ByteSet, Head};
use super::places::Places;
use super::reading::{Input, MARKS, Width, is_mark, may_be_second};

/// A line that ends with `=` goes on in the next one.
const SOFT_BREAK: usize = 3;

/// A text that is looked for, in one width.
pub(super) struct Text {
    letters: Vec<Letter>,
    width: Width,
    range: Range,
}

/// What kind of bytes it is of. More isn't told by what is taken for a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// As tokens are.
    Word,
    /// On one line, without quotes and brackets.
    Line,
    /// Whatever there is.
    All,
}

impl Range {
    fn of(text: &str) -> Self {
        let ranges = [Self::Word, Self::Line];
        ranges.into_iter().find(|range| text.bytes().all(|byte| range.has(byte))).unwrap_or(Self::All)
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte),
            Self::Line => !byte.is_ascii_control() && !b"\"'<>{}".contains(&byte),
            Self::All => true,
        }
    }
}

/// One character.
enum Letter {
    /// In small letters.
    Ascii(u8),
    /// What stands for it: its code, its bytes, its halves; for its other case too.
    Other(Vec<Vec<u32>>),
}

impl Letter {
    fn of(char: char) -> Self {
        if char.is_ascii() {
            return Self::Ascii(u8::try_from(char).unwrap_or_default().to_ascii_lowercase());
        }
        let mut spellings = Vec::new();
        let (lower, upper) = (char.to_lowercase(), char.to_uppercase());
        // Where the other case is one character, too.
        let lower = lower.clone().filter(|_| lower.len() == 1);
        let upper = upper.clone().filter(|_| upper.len() == 1);
        for char in [char].into_iter().chain(lower).chain(upper) {
            let bytes = char.encode_utf8(&mut [0; 4]).bytes().map(u32::from).collect();
            let halves = char.encode_utf16(&mut [0; 2]).iter().map(|half| u32::from(*half)).collect();
            for spelling in [bytes, halves, vec![u32::from(char)]] {
                if !spellings.contains(&spelling) {
                    spellings.push(spelling);
                }
            }
        }
        Self::Other(spellings)
    }

    /// Characters that it may be written with.
    fn most_codes(&self) -> usize {
        match self {
            Self::Ascii(_) => 1,
            Self::Other(spellings) => spellings.iter().map(Vec::len).max().unwrap_or_default(),
        }
    }

    /// Bytes that it may begin with, as far as they say anything.
    fn heads(&self, width: Width) -> Vec<Vec<u8>> {
        let codes = match self {
            Self::Ascii(letter) => {
                let plus = (*letter == b' ').then_some(b'+');
                [*letter, letter.to_ascii_uppercase()].into_iter().chain(plus).map(u32::from).collect()
            }
            Self::Other(spellings) => {
                spellings.iter().filter_map(|spelling| spelling.first().copied()).collect::<Vec<u32>>()
            }
        };
        codes.into_iter().filter_map(|code| width.written(code)).collect()
    }
}

fn is_same(letter: u8, code: u32) -> bool {
    u8::try_from(code).is_ok_and(|byte| byte.to_ascii_lowercase() == letter || (letter, byte) == (b' ', b'+'))
}

impl Text {
    pub(super) fn new(text: &str, width: Width) -> Self {
        Self { letters: text.chars().map(Letter::of).collect(), width, range: Range::of(text) }
    }

    pub(super) fn units(&self) -> usize {
        self.letters.len()
    }

    /// Units that so many bytes are told by.
    pub(super) fn units_of(&self, bytes: usize) -> usize {
        let mut told = 0;
        let whole = self.letters.iter().take_while(|letter| {
            let before = told;
            told += match letter {
                Letter::Ascii(_) => 1,
                Letter::Other(spellings) => spellings.first().map_or(1, Vec::len),
            };
            before < bytes
        });
        whole.count()
    }

    pub(super) fn longest(&self) -> usize {
        let soft_break = SOFT_BREAK * self.width.bytes();
        let one = |letter: &Letter| letter.most_codes() * self.width.most_bytes() + soft_break;
        self.letters.iter().map(one).sum()
    }

    pub(super) fn step(&self, bytes: &[u8], unit: usize, at: usize, next: &mut Places) {
        let Some(letter) = self.letters.get(unit) else { return };
        let input = Input { bytes, width: self.width };
        let Some(here) = input.unit(at) else { return };
        if let Letter::Ascii(letter) = letter
            && !is_mark(here.code)
        {
            if is_same(*letter, here.code) {
                next.add(here.end);
            }
            return;
        }
        one(input, letter, at, next);
        if unit > 0
            && here.code == u32::from(b'=')
            && let Some(line) = line_end(input, here.end)
        {
            one(input, letter, line, next);
        }
    }

    /// The bytes that can stand in what is left of it when it is cut.
    pub(super) fn rest(&self) -> ByteSet {
        let wide = self.width != Width::One;
        ByteSet::of(|byte| self.range.has(byte) || b"%\\&#;".contains(&byte) || (wide && byte == 0))
    }

    pub(super) fn heads(&self) -> Vec<Head> {
        let Some(first) = self.letters.first() else { return Vec::new() };
        let mut plain = Head::any();
        plain.be_one_of(0, &first.heads(self.width));
        let marks: Vec<Vec<u8>> =
            MARKS.iter().filter_map(|mark| self.width.written(u32::from(*mark))).collect();
        if self.width != Width::One {
            let mut escaped = Head::any();
            escaped.be_one_of(0, &marks);
            return vec![plain, escaped];
        }
        if let [Letter::Ascii(_), second @ Letter::Ascii(_), ..] = self.letters.as_slice() {
            let second = second.heads(self.width).concat();
            plain.narrow(1, &ByteSet::of(|byte| second.contains(&byte) || MARKS.contains(&byte)));
            // Or a line ends there. One that escapes begin with may as well stand for itself.
            if !second.iter().any(|byte| MARKS.contains(byte)) {
                plain.second_stands_for(ByteSet::of(|byte| second.contains(&byte) || byte == b'='));
            }
            if let Some(third @ Letter::Ascii(_)) = self.letters.get(2) {
                let third: Vec<u8> = third.heads(self.width).concat();
                plain.narrow(2, &ByteSet::of(|byte| third.contains(&byte) || may_be_second(byte)));
            }
        }
        vec![plain]
    }

    pub(super) fn escaped_heads(&self) -> Option<ByteSet> {
        let codes: Vec<u32> = match self.letters.first()? {
            Letter::Ascii(letter) => (0..128).filter(|code| is_same(*letter, *code)).collect(),
            Letter::Other(spellings) => spellings.iter().filter_map(|all| all.first().copied()).collect(),
        };
        // A letter beyond these has bytes, and they are escaped one by one; or it is found by itself.
        let is_told = codes.iter().all(|code| *code < 256);
        let of = ByteSet::of(|byte| !is_told || codes.contains(&u32::from(byte)));
        (self.width == Width::One).then_some(of)
    }
}

fn one(input: Input<'_>, letter: &Letter, at: usize, next: &mut Places) {
    match letter {
        Letter::Ascii(letter) => {
            for reading in input.readings(at).iter().filter(|reading| is_same(*letter, reading.code)) {
                next.add(reading.end);
            }
        }
        Letter::Other(spellings) => {
            for spelling in spellings {
                let mut places = Places::one(at);
                for code in spelling {
                    let mut after = Places::none();
                    for place in places.iter() {
                        for reading in input.readings(place).iter().filter(|reading| reading.code == *code) {
                            after.add(reading.end);
                        }
                    }
                    places = after;
                }
                places.iter().for_each(|place| next.add(place));
            }
        }
    }
}

fn line_end(input: Input<'_>, at: usize) -> Option<usize> {
    let first = input.unit(at)?;
    let last = if first.code == u32::from(b'\r') { input.unit(first.end)? } else { first };
    (last.code == u32::from(b'\n')).then_some(last.end)
}
