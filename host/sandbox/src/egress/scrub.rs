//! Takes secrets out of what comes back.
//!
//! Owns: finding values in a stream whose pieces end anywhere, so that where the pieces that are
//! handed on end says nothing of the values; and what a text that was cut within a value ends with.
//! Doesn't own: the forms in which a value is looked for (`forms`). A server that hands a secret back
//! in a form of its own (compressed, reversed) can't be seen through; `send` asks hosts that have one
//! for plain replies.

use super::forms::{Form, forms};
use super::secret::{Secret, Secrets};
use super::sieve::Sieve;
use crate::grant::Grants;
use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::sync::Arc;

/// What a call's secrets look like.
#[derive(Default)]
pub(crate) struct Scrub {
    needles: Vec<Needle>,
    sieve: Sieve,
    /// Bytes that the longest form may have.
    longest: usize,
}

struct Needle {
    form: Form,
    mark: Arc<str>,
}

/// Whether a text that is scanned goes on elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It does, or was never cut.
    Open,
    /// It ends, and may have been cut.
    Cut,
}

impl Scrub {
    /// Of all secrets.
    pub(crate) fn new(secrets: &Secrets) -> Self {
        Self::over(secrets.iter())
    }

    /// Of those whose host this call may ask, whether or not it may send them: what another host
    /// could send to learn of them passes as it is.
    pub(crate) fn of_asked_hosts(secrets: &Secrets, grants: &Grants) -> Self {
        Self::over(secrets.asked_for(grants))
    }

    fn over<'a>(secrets: impl Iterator<Item = &'a Secret>) -> Self {
        let mut scrub = Self::default();
        for secret in secrets {
            let mark: Arc<str> = format!("[secret {}]", secret.grant.name).into();
            for form in secret.values().iter().flat_map(|(value, public)| forms(value, *public)) {
                for head in form.heads() {
                    scrub.sieve.add(scrub.needles.len(), head);
                }
                if let Some(codes) = form.escaped_heads() {
                    scrub.sieve.add_escaped(scrub.needles.len(), codes);
                }
                scrub.longest = scrub.longest.max(form.longest());
                scrub.needles.push(Needle { form, mark: mark.clone() });
            }
        }
        scrub
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// A text without secrets. What may be the beginning of one at its end stays: a guest has heard
    /// none, and whoever edits a file by what a tool has read of it would lose that end.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        String::from_utf8_lossy(&self.whole(text.as_bytes(), End::Open)).into_owned()
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
            let out = self.whole(value.as_bytes(), End::Cut);
            if out != value.as_bytes() {
                *value =
                    HeaderValue::from_bytes(&out).unwrap_or_else(|_| HeaderValue::from_static("[secret]"));
            }
        }
    }

    fn tells(&self, name: &HeaderName) -> bool {
        let name = name.as_str().as_bytes();
        self.needles
            .iter()
            .any(|needle| (0..name.len()).any(|at| needle.form.end_in_small_letters_at(name, at).is_some()))
    }

    fn whole(&self, text: &[u8], end: End) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        self.scan(text, text.len(), end, &mut out);
        out
    }

    /// Copies input to output without secrets, up to `until`, or to the end of a secret that begins
    /// before it; says how far that is.
    fn scan(&self, input: &[u8], until: usize, end: End, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        let mut copied = 0;
        while let Some(candidate) = self.sieve.next(input, at, until) {
            let things = self.sieve.things(input, &candidate);
            let needles = || things.iter().filter_map(|thing| self.needles.get(*thing));
            let whole = needles()
                .filter_map(|needle| Some((needle.form.end_at(input, candidate.at)?, needle)))
                .max_by_key(|(end, _)| *end);
            let found = whole.or_else(|| {
                let is_cut = |needle: &&Needle| end == End::Cut && needle.form.is_cut_at(input, candidate.at);
                Some((input.len(), needles().find(is_cut)?))
            });
            at = match found {
                Some((end, needle)) => {
                    out.extend_from_slice(input.get(copied..candidate.at).unwrap_or_default());
                    out.extend_from_slice(needle.mark.as_bytes());
                    copied = end;
                    end
                }
                None => candidate.at + 1,
            };
        }
        let until = until.max(copied);
        out.extend_from_slice(input.get(copied..until).unwrap_or_default());
        until
    }
}

/// One stream that is scrubbed as it passes.
pub(super) struct Scrubbing {
    scrub: Arc<Scrub>,
    /// What came last: a secret may begin in it, and whether one does mustn't show.
    held: BytesMut,
}

impl Scrubbing {
    pub(super) fn new(scrub: Arc<Scrub>) -> Self {
        Self { scrub, held: BytesMut::new() }
    }

    /// The next piece. As many bytes are kept for the one after as the longest form of a secret has,
    /// but one, whatever they are: a host that says guesses would learn from anything less.
    pub(super) fn next(&mut self, piece: Bytes) -> Bytes {
        if self.scrub.is_empty() {
            return piece;
        }
        self.held.extend_from_slice(&piece);
        let until = self.held.len().saturating_sub(self.scrub.longest.saturating_sub(1));
        let mut out = Vec::with_capacity(until);
        let done = self.scrub.scan(&self.held, until, End::Open, &mut out);
        self.held.advance(done);
        out.into()
    }

    /// What was kept, when nothing is to come. What may be a secret that was cut doesn't go either.
    pub(super) fn end(&mut self) -> Bytes {
        let held = std::mem::take(&mut self.held);
        self.scrub.whole(&held, End::Cut).into()
    }

    /// Whether pieces pass as they are.
    pub(super) fn is_idle(&self) -> bool {
        self.scrub.is_empty()
    }
}

#[cfg(test)]
mod tests;
