//! Text from strangers on a person's terminal.
//!
//! File names, tool results, models' words and projects' files may hold escape sequences that
//! move the cursor, set the title or paint over what was said, and controls that reverse the
//! direction of text. All of them are shown as what they are.

mod diff;

pub use diff::diff;

use std::fmt::Write;
use std::io::IsTerminal;

/// The text with everything that acts on a terminal made visible; lines and tabs stay.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\t' => out.push(character),
            character => push(&mut out, character),
        }
    }
    out
}

/// Source text that somebody is to judge: besides what acts on a terminal, what takes no room in
/// it is made visible, since a program may read what a person can't see.
pub fn source(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in plain(text).chars() {
        if is_unseen(character) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// The text on one line of at most `most` characters, safe for a terminal.
pub fn one_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        for character in (count > 0).then_some(' ').into_iter().chain(word.chars()) {
            if count == most {
                out.pop();
                out.push('…');
                return out;
            }
            push(&mut out, character);
            count += 1;
        }
    }
    out
}

/// A name of a file on one line: two that differ look different. White space other than a space in
/// its middle is shown by its number, and a backslash is doubled, so that nothing looks like that.
pub fn name(text: &str) -> String {
    let inner = text.trim_matches(' ');
    let begins = text.len() - text.trim_start_matches(' ').len();
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let is_inner = at >= begins && at < begins + inner.len();
        let is_seen = if character == ' ' { is_inner } else { !character.is_whitespace() };
        match character {
            '\\' => out.push_str("\\\\"),
            _ if is_seen && !is_unseen(character) => push(&mut out, character),
            _ => out.extend(character.escape_unicode()),
        }
    }
    out
}

/// JSON text with everything that acts on a terminal as an escape of JSON's own: whoever parses it
/// sees no difference. What is outside of strings holds no such characters.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) && !matches!(character, '\n' | '\t' | '\r') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// Forgets what was typed before a question was seen: it can't be meant as the answer.
pub fn forget_typed_ahead() {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        // A terminal that can't do so asks all the same.
        let _ = rustix::termios::tcflush(stdin, rustix::termios::QueueSelector::IFlush);
    }
}

/// Whether a person can be asked: they see standard error and type on standard input.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn push(out: &mut String, character: char) {
    if acts(character) {
        let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
    } else {
        out.push(character);
    }
}

/// Whether a character is there and can't be seen, or looks like a space and is none.
fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e0fff}')
}

/// Whether a character does something other than being seen.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Marks, embeddings, overrides and isolates of direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Separators of lines; nothing at all; annotations.
            | '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Tags: a second alphabet that nobody sees.
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_t_be_seen_in_a_source_is_shown() {
        assert_eq!(source("eval('\u{e0100}\u{fe00}x\u{3164}')\n"), "eval('\\u{e0100}\\u{fe00}x\\u{3164}')\n");
        assert_eq!(source("变量\t= 'é'\n"), "变量\t= 'é'\n");
    }

    #[test]
    fn escape_sequences_and_overrides_are_shown_and_not_done() {
        assert_eq!(plain("a\u{1b}[31mred\u{9b}2J\u{7f}"), "a\\u{1b}[31mred\\u{9b}2J\\u{7f}");
        assert_eq!(plain("evil\u{202e}txt.exe\u{2066}"), "evil\\u{202e}txt.exe\\u{2066}");
        assert_eq!(plain("over\rwritten\u{8}"), "over\\u{d}written\\u{8}");
        assert_eq!(plain("tag\u{e0041}"), "tag\\u{e0041}");
    }

    #[test]
    fn json_is_escaped_for_a_terminal_and_parses_to_the_same() {
        let text = "a\u{9b}2J\u{7f}\u{202e}\u{e0041}\n分析";
        let written = serde_json::to_string_pretty(&[text]).unwrap();
        let shown = json(&written);
        assert_eq!(shown, "[\n  \"a\\u009b2J\\u007f\\u202e\\udb40\\udc41\\n分析\"\n]");
        assert_eq!(serde_json::from_str::<[String; 1]>(&shown).unwrap(), [text]);
    }

    #[test]
    fn ordinary_text_in_any_script_stays_as_it_is() {
        let text = "分析\tПривет\nשלום مرحبا 👩‍👩‍👧 é";
        assert_eq!(plain(text), text);
        assert_eq!(plain("one\r\ntwo\r\n"), "one\ntwo\n");
    }

    #[test]
    fn names_that_differ_look_different() {
        for (text, shown) in [
            ("one two.txt", "one two.txt"),
            ("one  two.txt", "one  two.txt"),
            ("one\u{a0}two.txt", "one\\u{a0}two.txt"),
            ("one\\u{a0}two.txt", "one\\\\u{a0}two.txt"),
            (" one two.txt ", "\\u{20}one two.txt\\u{20}"),
            ("one\ttwo\nthree\u{3000}\u{200d}", "one\\u{9}two\\u{a}three\\u{3000}\\u{200d}"),
            ("\u{1b}[31m\u{202e}", "\\u{1b}[31m\\u{202e}"),
            ("  ", "\\u{20}\\u{20}"),
            ("分析/é.txt", "分析/é.txt"),
        ] {
            assert_eq!(name(text), shown);
        }
    }

    #[test]
    fn one_line_is_bounded_in_characters() {
        assert_eq!(one_line("  a\n b\t c ", 10), "a b c");
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcde…");
        assert_eq!(one_line("分析主要", 3), "分析…");
        assert_eq!(one_line("", 3), "");
    }
}
