//! Lines of code, of comment, and blank ones.

use crate::model::Counts;
use std::ops::Range;

/// Sets the line numbers of `counts`. `comments` are ranges of bytes, in any order.
pub(crate) fn count(text: &str, mut comments: Vec<Range<usize>>, counts: &mut Counts) {
    comments.sort_unstable_by_key(|range| (range.start, range.end));
    let mut comments = comments.into_iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let (mut code, mut comment) = (false, false);
        for (at, byte) in (start..).zip(line.bytes()) {
            while comments.next_if(|range| range.end <= at).is_some() {}
            if byte.is_ascii_whitespace() {
                continue;
            }
            if comments.peek().is_some_and(|range| range.start <= at) { comment = true } else { code = true }
        }
        start = end;
        counts.lines += 1;
        match (code, comment) {
            (true, _) => counts.code_lines += 1,
            (false, true) => counts.comment_lines += 1,
            (false, false) => counts.blank_lines += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_code_where_anything_but_a_comment_is_on_it() {
        let text = "a /* x */ b\n/* y\n\nz */\n  // w\n\nend";
        let mut ranges = Vec::new();
        for comment in ["/* x */", "/* y\n\nz */", "// w"] {
            let start = text.find(comment).unwrap();
            ranges.insert(0, start..start + comment.len());
        }
        let mut counts = Counts::default();
        count(text, ranges, &mut counts);
        assert_eq!((counts.lines, counts.code_lines, counts.comment_lines, counts.blank_lines), (7, 2, 3, 2));
    }
}
