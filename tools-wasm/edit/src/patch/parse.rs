//! From the text of a unified diff to its hunks.

use super::LinesOnly;
use crate::failure::Failure;
use crate::nearest::cut;
use ringfence_guest_project::quoted;

/// The most hunks of one patch.
const MOST_HUNKS: usize = 1000;
const SHOWN_BYTES: usize = 160;

/// Some lines of a file and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk<'p> {
    /// Its number in the patch, from 1.
    pub(super) number: usize,
    /// Where its old lines begin, counted from 0, if it says so.
    pub(super) at: Option<usize>,
    pub(super) lines: Vec<Line<'p>>,
    /// Whether its last old line is marked as having no line end; the same for the new one.
    pub(super) old_is_unended: bool,
    pub(super) new_is_unended: bool,
}

/// One line of a hunk, without its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'p> {
    Context(&'p str),
    Removed(&'p str),
    Added(&'p str),
}

impl<'p> Hunk<'p> {
    /// The lines that must be in the file.
    pub(super) fn old(&self) -> Vec<&'p str> {
        let old = self.lines.iter().filter_map(|line| match line {
            Line::Context(text) | Line::Removed(text) => Some(*text),
            Line::Added(_) => None,
        });
        old.collect()
    }

    fn count(&self) -> (usize, usize) {
        let context = self.lines.iter().filter(|line| matches!(line, Line::Context(_))).count();
        let removed = self.lines.iter().filter(|line| matches!(line, Line::Removed(_))).count();
        (context + removed, self.lines.len() - removed)
    }
}

/// What the line `@@ … @@` says.
#[derive(Debug, Clone, Copy, Default)]
struct Header {
    start: Option<usize>,
    old: Option<usize>,
    new: Option<usize>,
}

/// Reads a patch for the file at `path`.
pub(crate) fn parse<'p>(path: &str, patch: &'p str) -> Result<Vec<Hunk<'p>>, Failure> {
    let mut lines: Vec<&str> =
        patch.lines_only().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut reader = Reader { path, lines, at: 0 };
    reader.preamble()?;
    let mut hunks = Vec::new();
    while reader.peek().is_some() {
        if hunks.len() == MOST_HUNKS {
            return Err(reader.invalid(&format!("more than {MOST_HUNKS} hunks")));
        }
        hunks.push(reader.hunk(hunks.len() + 1)?);
    }
    Ok(hunks)
}

struct Reader<'a, 'p> {
    path: &'a str,
    lines: Vec<&'p str>,
    at: usize,
}

impl<'p> Reader<'_, 'p> {
    fn peek(&self) -> Option<&'p str> {
        self.lines.get(self.at).copied()
    }

    fn invalid(&self, why: &str) -> Failure {
        Failure::InvalidEdit(format!("{}: the patch can't be read: {why}", quoted(self.path)))
    }

    /// Passes over what stands before the first hunk; names in it must be this file's.
    fn preamble(&mut self) -> Result<(), Failure> {
        while let Some(line) = self.peek() {
            if line.starts_with("@@") {
                return Ok(());
            }
            if let Some(name) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
                self.is_for_this_file(name)?;
            }
            self.at += 1;
        }
        Err(self.invalid("it has no hunk; a hunk begins with a line like `@@ -12,3 +12,4 @@`, or `@@` alone"))
    }

    fn is_for_this_file(&self, name: &str) -> Result<(), Failure> {
        let name = name.split('\t').next().unwrap_or(name).trim();
        if name == "/dev/null" {
            return Err(self.invalid("it makes or removes a file; use write_file for a new file"));
        }
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).trim_matches('"').to_owned();
        if last(name) == last(self.path) {
            return Ok(());
        }
        Err(self.invalid(&format!("it is for {}; give that file's path", quoted(name))))
    }

    fn hunk(&mut self, number: usize) -> Result<Hunk<'p>, Failure> {
        let line = self.peek().unwrap_or_default();
        if !line.starts_with("@@") {
            return Err(self.misplaced(number, line));
        }
        self.at += 1;
        let header = header(line);
        let mut hunk =
            Hunk { number, at: None, lines: Vec::new(), old_is_unended: false, new_is_unended: false };
        match (header.old, header.new) {
            (Some(old), Some(new)) => self.counted(&mut hunk, old, new)?,
            (None, _) | (_, None) => self.uncounted(&mut hunk)?,
        }
        let (old, new) = hunk.count();
        if header.old.unwrap_or(old) != old || header.new.unwrap_or(new) != new {
            return Err(self.miscounted(&hunk, header));
        }
        hunk.at = header.start.map(|start| if old == 0 { start } else { start.saturating_sub(1) });
        if hunk.lines.iter().all(|line| matches!(line, Line::Context(_))) {
            return Err(self.invalid(&format!("hunk {number} changes nothing")));
        }
        Ok(hunk)
    }

    /// The lines of a hunk that says how many there are; a line that looks like a header is one of
    /// them as long as lines are due.
    fn counted(&mut self, hunk: &mut Hunk<'p>, old: usize, new: usize) -> Result<(), Failure> {
        let (mut old_left, mut new_left) = (old, new);
        while old_left > 0 || new_left > 0 {
            let Some(line) = self.peek().filter(|line| !line.starts_with("@@")) else { break };
            match line.as_bytes().first() {
                Some(b'-') => old_left = old_left.saturating_sub(1),
                Some(b'+') => new_left = new_left.saturating_sub(1),
                Some(b'\\') => {}
                Some(_) | None => {
                    old_left = old_left.saturating_sub(1);
                    new_left = new_left.saturating_sub(1);
                }
            }
            self.line(hunk, line)?;
        }
        while let Some(line) = self.peek().filter(|line| line.starts_with('\\')) {
            self.line(hunk, line)?;
        }
        let begins = |line: &str| line.starts_with([' ', '+', '-']) && !line.starts_with("--- ");
        if self.peek().is_some_and(begins) {
            let header = Header { start: None, old: Some(old), new: Some(new) };
            while let Some(line) = self.peek().filter(|line| begins(line)) {
                self.line(hunk, line)?;
            }
            return Err(self.miscounted(hunk, header));
        }
        while self.peek().is_some_and(str::is_empty) {
            self.at += 1;
        }
        Ok(())
    }

    /// The lines of a hunk that goes on to the next one.
    fn uncounted(&mut self, hunk: &mut Hunk<'p>) -> Result<(), Failure> {
        while let Some(line) = self.peek().filter(|line| !line.starts_with("@@")) {
            if line.starts_with("diff --git ") {
                return Err(self.misplaced(hunk.number, line));
            }
            self.line(hunk, line)?;
        }
        Ok(())
    }

    fn line(&mut self, hunk: &mut Hunk<'p>, line: &'p str) -> Result<(), Failure> {
        self.at += 1;
        if (hunk.old_is_unended && !line.starts_with(['+', '\\']))
            || (hunk.new_is_unended && !line.starts_with('\\'))
        {
            // Only added lines can follow the old side's last one; nothing the new side's.
            let number = hunk.number;
            return Err(self.invalid(&format!("hunk {number} goes on after `\\ No newline at end of file`")));
        }
        let line = match (line.chars().next(), line.get(1..)) {
            (None, _) => Line::Context(""),
            (Some(' '), Some(text)) => Line::Context(text),
            (Some('-'), Some(text)) => Line::Removed(text),
            (Some('+'), Some(text)) => Line::Added(text),
            (Some('\\'), _) => {
                match hunk.lines.last() {
                    Some(Line::Context(_)) => (hunk.old_is_unended, hunk.new_is_unended) = (true, true),
                    Some(Line::Removed(_)) => hunk.old_is_unended = true,
                    Some(Line::Added(_)) => hunk.new_is_unended = true,
                    None => return Err(self.misplaced(hunk.number, line)),
                }
                return Ok(());
            }
            (Some(_), _) => return Err(self.misplaced(hunk.number, line)),
        };
        hunk.lines.push(line);
        Ok(())
    }

    fn misplaced(&self, number: usize, line: &str) -> Failure {
        let line = cut(line, SHOWN_BYTES);
        self.invalid(&format!(
            "at hunk {number} stands `{line}`; lines of a hunk begin with ` `, `-` or `+`, and one call changes one file"
        ))
    }

    fn miscounted(&self, hunk: &Hunk<'_>, header: Header) -> Failure {
        let (old, new) = hunk.count();
        let said = |count: Option<usize>| count.map_or("?".to_owned(), |count| count.to_string());
        self.invalid(&format!(
            "hunk {} says {} old and {} new lines, but has {old} and {new}; correct that, or begin it with `@@` alone",
            hunk.number,
            said(header.old),
            said(header.new)
        ))
    }
}

/// What can be read of `@@ -12,3 +12,4 @@`; nothing of a bare `@@`.
fn header(line: &str) -> Header {
    let mut words = line.trim_start_matches('@').split_whitespace();
    let mut side = |sign| {
        let range = words.next()?.strip_prefix(sign)?;
        let (start, count) = match range.split_once(',') {
            Some((start, count)) => (start, Some(count.parse().ok()?)),
            None => (range, None),
        };
        Some((start.parse().ok()?, count))
    };
    match (side('-'), side('+')) {
        (Some((start, old)), Some((_, new))) => Header { start: Some(start), old, new },
        (Some(_) | None, _) => Header::default(),
    }
}
