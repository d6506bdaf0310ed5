//! Random changes of inputs, the same in every run.

/// Bytes that matter to many formats.
const WORDS: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"..",
    b"/",
    b"//",
    b"\"",
    b"\\",
    b"\\u0000",
    b"null",
    b"[",
    b"]",
    b"{",
    b"}",
    b"-0",
    b"1e400",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"\xed\xa0\x80",
    b"\xf0\x9f\xa6\x80",
    b"\n",
    b"=",
    b"!",
    b"*",
    b"**/",
    b"\x80\x80\x80\x80\x10",
    b"\xff\xff\xff\xff\x0f",
];
/// Of one input.
const MOST_BYTES: usize = 8_192;

/// Inputs, made of seeds and of each other.
pub(crate) struct Change {
    state: u64,
    known: Vec<Vec<u8>>,
}

impl Change {
    pub(crate) fn new(known: Vec<Vec<u8>>) -> Self {
        Self { state: 0x9e37_79b9_7f4a_7c15, known }
    }

    /// A number below `end`, by xorshift.
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or(0) % end.max(1)
    }

    fn one_known(&mut self) -> Vec<u8> {
        let at = self.below(self.known.len());
        self.known[at].clone()
    }

    /// The next input.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let mut input = self.one_known();
        for _ in 0..=self.below(6) {
            self.change(&mut input);
        }
        input.truncate(MOST_BYTES);
        // Some go on to be changed further; the seeds stay.
        if self.below(8) == 0 {
            if self.known.len() < 256 {
                self.known.push(input.clone());
            } else {
                let at = 64 + self.below(192);
                self.known[at] = input.clone();
            }
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len());
        let some = self.below(9).min(input.len() - at.min(input.len()));
        match self.below(7) {
            0 if !input.is_empty() => input[at] ^= 1 << self.below(8),
            1 if !input.is_empty() => input[at] = u8::try_from(self.below(256)).unwrap_or(0),
            2 => drop(input.drain(at..at + some)),
            3 => {
                let again = input[at..at + some].to_vec();
                input.splice(at..at, again);
            }
            4 => {
                let word = WORDS[self.below(WORDS.len())];
                input.splice(at..at, word.iter().copied());
            }
            5 => {
                let other = self.one_known();
                let from = self.below(other.len());
                let to = (from + self.below(64)).min(other.len());
                input.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let word = WORDS[self.below(WORDS.len())];
                let end = (at + word.len()).min(input.len());
                input.splice(at..end, word.iter().copied());
            }
        }
    }
}
