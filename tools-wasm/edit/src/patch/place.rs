//! Where in a file a hunk belongs.

use super::parse::Hunk;
use crate::failure::Failure;
use crate::nearest::{self, cut};
use ringfence_guest_project::quoted;

/// How many places a message lists, and bytes of a line.
const LISTED: usize = 10;
const SHOWN_BYTES: usize = 160;

/// Finds hunk after hunk, from the top of the file down.
pub(super) struct Places<'a> {
    path: &'a str,
    text: &'a str,
    lines: &'a [&'a str],
    /// The first line that is not an earlier hunk's.
    free: usize,
}

impl<'a> Places<'a> {
    pub(super) fn new(path: &'a str, text: &'a str, lines: &'a [&'a str]) -> Self {
        Self { path, text, lines, free: 0 }
    }

    /// The line, from 0, where this hunk's old lines stand: where it says, else the only place.
    pub(super) fn next(&mut self, hunk: &Hunk<'_>) -> Result<usize, Failure> {
        let old = hunk.old();
        let at = self.find(hunk, &old)?;
        let end = at + old.len();
        self.ends(hunk, end)?;
        self.free = end;
        Ok(at)
    }

    fn find(&self, hunk: &Hunk<'_>, old: &[&str]) -> Result<usize, Failure> {
        if let Some(at) = hunk.at.filter(|at| *at >= self.free && self.fits(*at, old)) {
            return Ok(at);
        }
        if old.is_empty() {
            return Err(self.no_match(hunk, "; it has no line by which to find its place: add context"));
        }
        let last = self.lines.len().saturating_sub(old.len());
        let mut found = (self.free..=last).filter(|at| self.fits(*at, old));
        match (found.next(), found.next()) {
            (None, _) => Err(self.unfit(hunk, old)),
            (Some(at), None) => Ok(at),
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(found.take(LISTED));
                let all: Vec<String> = all.map(|at| (at + 1).to_string()).collect();
                Err(Failure::Ambiguous(format!(
                    "{}: hunk {} fits at lines {}; add context, or say which in its header",
                    quoted(self.path),
                    hunk.number,
                    all.join(", ")
                )))
            }
        }
    }

    fn fits(&self, at: usize, old: &[&str]) -> bool {
        self.lines.get(at..at + old.len()).is_some_and(|lines| lines == old)
    }

    /// What the patch says of the last line's end must be so.
    fn ends(&self, hunk: &Hunk<'_>, end: usize) -> Result<(), Failure> {
        let is_last = end == self.lines.len();
        let old_is_wrong = hunk.old_is_unended && (!is_last || self.text.ends_with('\n'));
        if old_is_wrong || (hunk.new_is_unended && !is_last) {
            let why = "; the line it marks with `\\ No newline at end of file` is not so";
            return Err(self.no_match(hunk, why));
        }
        Ok(())
    }

    fn unfit(&self, hunk: &Hunk<'_>, old: &[&str]) -> Failure {
        let here = hunk.at.and_then(|at| Some((at, self.lines.get(at..)?)));
        if let Some((at, lines)) = here {
            let same = lines.iter().zip(old).take_while(|(a, b)| a == b).count();
            if same > 0 {
                let show = |line: Option<&&str>| {
                    line.map_or("its end".into(), |l| format!("`{}`", cut(l, SHOWN_BYTES)))
                };
                let (has, wants) = (show(lines.get(same)), show(old.get(same)));
                let line = at + same + 1;
                return self
                    .no_match(hunk, &format!(": at line {line} it has {has}, the patch wants {wants}"));
            }
        }
        self.no_match(hunk, &nearest::describe(self.text, &old.join("\n")))
    }

    fn no_match(&self, hunk: &Hunk<'_>, why: &str) -> Failure {
        let (path, number) = (quoted(self.path), hunk.number);
        Failure::NoMatch(format!("{path}: the lines of hunk {number} are not in this file{why}"))
    }
}
