//! Leads a reply back to what the original schema asks for.
//!
//! Owns: the pass over the reply's text. It copies every token as it stands, so numbers,
//! duplicate keys and escapes reach the reader untouched; only JSON that was written as
//! text is unwrapped, and a null that means "left out" is left out.

use super::plan::{Kind, Null, Plan, Text};
use serde::de::IgnoredAny;

pub(super) fn decode(plan: &Plan, text: String) -> String {
    // The check also bounds how deep the text nests.
    if !plan.changes() || serde_json::from_str::<IgnoredAny>(&text).is_err() {
        return text;
    }
    let mut pass = Pass { rest: text.as_str() };
    match pass.value(Some(plan)) {
        Some(Piece::Keep(out)) => out,
        Some(Piece::LeaveOut) | None => text,
    }
}

struct Pass<'t> {
    rest: &'t str,
}

enum Piece {
    Keep(String),
    LeaveOut,
}

// `None` means that the text isn't JSON, which the check at the start rules out.
impl<'t> Pass<'t> {
    fn value(&mut self, plan: Option<&Plan>) -> Option<Piece> {
        match self.peek()? {
            '{' => self.object(plan).map(Piece::Keep),
            '[' => self.array(plan).map(Piece::Keep),
            '"' => {
                let token = self.string()?;
                let unwrapped = match plan.and_then(|plan| plan.text) {
                    Some(Text::Encoded(kind)) => unwrap(token, kind),
                    Some(Text::Verbatim) | None => None,
                };
                Some(Piece::Keep(unwrapped.unwrap_or_else(|| token.to_owned())))
            }
            _ => {
                let end = self.rest.find([',', '}', ']']).unwrap_or(self.rest.len());
                let token = self.take(end)?.trim_end();
                match plan.and_then(|plan| plan.null) {
                    Some(Null::Absent) if token == "null" => Some(Piece::LeaveOut),
                    Some(Null::Absent | Null::Real) | None => Some(Piece::Keep(token.to_owned())),
                }
            }
        }
    }

    fn object(&mut self, plan: Option<&Plan>) -> Option<String> {
        let fields = plan.and_then(|plan| plan.fields.as_ref());
        let mut members = Vec::new();
        self.take(1)?;
        if self.peek()? == '}' {
            self.take(1)?;
            return Some("{}".to_owned());
        }
        loop {
            self.peek()?;
            let key = self.string()?;
            let name: String = serde_json::from_str(key).ok()?;
            self.peek()?;
            self.take(1)?;
            match self.value(fields.and_then(|fields| fields.get(&name)))? {
                Piece::Keep(value) => members.push(format!("{key}:{value}")),
                Piece::LeaveOut => {}
            }
            if self.closes('}')? {
                return Some(format!("{{{}}}", members.join(",")));
            }
        }
    }

    fn array(&mut self, plan: Option<&Plan>) -> Option<String> {
        let items = plan.and_then(|plan| plan.items.as_deref());
        let mut values = Vec::new();
        self.take(1)?;
        if self.peek()? == ']' {
            self.take(1)?;
            return Some("[]".to_owned());
        }
        loop {
            match self.value(items)? {
                Piece::Keep(value) => values.push(value),
                Piece::LeaveOut => {}
            }
            if self.closes(']')? {
                return Some(format!("[{}]", values.join(",")));
            }
        }
    }

    /// Takes a comma or the closing bracket; whether it was the bracket.
    fn closes(&mut self, bracket: char) -> Option<bool> {
        let next = self.peek()?;
        self.take(1)?;
        Some(next == bracket)
    }

    fn string(&mut self) -> Option<&'t str> {
        let mut escaped = false;
        let inside = self.rest.strip_prefix('"')?;
        let end = inside.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        self.take(end + 2)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, bytes: usize) -> Option<&'t str> {
        let (token, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(token)
    }
}

/// The JSON inside a string token, if it is JSON of that kind.
fn unwrap(token: &str, kind: Kind) -> Option<String> {
    let inner: String = serde_json::from_str(token).ok()?;
    let inner = inner.trim();
    let fits = match kind {
        Kind::Object => inner.starts_with('{'),
        Kind::Array => inner.starts_with('['),
        Kind::Any => true,
    };
    (fits && serde_json::from_str::<IgnoredAny>(inner).is_ok()).then(|| inner.to_owned())
}
