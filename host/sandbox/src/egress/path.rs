//! Paths of URLs, compared by whole segments.
//!
//! Owns: what lies below a granted path. Servers differ in what they make of `%2e%2e`, `%2f`, `//`
//! or `..;`: where a path is granted, a request that some server could read as leading out of it
//! is outside.

use std::fmt;

/// So often a path is decoded, for servers that do it more than once.
const ROUNDS: usize = 4;

/// A granted path: its segments, decoded. Empty is every path.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPrefix(Vec<String>);

impl PathPrefix {
    /// Reads a path that begins with a slash, or is empty; none for one that is ambiguous.
    pub(super) fn parse(path: &str) -> Option<Self> {
        if path.is_empty() {
            return Some(Self::default());
        }
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`');
        if !path.bytes().all(plain) {
            return None;
        }
        segments(path).map(Self)
    }

    /// Whether a request's path lies here.
    pub fn holds(&self, path: &str) -> bool {
        self.0.is_empty() || segments(path).is_some_and(|segments| segments.starts_with(&self.0))
    }

    /// Whether all that lies in the other lies here.
    pub fn holds_all_of(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// Whether it is every path.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }
}

/// The segments of an unambiguous path, decoded once; the last one may be empty and is left out
/// then.
fn segments(path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    if parts.last() == Some(&"") {
        parts.pop();
    }
    parts.into_iter().map(segment).collect()
}

fn segment(text: &str) -> Option<String> {
    let once = decoded(text)?;
    let mut now = text.to_owned();
    for _ in 0..ROUNDS {
        if is_ambiguous(&now) {
            return None;
        }
        let next = decoded(&now)?;
        if next == now {
            return is_whole(text).then_some(once);
        }
        now = next;
    }
    None
}

/// Whether a server could read more or less than one plain name.
fn is_ambiguous(segment: &str) -> bool {
    let plain: String = segment.chars().flat_map(plainest).collect();
    // `..;x` is `..` to servers that know parameters of segments, and so is `.. ` where names end
    // with no space; three dots are more than two somewhere.
    let name = plain.split(';').next().unwrap_or(&plain);
    name.chars().all(|char| matches!(char, '.' | '+') || char.is_whitespace())
        || plain.chars().any(|char| matches!(char, '/' | '\\' | '?' | '#') || char.is_control())
}

/// What servers make of a character that fold those that look alike, or leave out what can't be seen.
fn plainest(char: char) -> impl Iterator<Item = char> {
    let plain = match char {
        '．' | '․' | '‥' | '…' | '﹒' | '。' | '｡' => Some('.'),
        '／' | '∕' | '⁄' | '⧸' | '╱' => Some('/'),
        '＼' | '﹨' | '∖' | '⧵' | '⧹' | '╲' | '¥' | '￥' | '₩' | '￦' => Some('\\'),
        '；' | '﹔' | '\u{37e}' => Some(';'),
        '？' | '﹖' => Some('?'),
        '＃' | '﹟' => Some('#'),
        // It would be decoded once more.
        '％' | '﹪' => Some('/'),
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => None,
        char => Some(char),
    };
    plain.into_iter()
}

/// Whether each `%` begins an escape.
fn is_whole(text: &str) -> bool {
    text.split('%').skip(1).all(|after| after.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}

/// One round of percent decoding, as servers do it that take a broken escape as it is; none if it comes
/// to no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let escaped = match after {
            &[high, low, ..] if first == b'%' => digit(high).zip(digit(low)),
            _ => None,
        };
        match escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

impl fmt::Display for PathPrefix {
    /// As it stands in a URL; nothing for every path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.0 {
            f.write_str("/")?;
            for byte in segment.bytes() {
                let plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
                if plain { write!(f, "{}", char::from(byte))? } else { write!(f, "%{byte:02X}")? }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_matches_whole_segments() {
        let prefix = PathPrefix::parse("/v1/items/").unwrap();
        for inside in [
            "/v1/items",
            "/v1/items/",
            "/v1/items/7",
            "/v1/%69tems/a%20b",
            "/v1/items/100%25",
            "/v1/items/..a",
            "/v1/items/a..",
            "/v1/items/%D0%BA%D0%BB",
            "/v1/items/a;v=1",
        ] {
            assert!(prefix.holds(inside), "{inside}");
        }
        for outside in ["/v1/item", "/v1/items2", "/v1", "/", "", "*", "/V1/items", "v1/items"] {
            assert!(!prefix.holds(outside), "{outside}");
        }
    }

    #[test]
    fn no_encoding_leads_out_of_a_prefix() {
        let prefix = PathPrefix::parse("/v1").unwrap();
        for way in [
            "/v1/../admin",
            "/v1/%2e%2e/admin",
            "/v1/%2E./admin",
            "/v1/%252e%252e/admin",
            "/v1/%25252e%25252e/admin",
            "/v1/..%2fadmin",
            "/v1/x%2f..%2f..%2fadmin",
            "/v1/..%5cadmin",
            "/v1/..\\admin",
            "/v1/..;/admin",
            "/v1/%2e%2e%3b/admin",
            "/v1/./x",
            "/v1//admin",
            "//v1",
            "/v1/%00",
            "/v1/a%0d%0ab",
            "/v1/;x/admin",
            "/v1/%3f",
            "/v1/..%20/x",
            "/v1/%20../x",
            "/v1/.%20./x",
            "/v1/..+/x",
            "/v1/.../x",
            "/v1/%20/x",
            "/v1/..%20;a=b/x",
            "/v1/..%2520/x",
            "/v1/..%c2%a0/x",
            "/v1/%ef%bc%8e%ef%bc%8e/x",
            "/v1/．．/x",
            "/v1/%25ef%25bc%258e./x",
            "/v1/%e2%80%a5/x",
            "/v1/.%e2%80%8b./x",
            "/v1/a%ef%bc%8f..%ef%bc%8fx",
            "/v1/a%ef%bc%bc..%ef%bc%bcx",
            "/v1/..%ef%bc%9bx/x",
            "/v1/%ef%bc%852e%ef%bc%852e/x",
            "/v1/%c0%ae%c0%ae/x",
            "/v1/%25c0%25ae%25c0%25ae/x",
            "/v1/x%255c..%255c%25",
            "/v1/x%255c..%255c%25zz",
            "/v1/%25ff%255c..%255cx",
            "/v1/%zz",
            "/v1/%2",
        ] {
            assert!(!prefix.holds(way), "{way}");
        }
    }

    #[test]
    fn every_path_is_held_where_none_is_granted() {
        let whole = PathPrefix::parse("/").unwrap();
        assert_eq!(whole, PathPrefix::parse("").unwrap());
        assert!(whole.is_whole() && whole.holds("/a/../b//c"));
    }

    #[test]
    fn ambiguous_paths_can_t_be_granted() {
        for path in ["/v1/../x", "/v1//x", "/%2e%2e", "/a%2fb", "v1", "/a b", "/a\\b", "/%zz"] {
            assert_eq!(PathPrefix::parse(path), None, "{path}");
        }
        assert_eq!(PathPrefix::parse("/a%20b/c").unwrap().to_string(), "/a%20b/c");
    }
}
