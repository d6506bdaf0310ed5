//! A unified diff for a person's eyes: two lines that differ look different.
//!
//! Ends of lines and white space that looks like other white space are marked where a change is about
//! them, and left as they are elsewhere: many a file has them all over.

use super::source;
use std::collections::{HashMap, HashSet};

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A name, a mode, or a remark.
    Head,
    /// Where a part begins.
    Part,
    Context,
    Removed,
    Added,
}

struct Line<'t> {
    kind: Kind,
    /// Without its end.
    text: &'t str,
    ends_in_cr: bool,
    /// The file ends here, in the middle of the line.
    is_cut: bool,
    marks: Marks,
}

/// What of a line is marked.
#[derive(Default)]
struct Marks {
    end: bool,
    /// Tabs, and spaces at its end.
    white: bool,
    /// These.
    spaces: Vec<char>,
}

/// A diff, safe for a terminal, with what nobody could see made visible.
pub fn diff(text: &str) -> String {
    let mut lines = parsed(text);
    for file in lines.chunk_by_mut(|one, other| one.kind == Kind::Head || other.kind != Kind::Head) {
        mark_ends(file);
        for block in file.chunk_by_mut(|one, other| is_change(one) && is_change(other)) {
            mark_spaces(block);
            mark_lookalikes(block);
        }
    }
    let mut out = String::with_capacity(text.len());
    for line in &lines {
        out.push_str(&source(&marked(line)));
        out.push('\n');
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

fn parsed(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    // Lines that are left of the part, of both sides.
    let (mut old, mut new) = (0_u64, 0_u64);
    for text in text.lines_of() {
        let kind = match text.as_bytes().first() {
            Some(b' ') if old > 0 && new > 0 => Kind::Context,
            Some(b'-') if old > 0 => Kind::Removed,
            Some(b'+') if new > 0 => Kind::Added,
            Some(b'\\') if lines.last().is_some_and(|line| line.kind != Kind::Head) => {
                if let Some(line) = lines.last_mut() {
                    line.is_cut = true;
                }
                Kind::Part
            }
            Some(b'@') => {
                (old, new) = lengths(text).unwrap_or_default();
                Kind::Part
            }
            Some(_) | None => {
                (old, new) = (0, 0);
                Kind::Head
            }
        };
        old -= u64::from(matches!(kind, Kind::Context | Kind::Removed));
        new -= u64::from(matches!(kind, Kind::Context | Kind::Added));
        let is_body = matches!(kind, Kind::Context | Kind::Removed | Kind::Added);
        let bare = text.strip_suffix('\r').filter(|_| is_body);
        lines.push(Line {
            kind,
            text: bare.unwrap_or(text),
            ends_in_cr: bare.is_some(),
            is_cut: false,
            marks: Marks::default(),
        });
    }
    lines
}

trait Lines {
    /// The lines without `\n`, and with a `\r` that they end in.
    fn lines_of(&self) -> impl Iterator<Item = &str>;
}

impl Lines for str {
    fn lines_of(&self) -> impl Iterator<Item = &str> {
        self.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
    }
}

/// How many lines of both sides `@@ -1,2 +1,3 @@` begins.
fn lengths(part: &str) -> Option<(u64, u64)> {
    let mut ranges = part.strip_prefix("@@ -")?.split(' ');
    let length = |range: &str| match range.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => Some(1),
    };
    Some((length(ranges.next()?)?, length(ranges.next()?.strip_prefix('+')?)?))
}

fn is_change(line: &Line<'_>) -> bool {
    // The remark that a file ends in the middle of a line stands between its two sides.
    matches!(line.kind, Kind::Removed | Kind::Added)
        || (line.kind == Kind::Part && line.text.starts_with('\\'))
}

/// Marks how lines end if not all that are shown of a file end alike.
fn mark_ends(file: &mut [Line<'_>]) {
    let body = |line: &&Line<'_>| !matches!(line.kind, Kind::Head | Kind::Part) && !line.is_cut;
    let with_cr = file.iter().filter(body).filter(|line| line.ends_in_cr).count();
    let differ = with_cr > 0 && with_cr < file.iter().filter(body).count();
    for line in file.iter_mut().filter(|line| is_change(line) && line.ends_in_cr) {
        line.marks.end = differ || line.is_cut;
    }
}

/// Marks the kinds of spaces of which a change takes or adds some.
fn mark_spaces(block: &mut [Line<'_>]) {
    let mut balance: HashMap<char, i64> = HashMap::new();
    for line in block.iter() {
        let one = match line.kind {
            Kind::Added => 1,
            Kind::Removed => -1,
            Kind::Head | Kind::Part | Kind::Context => continue,
        };
        for space in line.text.chars().filter(|c| is_odd_space(*c)) {
            *balance.entry(space).or_default() += one;
        }
    }
    let unbalanced: Vec<char> = balance.into_iter().filter(|(_, more)| *more != 0).map(|(c, _)| c).collect();
    for line in block.iter_mut().filter(|line| is_change(line)) {
        line.marks.spaces.clone_from(&unbalanced);
    }
}

/// Marks all white space of lines that differ from one of the other side in nothing else.
fn mark_lookalikes(block: &mut [Line<'_>]) {
    let mut removed: HashMap<String, HashSet<&str>> = HashMap::new();
    for line in block.iter().filter(|line| line.kind == Kind::Removed) {
        removed.entry(look(line.text)).or_default().insert(body(line.text));
    }
    let alike: HashSet<String> = block
        .iter()
        .filter(|line| line.kind == Kind::Added)
        .map(|line| (look(line.text), body(line.text)))
        .filter(|(look, text)| removed.get(look).is_some_and(|old| !old.contains(text)))
        .map(|(look, _)| look)
        .collect();
    for line in block.iter_mut().filter(|line| is_change(line)) {
        if alike.contains(&look(line.text)) {
            line.marks.white = true;
            line.marks.spaces = line.text.chars().filter(|c| is_odd_space(*c)).collect();
        }
    }
}

fn body(line: &str) -> &str {
    line.get(1..).unwrap_or_default()
}

/// What somebody sees of a line's text.
fn look(line: &str) -> String {
    body(line).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn marked(line: &Line<'_>) -> String {
    let ends = if line.marks.white { line.text.trim_end_matches(' ').len() } else { line.text.len() };
    let mut out = String::with_capacity(line.text.len());
    for (at, character) in line.text.char_indices() {
        let is_marked = line.marks.spaces.contains(&character)
            || (line.marks.white && at > 0 && (character == '\t' || (character == ' ' && at >= ends)));
        if is_marked {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    if line.marks.end {
        out.extend('\r'.escape_unicode());
    }
    out
}

/// Whether a character looks like a space, or several, and is another one.
fn is_odd_space(character: char) -> bool {
    character.is_whitespace() && !character.is_control() && character != ' '
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(lines: &[&str]) -> String {
        let count = |other| lines.iter().filter(|line| !line.starts_with(['\\', other])).count();
        let head = format!("--- a/x\n+++ b/x\n@@ -1,{} +1,{} @@\n", count('+'), count('-'));
        lines.iter().fold(head, |text, line| text + line + "\n")
    }

    fn shown(lines: &[&str]) -> Vec<String> {
        diff(&part(lines)).lines().skip(3).map(str::to_owned).collect()
    }

    #[test]
    fn an_end_of_line_that_changes_is_marked() {
        assert_eq!(shown(&["-a", "+a\r", " b"]), ["-a", "+a\\u{d}", " b"]);
        assert_eq!(shown(&["-a\r", "+a", " b\r"]), ["-a\\u{d}", "+a", " b"]);
        assert_eq!(shown(&["-a\r", "-b\r", "+a", "+b"]), ["-a\\u{d}", "-b\\u{d}", "+a", "+b"]);
        assert_eq!(shown(&["-a", "\\ No newline", "+a\r"])[2], "+a", "the remark tells it");
    }

    #[test]
    fn ends_of_lines_that_are_all_alike_are_not() {
        assert_eq!(shown(&[" a\r", "-b\r", "+c\r", "+d\r"]), [" a", "-b", "+c", "+d"]);
        let last = ["-b", "\\ No newline at end of file", "+c", "\\ No newline at end of file"];
        assert_eq!(shown(&[&[" a\r"], &last[..]].concat()), [&[" a"], &last[..]].concat());
    }

    #[test]
    fn spaces_that_come_or_go_are_marked_and_others_are_not() {
        for space in "\u{a0}\u{1680}\u{2000}\u{2007}\u{200a}\u{202f}\u{205f}\u{3000}".chars() {
            let (with, mark) = (format!("+rm{space}x"), format!("+rm\\u{{{:x}}}x", u32::from(space)));
            assert_eq!(shown(&["-rm x", &with]), ["-rm x", &mark]);
            assert_eq!(shown(&["-other", &with]), ["-other", &mark]);
            assert_eq!(shown(&[&with]), [mark]);
            let (context, old) = (format!(" rm{space}x"), format!("-say{space}x"));
            assert_eq!(shown(&[&context, &old, &with]), [&context, &old, &with].map(|line| line.as_str()));
        }
        // One goes here, and one comes there.
        assert_eq!(shown(&["-a\u{a0}b c", "+a b\u{a0}c"]), ["-a\\u{a0}b c", "+a b\\u{a0}c"]);
    }

    #[test]
    fn lines_that_differ_in_white_space_alone_show_it() {
        assert_eq!(shown(&["-a", "+a  "]), ["-a", "+a\\u{20}\\u{20}"]);
        assert_eq!(shown(&["-\ta\tb", "+        a\tb"]), ["-\\u{9}a\\u{9}b", "+        a\\u{9}b"]);
        assert_eq!(shown(&["-\ta", "+\tb "]), ["-\ta", "+\tb "]);
        assert_eq!(shown(&["-", "+  "]), ["-", "+\\u{20}\\u{20}"]);
    }

    #[test]
    fn a_content_that_looks_like_a_head_is_a_content() {
        let text = part(&["--- a/x\r", "+++ b/x", " @@ -1 +1 @@"]);
        assert!(diff(&text).contains("\n--- a/x\\u{d}\n+++ b/x\n"), "{}", diff(&text));
        let two = format!("{text}{}", part(&["-a\r", "+b\r"]));
        assert!(diff(&two).ends_with("-a\n+b\n"), "each file for itself: {}", diff(&two));
        assert_eq!(diff("no diff at all"), "no diff at all");
    }
}
