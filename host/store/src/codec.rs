//! Rows to values and back: JSON with a checksum.
//!
//! SQLite notices a broken page structure but not a flipped bit in a text. Each row therefore
//! carries a digest over what it says *and* where it stands, so that a changed or moved row is
//! reported and not believed.

use crate::{Result, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Deeper values are refused: dropping and folding them recurses.
pub(crate) const MAX_DEPTH: usize = 512;

/// Bytes of a row's digest.
pub(crate) const DIGEST_BYTES: usize = 16;

/// What a row is, for its digest and for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row<'a> {
    /// The entry of a run.
    Run { run: &'a str },
    /// An event, with what was wished for on it, by its sequence number.
    Event { run: &'a str, seq: i64 },
    /// A receipt by its id and the event that it belongs to.
    Receipt { run: &'a str, seq: i64, id: &'a str },
}

impl Row<'_> {
    /// The digest of a row with these texts. JSON holds no NUL, so none can pass for two.
    pub(crate) fn digest(&self, bodies: &[&str]) -> [u8; DIGEST_BYTES] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.to_string().as_bytes());
        for body in bodies {
            hasher.update(b"\0");
            hasher.update(body.as_bytes());
        }
        let mut digest = [0; DIGEST_BYTES];
        hasher.finalize_xof().fill(&mut digest);
        digest
    }

    /// Whether a row with these texts is what was written.
    pub(crate) fn verify(&self, path: &Path, bodies: &[&str], digest: &[u8]) -> Result<()> {
        if self.digest(bodies) == digest {
            return Ok(());
        }
        let why = format!("{self} isn't what was written");
        Err(StoreError::Corrupt { path: path.to_owned(), why })
    }

    /// A value of this row, read from one of its texts.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &Path, body: &str) -> Result<T> {
        let mut reader = serde_json::Deserializer::from_str(body);
        reader.disable_recursion_limit();
        T::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value)).map_err(|error| {
            let why = format!("{self} can't be read: {error}");
            StoreError::Corrupt { path: path.to_owned(), why }
        })
    }
}

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run { run } => write!(f, "the entry of run {run}"),
            Self::Event { run, seq } => write!(f, "event {seq} of run {run}"),
            Self::Receipt { run, seq, id } => write!(f, "receipt {id} at event {seq} of run {run}"),
        }
    }
}

/// A value as the text of a row; `what` names it in errors.
pub(crate) fn write<T: Serialize + ?Sized>(what: &'static str, value: &T) -> Result<String> {
    let body = serde_json::to_string(value)
        .map_err(|error| StoreError::Unwritable { what, why: error.to_string() })?;
    if depth(&body) > MAX_DEPTH {
        return Err(StoreError::TooDeep { what, limit: MAX_DEPTH });
    }
    Ok(body)
}

/// How deeply this JSON text is nested.
fn depth(json: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0_usize);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn brackets_in_strings_are_no_nesting() {
        assert_eq!(depth(r#"{"a":["[[[","\"[{",1]}"#), 2);
        assert_eq!(depth("1"), 0);
        assert_eq!(depth("[[],[[]]]"), 3);
    }
}
