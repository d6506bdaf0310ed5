//! Text from guests, models and projects, made harmless: no control characters, no terminal
//! escapes, no bidirectional tricks anywhere; in Markdown no markup of its own.

use super::Report;
use serde_json::{Map, Value};

/// The report with every text in it made plain.
pub(super) fn neutral(report: Report) -> Report {
    let Ok(value) = serde_json::to_value(&report) else { return report };
    serde_json::from_value(walk(value)).unwrap_or(report)
}

fn walk(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(walk).collect()),
        Value::Object(map) => Value::Object(
            map.into_iter().map(|(key, value)| (plain(&key), walk(value))).collect::<Map<_, _>>(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A text in which characters that act instead of being shown are shown. Line breaks and tabs
/// stay.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' => {}
            '\u{0}'..='\u{1f}' => shown.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => shown.push('\u{2421}'),
            '\u{2028}' | '\u{2029}' => shown.push('\n'),
            '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}' => shown.push_str(&format!("[U+{:04X}]", c as u32)),
            c => shown.push(c),
        }
    }
    shown
}

/// A text as one line of Markdown. Words between single backticks stay code; everything else is
/// shown as it is, whatever it looks like.
pub(super) fn inline(text: &str) -> String {
    render(text, false)
}

/// The same inside a table, where a pipe ends the cell even in a code span, unless it is escaped.
pub(super) fn cell(text: &str) -> String {
    render(text, true)
}

fn render(text: &str, table: bool) -> String {
    let line = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(open) = rest.find('`') {
        prose(&rest[..open], &mut shown);
        let run = rest[open..].len() - rest[open..].trim_start_matches('`').len();
        let after = &rest[open + run..];
        match closing(after, run) {
            Some(close) => {
                let span = code(&after[..close]);
                shown.push_str(&if table { span.replace('|', "\\|") } else { span });
                rest = &after[close + run..];
            }
            None => {
                shown.push_str(&"\\`".repeat(run));
                rest = after;
            }
        }
    }
    prose(rest, &mut shown);
    lead(shown)
}

/// Where a run of just so many backticks closes a span that isn't empty.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = text[start..].len() - text[start..].trim_start_matches('`').len();
        if length == run && !text[..start].trim().is_empty() {
            return Some(start);
        }
        at = start + length;
    }
    None
}

fn prose(text: &str, shown: &mut String) {
    let mut before: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '\\' | '*' | '[' | ']' | '|' | '#' | '~' | '`' | '$' => {
                shown.push('\\');
                shown.push(c);
            }
            // Inside a word an underscore is only itself.
            '_' => {
                let inside = before.is_some_and(char::is_alphanumeric)
                    && chars.peek().is_some_and(|next| next.is_alphanumeric());
                shown.push_str(if inside { "_" } else { "\\_" });
            }
            // A bare address would become a link.
            ':' if chars.peek() == Some(&'/') => shown.push_str("&#58;"),
            c => shown.push(c),
        }
        before = Some(c);
    }
}

/// What would begin a list or a quotation at the head of a line doesn't.
fn lead(shown: String) -> String {
    let digits = shown.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = shown[digits..].chars();
    let (mark, next) = (rest.next(), rest.next());
    let ends = next.is_none_or(|next| next == ' ' || Some(next) == mark);
    match mark {
        Some('>') if digits == 0 => format!("\\{shown}"),
        Some('-' | '+' | '=') if digits == 0 && ends => format!("\\{shown}"),
        Some('.' | ')') if digits > 0 && ends => format!("{}\\{}", &shown[..digits], &shown[digits..]),
        _ => shown,
    }
}

/// A text as a code span, whatever backticks it holds; not for tables.
pub(super) fn code(text: &str) -> String {
    let line = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "` `".to_owned();
    }
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if line.starts_with('`') || line.ends_with('`') {
        format!("{fence} {line} {fence}")
    } else {
        format!("{fence}{line}{fence}")
    }
}

/// A text of several lines in a fence that it can't end; not for tables. Ends with a line break.
pub(super) fn block(text: &str) -> String {
    let text = plain(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

/// A text as a code span in a table; nothing for nothing.
pub(super) fn word(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { code(text).replace('|', "\\|") }
}

/// A text as Markdown of its own paragraphs, with no markup in them.
pub(super) fn paragraphs(text: &str) -> String {
    let paragraphs: Vec<String> = text.split("\n\n").map(inline).filter(|text| !text.is_empty()).collect();
    paragraphs.join("\n\n")
}

/// A text cut at so many characters.
pub(super) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
