//! A text file taken apart: byte-order mark, text with plain line ends, and which line ends were CRLF.
//!
//! Owns: that a file taken apart and put together again is the same to the byte, and that a change
//! keeps the line ends around it.

use ringfence_guest_project::{Binary, binary_head};
use std::borrow::Cow;
use std::ops::Range;

const BOM: &str = "\u{feff}";

/// A text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    bom: bool,
    text: String,
    /// For each line end, whether it was CRLF.
    crlf: Vec<bool>,
}

/// A part of a text and what is put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
    pub(crate) new: String,
}

impl Document {
    /// Takes a file's bytes apart; what isn't UTF-8 to the last byte is refused, since it could
    /// not be put together again.
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Self, Binary> {
        if let Some(binary) = binary_head(&bytes) {
            return Err(binary);
        }
        if memchr::memchr(0, &bytes).is_some() {
            return Err(Binary::Nul);
        }
        let source = String::from_utf8(bytes).map_err(|_| Binary::OtherEncoding)?;
        let body = source.strip_prefix(BOM);
        let bom = body.is_some();
        let body = body.unwrap_or(&source);
        let mut text = String::with_capacity(body.len());
        let mut crlf = Vec::new();
        for line in body.split_inclusive('\n') {
            if let Some(content) = line.strip_suffix("\r\n") {
                text.push_str(content);
                text.push('\n');
                crlf.push(true);
            } else {
                text.push_str(line);
                crlf.extend(line.ends_with('\n').then_some(false));
            }
        }
        Ok(Self { bom, text, crlf })
    }

    /// The text, all line ends `\n`, without byte-order mark.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The file's bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.text.len() + self.crlf.len() + BOM.len());
        if self.bom {
            bytes.extend_from_slice(BOM.as_bytes());
        }
        let mut ends = self.crlf.iter();
        for line in self.text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(content) => {
                    bytes.extend_from_slice(content.as_bytes());
                    let crlf = ends.next().copied().unwrap_or(false);
                    bytes.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
                }
                None => bytes.extend_from_slice(line.as_bytes()),
            }
        }
        bytes
    }

    /// With these parts replaced; they are in order and don't overlap. A new line end is like the
    /// one it replaces, or like those beside it.
    pub(crate) fn spliced(&self, splices: &[Splice]) -> Self {
        let mut text = String::with_capacity(self.text.len());
        let mut crlf = Vec::with_capacity(self.crlf.len());
        let (mut at, mut end) = (0, 0);
        for Splice { range, new } in splices {
            let kept = self.part(at..range.start);
            text.push_str(kept);
            text.push_str(new);
            let first = end + line_ends(kept);
            crlf.extend_from_slice(self.crlf.get(end..first).unwrap_or_default());
            end = first + line_ends(self.part(range.clone()));
            let replaced = self.crlf.get(first..end).unwrap_or_default();
            let beside = replaced.last().or(self.crlf.get(end)).or(self.crlf.last()).copied();
            let style = |n| replaced.get(n).copied().or(beside).unwrap_or(false);
            crlf.extend((0..line_ends(new)).map(style));
            at = range.end;
        }
        text.push_str(self.part(at..self.text.len()));
        crlf.extend_from_slice(self.crlf.get(end..).unwrap_or_default());
        Self { bom: self.bom, text, crlf }
    }

    fn part(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}

fn line_ends(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// `text` with plain line ends.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Where each line of `text` starts; a line end at the end starts none.
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    if text.is_empty() {
        return Vec::new();
    }
    let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).filter(|at| *at < text.len());
    std::iter::once(0).chain(after).collect()
}

/// The number, from 1, of the line that holds the byte at `at`.
pub(crate) fn line_number(text: &str, at: usize) -> usize {
    line_ends(text.get(..at).unwrap_or(text)) + 1
}
