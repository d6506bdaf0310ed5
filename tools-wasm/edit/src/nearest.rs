//! What in a file is most like a text that isn't there.

use std::fmt::Write;

/// Candidates shown, and lines of each.
const SHOWN: usize = 3;
const LINES_EACH: usize = 6;
/// Bytes shown and compared of a line.
const SHOWN_BYTES: usize = 160;
const COMPARED_BYTES: usize = 400;
/// Files with more lines, and texts with more, are not looked through.
const MOST_LINES: usize = 200_000;
const MOST_OLD_LINES: usize = 200;
/// How alike two lines must be, of 100.
const ALIKE: usize = 50;

/// An end for a message that says `old` isn't in `text`: what is there instead, with line numbers.
pub(crate) fn describe(text: &str, old: &str) -> String {
    let lines: Vec<&str> = text.lines().take(MOST_LINES + 1).collect();
    let wanted: Vec<&str> = old.lines().take(MOST_OLD_LINES + 1).collect();
    if lines.is_empty() {
        return "; it is empty".to_owned();
    }
    if lines.len() > MOST_LINES || wanted.len() > MOST_OLD_LINES {
        return "; read the part to change and give it exactly".to_owned();
    }
    if let Some(at) = but_for_spaces(&lines, &wanted) {
        let part = shown(&lines, at, wanted.len());
        return format!("; with other white space it is at line {}:\n{part}", at + 1);
    }
    let places = alike(&lines, &wanted);
    if places.is_empty() {
        return ", nor anything like it".to_owned();
    }
    let parts: Vec<String> = places.into_iter().map(|at| shown(&lines, at, wanted.len())).collect();
    format!("; the nearest there is:\n{}", parts.join("  …\n"))
}

/// Where the lines would match if white space didn't matter.
fn but_for_spaces(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let squeezed = |line: &str| line.split_whitespace().collect::<String>();
    let wanted: Vec<String> = wanted.iter().map(|line| squeezed(line)).collect();
    let first = wanted.iter().position(|line| !line.is_empty())?;
    let last = wanted.iter().rposition(|line| !line.is_empty())?;
    let wanted = wanted.get(first..=last)?;
    let lines: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    let found = lines.windows(wanted.len()).position(|window| window == wanted)?;
    Some(found.saturating_sub(first))
}

/// Where `wanted` would start, going by the lines most like its longest one; best first.
fn alike(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let longest = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len());
    let Some((index, probe)) = longest.filter(|(_, line)| !line.trim().is_empty()) else { return Vec::new() };
    let mut pairs = Pairs::of(probe.trim());
    let mut scored: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (pairs.likeness(line.trim()), at))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by_key(|(score, at)| (usize::MAX - score, *at));
    scored.into_iter().take(SHOWN).map(|(_, at)| at.saturating_sub(index)).collect()
}

/// The pairs of neighbouring bytes in a text, counted under a hash of 12 bits.
struct Pairs {
    counts: Vec<u16>,
    total: usize,
}

impl Pairs {
    fn of(text: &str) -> Self {
        let mut counts = vec![0; 4096];
        let mut total = 0;
        for pair in pairs(text) {
            if let Some(count) = counts.get_mut(pair) {
                *count += 1;
                total += 1;
            }
        }
        Self { counts, total }
    }

    /// How many pairs both have, of 100.
    fn likeness(&mut self, other: &str) -> usize {
        let (mut common, mut others) = (0, 0);
        let mut taken = Vec::new();
        for pair in pairs(other) {
            others += 1;
            if let Some(count) = self.counts.get_mut(pair).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
                taken.push(pair);
            }
        }
        for pair in taken {
            if let Some(count) = self.counts.get_mut(pair) {
                *count += 1;
            }
        }
        200 * common / (self.total + others).max(1)
    }
}

fn pairs(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes().get(..COMPARED_BYTES).unwrap_or(text.as_bytes());
    bytes.windows(2).map(|pair| match pair {
        [a, b] => (usize::from(*a) * 31 + usize::from(*b)) & 0xfff,
        _ => 0,
    })
}

fn shown(lines: &[&str], from: usize, count: usize) -> String {
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate().skip(from).take(count.clamp(1, LINES_EACH)) {
        let _ = writeln!(out, "{:>6}: {}", at + 1, cut(line, SHOWN_BYTES));
    }
    out
}

/// At most `most` bytes of a line, with a mark where there is more.
pub(crate) fn cut(line: &str, most: usize) -> String {
    let mut end = most.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    match line.get(..end) {
        Some(start) if end < line.len() => format!("{start}…[+{} bytes]", line.len() - end),
        _ => line.to_owned(),
    }
}
