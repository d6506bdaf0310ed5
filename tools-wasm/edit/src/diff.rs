//! A change shown as hunks of a unified diff, from the parts that are replaced.
//!
//! Owns: whole lines from parts of them, context, bounds. Compares no texts: what changed is known.

use crate::document::{Splice, line_starts};
use crate::nearest::cut;
use std::ops::Range;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// The most bytes of a diff, and of one of its lines.
const MOST_BYTES: usize = 16 << 10;
const LINE_BYTES: usize = 500;

/// The change, shown and counted.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    pub(crate) text: String,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    full: bool,
    shortened: bool,
}

/// Lines that are replaced, by number from 0, and the lines that come instead.
struct Change {
    old: Range<usize>,
    new: Vec<String>,
}

/// Shows what `splices` do to `before`.
pub(crate) fn hunks(before: &str, splices: &[Splice]) -> Diff {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let changes = changes(before, &lines, splices);
    let mut diff = Diff::default();
    let mut rest = changes.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let mut together = 1;
        let mut end = first.old.end;
        for next in others {
            if next.old.start > end + 2 * CONTEXT {
                break;
            }
            end = next.old.end;
            together += 1;
        }
        let (hunk, later) = rest.split_at(together);
        diff.hunk(&lines, hunk, end);
        rest = later;
    }
    diff
}

impl Diff {
    /// Whether the text shows less than all of the change.
    pub(crate) fn is_cut(&self) -> bool {
        self.full || self.shortened
    }

    fn hunk(&mut self, lines: &[&str], changes: &[Change], end: usize) {
        let Some(first) = changes.first() else { return };
        let from = first.old.start.saturating_sub(CONTEXT);
        let to = (end + CONTEXT).min(lines.len());
        let removed: usize = changes.iter().map(|change| change.old.len()).sum();
        let added: usize = changes.iter().map(|change| change.new.len()).sum();
        let (old, new) = (to - from, to - from + added - removed);
        // A side without lines is named by the line before it.
        let number = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        let new_from = from + self.added - self.removed;
        self.put(&format!("@@ -{},{old} +{},{new} @@\n", number(from, old), number(new_from, new)));
        let mut at = from;
        for change in changes {
            self.lines(' ', lines.get(at..change.old.start).unwrap_or_default());
            self.lines('-', lines.get(change.old.clone()).unwrap_or_default());
            self.lines('+', &change.new);
            at = change.old.end;
        }
        self.lines(' ', lines.get(at..to).unwrap_or_default());
        self.added += added;
        self.removed += removed;
    }

    fn lines(&mut self, sign: char, lines: &[impl AsRef<str>]) {
        for line in lines {
            let line = line.as_ref();
            let content = line.strip_suffix('\n').unwrap_or(line);
            self.shortened |= content.len() > LINE_BYTES;
            let end = if line.ends_with('\n') { "" } else { "\\ No newline at end of file\n" };
            self.put(&format!("{sign}{}\n{end}", cut(content, LINE_BYTES)));
        }
    }

    fn put(&mut self, text: &str) {
        // Nothing follows what was left out.
        self.full |= self.text.len() + text.len() > MOST_BYTES;
        if !self.full {
            self.text.push_str(text);
        }
    }
}

/// Whole lines for the parts that are replaced, those in common at either end left out.
fn changes(before: &str, lines: &[&str], splices: &[Splice]) -> Vec<Change> {
    let starts = line_starts(before);
    let mut changes = Vec::new();
    let mut rest = splices;
    while let Some(first) = rest.first() {
        let (from, mut to) = whole_lines(before, &starts, first);
        let byte = |line: usize| starts.get(line).copied().unwrap_or(before.len());
        let (mut at, mut after) = (byte(from), String::new());
        loop {
            match rest.split_first() {
                Some((next, later))
                    if std::ptr::eq(next, first) || whole_lines(before, &starts, next).0 < to =>
                {
                    to = to.max(whole_lines(before, &starts, next).1);
                    after.push_str(before.get(at..next.range.start).unwrap_or_default());
                    after.push_str(&next.new);
                    at = next.range.end;
                    rest = later;
                }
                // What lost its line end goes on with the next line.
                Some(_) | None if at == byte(to) && to < lines.len() && !is_ended(&after) => to += 1,
                Some(_) | None => break,
            }
        }
        after.push_str(before.get(at..byte(to)).unwrap_or_default());
        changes.extend(trimmed(lines, from..to, &after));
    }
    changes
}

fn is_ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// The lines, from and to, that a splice touches.
fn whole_lines(before: &str, starts: &[usize], splice: &Splice) -> (usize, usize) {
    let Range { start, end } = splice.range;
    // The line that a byte is in; past the last line end that is one more than there are.
    let line = |at: usize| {
        if at == before.len() && (at == 0 || before.ends_with('\n')) {
            starts.len()
        } else {
            starts.partition_point(|line| *line <= at).saturating_sub(1)
        }
    };
    let starts_line = |at: usize| at == 0 || before.as_bytes().get(at - 1) == Some(&b'\n');
    let from = line(start);
    let whole =
        starts_line(end) && (splice.new.ends_with('\n') || (splice.new.is_empty() && starts_line(start)));
    let to = if whole { line(end) } else { (line(end) + 1).min(starts.len()) };
    (from, to.max(from))
}

fn trimmed(lines: &[&str], range: Range<usize>, after: &str) -> Option<Change> {
    let old = lines.get(range.clone()).unwrap_or_default();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let kept = new.get(head..new.len() - tail).unwrap_or_default();
    let old = range.start + head..range.end - tail;
    let change = Change { old, new: kept.iter().map(|line| (*line).to_owned()).collect() };
    (!change.old.is_empty() || !change.new.is_empty()).then_some(change)
}
