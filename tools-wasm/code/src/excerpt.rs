//! Pieces of source text, in one line and bounded.

/// What of a head is looked at, in bytes, before it is brought into one line.
const LOOKED_AT: usize = 4000;

/// `text` with every run of white space as one space, cut at `limit` bytes with `…`.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for word in up_to(text, LOOKED_AT).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > limit {
            break;
        }
    }
    bounded(out, limit)
}

/// `text` cut at `limit` bytes with `…`.
pub(crate) fn bounded(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(up_to(&text, limit).len());
        text.push('…');
    }
    text
}

/// The start of `text`, at most `limit` bytes, in whole characters.
fn up_to(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_brought_into_one_line_and_cut_between_characters() {
        assert_eq!(one_line("fn a(\n    b: u8,\n)  -> c", 100), "fn a( b: u8, ) -> c");
        assert_eq!(one_line("文文文", 4), "文…");
        assert_eq!(one_line(&"x".repeat(10_000), 5), "xxxxx…");
        assert_eq!(one_line("", 5), "");
    }
}
