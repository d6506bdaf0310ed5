//! Takes secrets out of what comes back.
//!
//! Owns: finding values in a stream whose pieces end anywhere, so that where the pieces that are
//! handed on end says nothing of the values. Doesn't own: the forms in which a value is looked for
//! (`forms`). A server that hands a secret back in a form of its own (compressed, reversed) can't be
//! seen through; `send` asks hosts that have one for plain replies.

use super::forms::forms;
use super::secret::{SecretGrant, SecretName, SecretValue, Secrets};
use crate::grant::Grants;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a call's secrets look like.
#[derive(Default)]
pub(crate) struct Scrub {
    /// The longest first.
    needles: Vec<Needle>,
    /// Which bytes a needle begins with.
    starts: Vec<u8>,
    /// Bytes of the longest needle.
    longest: usize,
}

struct Needle {
    bytes: Vec<u8>,
    mark: Arc<str>,
}

impl Scrub {
    /// Of all secrets.
    pub(crate) fn new(secrets: &Secrets) -> Self {
        Self::over(secrets.iter())
    }

    /// Of those whose host this call may ask: what a host could send to learn of other secrets
    /// passes as it is.
    pub(crate) fn of_asked_hosts(secrets: &Secrets, grants: &Grants) -> Self {
        let is_asked = |secret: &&SecretGrant| {
            grants.open_hosts().iter().any(|host| host.url().origin == secret.host.origin)
        };
        let names: BTreeSet<&SecretName> =
            grants.open_secrets().iter().filter(is_asked).map(|secret| &secret.name).collect();
        Self::over(secrets.iter().filter(|(name, _)| names.contains(name)))
    }

    fn over<'a>(secrets: impl Iterator<Item = (&'a SecretName, &'a SecretValue)>) -> Self {
        let mut needles: Vec<Needle> = Vec::new();
        for (name, value) in secrets {
            let mark: Arc<str> = format!("[secret {name}]").into();
            for bytes in forms(value.expose()) {
                if !needles.iter().any(|needle| needle.bytes == bytes) {
                    needles.push(Needle { bytes, mark: mark.clone() });
                }
            }
        }
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.bytes.len()));
        let mut starts: Vec<u8> = needles.iter().filter_map(|needle| needle.bytes.first().copied()).collect();
        starts.sort_unstable();
        starts.dedup();
        let longest = needles.first().map_or(0, |needle| needle.bytes.len());
        Self { needles, starts, longest }
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
        self.scan(text.as_bytes(), text.len(), &mut out);
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
            self.scan(value.as_bytes(), value.len(), &mut out);
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

    /// Copies input to output without secrets, up to `until`, or to the end of a secret that begins
    /// before it; says how far that is.
    fn scan(&self, input: &[u8], until: usize, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        'input: while let Some(ahead) = input.get(at..until).filter(|ahead| !ahead.is_empty()) {
            let plain = ahead.iter().position(|byte| self.starts.binary_search(byte).is_ok());
            let (before, ahead) = ahead.split_at(plain.unwrap_or(ahead.len()));
            out.extend_from_slice(before);
            at += before.len();
            let Some(first) = ahead.first() else { break };
            let rest = input.get(at..).unwrap_or_default();
            for needle in &self.needles {
                if rest.starts_with(&needle.bytes) {
                    out.extend_from_slice(needle.mark.as_bytes());
                    at += needle.bytes.len();
                    continue 'input;
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
    /// What came last: a secret may begin in it, and whether one does mustn't show.
    held: Vec<u8>,
}

impl Scrubbing {
    pub(super) fn new(scrub: Arc<Scrub>) -> Self {
        Self { scrub, held: Vec::new() }
    }

    /// The next piece. As many bytes are kept for the one after as the longest form of a secret has,
    /// but one, whatever they are: a host that says guesses would learn from anything less.
    pub(super) fn next(&mut self, piece: bytes::Bytes) -> bytes::Bytes {
        if self.scrub.is_empty() {
            return piece;
        }
        self.held.extend_from_slice(&piece);
        let until = self.held.len().saturating_sub(self.scrub.longest.saturating_sub(1));
        let mut out = Vec::with_capacity(until);
        let done = self.scrub.scan(&self.held, until, &mut out);
        self.held.drain(..done);
        out.into()
    }

    /// What was kept, when nothing is to come.
    pub(super) fn end(&mut self) -> bytes::Bytes {
        let held = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(held.len());
        self.scrub.scan(&held, held.len(), &mut out);
        out.into()
    }

    /// Whether pieces pass as they are.
    pub(super) fn is_idle(&self) -> bool {
        self.scrub.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

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
    fn what_only_begins_like_a_secret_stays() {
        for text in ["s3cr", "s3cr/t+", "as3cr/t+\"k&y\" o", "s3s3cs3cr", ""] {
            assert_eq!(in_pieces(text, 1), text);
            assert_eq!(scrub().text(text), text);
        }
    }

    fn lengths(text: &[u8], size: usize) -> Vec<usize> {
        let mut stream = Scrubbing::new(scrub());
        let pieces = text.chunks(size).map(|piece| stream.next(bytes::Bytes::copy_from_slice(piece)).len());
        let mut lengths: Vec<usize> = pieces.collect();
        lengths.push(stream.end().len());
        lengths
    }

    #[test]
    fn where_pieces_end_doesn_t_tell_a_right_guess_from_a_wrong_one() {
        for guessed in 1..VALUE.len() {
            let right = format!("{}{}", &VALUE[..guessed], "~".repeat(700));
            let wrong = "~".repeat(right.len());
            for size in [1, 2, 7, guessed, 300, 2000] {
                let (right, wrong) = (lengths(right.as_bytes(), size), lengths(wrong.as_bytes(), size));
                assert_eq!(right, wrong, "{guessed} of {} in pieces of {size}", VALUE.len());
            }
            // A guess that all of a stream ends with, too.
            let (right, wrong) = (&VALUE.as_bytes()[..guessed], "~".repeat(guessed));
            assert_eq!(lengths(right, 1), lengths(wrong.as_bytes(), 1));
        }
    }

    #[test]
    fn only_secrets_of_hosts_that_a_call_may_ask_are_looked_for_in_replies() {
        let mut secrets = Secrets::default();
        for (name, value) in [("mine", "my-own-value"), ("other", "other-value"), ("far", "far-off-value")] {
            secrets.insert(SecretName::parse(name).unwrap(), SecretValue::new(value.to_owned()).unwrap());
        }
        let secret = |name: &str, host: &str| -> SecretGrant {
            serde_json::from_value(json!({"name": name, "host": host, "header": "x-key"})).unwrap()
        };
        let grants = Grants {
            hosts: vec![crate::HostGrant::parse("https://a.example/v1").unwrap()],
            secrets: vec![secret("mine", "https://a.example"), secret("far", "https://b.example")],
            ..Grants::whole_project()
        };
        let text = "my-own-value other-value far-off-value";
        let replies = Scrub::of_asked_hosts(&secrets, &grants);
        assert_eq!(replies.text(text), "[secret mine] other-value far-off-value");
        assert_eq!(Scrub::new(&secrets).text(text), "[secret mine] [secret other] [secret far]");
        let deterministic = Grants { deterministic: true, ..grants };
        assert!(Scrub::of_asked_hosts(&secrets, &deterministic).is_empty());
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
