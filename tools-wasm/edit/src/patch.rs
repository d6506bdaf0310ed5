//! Applying a unified diff to one file.
//!
//! Owns: from the hunks to the parts of the text that they replace. All hunks fit, or none is
//! applied. `parse` reads the diff, `place` finds where a hunk belongs.

mod parse;
mod place;

pub(crate) use parse::{Hunk, parse};

use crate::document::{Splice, line_starts};
use crate::failure::Failure;
use parse::Line;
use place::Places;
use std::ops::Range;

/// Whether the text ends with a line end after a change of its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FinalNewline {
    /// As before; the patch doesn't say.
    AsBefore,
    With,
    Without,
}

/// The parts of `text` that `hunks` replace.
pub(crate) fn splices(path: &str, text: &str, hunks: &[Hunk<'_>]) -> Result<Vec<Splice>, Failure> {
    let lines: Vec<&str> = text.lines_only().collect();
    let file = File { text, starts: line_starts(text) };
    let mut places = Places::new(path, text, &lines);
    let mut splices = Vec::new();
    for hunk in hunks {
        let mut at = places.next(hunk)?;
        let last = match (hunk.old_is_unended, hunk.new_is_unended) {
            (_, true) => FinalNewline::Without,
            (true, false) => FinalNewline::With,
            (false, false) => FinalNewline::AsBefore,
        };
        let mut rest = hunk.lines.as_slice();
        while let Some(first) = rest.first() {
            if let Line::Context(_) = first {
                at += 1;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let run = rest.iter().take_while(|line| !matches!(line, Line::Context(_))).count();
            let (changed, later) = rest.split_at(run);
            let removed = changed.iter().filter(|line| matches!(line, Line::Removed(_))).count();
            let added = changed.iter().filter_map(|line| match line {
                Line::Added(text) => Some(*text),
                Line::Context(_) | Line::Removed(_) => None,
            });
            splices.push(file.splice(at..at + removed, added, last));
            at += removed;
            rest = later;
        }
    }
    Ok(splices)
}

struct File<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl File<'_> {
    fn byte(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Replaces whole lines, minding that the last one may have no line end.
    fn splice<'n>(
        &self,
        lines: Range<usize>,
        added: impl Iterator<Item = &'n str>,
        last: FinalNewline,
    ) -> Splice {
        let mut range = self.byte(lines.start)..self.byte(lines.end);
        let mut new = String::new();
        for line in added {
            new.push_str(line);
            new.push('\n');
        }
        if range.end < self.text.len() {
            return Splice { range, new };
        }
        let ended = self.text.is_empty() || self.text.ends_with('\n');
        if range.is_empty() && !ended && !new.is_empty() {
            new.insert(0, '\n');
        }
        let wanted = match last {
            FinalNewline::AsBefore => ended,
            FinalNewline::With => true,
            FinalNewline::Without => false,
        };
        if !wanted && new.pop().is_none() && range.start > 0 && !range.is_empty() {
            // The line before is the last now, and loses its line end.
            range.start -= 1;
        }
        Splice { range, new }
    }
}

/// Lines without their line ends; unlike `str::lines`, a carriage return stays.
trait LinesOnly {
    fn lines_only(&self) -> impl Iterator<Item = &str>;
}

impl LinesOnly for str {
    fn lines_only(&self) -> impl Iterator<Item = &str> {
        self.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
    }
}
