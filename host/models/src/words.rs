//! Other people's words in our messages.
//!
//! Owns: bounding them and taking out what could act on a terminal. Doesn't own: taking out
//! secrets, which has to be done in between (`Connection`).

/// One line, without what could act on a terminal.
pub(crate) fn plain(text: &str) -> String {
    let mut line = String::new();
    for character in text.trim().chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if is_hidden(character) || (character == ' ' && line.ends_with(' ')) {
            continue;
        }
        line.push(character);
    }
    line
}

/// At most `limit` characters, with a mark where the text was cut.
pub(crate) fn cut(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Control characters, and marks that change how the text around them is read.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_bounded_line_without_control_characters() {
        assert_eq!(plain(" a\u{1b}[31m\nb\t\r\n c\u{202e} "), "a[31m b c");
        assert_eq!(cut("日本語です".to_owned(), 3), "日本語…");
        assert_eq!(cut("abc".to_owned(), 3), "abc");
    }
}
