//! Documentation as it may be shown: bounded, and without characters that steer a terminal or
//! hide something from the eye.

/// A tool's description in bytes.
pub(super) const DESCRIPTION_BYTES: usize = 8 << 10;

/// A description as a tool can have it: cleaned and cut as a component's own is; none if nothing is left
/// of it.
pub fn clean_description(text: &str) -> Option<String> {
    Some(clean(text, DESCRIPTION_BYTES)).filter(|text| !text.is_empty())
}

/// Cleans and bounds a text that a component carries: control, bidirectional-override,
/// zero-width and tag characters go, tabs become spaces, line ends become `\n`, and what is over
/// `max` bytes is cut with a mark.
pub(super) fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let kept = match char {
            '\r' if chars.peek() == Some(&'\n') => continue,
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => '\n',
            '\t' => ' ',
            hidden if is_hidden(hidden) => continue,
            visible => visible,
        };
        if out.len() + kept.len_utf8() > max {
            out.push_str(&format!("… [cut at {max} bytes]"));
            return out;
        }
        out.push(kept);
    }
    let trimmed = out.trim();
    if trimmed.len() == out.len() { out } else { trimmed.to_owned() }
}

fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_overrides_and_hidden_characters_are_dropped() {
        assert_eq!(clean("a\u{1b}[31mred\u{7}\tb\r\nc\rd", 100), "a[31mred b\nc\nd");
        assert_eq!(clean("\u{202e}evil\u{2066}\u{e0041}\u{200b}\u{9b}x", 100), "evilx");
        assert_eq!(clean("读取文件，по строкам", 100), "读取文件，по строкам");
        assert_eq!(clean("  \n a \n", 100), "a");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_with_a_mark() {
        assert_eq!(clean("ééé", 5), "éé… [cut at 5 bytes]");
        assert!(clean(&"x".repeat(100_000), 8192).len() < 8300);
    }
}
