//! What a grant names: scheme, host, port, path.

use super::host::{Host, HostError};
use super::path::PathPrefix;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Longer ones are refused.
const URL_BYTES: usize = 2048;

/// How a host is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UrlScheme {
    /// Unencrypted.
    Http,
    /// Over TLS.
    Https,
}

impl UrlScheme {
    /// `http` or `https`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that isn't written.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Scheme, host and port: what requests are granted to, and secrets belong to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The scheme.
    pub scheme: UrlScheme,
    /// The host.
    pub host: Host,
    /// The port, written or not.
    pub port: u16,
}

impl Origin {
    /// Reads `host` or `host:port`, as it follows the scheme.
    pub(super) fn parse(scheme: UrlScheme, authority: &str) -> Result<Self, UrlProblem> {
        if authority.contains('@') {
            return Err(UrlProblem::UserInfo);
        }
        // The last colon, unless it is within the brackets of an address.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            Some(_) | None => (authority, None),
        };
        let port = match port {
            None => scheme.default_port(),
            Some(digits) => {
                let plain = (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
                digits.parse().ok().filter(|port| plain && *port > 0).ok_or(UrlProblem::Port)?
            }
        };
        Ok(Self { scheme, host: Host::parse(host)?, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.host)?;
        if self.port == self.scheme.default_port() { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// The URL of a grant: an origin, and a path that requests lie in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostUrl {
    /// Whom it names.
    pub origin: Origin,
    /// Where there.
    pub path: PathPrefix,
}

/// Why a text is no URL of a grant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{url}` can't be granted: {problem}")]
pub struct UrlError {
    /// As it was written, bounded; without what could be a password.
    pub url: String,
    /// What is wrong with it.
    pub problem: UrlProblem,
}

/// What is wrong with a URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlProblem {
    /// None or another scheme.
    #[error("it must begin with https:// or http://")]
    Scheme,
    /// A user name or password.
    #[error("it holds a user name or password; give a key apart, as a secret")]
    UserInfo,
    /// No number from 1 to 65535.
    #[error("its port is no number from 1 to 65535")]
    Port,
    /// The host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// `?` or `#`.
    #[error("it must end with its path, without `?` or `#`")]
    Query,
    /// A path that servers read in different ways.
    #[error(
        "its path must be plain segments: no `.`, `..`, `//`, `\\`, `;` at the start of one, or encoded slashes"
    )]
    Path,
    /// Longer than any that is needed.
    #[error("it is longer than {URL_BYTES} bytes")]
    TooLong,
}

impl HostUrl {
    /// Reads `https://api.example.com:8443/v1/`.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        Self::read(text).map_err(|problem| UrlError { url: shown(text), problem })
    }

    fn read(text: &str) -> Result<Self, UrlProblem> {
        if text.len() > URL_BYTES {
            return Err(UrlProblem::TooLong);
        }
        let (scheme, rest) = text.split_once("://").ok_or(UrlProblem::Scheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => UrlScheme::Http,
            "https" => UrlScheme::Https,
            _ => return Err(UrlProblem::Scheme),
        };
        if rest.contains(['?', '#']) {
            return Err(UrlProblem::Query);
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let origin = Origin::parse(scheme, authority)?;
        let path = PathPrefix::parse(path).ok_or(UrlProblem::Path)?;
        Ok(Self { origin, path })
    }

    /// Whether all that this names is named by the other too.
    pub fn lies_in(&self, other: &Self) -> bool {
        self.origin == other.origin && other.path.holds_all_of(&self.path)
    }
}

/// A URL as it may be shown to anybody: a user name or password is left out. What stands before an
/// `@` in its path stays where its host can be read.
pub fn without_user(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    let is_plain = Origin::parse(UrlScheme::Https, authority).is_ok();
    // A password with a slash in it goes on in what looks like the path.
    match rest.rsplit_once('@') {
        Some((_, after)) if !is_plain => format!("{scheme}://…@{after}"),
        Some(_) | None => format!("{scheme}://{authority}{path}"),
    }
}

/// The text for an error: bounded, and nothing before an `@`.
fn shown(text: &str) -> String {
    let text = match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, after))) => format!("{scheme}://…@{after}"),
        (None, Some((_, after))) => format!("…@{after}"),
        (_, None) => text.to_owned(),
    };
    crate::trap::bounded(&text, 200)
}

impl fmt::Display for HostUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

impl TryFrom<String> for HostUrl {
    type Error = UrlError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<HostUrl> for String {
    fn from(url: HostUrl) -> Self {
        url.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_url_has_one_spelling() {
        for (text, shown) in [
            ("https://api.example.com:443/v1/", "https://api.example.com/v1"),
            ("HTTPS://API.example.COM", "https://api.example.com"),
            ("http://example.com:8080/", "http://example.com:8080"),
            ("http://[2001:db8:0::1]:80", "http://[2001:db8::1]"),
            ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ] {
            let url = HostUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), shown, "{text}");
            assert_eq!(HostUrl::parse(shown).unwrap(), url);
        }
    }

    #[test]
    fn what_can_t_be_granted_is_told_why() {
        for (text, problem) in [
            ("api.example.com", UrlProblem::Scheme),
            ("ftp://example.com", UrlProblem::Scheme),
            ("//example.com", UrlProblem::Scheme),
            ("https://example.com?x", UrlProblem::Query),
            ("https://example.com/#x", UrlProblem::Query),
            ("https://me@example.com", UrlProblem::UserInfo),
            ("https://example.com:0", UrlProblem::Port),
            ("https://example.com:", UrlProblem::Port),
            ("https://example.com:+80", UrlProblem::Port),
            ("https://example.com:65536", UrlProblem::Port),
            ("https://example.com/a/../b", UrlProblem::Path),
            ("https://", UrlProblem::Host(HostError::Missing)),
            ("https://:443", UrlProblem::Host(HostError::Missing)),
            ("https://*.example.com", UrlProblem::Host(HostError::Wildcard)),
            ("https://2130706433", UrlProblem::Host(HostError::OddAddress("2130706433".into()))),
        ] {
            assert_eq!(HostUrl::parse(text).unwrap_err().problem, problem, "{text}");
        }
    }

    #[test]
    fn a_password_is_not_repeated() {
        let error = HostUrl::parse("https://me:hunter2@example.com").unwrap_err().to_string();
        assert_eq!(
            error,
            "`https://…@example.com` can't be granted: it holds a user name or password; give a key apart, as a secret"
        );
    }

    #[test]
    fn a_url_is_shown_without_its_user() {
        for (text, shown) in [
            ("https://me:hunter2@a.example/x?q=1", "https://…@a.example/x?q=1"),
            ("https://me@a.example", "https://…@a.example"),
            ("https://me:hun/ter2@a.example/x", "https://…@a.example/x"),
            ("https://me:hunt@er2@a.example", "https://…@a.example"),
            ("https://me:hunter2?@a.example", "https://…@a.example"),
            ("https://a.example/@someone", "https://a.example/@someone"),
            ("https://a.example:8443/x", "https://a.example:8443/x"),
            ("src/a@b", "src/a@b"),
        ] {
            assert_eq!(without_user(text), shown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_shown_so_that_it_is_read_again(
            text in "(https?://)?[a-zA-Z0-9.:@\\[\\]%/?#_~;\\\\-]{0,40}"
        ) {
            if let Ok(url) = HostUrl::parse(&text) {
                prop_assert_eq!(HostUrl::parse(&url.to_string()), Ok(url));
            }
        }
    }

    #[test]
    fn a_longer_path_lies_in_a_shorter_one() {
        let url = |text| HostUrl::parse(text).unwrap();
        assert!(url("https://a.example/v1/x").lies_in(&url("https://a.example/v1")));
        assert!(!url("https://a.example").lies_in(&url("https://a.example/v1")));
        assert!(!url("http://a.example/v1").lies_in(&url("https://a.example/v1")));
    }
}
