use super::*;
use ::base64::Engine as _;
use ::base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const VALUE: &str = "s3cr/t+\"k&y\" <o'k=>`";

fn is_found_of(value: &str, text: &[u8]) -> bool {
    forms(value.as_bytes(), 0).iter().any(|form| (0..text.len()).any(|at| form.end_at(text, at).is_some()))
}

fn is_found(text: &[u8]) -> bool {
    is_found_of(VALUE, text)
}

fn each(one: impl Fn(u8) -> String) -> String {
    VALUE.bytes().map(one).collect()
}

#[test]
fn a_value_is_found_as_it_is_and_in_json_and_urls() {
    let json = Value::from(VALUE).to_string();
    for form in [
        VALUE.to_owned(),
        VALUE.to_uppercase(),
        json.clone(),
        json.replace('/', "\\/"),
        Value::from(json.clone()).to_string(),
        Value::from(Value::from(json.replace('/', "\\/")).to_string()).to_string(),
        "s3cr%2Ft%2B%22k%26y%22%20%3Co%27k%3D%3E%60".to_owned(),
        "s3cr%2ft%2b%22k%26y%22%20%3co%27k%3d%3e%60".to_owned(),
        "s3cr%2Ft%2B%22k%26y%22+%3Co%27k%3D%3E%60".to_owned(),
        "s3cr%252Ft%252B%2522k%2526y%2522%2520%253Co%2527k%253D%253E%2560".to_owned(),
        each(|byte| format!("%{byte:02X}")),
        each(|byte| format!("\\x{byte:02X}")),
        each(|byte| format!("\\{byte:03o}")),
        each(|byte| format!("\\u{{{byte:x}}}")),
        each(|byte| format!("={byte:02X}")),
    ] {
        assert!(is_found(format!("({form})").as_bytes()), "{form}");
    }
}

#[test]
fn a_value_is_found_whichever_characters_an_encoder_of_urls_keeps() {
    for value in ["wJalr/K7MDENG+bPx", "p4ss~w0rd*with!marks,and:more", "key$with(odd)=ends?#x", VALUE] {
        for (kept, plus) in [
            ("_.-~/", false),
            ("_.-~", true),
            ("*-._", true),
            ("-_.", true),
            ("-_.~$&+:=@", false),
            ("-_.!~*'();/?:@&=+$,#", false),
            ("@*_+-./", false),
            ("!$%&'()*+,-./:;=?@[\\]^_`{|}~", false),
            ("*-._~", true),
        ] {
            let one = |byte: u8| match byte {
                _ if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) => {
                    char::from(byte).to_string()
                }
                b' ' if plus => "+".to_owned(),
                _ => format!("%{byte:02X}"),
            };
            let form: String = value.bytes().map(one).collect();
            assert!(is_found_of(value, format!("?k={form}").as_bytes()), "{form}");
        }
    }
}

#[test]
fn a_value_is_found_with_json_escapes_by_number() {
    for form in [
        r#"s3cr/t+\"k\u0026y\" \u003co'k=\u003e`"#,
        r#"s3cr/t+\"k\u0026y\" \u003co\u0027k\u003d\u003e`"#,
        r#"s3cr/t\u002B\u0022k\u0026y\u0022 \u003Co\u0027k=\u003E\u0060"#,
        r#"s3cr\/t+\u0022k\u0026y\u0022 \u003Co\u0027k=\u003E`"#,
        r#"s3cr\u002ft\u002b\u0022k\u0026y\u0022\u0020\u003co\u0027k\u003d\u003e\u0060"#,
    ] {
        let read: Value = serde_json::from_str(&format!("\"{form}\"")).unwrap();
        assert_eq!(read, VALUE);
        assert!(is_found(form.as_bytes()), "{form}");
        assert!(is_found(Value::from(form).to_string().as_bytes()), "{form}");
    }
}

#[test]
fn a_value_is_found_with_html_references() {
    for form in [
        "s3cr/t+&quot;k&amp;y&quot; &lt;o'k=&gt;`",
        "s3cr/t+&#34;k&amp;y&#34; &lt;o&#39;k=&gt;`",
        "s3cr/t&#43;&#34;k&amp;y&#34; &lt;o&apos;k=&gt;`",
        "s3cr/t+&quot;k&amp;y&quot; &lt;o&#x27;k&#x3D;&gt;&#x60;",
        "s3cr&#47;t&#43;&#34;k&#38;y&#34;&#32;&#60;o&#039;k&#61;&#62;&#96;",
        "s3cr&#x2f;t&#x2b;&#x22;k&#x26;y&#x22;&#x20;&#x3c;o&#x27;k&#x3d;&#x3e;&#x60;",
    ] {
        assert!(is_found(form.as_bytes()), "{form}");
        assert!(is_found(Value::from(form).to_string().as_bytes()), "{form}");
        assert!(is_found(form.replace('&', "&amp;").as_bytes()), "{form}");
        assert!(is_found(form.replace('&', "\\u0026").as_bytes()), "{form}");
    }
}

#[test]
fn a_value_is_found_in_wider_text() {
    for text in [VALUE.to_owned(), Value::from(VALUE).to_string(), VALUE.replace('&', "&amp;")] {
        for width in Width::ALL {
            let wide: Vec<u8> =
                format!("a {text} b").chars().flat_map(|c| width.written(u32::from(c)).unwrap()).collect();
            assert!(is_found(&wide), "{width:?} {text}");
        }
    }
}

#[test]
fn letters_beyond_ascii_are_found_however_they_are_written() {
    let value = "pässwört-ключ-😀";
    let latin: Vec<u8> = "pässwört".chars().map(|char| char as u8).collect();
    assert!(is_found_of("pässwört", &latin));
    for form in [
        value.to_owned(),
        value.to_uppercase(),
        value.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        value.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
        value.encode_utf16().map(|unit| format!("\\\\u{unit:04X}")).collect(),
        value.encode_utf16().map(|unit| format!("%u{unit:04X}")).collect(),
        value.chars().map(|char| format!("&#{};", u32::from(char))).collect(),
        value.chars().map(|char| format!("\\u{{{:x}}}", u32::from(char))).collect(),
    ] {
        assert!(is_found_of(value, form.as_bytes()), "{form}");
    }
}

#[test]
fn a_value_is_found_anywhere_within_base64() {
    for before in ["", "u", "user:"] {
        for after in ["", " and more"] {
            let text = format!("{before}{VALUE}{after}");
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let quoted = json!({ "k": text }).to_string();
            for bytes in [text.as_bytes(), &wide, quoted.as_bytes()] {
                for coded in [STANDARD.encode(bytes), URL_SAFE.encode(bytes), URL_SAFE_NO_PAD.encode(bytes)] {
                    let lines: Vec<&str> =
                        coded.as_bytes().chunks(16).map(|l| std::str::from_utf8(l).unwrap()).collect();
                    for form in [
                        coded.clone(),
                        coded.replace('/', "\\/").replace('+', "\\u002b"),
                        coded.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D"),
                        lines.join("\r\n"),
                        lines.join("\n"),
                        lines.join("\\n"),
                        lines.join("\n "),
                    ] {
                        assert!(is_found(form.as_bytes()), "{text}: {form}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_value_is_found_in_base64_of_base64() {
    for before in ["", "u", "us"] {
        for coded in
            [STANDARD.encode(format!("{before}{VALUE}")), URL_SAFE.encode(format!("{before}{VALUE}"))]
        {
            for before in ["", "Basic", "Basic "] {
                assert!(is_found(STANDARD.encode(format!("{before}{coded}")).as_bytes()));
            }
        }
    }
}

#[test]
fn letters_of_base64_that_a_value_shares_go_too() {
    for before in ["", "u", "us"] {
        let coded = STANDARD.encode(format!("{before}{VALUE}"));
        let found = forms(VALUE.as_bytes(), 0)
            .iter()
            .find_map(|form| (0..coded.len()).find_map(|at| Some((at, form.end_at(coded.as_bytes(), at)?))));
        let (from, to) = found.unwrap();
        // Whole letters before it, and padding.
        assert_eq!(from, before.len() * 8 / 6, "{coded}");
        assert_eq!(&coded[to..], coded[to..].trim_matches(|char| char != '='), "{coded}");
    }
}

#[test]
fn a_value_is_found_as_numbers() {
    let bytes =
        |one: fn(u8) -> String, between: &str| VALUE.bytes().map(one).collect::<Vec<_>>().join(between);
    for between in ["", " ", ":", "-", "\n", ", ", "  "] {
        assert!(is_found(bytes(|byte| format!("{byte:02x}"), between).as_bytes()), "{between:?}");
        assert!(is_found(bytes(|byte| format!("{byte:02X}"), between).as_bytes()), "{between:?}");
        assert!(is_found(bytes(|byte| format!("0x{byte:02x}"), between).as_bytes()), "{between:?}");
    }
    for between in [",", ", ", " ", ",\n  "] {
        assert!(is_found(bytes(|byte| byte.to_string(), between).as_bytes()), "{between:?}");
    }
    assert!(!is_found(bytes(|byte| byte.to_string(), "").as_bytes()));
}

#[test]
fn a_value_of_quoted_printable_goes_on_in_the_next_line() {
    for size in [3, 7] {
        let parts: Vec<&str> =
            VALUE.as_bytes().chunks(size).map(|part| std::str::from_utf8(part).unwrap()).collect();
        for between in ["=\r\n", "=\n"] {
            assert!(is_found(parts.join(between).as_bytes()));
        }
    }
}

#[test]
fn nothing_else_is_found() {
    for text in ["s3cr/t+\"k&y\" <o'k=>", "s3cr/t+\"k&x\" <o'k=>`", "", "s3cr"] {
        assert!(!is_found(text.as_bytes()), "{text}");
        assert!(!is_found(STANDARD.encode(text).as_bytes()), "{text}");
    }
}

#[test]
fn no_form_is_longer_than_it_is_said_to_be() {
    for value in ["<<<<<<<<".to_owned(), VALUE.to_owned(), "ключ-ключ".to_owned(), "<".repeat(8 << 10)]
    {
        for form in forms(value.as_bytes(), 0) {
            assert!(form.longest() <= 42 * value.len(), "{} for {}", form.longest(), value.len());
            assert!(form.longest() >= value.len());
        }
    }
}
