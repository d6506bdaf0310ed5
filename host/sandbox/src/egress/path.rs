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
        match decoded(&now) {
            Some(next) if next != now => now = next,
            // A `%` that begins no escape: an end as good as any.
            Some(_) | None => return Some(once),
        }
    }
    None
}

/// Whether a server could read more or less than one plain name.
fn is_ambiguous(segment: &str) -> bool {
    // `..;x` is `..` to servers that know parameters of segments.
    let name = segment.split(';').next().unwrap_or(segment);
    matches!(name, "" | "." | "..")
        || segment.chars().any(|char| matches!(char, '/' | '\\' | '?' | '#') || char.is_control())
}

/// One round of percent decoding; none if an escape is broken or comes to no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let &[high, low] = digits else { return None };
        bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
        rest = after;
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
        for inside in ["/v1/items", "/v1/items/", "/v1/items/7", "/v1/%69tems/a%20b", "/v1/items/100%25"] {
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
