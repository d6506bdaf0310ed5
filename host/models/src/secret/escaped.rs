//! A secret that hides behind JSON's escapes.
//!
//! Owns: telling whether reading a text as JSON, or JSON within it, would bring the secret out.
//! Doesn't own: what is done with such a text.

use std::borrow::Cow;

/// Levels of JSON within JSON that are read. More would take 256 backslashes in a row.
const LEVELS: usize = 8;

/// Whether a text has the secret in it once its escapes are read, however many levels deep and
/// however the levels are mixed. A text that still has escaped characters after [`LEVELS`] is
/// taken to have it.
pub(super) fn conceals(text: &str, secret: &str) -> bool {
    if !text.contains('\\') {
        return text.contains(secret);
    }
    let bare_secret = bare(secret);
    let mut level = Cow::Borrowed(text);
    for _ in 0..LEVELS {
        // A lenient reader may also drop a backslash that escapes nothing.
        if level.contains(secret) || bare(&level).contains(&bare_secret) {
            return true;
        }
        match read(&level) {
            Some(next) => level = Cow::Owned(next),
            None => return false,
        }
    }
    level.contains(secret) || bare(&level).contains(&bare_secret) || has_codes(&level)
}

/// Whether characters are still written as their codes.
fn has_codes(text: &str) -> bool {
    text.split('\\').skip(1).any(|after| escape(after).1 > 1)
}

fn bare(text: &str) -> String {
    text.replace('\\', "")
}

/// The text with one level of escapes read; none when there are none.
fn read(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_changed = false;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let (meant, taken) = escape(after);
        is_changed |= taken > 0;
        out.push(meant);
        rest = after.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// What stands after a backslash: the character that is meant, and the bytes that it takes. A
/// backslash that escapes nothing stands for itself.
fn escape(after: &str) -> (char, usize) {
    let Some(first) = after.chars().next() else { return ('\\', 0) };
    match first {
        '"' | '\'' | '\\' | '/' => (first, 1),
        'b' => ('\u{8}', 1),
        'f' => ('\u{c}', 1),
        'n' => ('\n', 1),
        'r' => ('\r', 1),
        't' => ('\t', 1),
        'u' => {
            let digits = after.get(1..5).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
            match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
                // Halves of a pair are no characters; nor does any key have one.
                Some(code) => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 5),
                None => ('\\', 0),
            }
        }
        _ => ('\\', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const KEY: &str = "sk-ant-0123/4+5=6";

    /// A text as a JSON string writes it, each character that `pick` says as `\uXXXX`.
    fn escaped(text: &str, pick: impl Fn(usize) -> bool) -> String {
        let written = |(place, character): (usize, char)| match pick(place) {
            true => format!("\\u{:04X}", u32::from(character)),
            false => Value::from(character.to_string()).to_string().trim_matches('"').to_owned(),
        };
        text.chars().enumerate().map(written).collect()
    }

    #[test]
    fn a_secret_is_seen_behind_its_escapes() {
        assert!(conceals(r"it is sk-ant-012\u0033\/4+5=6", KEY));
        assert!(conceals(r"it is sk-ant-012\\u0033\\\/4+5=6", KEY), "two levels");
        assert!(conceals(r"it is sk-ant-012\u005cu0033/4+5=6", KEY), "an escaped backslash");
        assert!(conceals(r"\u0073k-ant-0\\u\u003003123/4+5=6", KEY), "mixed levels");
        assert!(conceals(r"s\k-ant-01\23/4+5=6", KEY), "backslashes that escape nothing");
    }

    #[test]
    fn other_texts_conceal_nothing() {
        for text in ["", r"\", r"\u", r"\u00", r"\ud83d\ude00", r"C:\new\users", r"\d+\.\d+", r"sk-ant-0123"]
        {
            assert!(!conceals(text, KEY), "{text}");
        }
        let run = "\\".repeat(100_000);
        assert!(
            !conceals(&run, KEY) && !conceals(&(run + " C:\\users"), KEY),
            "a run of backslashes is only that"
        );
    }

    #[test]
    fn what_is_escaped_too_deep_to_be_read_is_taken_to_have_the_secret() {
        assert!(conceals(&format!("{}u0033", "\\".repeat(1 << 10)), KEY));
    }

    proptest! {
        #[test]
        fn a_secret_is_seen_however_each_level_escapes_it(
            picks in proptest::collection::vec(any::<u64>(), 1..5),
            around in "[a-z\"\\\\é日 ]{0,6}",
        ) {
            let mut text = format!("{around}{KEY}{around}");
            for pick in picks {
                text = escaped(&text, |place| pick >> (place % 64) & 1 == 1);
            }
            prop_assert!(conceals(&text, KEY), "{text}");
        }
    }
}
