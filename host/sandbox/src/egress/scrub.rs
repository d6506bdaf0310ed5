//! Takes secrets out of what comes back.
//!
//! Owns: the forms in which a value is looked for, and finding it in a stream whose pieces end
//! anywhere. A server that hands a secret back in a form of its own (compressed, reversed) can't be
//! seen through; `send` asks hosts that have one for plain replies.

use super::secret::Secrets;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::sync::Arc;

/// What a call's secrets look like.
#[derive(Default)]
pub(crate) struct Scrub {
    /// The longest first.
    needles: Vec<Needle>,
    /// Which bytes a needle begins with.
    starts: Vec<u8>,
}

struct Needle {
    bytes: Vec<u8>,
    mark: Arc<str>,
}

impl Scrub {
    pub(crate) fn new(secrets: &Secrets) -> Self {
        let mut needles: Vec<Needle> = Vec::new();
        for (name, value) in secrets.iter() {
            let mark: Arc<str> = format!("[secret {name}]").into();
            for form in forms(value.expose()) {
                if !needles.iter().any(|needle| needle.bytes == form.as_bytes()) {
                    needles.push(Needle { bytes: form.into_bytes(), mark: mark.clone() });
                }
            }
        }
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.bytes.len()));
        let mut starts: Vec<u8> = needles.iter().filter_map(|needle| needle.bytes.first().copied()).collect();
        starts.sort_unstable();
        starts.dedup();
        Self { needles, starts }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// A text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let mut out = Vec::with_capacity(text.len());
        self.scan(text.as_bytes(), true, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A value without secrets in any of its texts.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            _ if self.is_empty() => value,
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (self.text(&name), self.value(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// Takes secrets out of a reply's headers. Names lose their capitals on the way, so one that
    /// holds a secret is found without regard to them, and goes as a whole.
    pub(super) fn headers(&self, headers: &mut HeaderMap) {
        if self.is_empty() {
            return;
        }
        let telling: Vec<HeaderName> = headers.keys().filter(|name| self.tells(name)).cloned().collect();
        for name in telling {
            headers.remove(name);
        }
        for value in headers.values_mut() {
            let mut out = Vec::with_capacity(value.len());
            self.scan(value.as_bytes(), true, &mut out);
            if out != value.as_bytes() {
                *value =
                    HeaderValue::from_bytes(&out).unwrap_or_else(|_| HeaderValue::from_static("[secret]"));
            }
        }
    }

    fn tells(&self, name: &HeaderName) -> bool {
        let name = name.as_str().as_bytes();
        self.needles.iter().any(|needle| {
            name.windows(needle.bytes.len()).any(|part| part.eq_ignore_ascii_case(&needle.bytes))
        })
    }

    /// Copies input to output without secrets, up to where one may have begun whose end is still to
    /// come; says how far that is. To the end, if nothing is to come.
    fn scan(&self, input: &[u8], is_last: bool, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        'input: while let Some(rest) = input.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = rest.iter().position(|byte| self.starts.binary_search(byte).is_ok());
            let (before, rest) = rest.split_at(plain.unwrap_or(rest.len()));
            out.extend_from_slice(before);
            at += before.len();
            let Some(first) = rest.first() else { break };
            for needle in &self.needles {
                if rest.starts_with(&needle.bytes) {
                    out.extend_from_slice(needle.mark.as_bytes());
                    at += needle.bytes.len();
                    continue 'input;
                }
                if !is_last && needle.bytes.starts_with(rest) {
                    return at;
                }
            }
            out.push(*first);
            at += 1;
        }
        at
    }
}

/// One stream that is scrubbed as it passes.
pub(super) struct Scrubbing {
    scrub: Arc<Scrub>,
    /// May be the beginning of a secret.
    held: Vec<u8>,
}

impl Scrubbing {
    pub(super) fn new(scrub: Arc<Scrub>) -> Self {
        Self { scrub, held: Vec::new() }
    }

    /// The next piece; what may be the beginning of a secret is kept for the one after.
    pub(super) fn next(&mut self, piece: bytes::Bytes) -> bytes::Bytes {
        if self.scrub.is_empty() {
            return piece;
        }
        self.held.extend_from_slice(&piece);
        let mut out = Vec::with_capacity(self.held.len());
        let done = self.scrub.scan(&self.held, false, &mut out);
        self.held.drain(..done);
        out.into()
    }

    /// What was kept, when nothing is to come.
    pub(super) fn end(&mut self) -> bytes::Bytes {
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(held.len());
        self.scrub.scan(&held, true, &mut out);
        out.into()
    }

    /// Whether pieces pass as they are.
    pub(super) fn is_idle(&self) -> bool {
        self.scrub.is_empty()
    }
}

/// A value as servers write it: as it is, in JSON, HTML, URLs, forms, base64 and hexadecimal.
fn forms(value: &str) -> Vec<String> {
    let quoted = Value::from(value).to_string();
    let json = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted);
    let html = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut forms = vec![
        value.to_owned(),
        json.replace('/', "\\/"),
        json.to_owned(),
        html.replace('\'', "&#39;"),
        html.replace('\'', "&#x27;"),
        html,
        hex(value, false),
        hex(value, true),
    ];
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
    use super::super::secret::{SecretName, SecretValue};
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use proptest::prelude::*;

    const VALUE: &str = "s3cr/t+\"k&y\" ok";

    fn scrub() -> Arc<Scrub> {
        let mut secrets = Secrets::default();
        secrets.insert(SecretName::parse("key").unwrap(), SecretValue::new(VALUE.to_owned()).unwrap());
        Arc::new(Scrub::new(&secrets))
    }

    fn in_pieces(text: &str, size: usize) -> String {
        let mut stream = Scrubbing::new(scrub());
        let mut out = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            out.extend_from_slice(&stream.next(bytes::Bytes::copy_from_slice(piece)));
        }
        out.extend_from_slice(&stream.end());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_value_is_found_however_it_is_written() {
        let scrub = scrub();
        for form in [
            VALUE.to_owned(),
            Value::from(VALUE).to_string(),
            Value::from(VALUE).to_string().replace('/', "\\/"),
            "s3cr%2Ft%2B%22k%26y%22%20ok".to_owned(),
            "s3cr%2ft%2b%22k%26y%22%20ok".to_owned(),
            "s3cr%2Ft%2B%22k%26y%22+ok".to_owned(),
            "s3cr/t+&quot;k&amp;y&quot; ok".to_owned(),
            hex(VALUE, true),
            hex(VALUE, false),
        ] {
            let text = scrub.text(&format!("<{form}>"));
            assert!(text.contains("[secret key]") && !text.contains("s3cr"), "{form}: {text}");
        }
    }

    #[test]
    fn a_value_is_found_anywhere_within_base64() {
        for before in ["", "u", "us", "user:", "user:x"] {
            for engine in [STANDARD, URL_SAFE] {
                let coded = engine.encode(format!("{before}{VALUE} and more"));
                let text = scrub().text(&coded);
                assert!(text.contains("[secret key]"), "{before}: {coded}");
            }
        }
    }

    #[test]
    fn what_only_begins_like_a_secret_stays() {
        for text in ["s3cr", "s3cr/t+", "as3cr/t+\"k&y\" o", "s3s3cs3cr", ""] {
            assert_eq!(in_pieces(text, 1), text);
            assert_eq!(scrub().text(text), text);
        }
    }

    #[test]
    fn a_header_that_is_named_like_a_secret_goes() {
        let mut headers = HeaderMap::new();
        let mut secrets = Secrets::default();
        secrets
            .insert(SecretName::parse("key").unwrap(), SecretValue::new("SK-abcdefgh".to_owned()).unwrap());
        headers.insert("x-sk-abcdefgh-y", HeaderValue::from_static("1"));
        headers.insert("location", HeaderValue::from_static("/?k=SK-abcdefgh"));
        Scrub::new(&secrets).headers(&mut headers);
        assert_eq!(headers.len(), 1);
        assert_eq!(headers["location"], "/?k=[secret key]");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(size in 1_usize..40, before in "[s3cr/ ]{0,20}", after in "[s3cr/ ]{0,20}") {
            let text = format!("{before}{VALUE}{after}{VALUE}");
            let whole = scrub().text(&text);
            prop_assert!(!whole.contains(VALUE));
            prop_assert_eq!(in_pieces(&text, size), whole);
        }
    }
}
