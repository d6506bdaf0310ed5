//! What counts as text.

use std::fmt;

/// How much of a file's start tells whether it is binary.
const HEAD: usize = 8192;

/// Why bytes aren't text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// A NUL byte.
    Nul,
    /// A byte-order mark of UTF-16.
    Utf16,
    /// More than a tenth of it is not UTF-8.
    OtherEncoding,
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nul => "a binary file",
            Self::Utf16 => "text in UTF-16; only UTF-8 can be read",
            Self::OtherEncoding => "binary, or text in another encoding than UTF-8",
        })
    }
}

/// Whether a file that starts with these bytes is binary; looks at the first 8192.
pub fn binary_head(start: &[u8]) -> Option<Binary> {
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Some(Binary::Utf16);
    }
    let head = start.get(..HEAD).unwrap_or(start);
    memchr::memchr(0, head).map(|_| Binary::Nul)
}

/// The bytes as text, and whether some had to be replaced by U+FFFD. Bytes of which more than a
/// tenth is no UTF-8, or with a NUL, are no text.
pub fn decode(bytes: Vec<u8>) -> Result<(String, bool), Binary> {
    if memchr::memchr(0, &bytes).is_some() {
        return Err(Binary::Nul);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, false)),
        Err(error) => {
            let bytes = error.into_bytes();
            let wrong: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
            if wrong.saturating_mul(10) > bytes.len() {
                return Err(Binary::OtherEncoding);
            }
            Ok((String::from_utf8_lossy(&bytes).into_owned(), true))
        }
    }
}

/// The longest start of `bytes` within `limit` that doesn't end inside a character.
pub fn cut_at(bytes: &[u8], limit: usize) -> &[u8] {
    bytes.get(..limit).filter(|cut| cut.len() < bytes.len()).map_or(bytes, whole_characters)
}

/// `bytes` without the part of a character that a cut may have left at its end.
pub fn whole_characters(bytes: &[u8]) -> &[u8] {
    // A character has at most three bytes after its first; whatever else is there is no UTF-8.
    for back in 1..=3.min(bytes.len()) {
        let at = bytes.len() - back;
        let Some(&byte) = bytes.get(at) else { break };
        if byte & 0xc0 == 0x80 {
            continue;
        }
        let needs = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if needs > back { bytes.get(..at).unwrap_or(bytes) } else { bytes };
    }
    bytes
}
