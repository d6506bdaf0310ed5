//! What the bytes at one place may stand for: themselves, or what an escape says, one within another.
//!
//! Owns: the escapes of URLs, JSON, JavaScript, Python, C, HTML, quoted-printable, in any mixture, in
//! texts of one, two or four bytes a character.

/// So many escapes are read one within another, besides backslashes that double.
const DEPTH: u8 = 3;
/// Readings of one place.
const MOST: usize = 16;

/// Which of two bytes comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// What one character takes, before it is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// UTF-8, and Latin-1.
    One,
    /// UTF-16.
    Two(Order),
    /// UTF-32.
    Four(Order),
}

impl Width {
    pub(super) const ALL: [Self; 5] = [
        Self::One,
        Self::Two(Order::Little),
        Self::Two(Order::Big),
        Self::Four(Order::Little),
        Self::Four(Order::Big),
    ];

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two(_) => 2,
            Self::Four(_) => 4,
        }
    }

    /// Bytes that one escape is read over.
    pub(super) fn most_bytes(self) -> usize {
        match self {
            Self::One | Self::Two(_) => 16,
            Self::Four(_) => 24,
        }
    }

    /// A code as it is written; none if it doesn't fit.
    pub(super) fn written(self, code: u32) -> Option<Vec<u8>> {
        let all = code.to_be_bytes();
        let (zeros, bytes) = all.split_at(all.len() - self.bytes());
        let mut bytes = bytes.to_vec();
        match self.order() {
            Order::Big => {}
            Order::Little => bytes.reverse(),
        }
        zeros.iter().all(|byte| *byte == 0).then_some(bytes)
    }

    fn order(self) -> Order {
        match self {
            Self::One => Order::Big,
            Self::Two(order) | Self::Four(order) => order,
        }
    }
}

/// A text that is read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) width: Width,
}

/// One thing that a place may stand for, and where that ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::egress) struct Reading {
    pub(in crate::egress) code: u32,
    pub(super) end: usize,
}

/// All of them.
#[derive(Default)]
pub(in crate::egress) struct Readings {
    all: [Reading; MOST],
    count: usize,
}

impl Readings {
    /// Adds one, unless it is too long.
    fn add(&mut self, code: u32, end: usize, until: usize) {
        let new = Reading { code, end };
        if end > until || self.iter().any(|known| known == new) {
            return;
        }
        if let Some(free) = self.all.get_mut(self.count) {
            *free = new;
            self.count += 1;
        }
    }

    fn get(&self, at: usize) -> Option<Reading> {
        self.all.get(at).copied().filter(|_| at < self.count)
    }

    pub(in crate::egress) fn iter(&self) -> impl Iterator<Item = Reading> {
        self.all.iter().take(self.count).copied()
    }
}

/// What an escape begins with.
pub(super) const MARKS: &[u8] = b"%\\&=";

/// Whether an escape may begin so.
pub(super) fn is_mark(code: u32) -> bool {
    MARKS.iter().any(|mark| u32::from(*mark) == code)
}

/// Whether a byte may be the second of an escape.
pub(super) fn may_be_second(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
        || byte.is_ascii_punctuation()
        || b" \r\n".contains(&byte)
        || b"uxtnralgq".contains(&byte.to_ascii_lowercase())
}

/// What a short escape at the beginning stands for besides itself, where that is certain and no further
/// escape; itself if it is none.
pub(in crate::egress) fn short_escape(text: &[u8]) -> Option<u8> {
    let &[mark, first, second, ..] = text else { return None };
    let said = match mark {
        b'%' if first.eq_ignore_ascii_case(&b'u') => return None,
        b'%' | b'=' => hexadecimal(first, second),
        b'\\' => match first {
            b'x' | b'u' | b'U' | b'0'..=b'7' => return None,
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            _ => Some(first).filter(|first| *first == b' ' || first.is_ascii_punctuation()),
        },
        b'&' if b"#%\\&=".contains(&first) || b"algq".contains(&first.to_ascii_lowercase()) => return None,
        _ => None,
    };
    match said {
        // It may begin another one.
        Some(byte) if MARKS.contains(&byte) => None,
        said => Some(said.unwrap_or(mark)),
    }
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

impl Input<'_> {
    /// The character at a place, as it stands there.
    pub(super) fn unit(self, at: usize) -> Option<Reading> {
        let end = at.checked_add(self.width.bytes())?;
        let bytes = self.bytes.get(at..end)?;
        let one = |code: u32, byte: &u8| code << 8 | u32::from(*byte);
        let code = match self.width.order() {
            Order::Big => bytes.iter().fold(0, one),
            Order::Little => bytes.iter().rev().fold(0, one),
        };
        Some(Reading { code, end })
    }

    /// All that a place may stand for; as it stands there first.
    pub(super) fn readings(self, at: usize) -> Readings {
        self.read(at, at.saturating_add(self.width.most_bytes()), DEPTH)
    }

    fn read(self, at: usize, until: usize, depth: u8) -> Readings {
        let mut all = Readings::default();
        let Some(first) = self.unit(at) else { return all };
        all.add(first.code, first.end, until);
        let mut next = 0;
        let mut has_backslash = false;
        // Each reading may be the beginning of another escape.
        while let Some(Reading { code, end }) = all.get(next).filter(|_| depth > 0) {
            next += 1;
            match u8::try_from(code) {
                Ok(b'%') => self.percent(end, until, &mut all),
                // One that stands for itself leads to all that follow it.
                Ok(b'\\') if has_backslash && self.is_at(end - self.width.bytes(), b"\\").is_some() => {}
                Ok(b'\\') => {
                    has_backslash = true;
                    self.backslash(end, until, depth - 1, &mut all);
                }
                Ok(b'&') => self.reference(end, until, depth - 1, &mut all),
                Ok(b'=') => self.digits(end, 16, 2, 2, |code, end| all.add(code, end, until)),
                Ok(_) | Err(_) => {}
            }
        }
        all
    }

    /// `%2F`, `%u002F`.
    fn percent(self, at: usize, until: usize, all: &mut Readings) {
        self.digits(at, 16, 2, 2, |code, end| all.add(code, end, until));
        if let Some(end) = self.is_at(at, b"u") {
            self.digits(end, 16, 4, 4, |code, end| all.add(code, end, until));
        }
    }

    /// `\/`, `\t`, `\x2F`, `\u002F`, `\u{2F}`, `\U0000002F`, `\57`. Backslashes double each time that
    /// a text is quoted, so any number of them may stand before these, and for one.
    fn backslash(self, mut at: usize, until: usize, depth: u8, all: &mut Readings) {
        while let Some(more) = self.unit(at).filter(|more| more.code == u32::from(b'\\')) {
            if more.end > until {
                return;
            }
            all.add(more.code, more.end, until);
            at = more.end;
        }
        let Some(first) = self.unit(at) else { return };
        let end = first.end;
        match u8::try_from(first.code) {
            Ok(b'x') => self.digits(end, 16, 2, 2, |code, end| all.add(code, end, until)),
            Ok(b'u') => {
                self.digits(end, 16, 4, 4, |code, end| all.add(code, end, until));
                if let Some(end) = self.is_at(end, b"{") {
                    self.digits(end, 16, 1, 6, |code, end| {
                        if let Some(end) = self.is_at(end, b"}") {
                            all.add(code, end, until);
                        }
                    });
                }
            }
            Ok(b'U') => self.digits(end, 16, 8, 8, |code, end| all.add(code, end, until)),
            Ok(b'0'..=b'7') => self.digits(at, 8, 1, 3, |code, end| all.add(code, end, until)),
            Ok(b't') => all.add(u32::from(b'\t'), end, until),
            Ok(b'n') => all.add(u32::from(b'\n'), end, until),
            Ok(b'r') => all.add(u32::from(b'\r'), end, until),
            Ok(_) | Err(_) => {
                for Reading { code, end } in self.read(at, until, depth).iter() {
                    if u8::try_from(code).is_ok_and(|byte| byte == b' ' || byte.is_ascii_punctuation()) {
                        all.add(code, end, until);
                    }
                }
            }
        }
    }

    /// `&quot;`, `&#34;`, `&#x22;`.
    fn reference(self, at: usize, until: usize, depth: u8, all: &mut Readings) {
        const NAMES: [(&[u8], u8); 5] =
            [(b"amp", b'&'), (b"lt", b'<'), (b"gt", b'>'), (b"quot", b'"'), (b"apos", b'\'')];
        let mut closed = |code: u32, at: usize| {
            for close in self.read(at, until, depth).iter().filter(|close| close.code == u32::from(b';')) {
                all.add(code, close.end, until);
            }
        };
        for (name, stands_for) in NAMES {
            if let Some(end) = self.is_at(at, name) {
                closed(u32::from(stands_for), end);
            }
        }
        for hash in self.read(at, until, depth).iter().filter(|hash| hash.code == u32::from(b'#')) {
            self.digits(hash.end, 10, 1, 8, &mut closed);
            if let Some(end) = self.is_at(hash.end, b"x") {
                self.digits(end, 16, 1, 8, &mut closed);
            }
        }
    }

    /// Where this ends if it stands here, in capitals or not.
    fn is_at(self, at: usize, text: &[u8]) -> Option<usize> {
        text.iter().try_fold(at, |at, byte| {
            let here = self.unit(at)?;
            let is_it = u8::try_from(here.code).is_ok_and(|here| here.eq_ignore_ascii_case(byte));
            is_it.then_some(here.end)
        })
    }

    /// The numbers of so many digits that begin here.
    fn digits(self, at: usize, radix: u32, least: u32, most: u32, mut found: impl FnMut(u32, usize)) {
        let (mut code, mut at) = (0_u32, at);
        for count in 1..=most {
            let Some(here) = self.unit(at) else { return };
            let Some(digit) = char::from_u32(here.code).and_then(|char| char.to_digit(radix)) else { return };
            code = code.saturating_mul(radix).saturating_add(digit);
            at = here.end;
            if count >= least {
                found(code, at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(text: &str, char: char) -> bool {
        let input = Input { bytes: text.as_bytes(), width: Width::One };
        input.readings(0).iter().any(|reading| reading.code == u32::from(char) && reading.end == text.len())
    }

    #[test]
    fn an_escape_is_read_in_each_of_the_common_ways() {
        for text in [
            "\"",
            "%22",
            "\\x22",
            "\\u0022",
            "\\u{22}",
            "\\u{000022}",
            "\\U00000022",
            "\\42",
            "\\042",
            "\\\"",
            "&#34;",
            "&#034;",
            "&#x22;",
            "&#X0022;",
            "&quot;",
            "&QUOT;",
            "=22",
            "%u0022",
        ] {
            assert!(is_read(text, '"'), "{text}");
        }
    }

    #[test]
    fn escapes_are_read_one_within_another() {
        for text in [
            "%2522",
            "%252522",
            "\\\\u0022",
            "\\\\\\\"",
            "\\\\\\\\\\\\\\\"",
            "\\u0026quot;",
            "\\&quot;",
            "&amp;quot;",
            "&amp;#x22;",
            "%26quot%3B",
            "%26%2334%3B",
            "%5Cu0022",
            "\\\\x22",
            "\\u005c\\u0022",
            "=2522",
        ] {
            assert!(is_read(text, '"'), "{text}");
        }
    }

    #[test]
    fn what_is_no_escape_is_what_it_is() {
        for text in ["%2", "%zz", "\\u00", "&quot", "&#;", "&lot;", "=", "\\", "%", "&"] {
            let input = Input { bytes: text.as_bytes(), width: Width::One };
            let readings: Vec<_> = input.readings(0).iter().map(|reading| reading.end).collect();
            assert_eq!(readings, [1], "{text}");
        }
    }

    #[test]
    fn a_short_escape_is_certain_only_if_nothing_else_can_be_read() {
        let bytes = b"%\\&=25uxn#qaz0\" ;";
        let texts = bytes
            .iter()
            .flat_map(|a| bytes.iter().flat_map(move |b| bytes.iter().map(move |c| [*a, *b, *c])));
        for text in texts.filter(|text| MARKS.contains(&text[0])) {
            // With whatever could follow.
            for after in ["", "0022;", "{22}", "2;", "uot;", "mp;", "22"] {
                let text = [&text[..], after.as_bytes()].concat();
                let Some(certain) = short_escape(&text) else { continue };
                let input = Input { bytes: &text, width: Width::One };
                for reading in input.readings(0).iter() {
                    let is_it = [text[0], certain].map(u32::from).contains(&reading.code);
                    assert!(is_it, "{:?} {certain} {reading:?}", String::from_utf8_lossy(&text));
                }
            }
        }
    }

    #[test]
    fn many_backslashes_take_no_more_than_their_share() {
        let text = "\\".repeat(1000);
        let input = Input { bytes: text.as_bytes(), width: Width::One };
        assert!(input.readings(0).iter().all(|reading| reading.end <= Width::One.most_bytes()));
    }
}
