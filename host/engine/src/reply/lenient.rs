//! A JSON reader that mends what can only be meant one way, and names what it can't mend.
//!
//! Mended and noted: a trailing comma, single quotes, `None`/`True`/`False`, a raw line break or
//! tab in a string, an escape of a character that needs none, an inner quote that can't be the
//! end of its string. Refused by name: duplicate keys, NaN, comments, byte order marks, lone
//! surrogates, NUL, other control characters, deep nesting. Valid JSON is read as it is.

use super::fault::Fault;
use super::path::{self, Segment};
use crate::bounds;
use serde_json::{Map, Number, Value};

/// A value, where it ends in the text, and what was mended in it.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) value: Value,
    pub(super) end: usize,
    pub(super) repairs: Vec<String>,
}

/// What couldn't be read, and where.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) path: String,
    pub(super) fault: Fault,
}

/// Reads the value that begins at byte `start`.
pub(super) fn parse_at(text: &str, start: usize) -> Result<Parsed, Broken> {
    let mut reader = Reader { text, at: start, path: Vec::new(), repairs: Vec::new() };
    match reader.value(Place::Root) {
        Ok(value) => Ok(Parsed {
            value,
            end: reader.at,
            repairs: reader.repairs.into_iter().map(|(_, line)| line).collect(),
        }),
        Err(fault) => Err(Broken { path: path::render(&reader.path), fault }),
    }
}

/// Where a string stands: what may follow it depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Key,
    InObject,
    InArray,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mend {
    TrailingComma,
    SingleQuotes,
    PythonWord,
    RawBreak,
    Escape,
    InnerQuote,
}

impl Mend {
    fn words(self) -> &'static str {
        match self {
            Self::TrailingComma => "a trailing comma",
            Self::SingleQuotes => "single quotes around a string",
            Self::PythonWord => "a Python word for null, true or false",
            Self::RawBreak => "a raw line break or tab in a string",
            Self::Escape => "an escape of a character that needs none",
            Self::InnerQuote => "an unescaped quote inside a string",
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    path: Vec<Segment>,
    repairs: Vec<(Mend, String)>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// The first mending of each kind is enough.
    fn mended(&mut self, mend: Mend) {
        if self.repairs.iter().all(|(known, _)| *known != mend) {
            let line = format!("{}: {}", path::render(&self.path), mend.words());
            self.repairs.push((mend, line));
        }
    }

    fn space(&mut self) -> Result<(), Fault> {
        let skipped = self.rest().trim_start_matches([' ', '\t', '\n', '\r']);
        self.at = self.text.len() - skipped.len();
        match self.peek() {
            Some('\u{feff}') => Err(Fault::ByteOrderMark),
            Some('\0') => Err(Fault::Nul),
            Some('/') if begins_comment(self.rest()) => Err(Fault::Comment),
            _ => Ok(()),
        }
    }

    fn value(&mut self, place: Place) -> Result<Value, Fault> {
        self.space()?;
        match self.peek() {
            None => Err(Fault::Unterminated),
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some(quote @ ('"' | '\'')) => self.string(quote, place).map(Value::String),
            Some('-' | '0'..='9') => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            Some(_) => Err(Fault::Expected("a value")),
        }
    }

    fn deeper(&mut self, segment: Segment) -> Result<(), Fault> {
        if self.path.len() >= bounds::DEPTH {
            return Err(Fault::TooDeep);
        }
        self.path.push(segment);
        Ok(())
    }

    fn object(&mut self) -> Result<Value, Fault> {
        self.take('{');
        let mut map = Map::new();
        self.space()?;
        if self.take('}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.space()?;
            let key = match self.peek() {
                None => return Err(Fault::Unterminated),
                Some(quote @ ('"' | '\'')) => self.string(quote, Place::Key)?,
                Some(_) => return Err(Fault::Expected("a key in double quotes")),
            };
            self.deeper(Segment::Key(key.clone()))?;
            if map.contains_key(&key) {
                return Err(Fault::DuplicateKey);
            }
            self.space()?;
            if !self.take(':') {
                return Err(self.missing("`:` after the key"));
            }
            let value = self.value(Place::InObject)?;
            map.insert(key, value);
            self.space()?;
            let more = self.take(',');
            if !more && self.peek() != Some('}') {
                return Err(self.missing("`,` or `}` after the value"));
            }
            self.path.pop();
            self.space()?;
            if self.take('}') {
                if more {
                    self.mended(Mend::TrailingComma);
                }
                return Ok(Value::Object(map));
            }
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        self.take('[');
        let mut items = Vec::new();
        self.space()?;
        if self.take(']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.deeper(Segment::Index(items.len()))?;
            items.push(self.value(Place::InArray)?);
            self.space()?;
            let more = self.take(',');
            if !more && self.peek() != Some(']') {
                return Err(self.missing("`,` or `]` after the item"));
            }
            self.path.pop();
            self.space()?;
            if self.take(']') {
                if more {
                    self.mended(Mend::TrailingComma);
                }
                return Ok(Value::Array(items));
            }
        }
    }

    fn missing(&self, what: &'static str) -> Fault {
        match self.peek() {
            None => Fault::Unterminated,
            Some(_) => Fault::Expected(what),
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let (value, python) = match word {
            "true" => (Value::Bool(true), false),
            "false" => (Value::Bool(false), false),
            "null" => (Value::Null, false),
            "True" => (Value::Bool(true), true),
            "False" => (Value::Bool(false), true),
            "None" => (Value::Null, true),
            "NaN" | "nan" | "Infinity" | "inf" => return Err(Fault::NotANumber),
            _ if length == rest.len() => return Err(Fault::Unterminated),
            _ => return Err(Fault::Expected("a value")),
        };
        self.at += length;
        if python {
            self.mended(Mend::PythonWord);
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let rest = self.rest();
        if rest.starts_with("-Infinity") || rest.starts_with("-NaN") {
            return Err(Fault::NotANumber);
        }
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))
            .unwrap_or(rest.len());
        let number: Number = rest
            .get(..length)
            .and_then(|digits| serde_json::from_str(digits).ok())
            .ok_or(Fault::BadNumber)?;
        self.at += length;
        Ok(Value::Number(number))
    }

    fn string(&mut self, quote: char, place: Place) -> Result<String, Fault> {
        self.at += quote.len_utf8();
        if quote == '\'' {
            self.mended(Mend::SingleQuotes);
        }
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(Fault::Unterminated);
            };
            self.at += c.len_utf8();
            match c {
                '\\' => self.escape(&mut out)?,
                '\0' => return Err(Fault::Nul),
                '\n' | '\r' | '\t' => {
                    self.mended(Mend::RawBreak);
                    out.push(c);
                }
                '\u{1}'..='\u{1f}' => return Err(Fault::ControlCharacter),
                _ if c != quote => out.push(c),
                _ if ends_string(self.rest(), place) => return Ok(out),
                _ => {
                    self.mended(Mend::InnerQuote);
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Fault> {
        let Some(c) = self.peek() else {
            return Err(Fault::Unterminated);
        };
        self.at += c.len_utf8();
        match c {
            '"' | '\\' | '/' => out.push(c),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => out.push(self.unicode()?),
            '\'' => {
                self.mended(Mend::Escape);
                out.push(c);
            }
            // A pattern's `\d` or `\*`: the backslash was meant, so it stays.
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => {
                self.mended(Mend::Escape);
                out.push('\\');
                out.push(c);
            }
            _ if c.is_ascii_punctuation() => {
                self.mended(Mend::Escape);
                out.push('\\');
                out.push(c);
            }
            _ => return Err(Fault::BadEscape),
        }
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let first = self.hex4()?;
        let code = match first {
            0xd800..=0xdbff => {
                if !(self.take('\\') && self.take('u')) {
                    return Err(Fault::LoneSurrogate);
                }
                match self.hex4()? {
                    low @ 0xdc00..=0xdfff => 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00),
                    _ => return Err(Fault::LoneSurrogate),
                }
            }
            0xdc00..=0xdfff => return Err(Fault::LoneSurrogate),
            0 => return Err(Fault::Nul),
            other => other,
        };
        char::from_u32(code).ok_or(Fault::BadEscape)
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let digits = self.rest().get(..4).ok_or(Fault::BadEscape)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Fault::BadEscape);
        }
        let code = u32::from_str_radix(digits, 16).map_err(|_| Fault::BadEscape)?;
        self.at += 4;
        Ok(code)
    }
}

fn begins_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// Whether a quote followed by `after` ends its string. It doesn't only where the grammar leaves
/// no other reading: what comes next can neither follow a string nor begin another one.
fn ends_string(after: &str, place: Place) -> bool {
    let next = after.trim_start();
    match next.chars().next() {
        None | Some('}' | ']' | ':' | '"' | '\'') => true,
        Some('/') => begins_comment(next),
        Some(',') => match place {
            Place::InObject => {
                let then = next.get(1..).unwrap_or_default().trim_start();
                then.is_empty() || then.starts_with(['"', '\'', '}', ',']) || begins_comment(then)
            }
            Place::Root | Place::Key | Place::InArray => true,
        },
        Some(_) => matches!(place, Place::Root | Place::Key),
    }
}
