//! Comments that stand before what they document.

use crate::excerpt::one_line;
use tree_sitter::Node;

/// The longest doc line that is kept, in bytes.
const LONGEST: usize = 200;
/// The widest indent that a comment on a line of its own has, in bytes.
const WIDEST_INDENT: usize = 1000;

/// The last run of comments that stand on lines of their own, without a gap.
#[derive(Debug, Default)]
pub(crate) struct Comments(Option<Run>);

#[derive(Debug)]
struct Run {
    start: usize,
    end: usize,
    /// The row it reaches to, attributes and decorators after it included.
    last_row: usize,
    is_doc: bool,
}

impl Comments {
    /// Takes note of a comment.
    pub(crate) fn add(&mut self, node: Node<'_>, text: &str, is_doc: bool) {
        let column = node.start_position().column;
        let before = text.get(node.start_byte().saturating_sub(column)..node.start_byte());
        if column > WIDEST_INDENT || !before.unwrap_or_default().trim().is_empty() {
            return;
        }
        let (first, last) = rows(node);
        match &mut self.0 {
            Some(run) if run.is_doc == is_doc && run.last_row + 1 == first => {
                run.end = node.end_byte();
                run.last_row = last;
            }
            _ => {
                self.0 = Some(Run { start: node.start_byte(), end: node.end_byte(), last_row: last, is_doc })
            }
        }
    }

    /// Takes note of something that may stand between a comment and what it documents.
    pub(crate) fn bridge(&mut self, node: Node<'_>) {
        let (first, last) = rows(node);
        if let Some(run) = &mut self.0
            && run.last_row + 1 >= first
        {
            run.last_row = run.last_row.max(last);
        }
    }

    /// The first line of the doc comment that ends right before `node`.
    pub(crate) fn before(&self, node: Node<'_>, text: &str) -> Option<String> {
        let run = self.0.as_ref()?;
        let fits =
            run.is_doc && run.end <= node.start_byte() && run.last_row + 1 >= node.start_position().row;
        fits.then(|| first_line(text.get(run.start..run.end)?)).flatten()
    }
}

/// First and last row of a node; one that ends with a line's end doesn't reach into the next.
pub(crate) fn rows(node: Node<'_>) -> (usize, usize) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row, last)
}

/// The first line with words, without the marks of a comment or a docstring.
pub(crate) fn first_line(comment: &str) -> Option<String> {
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['/', '*', '!', '#']);
        one_line(line.trim_end_matches("*/").trim_end_matches('*'), LONGEST)
    };
    comment.lines().map(bare).find(|line| line.chars().any(char::is_alphanumeric))
}
