//! A value as servers write it: as it is, in JSON, HTML, URLs, forms, UTF-16, base64 and hexadecimal.
//!
//! Owns: which ways of writing are known, after the encoders in use. Mixtures of them, and one within
//! another, aren't.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::fmt::Write as _;

/// Every form, in no order; some may be equal.
pub(super) fn forms(value: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![value.to_owned(), hex(value, false), hex(value, true)];
    forms.extend(in_json(value));
    forms.extend(in_html(value));
    for upper in [true, false] {
        let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let in_url = percent(value, upper, unreserved);
        forms.push(in_url.replace("%20", "+"));
        forms.push(in_url);
        forms.push(percent(value, upper, |byte| unreserved(byte) || b"!*'()".contains(&byte)));
        forms.push(percent(value, upper, |byte| unreserved(byte) || b"!$&'()*+,;=:@/".contains(&byte)));
        forms.push(percent(value, upper, |_| false));
    }
    for before in 0..3 {
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.push(in_base64(value, before, |bytes| engine.encode(bytes)));
        }
    }
    let mut forms: Vec<Vec<u8>> = forms.into_iter().map(String::into_bytes).collect();
    forms.push(value.encode_utf16().flat_map(u16::to_le_bytes).collect());
    forms.push(value.encode_utf16().flat_map(u16::to_be_bytes).collect());
    forms
}

/// As a JSON string, with each encoder's choice of characters that are written `\u0026`.
fn in_json(value: &str) -> Vec<String> {
    let chosen = ["", "<>&", "<>&'", "\"<>&'", "<>&'=", "<>&'=+", "\"<>&'+`"];
    let mut choices: Vec<Box<dyn Fn(char) -> bool>> = Vec::new();
    for chosen in chosen {
        choices.push(Box::new(|char| chosen.contains(char)));
        choices.push(Box::new(|char| chosen.contains(char) || !char.is_ascii()));
    }
    choices.push(Box::new(|char| !char.is_ascii_alphanumeric()));
    choices.push(Box::new(|_| true));
    let mut forms = Vec::new();
    for is_chosen in choices {
        for upper in [false, true] {
            let form = quoted(value, upper, &is_chosen);
            forms.push(form.replace('/', "\\/"));
            forms.push(form);
        }
    }
    forms
}

/// A JSON string without its quotes.
fn quoted(value: &str, upper: bool, is_chosen: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for char in value.chars() {
        match char {
            _ if is_chosen(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = if upper { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") };
                }
            }
            '"' | '\\' => out.extend(['\\', char]),
            '\t' => out.push_str("\\t"),
            _ => out.push(char),
        }
    }
    out
}

/// As HTML or XML, with each encoder's references.
fn in_html(value: &str) -> Vec<String> {
    const TEXT: &[(char, &str)] = &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;")];
    const NAMED: (char, &str) = ('"', "&quot;");
    const BACKTICK: (char, &str) = ('`', "&#x60;");
    const EQUALS: (char, &str) = ('=', "&#x3D;");
    const SLASH: (char, &str) = ('/', "&#x2F;");
    let more: [&[(char, &str)]; 17] = [
        &[],
        &[NAMED],
        &[NAMED, ('\'', "&#39;")],
        &[NAMED, ('\'', "&#039;")],
        &[NAMED, ('\'', "&#x27;")],
        &[NAMED, ('\'', "&apos;")],
        &[('"', "&#34;"), ('\'', "&#39;")],
        &[('"', "&#34;"), ('\'', "&#39;"), ('+', "&#43;")],
        &[NAMED, ('\'', "&#39;"), ('+', "&#43;")],
        &[NAMED, ('\'', "&#x27;"), ('+', "&#x2B;")],
        &[NAMED, ('\'', "&#x27;"), BACKTICK],
        &[NAMED, ('\'', "&#x27;"), SLASH],
        &[NAMED, ('\'', "&#x27;"), ('/', "&#x2f;")],
        &[NAMED, ('\'', "&#x27;"), BACKTICK, EQUALS],
        &[NAMED, ('\'', "&#x27;"), BACKTICK, EQUALS, SLASH],
        &[NAMED, ('\'', "&#39;"), BACKTICK, EQUALS, SLASH],
        &[NAMED, ('\'', "&#39;"), SLASH],
    ];
    let mut forms: Vec<String> = more
        .iter()
        .map(|more| {
            let reference = |char| TEXT.iter().chain(*more).find(|(of, _)| *of == char);
            let one = |char| reference(char).map_or_else(|| String::from(char), |(_, to)| (*to).to_owned());
            value.chars().map(one).collect()
        })
        .collect();
    let number: [fn(u32) -> String; 4] = [
        |code| format!("&#{code};"),
        |code| format!("&#x{code:x};"),
        |code| format!("&#x{code:X};"),
        |code| format!("&#x{code:02X};"),
    ];
    for number in number {
        for all in [false, true] {
            let one = |char: char| match char.is_ascii_alphanumeric() && !all {
                true => String::from(char),
                false => number(u32::from(char)),
            };
            forms.push(value.chars().map(one).collect());
        }
    }
    forms
}

fn hex(value: &str, upper: bool) -> String {
    value.bytes().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
}

fn percent(value: &str, upper: bool, plain: impl Fn(u8) -> bool) -> String {
    let one = |byte: u8| match (plain(byte), upper) {
        (true, _) => char::from(byte).to_string(),
        (false, true) => format!("%{byte:02X}"),
        (false, false) => format!("%{byte:02x}"),
    };
    value.bytes().map(one).collect()
}

/// The letters of base64 that the value alone decides, with so many bytes before it in its group.
fn in_base64(value: &str, before: usize, encode: impl Fn(&[u8]) -> String) -> String {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(value.as_bytes());
    let shared = (before * 8).div_ceil(6);
    let whole = bytes.len() * 8 / 6;
    encode(&bytes).chars().take(whole).skip(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use serde_json::Value;

    const VALUE: &str = "s3cr/t+\"k&y\" <o'k=>`";

    fn is_found(text: &[u8]) -> bool {
        forms(VALUE).iter().any(|form| text.windows(form.len()).any(|part| part == form.as_slice()))
    }

    #[test]
    fn a_value_is_found_however_it_is_written() {
        let json = Value::from(VALUE).to_string();
        for form in [
            VALUE.to_owned(),
            json.clone(),
            json.replace('/', "\\/"),
            "s3cr%2Ft%2B%22k%26y%22%20%3Co%27k%3D%3E%60".to_owned(),
            "s3cr%2ft%2b%22k%26y%22%20%3co%27k%3d%3e%60".to_owned(),
            "s3cr%2Ft%2B%22k%26y%22+%3Co%27k%3D%3E%60".to_owned(),
            hex(VALUE, true),
            hex(VALUE, false),
        ] {
            assert!(is_found(format!("({form})").as_bytes()), "{form}");
        }
    }

    #[test]
    fn a_value_is_found_with_json_escapes_by_number() {
        for form in [
            // Go, Rails; Gson; .NET; PHP; all that is no letter or digit.
            r#"s3cr/t+\"k\u0026y\" \u003co'k=\u003e`"#,
            r#"s3cr/t+\"k\u0026y\" \u003co\u0027k\u003d\u003e`"#,
            r#"s3cr/t\u002B\u0022k\u0026y\u0022 \u003Co\u0027k=\u003E\u0060"#,
            r#"s3cr\/t+\u0022k\u0026y\u0022 \u003Co\u0027k=\u003E`"#,
            r#"s3cr/t\u002b\"k\u0026y\" \u003co\u0027k\u003d\u003e`"#,
            r#"s3cr\u002ft\u002b\u0022k\u0026y\u0022\u0020\u003co\u0027k\u003d\u003e\u0060"#,
            r#"s3cr\u002Ft\u002B\u0022k\u0026y\u0022\u0020\u003Co\u0027k\u003D\u003E\u0060"#,
        ] {
            let read: Value = serde_json::from_str(&format!("\"{form}\"")).unwrap();
            assert_eq!(read, VALUE);
            assert!(is_found(form.as_bytes()), "{form}");
        }
    }

    #[test]
    fn a_value_is_found_with_html_references() {
        for form in [
            "s3cr/t+&quot;k&amp;y&quot; &lt;o'k=&gt;`",
            "s3cr/t+&#34;k&amp;y&#34; &lt;o&#39;k=&gt;`",
            "s3cr/t&#43;&#34;k&amp;y&#34; &lt;o&#39;k=&gt;`",
            "s3cr/t+&quot;k&amp;y&quot; &lt;o&#x27;k&#x3D;&gt;&#x60;",
            "s3cr&#x2F;t+&quot;k&amp;y&quot; &lt;o&#39;k&#x3D;&gt;&#x60;",
            "s3cr&#x2F;t+&quot;k&amp;y&quot; &lt;o&#x27;k=&gt;`",
            "s3cr&#47;t&#43;&#34;k&#38;y&#34;&#32;&#60;o&#39;k&#61;&#62;&#96;",
            "s3cr&#x2f;t&#x2b;&#x22;k&#x26;y&#x22;&#x20;&#x3c;o&#x27;k&#x3d;&#x3e;&#x60;",
            "s3cr&#x2F;t&#x2B;&#x22;k&#x26;y&#x22;&#x20;&#x3C;o&#x27;k&#x3D;&#x3E;&#x60;",
        ] {
            assert!(is_found(form.as_bytes()), "{form}");
        }
    }

    #[test]
    fn a_value_is_found_in_utf_16() {
        for turn in [u16::to_le_bytes, u16::to_be_bytes] {
            let text: Vec<u8> = format!("a {VALUE} b").encode_utf16().flat_map(turn).collect();
            assert!(is_found(&text));
        }
    }

    #[test]
    fn a_value_is_found_anywhere_within_base64() {
        for before in ["", "u", "us", "user:", "user:x"] {
            for engine in [STANDARD, URL_SAFE] {
                let coded = engine.encode(format!("{before}{VALUE} and more"));
                assert!(is_found(coded.as_bytes()), "{before}: {coded}");
            }
        }
    }

    #[test]
    fn forms_are_few_and_no_longer_than_seven_times_the_value() {
        let value = "<".repeat(8 << 10);
        let forms = forms(&value);
        assert!(forms.len() <= 130, "{}", forms.len());
        assert!(forms.iter().all(|form| form.len() <= 7 * value.len()));
    }
}
