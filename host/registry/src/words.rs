//! Other people's words, fit for an error: one line, bounded, nothing that acts on a terminal.

/// The text with white space and control characters as single spaces, cut to so many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut line = String::new();
    for (count, word) in plain.split_whitespace().enumerate() {
        if count > 0 {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > most {
            let mut short: String = line.chars().take(most).collect();
            short.push('…');
            return short;
        }
    }
    line
}
