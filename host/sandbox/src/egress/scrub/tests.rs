use super::*;
use crate::egress::secret::{SecretGrant, SecretValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::json;

const VALUE: &str = "s3cr/t+\"k&y\" ok";
const WORD: &str = "sk-0123456789abcdef";

fn grant(name: &str, host: &str) -> SecretGrant {
    serde_json::from_value(json!({"name": name, "host": host, "header": "x-key"})).unwrap()
}

fn secrets(values: &[(&str, &str, &str)]) -> Secrets {
    let mut secrets = Secrets::default();
    for (name, host, value) in values {
        secrets.insert(grant(name, host), SecretValue::new((*value).to_owned()).unwrap());
    }
    secrets
}

fn scrub_of(value: &str) -> Arc<Scrub> {
    Arc::new(Scrub::new(&secrets(&[("key", "https://a.example", value)])))
}

fn in_pieces(scrub: &Arc<Scrub>, text: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut stream = Scrubbing::new(scrub.clone());
    let mut out = Vec::new();
    let mut rest = text;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        out.extend_from_slice(&stream.next(Bytes::copy_from_slice(piece)));
        rest = after;
    }
    out.extend_from_slice(&stream.end());
    out
}

#[test]
fn what_only_begins_like_a_secret_stays() {
    for text in ["s3c", "s3cr/t+ no", "as3cr/t+\"k&y\" o!", "s3s3cs3c", ""] {
        let text = format!("{text}{}", ".".repeat(700));
        assert_eq!(in_pieces(&scrub_of(VALUE), text.as_bytes(), &[1]), text.as_bytes());
        assert_eq!(scrub_of(VALUE).text(&text), text);
    }
}

#[test]
fn a_secret_goes_as_it_is_whatever_its_first_letters_are() {
    for marks in ["\\]", "%41", "&#4", "=3D", "\\\\", "%%", "&a", "\\u"] {
        for value in [format!("0{marks} Aaa!"), format!("{marks}0 Aaa!"), format!("01{marks}-Aaa!")] {
            let text = format!("| {value} |");
            assert_eq!(scrub_of(&value).text(&text), "| [secret key] |");
            assert_eq!(in_pieces(&scrub_of(&value), text.as_bytes(), &[1]), b"| [secret key] |");
        }
    }
}

/// A whole reply as a guest gets it.
fn reply(scrub: &Scrub, text: &str) -> String {
    String::from_utf8(scrub.whole(text.as_bytes(), End::Cut)).unwrap()
}

#[test]
fn a_kept_text_that_ends_like_the_beginning_of_a_secret_stays() {
    let scrub = scrub_of("Admin#2024!Zq8vT");
    let text = "Notes.\nThe admin panel is at the end; ask ops for details.";
    assert_eq!(scrub.text(text), text);
    assert_eq!(scrub.text("it is Admin#2024!Zq8vT."), "it is [secret key].");
}

#[test]
fn a_secret_that_is_cut_short_goes_as_a_whole() {
    let scrub = scrub_of(WORD);
    for told in 0..=WORD.len() {
        let text = format!("authorization: {}", &WORD[..told]);
        let expected = if told < 4 { text.clone() } else { "authorization: [secret key]".to_owned() };
        assert_eq!(reply(&scrub, &text), expected);
        assert_eq!(in_pieces(&scrub, text.as_bytes(), &[1]), expected.as_bytes());
        let hex: String = WORD.bytes().take(told).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(reply(&scrub, &hex).is_empty(), told == 0);
        assert_eq!(reply(&scrub, &hex) == "[secret key]", told >= 4, "{hex}");
    }
    let coded = STANDARD.encode(format!("user:{WORD}"));
    for told in 0..coded.len() {
        let text = reply(&scrub, &coded[..told]);
        // Twelve letters are nine bytes: `user:` and four.
        assert!(told < 13 || text.ends_with("[secret key]"), "{text}");
    }
}

#[test]
fn a_guess_at_the_end_of_a_reply_is_told_neither_right_nor_wrong() {
    let scrub = scrub_of(WORD);
    for guessed in 4..WORD.len() {
        let right = reply(&scrub, &format!("you said {}", &WORD[..guessed]));
        for wrong in ["z", "zz", "0", "/"] {
            assert_eq!(reply(&scrub, &format!("you said {}{wrong}", &WORD[..guessed])), right);
        }
    }
    // What can't be a part of the secret shows that it was none.
    for text in ["{\"prefix\":\"sk-0\"}", "sk-0 and more", "sk-0\n"] {
        assert_eq!(reply(&scrub, text), text);
    }
}

fn lengths(text: &[u8], size: usize) -> Vec<usize> {
    let mut stream = Scrubbing::new(scrub_of(VALUE));
    let pieces = text.chunks(size).map(|piece| stream.next(Bytes::copy_from_slice(piece)).len());
    let mut lengths: Vec<usize> = pieces.collect();
    lengths.push(stream.end().len());
    lengths
}

#[test]
fn where_pieces_end_doesn_t_tell_a_right_guess_from_a_wrong_one() {
    for guessed in 1..VALUE.len() {
        let right = format!("{}{}", &VALUE[..guessed], "~".repeat(1000));
        let wrong = "~".repeat(right.len());
        for size in [1, 2, 7, guessed, 300, 2000] {
            let (right, wrong) = (lengths(right.as_bytes(), size), lengths(wrong.as_bytes(), size));
            assert_eq!(right, wrong, "{guessed} of {} in pieces of {size}", VALUE.len());
        }
        // A guess that all of a stream ends with, too: its first four bytes can't be guessed alone.
        let wrong = match guessed {
            ..4 => "~".repeat(guessed),
            _ => format!("{}{}", &VALUE[..4], "~".repeat(guessed - 4)),
        };
        assert_eq!(lengths(&VALUE.as_bytes()[..guessed], 1), lengths(wrong.as_bytes(), 1));
    }
}

#[test]
fn secrets_of_hosts_that_a_call_may_ask_are_looked_for_whether_it_may_send_them_or_not() {
    let secrets = secrets(&[
        ("mine", "https://a.example", "my-own-value"),
        ("other", "https://a.example/v2", "other-value"),
        ("far", "https://b.example", "far-off-value"),
        ("port", "https://a.example:8443", "at-a-port"),
    ]);
    let grants = Grants {
        hosts: vec![crate::HostGrant::parse("https://a.example/v1").unwrap()],
        secrets: vec![grant("mine", "https://a.example")],
        ..Grants::whole_project()
    };
    let text = "my-own-value other-value far-off-value at-a-port .";
    let replies = Scrub::of_asked_hosts(&secrets, &grants);
    assert_eq!(replies.text(text), "[secret mine] [secret other] far-off-value at-a-port .");
    assert_eq!(Scrub::new(&secrets).text(text), "[secret mine] [secret other] [secret far] [secret port] .");
    let deterministic = Grants { deterministic: true, ..grants };
    assert!(Scrub::of_asked_hosts(&secrets, &deterministic).is_empty());
}

#[test]
fn a_header_that_is_named_like_a_secret_goes() {
    let mut headers = HeaderMap::new();
    // Names have no capitals, in base64 neither.
    let coded = STANDARD.encode("xSK-abcdefgh").to_lowercase();
    for (name, value) in [
        ("x-sk-abcdefgh-y", "1"),
        (coded.as_str(), "1"),
        ("location", "/?k=SK-abcdefgh&x"),
        ("x-cut", "Bearer SK-abc"),
    ] {
        headers.insert(HeaderName::try_from(name).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    scrub_of("SK-abcdefgh").headers(&mut headers);
    assert_eq!(headers.len(), 2, "{headers:?}");
    assert_eq!(headers["location"], "/?k=[secret key]&x");
    assert_eq!(headers["x-cut"], "Bearer [secret key]");
}

/// One character as some encoder writes it; `way` says which.
fn written(char: char, way: usize) -> String {
    let code = u32::from(char);
    let is_mark = char.is_ascii_punctuation();
    match way {
        0 => format!("%{code:02X}"),
        1 => format!("%{code:02x}"),
        2 => format!("%25{code:02X}"),
        3 => format!("\\x{code:02x}"),
        4 => format!("\\u{code:04X}"),
        5 => format!("\\\\u{code:04x}"),
        6 => format!("\\u{{{code:x}}}"),
        7 => format!("\\{code:03o}"),
        8 => format!("&#{code};"),
        9 => format!("&#x{code:02X};"),
        10 => format!("&amp;#{code};"),
        11 => format!("={code:02X}"),
        12 if is_mark => format!("\\{char}"),
        13 if is_mark => format!("\\\\\\{char}"),
        14 if char == ' ' => "+".to_owned(),
        15 if char.is_lowercase() => char.to_uppercase().to_string(),
        15 => char.to_lowercase().to_string(),
        16 => match char {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "\\u0026quot;".to_owned(),
            '\'' => "&apos;".to_owned(),
            _ => char.to_string(),
        },
        _ => char.to_string(),
    }
}

fn value() -> impl Strategy<Value = String> {
    "[!-~][ -~]{6,40}[!-~]"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn pieces_make_no_difference(size in 1_usize..40, before in "[s3cr/ ]{0,20}", after in "[s3cr/ ]{0,20}") {
        let text = format!("{before}{VALUE}{after}{VALUE}");
        let whole = reply(&scrub_of(VALUE), &text);
        prop_assert!(!whole.contains(VALUE));
        prop_assert_eq!(in_pieces(&scrub_of(VALUE), text.as_bytes(), &[size]), whole.into_bytes());
    }

    #[test]
    fn a_secret_goes_and_all_else_stays_however_it_is_escaped(
        value in value(),
        ways in prop::collection::vec(0_usize..40, 42),
        before in prop::collection::vec(any::<u8>(), 0..60),
        after in "[A-Za-z0-9{}\",:]{0,60}",
        sizes in prop::collection::vec(1_usize..50, 1..6),
    ) {
        let form: String = value.chars().zip(&ways).map(|(char, way)| written(char, *way)).collect();
        let text = [before.as_slice(), b"| ", form.as_bytes(), b" ", after.as_bytes(), b" |"].concat();
        let expected = [before.as_slice(), b"| [secret key] ", after.as_bytes(), b" |"].concat();
        let out = in_pieces(&scrub_of(&value), &text, &sizes);
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected));
    }

    #[test]
    fn a_secret_goes_from_base64_whatever_stands_around_it(
        value in value(),
        before in prop::collection::vec(any::<u8>(), 0..10),
        after in prop::collection::vec(any::<u8>(), 0..10),
        width in 4_usize..80,
    ) {
        let coded = STANDARD.encode([before.as_slice(), value.as_bytes(), after.as_slice()].concat());
        let lines: Vec<&[u8]> = coded.as_bytes().chunks(width).collect();
        let out = in_pieces(&scrub_of(&value), &lines.join(b"\r\n".as_slice()), &[width]);
        let out = String::from_utf8(out).unwrap();
        prop_assert!(out.contains("[secret key]"), "{}", out);
        prop_assert!(out.len() < before.len() * 2 + after.len() * 2 + 30, "{}", out);
    }

    #[test]
    fn what_holds_no_secret_passes_unchanged(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        size in 1_usize..3000,
    ) {
        prop_assert_eq!(in_pieces(&scrub_of(WORD), &bytes, &[size]), bytes);
    }
}

/// How fast most of a reply passes: `cargo test --release -p ringfence-sandbox -- --ignored passes_fast`.
#[test]
#[ignore = "says how fast it is, and asserts nothing"]
fn a_reply_passes_fast() {
    let mut random = 1_u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let words = [
        "sketch",
        "{\"name\":",
        "token",
        " the ",
        "%20",
        "\\\"",
        "&amp;",
        "c2stMDEy",
        "73 6b ",
        "\n",
        "key=sk-",
        "0, 1",
    ];
    let prose: Vec<u8> = (0..2_000_000).flat_map(|_| words[(next() % 12) as usize].bytes()).collect();
    let noise: Vec<u8> = (0..(8 << 20)).map(|_| next() as u8).collect();
    let english = "It was the best of times, it was the worst of times, so she said. ".repeat(150_000);
    let zeros = vec![0; 8 << 20];
    let slashes = vec![b'\\'; 1 << 20];
    for (what, text) in [
        ("English", english.as_bytes()),
        ("marks of all kinds", &prose),
        ("noise", &noise),
        ("zeros", &zeros),
        ("backslashes", &slashes),
    ] {
        let mut stream = Scrubbing::new(scrub_of(WORD));
        let began = std::time::Instant::now();
        let mut passed = 0;
        for piece in text.chunks(16 << 10) {
            passed += stream.next(Bytes::copy_from_slice(piece)).len();
        }
        passed += stream.end().len();
        let speed = text.len() as f64 / began.elapsed().as_secs_f64() / 1e6;
        println!("{what}: {speed:.0} MB/s, {passed} bytes of {}", text.len());
    }
}
