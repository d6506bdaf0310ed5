//! Secrets that the host adds to requests, and that no guest sees.
//!
//! Owns: which secret goes where, and the newtype that its value travels in. Values are given with
//! each call; grants, receipts and errors hold names only. Doesn't own: where values come from,
//! taking them out of replies (`scrub`).

use super::url::{HostUrl, Origin, UrlScheme};
use crate::grant::Grants;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// A shorter value could be guessed, and taking it out of replies would garble them.
pub const SHORTEST_SECRET: usize = 8;
/// Longer ones fit into no header that servers take.
const LONGEST_SECRET: usize = 8 << 10;
const NAME_BYTES: usize = 64;
/// Padded or not, as servers read it.
const ANY_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The name of a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

/// Which requests a secret is added to, and how. Holds no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretGrant {
    /// Its name.
    pub name: SecretName,
    /// The requests that it belongs to. Nothing is sent unencrypted but into a private network.
    pub host: HostUrl,
    /// The header that it is sent in.
    pub header: SecretHeader,
    /// What stands before it there: `Bearer `.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

/// A header that a secret may be sent in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretHeader(HeaderName);

/// The value of a secret. No format shows it, and it has no serialization.
#[derive(Clone)]
pub struct SecretValue(String);

/// The values that a call may need, and where they belong. No format shows the values.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<SecretName, Secret>);

/// One of them.
#[derive(Clone)]
pub(super) struct Secret {
    pub(super) grant: SecretGrant,
    value: SecretValue,
}

/// Why a secret can't be used. Never says what its value is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SecretError {
    /// Not a name.
    #[error("`{0}` is no name of a secret: letters, digits, `-` and `_`, {NAME_BYTES} at most")]
    Name(String),
    /// A header that isn't one, or that the host writes itself.
    #[error("a secret can't be sent in the header `{0}`")]
    Header(String),
    /// Something before the value that no header can hold.
    #[error("the prefix of the secret `{0}` must be plain text on one line")]
    Prefix(SecretName),
    /// Unencrypted over the internet.
    #[error("the secret `{name}` would travel unencrypted to {host}; use https")]
    Unencrypted {
        /// Its name.
        name: SecretName,
        /// Where to.
        host: HostUrl,
    },
    /// Too short or too long.
    #[error("its value must have {SHORTEST_SECRET} to {LONGEST_SECRET} bytes")]
    Length,
    /// Line breaks and the like.
    #[error("its value has characters that no header can hold")]
    Characters,
    /// Two secrets for one header of one host.
    #[error("the secrets `{first}` and `{second}` belong to the same header of the same requests")]
    Same {
        /// The one.
        first: SecretName,
        /// The other.
        second: SecretName,
    },
}

impl SecretName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if text.is_empty() || text.len() > NAME_BYTES || !text.bytes().all(plain) {
            return Err(SecretError::Name(crate::trap::bounded(text, NAME_BYTES)));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SecretHeader {
    /// Reads a header's name.
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        match HeaderName::try_from(text) {
            Ok(name) if !super::headers::is_the_host_s(&name) => Ok(Self(name)),
            Ok(_) | Err(_) => Err(SecretError::Header(crate::trap::bounded(text, NAME_BYTES))),
        }
    }

    pub(super) fn name(&self) -> &HeaderName {
        &self.0
    }
}

impl SecretGrant {
    /// Checks what the types don't: the prefix, and that it could be sent somewhere encrypted or
    /// private.
    pub fn check(&self) -> Result<(), SecretError> {
        if HeaderValue::from_str(&self.prefix).is_err() {
            return Err(SecretError::Prefix(self.name.clone()));
        }
        let origin = &self.host.origin;
        if origin.scheme == UrlScheme::Http
            && super::grant::reach_of(&origin.host) == super::address::Reach::Public
            && matches!(origin.host, super::host::Host::Address(_))
        {
            return Err(SecretError::Unencrypted { name: self.name.clone(), host: self.host.clone() });
        }
        Ok(())
    }

    /// Checks each, and that no two of them belong to the same header of the same requests.
    pub fn check_all(secrets: &[Self]) -> Result<(), SecretError> {
        for (at, one) in secrets.iter().enumerate() {
            one.check()?;
            let same = |other: &&Self| {
                let overlap = one.host.lies_in(&other.host) || other.host.lies_in(&one.host);
                overlap && one.header == other.header
            };
            if let Some(other) = secrets.iter().skip(at + 1).find(same) {
                let (first, second) = (one.name.clone(), other.name.clone());
                return Err(SecretError::Same { first, second });
            }
        }
        Ok(())
    }
}

impl SecretValue {
    /// Takes a value that a header can hold.
    pub fn new(value: String) -> Result<Self, SecretError> {
        if !(SHORTEST_SECRET..=LONGEST_SECRET).contains(&value.len()) {
            return Err(SecretError::Length);
        }
        if HeaderValue::from_str(&value).is_err() || value.trim() != value {
            return Err(SecretError::Characters);
        }
        Ok(Self(value))
    }

    /// The value itself; only for the wire, and for finding it in what comes back.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl Secrets {
    /// Adds one; a later one stands in place of an earlier one of the same name.
    pub fn insert(&mut self, grant: SecretGrant, value: SecretValue) {
        self.0.insert(grant.name.clone(), Secret { grant, value });
    }

    /// The value of this name.
    pub fn get(&self, name: &SecretName) -> Option<&SecretValue> {
        self.0.get(name).map(|secret| &secret.value)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them belongs to requests there, whatever their path.
    pub(super) fn has_one_of(&self, origin: &Origin) -> bool {
        self.iter().any(|secret| secret.grant.host.origin == *origin)
    }

    /// Those that hosts have which a call may ask, whether or not it may send them.
    pub(super) fn asked_for(&self, grants: &Grants) -> impl Iterator<Item = &Secret> {
        let hosts = grants.open_hosts();
        self.iter().filter(|secret| hosts.iter().any(|host| host.url().origin == secret.grant.host.origin))
    }

    /// Whether these are all.
    pub(super) fn are_all_asked_for(&self, grants: &Grants) -> bool {
        self.asked_for(grants).count() == self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Secret> {
        self.0.values()
    }
}

impl Secret {
    /// All that nobody may learn: the value, and if it is a user and a password in base64, what they
    /// are. What is too short to be a secret is none. With how many bytes of each are anybody's.
    pub(super) fn values(&self) -> Vec<(Vec<u8>, usize)> {
        let value = self.value.expose();
        let whole = format!("{}{value}", self.grant.prefix);
        let coded = whole.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"));
        let decoded = coded.and_then(|(_, coded)| Some((coded, ANY_BASE64.decode(coded.trim()).ok()?)));
        let Some((coded, decoded)) = decoded else { return vec![(value.as_bytes().to_vec(), 0)] };
        let colon = decoded.iter().position(|byte| *byte == b':').unwrap_or(decoded.len());
        let (user, password) = (decoded.get(..colon), decoded.get(colon + 1..));
        let public = if colon < SHORTEST_SECRET { colon + 1 } else { 0 };
        let before = value.len().saturating_sub(coded.len());
        let parts = [
            (Some(value.as_bytes()), before + public * 8 / 6),
            (Some(decoded.as_slice()), public),
            (user, 0),
            (password, 0),
        ];
        let parts = parts.into_iter().filter_map(|(part, public)| Some((part?.to_vec(), public)));
        parts.filter(|(part, _)| part.len() >= SHORTEST_SECRET).collect()
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(SecretName::as_str)).finish()
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SecretName {
    type Error = SecretError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> Self {
        name.0
    }
}

impl TryFrom<String> for SecretHeader {
    type Error = SecretError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SecretHeader> for String {
    fn from(header: SecretHeader) -> Self {
        header.0.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn grant(name: &str, host: &str, header: &str) -> SecretGrant {
        serde_json::from_value(json!({"name": name, "host": host, "header": header})).unwrap()
    }

    #[test]
    fn a_value_shows_in_no_format() {
        let mut secrets = Secrets::default();
        let value = SecretValue::new("sk-very-private".to_owned()).unwrap();
        assert_eq!(format!("{value:?} {value:#?}"), "[secret] [secret]");
        secrets.insert(grant("key", "https://a.example", "x-key"), value);
        assert_eq!(format!("{secrets:?}"), r#"{"key"}"#);
    }

    #[test]
    fn a_password_in_base64_is_as_secret_as_what_it_is_in() {
        let values = |prefix: &str, value: &str| {
            let grant =
                SecretGrant { prefix: prefix.to_owned(), ..grant("key", "https://a.example", "x-key") };
            let value = SecretValue::new(value.to_owned()).unwrap();
            let values = Secret { grant, value }.values();
            values.into_iter().map(|(value, _)| String::from_utf8(value).unwrap()).collect::<Vec<_>>()
        };
        let coded = "YWxpY2U6Y29ycmVjdCBob3JzZQ==";
        let decoded = ["alice:correct horse", "correct horse"];
        assert_eq!(values("Basic ", coded), [&[coded][..], &decoded].concat());
        assert_eq!(values("basic ", coded.trim_end_matches('='))[1..], decoded);
        let whole = format!("Basic {coded}");
        assert_eq!(values("", &whole)[1..], decoded);
        assert_eq!(values("Bearer ", coded), [coded]);
        assert_eq!(values("Basic ", "no base64 at all"), ["no base64 at all"]);
    }

    #[test]
    fn values_that_no_header_holds_are_refused_unseen() {
        for value in ["short", "", "two\nlines-of-it", "bell\u{7}-in-it", " padded-value"] {
            let error = SecretValue::new(value.to_owned()).unwrap_err().to_string();
            assert!(value.is_empty() || !error.contains(value), "{error}");
        }
    }

    #[test]
    fn headers_that_the_host_writes_hold_no_secret() {
        for header in
            ["host", "Content-Length", "transfer-encoding", "connection", "proxy-authorization", "a b", ""]
        {
            assert!(SecretHeader::parse(header).is_err(), "{header}");
        }
        assert!(SecretHeader::parse("X-Api-Key").is_ok());
    }

    #[test]
    fn two_secrets_for_one_header_are_refused() {
        let one = grant("one", "https://a.example", "authorization");
        let other = grant("two", "https://a.example/v1", "Authorization");
        assert!(matches!(SecretGrant::check_all(&[one.clone(), other]), Err(SecretError::Same { .. })));
        let elsewhere = grant("two", "https://b.example", "authorization");
        assert_eq!(SecretGrant::check_all(&[one, elsewhere]), Ok(()));
    }

    #[test]
    fn a_secret_isn_t_sent_unencrypted_over_the_internet() {
        assert!(grant("one", "http://8.8.8.8", "x-key").check().is_err());
        assert!(grant("one", "http://127.0.0.1", "x-key").check().is_ok());
        assert!(grant("one", "https://8.8.8.8", "x-key").check().is_ok());
    }
}
