//! Other people's words in our messages.
//!
//! Owns: bounding them and taking out what could act on a terminal.

/// At most `limit` characters on one line, with a mark where it was cut.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for character in text.trim().chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if is_hidden(character) || (character == ' ' && shown.ends_with(' ')) {
            continue;
        }
        if count == limit {
            shown.push('…');
            break;
        }
        shown.push(character);
        count += 1;
    }
    shown
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
        assert_eq!(bounded(" a\u{1b}[31m\nb\t\r\n c\u{202e} ", 100), "a[31m b c");
        assert_eq!(bounded("日本語です", 3), "日本語…");
        assert_eq!(bounded("abc", 3), "abc");
    }
}
