//! `search_text`.

use crate::failure::{Failure, amount};
use crate::glob::Glob;
use crate::pattern::Pattern;
use memchr::{memchr, memchr_iter, memrchr};
use ringfence_guest_project::Walk;
use ringfence_guest_project::{Fault, File, Kind, Root, binary_head, quoted, read_whole};
use std::io::ErrorKind;
use std::ops::Range;

mod excerpt;
use excerpt::{around, column, shown};

const DEFAULT_MATCHES: u32 = 100;
const MOST_MATCHES: u32 = 1000;
const DEFAULT_CONTEXT: u32 = 2;
const MOST_CONTEXT: u32 = 10;
/// The largest file that is searched, in bytes.
const LARGEST: u64 = 16 << 20;
/// How much is searched in one call, in bytes.
const MOST_TEXT: u64 = 256 << 20;
/// How much an answer may hold, in bytes: as JSON it fits into the host's usual bound of 256 KiB.
const MOST_SHOWN: usize = 160 * 1024;
/// What a match takes besides its text.
const FRAME: usize = 100;
/// How many unsearched files are named.
const MOST_NAMED: usize = 20;

/// What to look for; see the interface.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest<'a> {
    /// A regular expression.
    pub pattern: &'a str,
    /// Where; the project's folder by default.
    pub directory: Option<&'a str>,
    /// A glob that files must match.
    pub file_pattern: Option<&'a str>,
    /// How many lines at most.
    pub max_matches: Option<u32>,
    /// How many lines around each.
    pub context_lines: Option<u32>,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// From the project's folder.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The line, or the part around the match.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// By path, then by line.
    pub matches: Vec<TextMatch>,
    /// Lines that match.
    pub total: u32,
    /// Whether `matches` holds fewer.
    pub cut: bool,
    /// Files searched.
    pub files_searched: u32,
    /// Files with a match.
    pub files_matched: u32,
    /// Files skipped as binary.
    pub binary_files: u32,
    /// What was not searched, with the reason.
    pub unsearched: Vec<String>,
    /// Whether the search got to its end.
    pub complete: bool,
}

/// Searches files line by line.
pub fn search_text(root: &Root, request: &SearchRequest<'_>) -> Result<SearchResult, Failure> {
    let asked = request.directory.filter(|asked| !asked.is_empty()).unwrap_or(".");
    let mut search = Search {
        pattern: Pattern::parse(request.pattern)?,
        most: amount("max_matches", request.max_matches, DEFAULT_MATCHES, MOST_MATCHES)?,
        context: request.context_lines.unwrap_or(DEFAULT_CONTEXT).min(MOST_CONTEXT),
        buffer: Vec::new(),
        text_left: MOST_TEXT,
        room: MOST_SHOWN,
        result: SearchResult {
            matches: Vec::new(),
            total: 0,
            cut: false,
            files_searched: 0,
            files_matched: 0,
            binary_files: 0,
            unsearched: Vec::new(),
            complete: true,
        },
    };
    let glob = Glob::parse(request.file_pattern)?;
    let place = root.resolve(asked);
    let shown = root.tidy(asked);
    // What is asked for by name is followed if it is a link: the host says whether it may be.
    let opened = File::open(&place).map_err(|error| Fault::of(asked, &error))?;
    if opened.kind() == Kind::File {
        search.file(opened, shown);
        return Ok(search.result);
    }
    drop(opened);
    let mut walk = Walk::start(root, asked, &shown, true)?;
    for found in walk.by_ref() {
        let wanted = found.kind == Kind::File
            && glob.as_ref().is_none_or(|glob| glob.matches(found.name(), found.below(), &found.path));
        if !wanted {
            continue;
        }
        match File::open(&found.place()) {
            Ok(file) => search.file(file, found.path),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => search.skip(|| Fault::of(&found.path, &error).to_string()),
        }
        if !search.result.complete {
            break;
        }
    }
    let mut result = search.result;
    result.complete &= walk.complete;
    let room = MOST_NAMED.saturating_sub(result.unsearched.len());
    result.unsearched.extend(walk.unreadable.into_iter().take(room));
    Ok(result)
}

/// A search under way.
struct Search {
    pattern: Pattern,
    most: u32,
    context: u32,
    buffer: Vec<u8>,
    text_left: u64,
    room: usize,
    result: SearchResult,
}

impl Search {
    fn skip(&mut self, why: impl FnOnce() -> String) {
        if self.result.unsearched.len() < MOST_NAMED {
            self.result.unsearched.push(why());
        }
    }

    fn file(&mut self, mut file: File, path: String) {
        let size = file.size();
        if size > LARGEST {
            return self
                .skip(|| format!("{}: {size} bytes; files over {LARGEST} are not searched", quoted(&path)));
        }
        let Some(left) = self.text_left.checked_sub(size) else {
            self.result.complete = false;
            return;
        };
        self.text_left = left;
        let mut text = std::mem::take(&mut self.buffer);
        match read_whole(&mut file, usize::try_from(size).unwrap_or(0), &mut text) {
            Ok(()) if binary_head(&text).is_some() => self.result.binary_files += 1,
            Ok(()) => {
                self.result.files_searched += 1;
                self.text(&text, &path);
            }
            Err(error) => self.skip(|| Fault::of(&path, &error).to_string()),
        }
        self.buffer = text;
    }

    fn text(&mut self, text: &[u8], path: &str) {
        let (mut from, mut counted, mut line) = (0, 0, 1_u32);
        let mut matched = 0;
        while from < text.len() {
            let Some(found) = self.pattern.find(text, from) else { break };
            // Behind the last line end is no line.
            if found.start == text.len() && text.last() == Some(&b'\n') {
                break;
            }
            let start = memrchr(b'\n', text.get(..found.start).unwrap_or_default()).map_or(0, |at| at + 1);
            let end = end_of_line(text, found.start);
            let lines = memchr_iter(b'\n', text.get(counted..start).unwrap_or_default()).count();
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            counted = start;
            matched += 1;
            self.found(text, path, line, start..end, found);
            from = end + 1;
        }
        self.result.files_matched += u32::from(matched > 0);
    }

    fn found(&mut self, text: &[u8], path: &str, line: u32, span: Range<usize>, found: Range<usize>) {
        self.result.total = self.result.total.saturating_add(1);
        if self.result.cut || self.result.total > self.most {
            self.result.cut = true;
            return;
        }
        let content = without_return(text.get(span.clone()).unwrap_or_default());
        let within = found.start - span.start..(found.end - span.start).min(content.len());
        let found = TextMatch {
            path: path.to_owned(),
            line,
            column: column(content, within.start),
            text: around(content, within),
            before: self.before(text, span.start),
            after: self.after(text, span.end),
        };
        let lines = found.before.iter().chain(&found.after).chain([&found.text, &found.path]);
        let weight = lines.map(|line| line.len() + 3).sum::<usize>() + FRAME;
        match self.room.checked_sub(weight) {
            Some(room) => {
                self.room = room;
                self.result.matches.push(found);
            }
            None => self.result.cut = true,
        }
    }

    fn before(&self, text: &[u8], start: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut next = start;
        for _ in 0..self.context {
            let Some(end) = next.checked_sub(1) else { break };
            let start = memrchr(b'\n', text.get(..end).unwrap_or_default()).map_or(0, |at| at + 1);
            lines.push(shown(without_return(text.get(start..end).unwrap_or_default())));
            next = start;
        }
        lines.reverse();
        lines
    }

    fn after(&self, text: &[u8], end: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut next = end + 1;
        for _ in 0..self.context {
            if next >= text.len() {
                break;
            }
            let end = end_of_line(text, next);
            lines.push(shown(without_return(text.get(next..end).unwrap_or_default())));
            next = end + 1;
        }
        lines
    }
}

fn end_of_line(text: &[u8], from: usize) -> usize {
    text.get(from..).and_then(|rest| memchr(b'\n', rest)).map_or(text.len(), |at| from + at)
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
