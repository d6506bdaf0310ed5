//! Characters that a reader doesn't see: they reorder text, or hide some in it.

/// Whether `c` is dropped from whatever comes from the web: controls, marks of direction, characters
/// without width, tags and the variation selectors in which text can be hidden. Joiners stay: Persian and
/// emoji need them.
pub(crate) fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// `text` in one line: without unseen characters, white space collapsed, at most `most` characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let mut word = word.chars().filter(|c| !is_unseen(*c)).peekable();
        if word.peek().is_none() {
            continue;
        }
        let space = (!out.is_empty()).then_some(' ');
        for c in space.into_iter().chain(word) {
            if count == most {
                out.push('…');
                return out;
            }
            out.push(c);
            count += 1;
        }
    }
    out
}

/// `text` as it is but for unseen characters and with plain line ends.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).collect()
}
