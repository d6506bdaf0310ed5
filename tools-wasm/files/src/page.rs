//! `read_file`: a page of lines, in bounded memory whatever the file's size.

use crate::failure::{Failure, amount};
use memchr::{memchr, memchr_iter};
use ringfence_guest_project::{Fault, Root, binary_head, decode, quoted, whole_characters};
use std::io::{ErrorKind, Read};

const DEFAULT_LINES: u32 = 100;
const MOST_LINES: u32 = 5000;
/// The longest line that is shown whole, in bytes.
const LINE: usize = 8192;
/// The most text in one answer, in bytes; one line always fits, and the whole answer as JSON into
/// the host's usual bound of 256 KiB.
const PAGE: usize = 160 * 1024;
/// What is asked of the host at once; it gives no more.
const CHUNK: usize = 64 * 1024;
/// How far lines are counted behind the page, in bytes.
const COUNTED: u64 = 256 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Which lines to read; see the interface.
#[derive(Debug, Clone, Default)]
pub struct ReadRequest<'a> {
    /// The file.
    pub file_path: &'a str,
    /// From 1; the first by default.
    pub first_line: Option<u32>,
    /// How many at most.
    pub max_lines: Option<u32>,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The path, tidied.
    pub path: String,
    /// The lines, line ends included.
    pub text: String,
    /// From 1.
    pub first_line: u32,
    /// `first_line` less one where there are none.
    pub last_line: u32,
    /// None where the file is too big to count.
    pub total_lines: Option<u32>,
    /// Whether there are lines after `last_line`.
    pub cut: bool,
    /// Lines that are not whole.
    pub shortened_lines: u32,
    /// Whether bytes were replaced.
    pub lossy: bool,
    /// Of the file, in bytes.
    pub size: u64,
}

/// Reads lines of a file.
pub fn read_file(root: &Root, request: &ReadRequest<'_>) -> Result<FileText, Failure> {
    let asked = request.file_path;
    let first = match request.first_line {
        Some(0) => return Err(Failure::InvalidRange("first_line is 0; lines are counted from 1".into())),
        given => given.unwrap_or(1),
    };
    let most = amount("max_lines", request.max_lines, DEFAULT_LINES, MOST_LINES)?;
    let mut file = root.open(asked)?;
    let size = file.size();
    let not_text = |why| Fault::NotText(format!("{}: {why} ({size} bytes)", quoted(asked)));

    let mut page = Page::new(first, most);
    let mut chunk = vec![0; usize::try_from(size).unwrap_or(CHUNK).min(CHUNK)];
    let mut done = 0_u64;
    while done < size && !page.is_enough() {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Fault::of(asked, &error).into()),
        };
        let mut read = chunk.get(..count).unwrap_or_default();
        if done == 0 {
            if let Some(why) = binary_head(read) {
                return Err(not_text(why).into());
            }
            read = read.strip_prefix(BYTE_ORDER_MARK).unwrap_or(read);
        }
        done += count as u64;
        page.feed(read);
    }
    page.end();

    if page.taken == 0 && first > 1 {
        let has = page.lines();
        let why = format!("first_line is {first}, but {} has {has} line{}", quoted(asked), plural(has));
        return Err(Failure::InvalidRange(why));
    }
    let total_lines = (!page.is_enough()).then(|| page.lines());
    let (text, lossy) = decode(page.text).map_err(not_text)?;
    Ok(FileText {
        path: root.tidy(asked),
        text,
        first_line: first,
        last_line: first.saturating_add(page.taken) - 1,
        total_lines,
        cut: page.cut,
        shortened_lines: page.shortened,
        lossy,
        size,
    })
}

fn plural(number: u32) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// What is being done with the bytes that come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before the first line wanted.
    Skip,
    /// Within the lines wanted.
    Take,
    /// Behind them.
    Count,
}

/// Takes a file in pieces and keeps the lines wanted.
#[derive(Debug)]
struct Page {
    first: u32,
    most: u32,
    phase: Phase,
    /// Line ends so far.
    newlines: u64,
    /// Whether the last byte ended a line, or there was none.
    at_start: bool,
    text: Vec<u8>,
    /// Where in `text` the current line begins.
    line_start: usize,
    /// Bytes of the current line without its end, kept or not.
    line_length: usize,
    taken: u32,
    shortened: u32,
    cut: bool,
    counted: u64,
}

impl Page {
    fn new(first: u32, most: u32) -> Self {
        Self {
            first,
            most,
            phase: if first == 1 { Phase::Take } else { Phase::Skip },
            newlines: 0,
            at_start: true,
            text: Vec::new(),
            line_start: 0,
            line_length: 0,
            taken: 0,
            shortened: 0,
            cut: false,
            counted: 0,
        }
    }

    /// Whether what comes next would not even be counted.
    fn is_enough(&self) -> bool {
        self.counted >= COUNTED
    }

    /// How many lines there were.
    fn lines(&self) -> u32 {
        u32::try_from(self.newlines + u64::from(!self.at_start)).unwrap_or(u32::MAX)
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.at_start = *last == b'\n';
        while !bytes.is_empty() {
            let used = match self.phase {
                Phase::Skip => self.skip(bytes),
                Phase::Take => self.take(bytes),
                Phase::Count => {
                    self.newlines += memchr_iter(b'\n', bytes).count() as u64;
                    self.counted += bytes.len() as u64;
                    bytes.len()
                }
            };
            bytes = bytes.get(used..).unwrap_or_default();
        }
    }

    fn skip(&mut self, bytes: &[u8]) -> usize {
        for at in memchr_iter(b'\n', bytes) {
            self.newlines += 1;
            if self.newlines + 1 >= u64::from(self.first) {
                self.phase = Phase::Take;
                return at + 1;
            }
        }
        bytes.len()
    }

    fn take(&mut self, bytes: &[u8]) -> usize {
        if self.taken == self.most {
            self.stop();
            return 0;
        }
        let end = memchr(b'\n', bytes);
        let content = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
        let room = LINE.saturating_sub(self.line_length).min(content.len());
        self.text.extend_from_slice(content.get(..room).unwrap_or_default());
        self.line_length += content.len();
        if end.is_some() {
            self.newlines += 1;
            self.end_line(b"\n");
        }
        content.len() + usize::from(end.is_some())
    }

    fn end_line(&mut self, line_end: &[u8]) {
        let mut shortened = 0;
        if self.line_length > LINE {
            let kept = self.text.get(self.line_start..).map_or(0, |line| whole_characters(line).len());
            self.text.truncate(self.line_start + kept);
            self.text.extend_from_slice(format!("…[+{} bytes]", self.line_length - kept).as_bytes());
            shortened = 1;
        }
        self.text.extend_from_slice(line_end);
        if self.text.len() > PAGE && self.taken > 0 {
            self.text.truncate(self.line_start);
            self.stop();
        } else {
            self.taken += 1;
            self.shortened += shortened;
            self.line_start = self.text.len();
        }
        self.line_length = 0;
    }

    fn stop(&mut self) {
        self.cut = true;
        self.phase = Phase::Count;
    }

    fn end(&mut self) {
        if self.phase == Phase::Take && self.line_length > 0 {
            self.end_line(b"");
        }
    }
}
