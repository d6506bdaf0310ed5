//! The host of a URL, in the one spelling that counts.
//!
//! Owns: reading a host strictly, for grants and requests alike. What a resolver would take for an
//! address in disguise (`2130706433`, `0x7f.1`, `127.1`) is no host here.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use thiserror::Error;

/// The longest name that the domain name system knows.
const NAME_BYTES: usize = 253;
/// The longest part of a name between two dots.
const LABEL_BYTES: usize = 63;

/// A host: a name in lower case, or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A domain name: letters, digits, hyphens, underscores and dots.
    Name(String),
    /// An address.
    Address(IpAddr),
}

/// Why a text is no host.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HostError {
    /// Nothing there.
    #[error("it names no host")]
    Missing,
    /// `*.example.com`.
    #[error("a host is named in full: `*` isn't understood")]
    Wildcard,
    /// Letters outside ASCII.
    #[error("its host has letters outside ASCII: write it as `{0}`")]
    NotAscii(String),
    /// Looks like an address and is none in the usual spelling.
    #[error("`{0}` is no address in the usual spelling, such as 192.0.2.7 or [2001:db8::7]")]
    OddAddress(String),
    /// `::ffff:192.0.2.7`.
    #[error("`{0}` is an IPv4 address within an IPv6 one: write the IPv4 address")]
    Mapped(IpAddr),
    /// A dot at the end, or two in a row.
    #[error("the host `{0}` has a dot too many")]
    EmptyLabel(String),
    /// Other characters, or too long.
    #[error("`{0}` is no host name")]
    Name(String),
}

impl Host {
    /// Reads a host as it stands in a URL: an IPv6 address in brackets.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        if text.is_empty() {
            return Err(HostError::Missing);
        }
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or_else(|| HostError::OddAddress(text.to_owned()))?;
            let address: Ipv6Addr = inner.parse().map_err(|_| HostError::OddAddress(text.to_owned()))?;
            return match address.to_ipv4_mapped() {
                Some(_) => Err(HostError::Mapped(address.into())),
                None => Ok(Self::Address(address.into())),
            };
        }
        if !text.is_ascii() {
            return Err(HostError::NotAscii(
                idna::domain_to_ascii(text).unwrap_or_else(|_| "xn--…".to_owned()),
            ));
        }
        if text.contains('*') {
            return Err(HostError::Wildcard);
        }
        if let Ok(address @ IpAddr::V4(_)) = text.parse() {
            return Ok(Self::Address(address));
        }
        let last = text.rsplit('.').next().unwrap_or(text);
        if text.contains(':') || is_a_number(last) {
            return Err(HostError::OddAddress(text.to_owned()));
        }
        if text.split('.').any(str::is_empty) {
            return Err(HostError::EmptyLabel(text.to_owned()));
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if text.len() > NAME_BYTES
            || !text.bytes().all(allowed)
            || text.split('.').any(|label| label.len() > LABEL_BYTES)
        {
            return Err(HostError::Name(text.to_owned()));
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }

    /// Whether the name itself says that it is this machine: `localhost` and what is below it.
    pub fn is_localhost(&self) -> bool {
        matches!(self, Self::Name(name) if name == "localhost" || name.ends_with(".localhost"))
    }
}

/// What resolvers read as a number: decimal, octal, hexadecimal. A top-level domain never is one.
fn is_a_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match hex {
        Some(hex) => hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !label.is_empty() && digits(label),
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, shown) in [
            ("API.Example.com", "api.example.com"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("my_host", "my_host"),
            ("192.0.2.7", "192.0.2.7"),
            ("[2001:DB8:0:0::7]", "[2001:db8::7]"),
            ("[0:0:0:0:0:0:0:1]", "[::1]"),
            ("1.example", "1.example"),
        ] {
            assert_eq!(Host::parse(text).unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn addresses_in_disguise_are_no_hosts() {
        for text in [
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "127.1",
            "127.0.1",
            "1.2.3.4.5",
            "256.0.0.1",
            "127.0.0.01",
            "::1",
            "[::1",
            "[127.0.0.1]",
            "[::1%eth0]",
            "[fe80::1%251]",
            "0x",
        ] {
            assert!(matches!(Host::parse(text), Err(HostError::OddAddress(_))), "{text}");
        }
        assert!(matches!(Host::parse("[::ffff:127.0.0.1]"), Err(HostError::Mapped(_))));
        assert!(matches!(Host::parse("[::ffff:7f00:1]"), Err(HostError::Mapped(_))));
    }

    #[test]
    fn what_is_no_host_is_told_why() {
        assert_eq!(Host::parse(""), Err(HostError::Missing));
        assert_eq!(Host::parse("*.example.com"), Err(HostError::Wildcard));
        assert_eq!(Host::parse("bücher.example"), Err(HostError::NotAscii("xn--bcher-kva.example".into())));
        assert_eq!(Host::parse("example.com."), Err(HostError::EmptyLabel("example.com.".into())));
        assert_eq!(Host::parse("a..b"), Err(HostError::EmptyLabel("a..b".into())));
        for text in ["a b", "a%2eb", "a@b", "a\\b", "a/b", &"x".repeat(64), &"x.".repeat(130)] {
            assert!(Host::parse(text).is_err(), "{text}");
        }
    }
}
