//! The line at a place, bounded, without what must not be shown.

use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node, NodeMatch};
use ast_grep_language::SupportLang;
use std::ops::Range;

type Doc = StrDoc<SupportLang>;

/// The most bytes of an excerpt.
const LIMIT: usize = 240;

/// The line where a match starts, cut around the match, with every string's value as `…` if it
/// holds a secret.
pub(crate) fn excerpt(at: &NodeMatch<'_, Doc>, lines: &[&str], secret: bool) -> String {
    let (number, column) = at.start_pos().byte_point();
    let line = lines.get(number).copied().unwrap_or_default();
    if !secret {
        return shown(line, column);
    }
    let start = at.range().start - column;
    let within = start..start + line.len();
    let mut hidden = Vec::new();
    collect(at.root().root(), &within, &mut hidden);
    if !hidden.iter().any(|range| range.start < at.range().end && at.range().start < range.end) {
        // No string: all of it may be the secret.
        hidden.push(at.range());
    }
    hidden.sort_by_key(|range| range.start);
    let (mut masked, mut done) = (String::new(), 0);
    for range in hidden {
        let from = range.start.clamp(start, within.end) - start;
        let to = range.end.clamp(start, within.end) - start;
        if to <= done {
            continue;
        }
        masked.push_str(line.get(done..from.max(done)).unwrap_or_default());
        let value = line.get(from.max(done)..to).unwrap_or_default();
        let quote = value.chars().take(3).find(|c| matches!(c, '"' | '\'' | '`'));
        match quote {
            Some(quote) => masked.extend([quote, '…', quote]),
            None => masked.push('…'),
        }
        done = to;
    }
    masked.push_str(line.get(done..).unwrap_or_default());
    shown(&masked, column.min(masked.len()))
}

/// The outermost strings and comments that touch a range, without recursion into what doesn't.
fn collect(root: Node<'_, Doc>, within: &Range<usize>, hidden: &mut Vec<Range<usize>>) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let range = node.range();
        if range.start > within.end || range.end < within.start {
            continue;
        }
        if is_value(&node.kind()) {
            hidden.push(range);
        } else {
            stack.extend(node.children());
        }
    }
}

/// Whether a node's text is a value somebody wrote out: strings, scalars of YAML, comments.
fn is_value(kind: &str) -> bool {
    ["string", "char_literal", "heredoc", "scalar", "comment", "attribute_value"]
        .iter()
        .any(|word| kind.contains(word))
        && !kind.contains("string_array")
}

/// One line around a column, without control characters.
fn shown(line: &str, column: usize) -> String {
    let boundary = |mut at: usize| {
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let indent = line.len() - line.trim_start().len();
    let whole = line.trim();
    let text = if whole.len() <= LIMIT {
        whole.to_owned()
    } else {
        // A little of what stands before the match, and the match.
        let from = boundary(column.saturating_sub(60).max(indent).min(line.len()));
        let room = LIMIT - 2 * '…'.len_utf8();
        let to = boundary((from + room).min(line.len()));
        let middle = line.get(from..to).unwrap_or_default();
        let before = if from > indent { "…" } else { "" };
        let after = if to < line.trim_end().len() { "…" } else { "" };
        format!("{before}{middle}{after}")
    };
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_place_between_characters() {
        let line = format!("  {}eval(x){}", "文".repeat(500), "é".repeat(500));
        let cut = shown(&line, 2 + 1500);
        assert!(cut.len() <= LIMIT && cut.contains("eval(x)") && cut.starts_with('…') && cut.ends_with('…'));
        assert_eq!(shown("\teval(\u{1b}x)\r", 1), "eval( x)");
    }
}
