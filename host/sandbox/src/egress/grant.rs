//! A granted host: where requests may go, with which methods.

use super::address::Reach;
use super::host::Host;
use super::url::{HostUrl, Origin, UrlError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use thiserror::Error;

/// The longest name of a method.
const METHOD_BYTES: usize = 32;

/// Requests that a call may make: to a scheme, host and port, below a path, with some methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct HostGrant {
    url: HostUrl,
    methods: BTreeSet<Method>,
    private: bool,
}

/// The name of a method, in capitals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Method(String);

/// Why there is no such grant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HostGrantError {
    /// The URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// A method.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// An empty list of methods.
    #[error("`{0}` is granted for no method: leave `methods` out for GET and HEAD")]
    NoMethods(HostUrl),
    /// An address that isn't the internet's, without saying so.
    #[error(
        "`{url}` leads to {what}: only your own configuration or --allow-host can grant that, as {{ url = \"{url}\", private = true }}"
    )]
    Private {
        /// Whom it names.
        url: HostUrl,
        /// What kind of address.
        what: &'static str,
    },
    /// An address of the link, without saying so.
    #[error(
        "`{0}` is a link-local address, where a cloud answers with its keys: it is refused unless a grant of your own says that it is private"
    )]
    LinkLocal(HostUrl),
    /// An address that is no host's.
    #[error("`{url}` can't be granted: that is {what}")]
    Nowhere {
        /// Whom it names.
        url: HostUrl,
        /// What kind of address.
        what: &'static str,
    },
}

/// Why a text is no method that can be granted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodError {
    /// Not in capitals, or not a name.
    #[error("`{0}` is no method: write it in capitals, such as GET or POST")]
    Name(String),
    /// `CONNECT` opens a tunnel, `TRACE` sends back what the host added.
    #[error("the method {0} can't be granted")]
    Never(String),
}

impl Method {
    /// Reads the name of a method.
    pub fn parse(text: &str) -> Result<Self, MethodError> {
        let plain = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
        if text.is_empty() || text.len() > METHOD_BYTES || !text.bytes().all(plain) {
            return Err(MethodError::Name(crate::trap::bounded(text, METHOD_BYTES)));
        }
        if matches!(text, "CONNECT" | "TRACE" | "TRACK") {
            return Err(MethodError::Never(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// What a grant is for that names none: asking, not changing.
    fn usual() -> BTreeSet<Self> {
        [Self("GET".to_owned()), Self("HEAD".to_owned())].into()
    }
}

impl HostGrant {
    /// To ask (`GET` and `HEAD`) a host of the internet.
    pub fn parse(url: &str) -> Result<Self, HostGrantError> {
        Self::new(HostUrl::parse(url)?, None, false)
    }

    /// Grants these methods (none: `GET` and `HEAD`). Without `private` the host's name must lead
    /// to addresses of the internet alone.
    pub fn new(
        url: HostUrl,
        methods: Option<BTreeSet<Method>>,
        private: bool,
    ) -> Result<Self, HostGrantError> {
        let methods = methods.unwrap_or_else(Method::usual);
        if methods.is_empty() {
            return Err(HostGrantError::NoMethods(url));
        }
        match reach_of(&url.origin.host) {
            Reach::Nowhere(what) => Err(HostGrantError::Nowhere { url, what }),
            Reach::Private(what) if !private => Err(HostGrantError::Private { url, what }),
            Reach::LinkLocal(_) if !private => Err(HostGrantError::LinkLocal(url)),
            Reach::Private(_) | Reach::LinkLocal(_) | Reach::Public => Ok(Self { url, methods, private }),
        }
    }

    /// Whom and where.
    pub fn url(&self) -> &HostUrl {
        &self.url
    }

    /// Whether it may lead to this machine, or into a network around it.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// Whether a request with this method is granted.
    pub fn has_method(&self, method: &str) -> bool {
        self.methods.iter().any(|granted| granted.0 == method)
    }

    /// Whether everything that this grants is granted by the other.
    pub fn lies_in(&self, other: &Self) -> bool {
        self.url.lies_in(&other.url)
            && self.methods.is_subset(&other.methods)
            && (!self.private || other.private)
    }

    /// What both grant, if anything.
    pub fn common(&self, other: &Self) -> Option<Self> {
        let url = match () {
            () if self.url.lies_in(&other.url) => &self.url,
            () if other.url.lies_in(&self.url) => &other.url,
            () => return None,
        };
        let methods: BTreeSet<Method> = self.methods.intersection(&other.methods).cloned().collect();
        Self::new(url.clone(), Some(methods), self.private && other.private).ok()
    }
}

/// What all of one list and all of another grant, each thing once.
pub fn common_hosts(granted: &[HostGrant], named: &[HostGrant]) -> Vec<HostGrant> {
    let mut both: Vec<HostGrant> = Vec::new();
    for name in named {
        for grant in granted {
            if let Some(common) = grant.common(name)
                && !both.contains(&common)
            {
                both.push(common);
            }
        }
    }
    both
}

/// What a host is by its spelling alone: a name could be anywhere.
pub(super) fn reach_of(host: &Host) -> Reach {
    match host {
        Host::Address(address) => Reach::of(*address),
        Host::Name(_) if host.is_localhost() => Reach::Private("an address of this machine"),
        Host::Name(_) => Reach::Public,
    }
}

/// The flag that would allow a request, as a person types it into a shell; none if none can, or none should
/// be given by the way.
pub(super) fn allowing(origin: &Origin, method: &str, private: bool) -> Option<String> {
    let url = HostUrl { origin: origin.clone(), path: Default::default() };
    let method = Method::parse(method).ok()?;
    let methods = if Method::usual().contains(&method) { Method::usual() } else { [method].into() };
    let private = match reach_of(&origin.host) {
        Reach::LinkLocal(_) => return None,
        Reach::Private(_) => true,
        Reach::Public | Reach::Nowhere(_) => private,
    };
    HostGrant::new(url, Some(methods), private).ok().map(|grant| grant.flag())
}

impl HostGrant {
    /// As a person types it into a shell: its URL, or a table where that isn't all.
    pub fn flag(&self) -> String {
        let url = self.url.to_string();
        let is_bare = url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:,=+@%".contains(&byte));
        let is_usual = !self.private && self.methods == Method::usual();
        let word = if is_usual { url } else { self.written() };
        match is_usual && is_bare {
            true => format!("--allow-host {word}"),
            false => format!("--allow-host '{}'", word.replace('\'', r"'\''")),
        }
    }

    /// As a configuration file has it.
    pub fn written(&self) -> String {
        let mut text = format!("{{ url = \"{}\"", self.url);
        if self.methods != Method::usual() {
            let names: Vec<String> = self.methods.iter().map(|method| format!("\"{method}\"")).collect();
            let _ = write!(text, ", methods = [{}]", names.join(", "));
        }
        text.push_str(if self.private { ", private = true }" } else { " }" });
        text
    }
}

impl fmt::Display for HostGrant {
    /// In short, for people: `https://api.example.com (GET, POST)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.url)?;
        if self.methods == Method::usual() {
            return Ok(());
        }
        let names: Vec<&str> = self.methods.iter().map(|method| method.0.as_str()).collect();
        write!(f, " ({})", names.join(", "))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Method {
    type Error = MethodError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.0
    }
}

/// A grant as journals and configuration files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    url: HostUrl,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    methods: Option<BTreeSet<Method>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    private: bool,
}

impl TryFrom<Written> for HostGrant {
    type Error = HostGrantError;
    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Self::new(written.url, written.methods, written.private)
    }
}

impl From<HostGrant> for Written {
    fn from(grant: HostGrant) -> Self {
        let methods = (grant.methods != Method::usual()).then_some(grant.methods);
        Self { url: grant.url, methods, private: grant.private }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn grant(value: serde_json::Value) -> Result<HostGrant, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_grant_that_names_no_method_is_for_asking() {
        let asking = HostGrant::parse("https://api.example.com").unwrap();
        assert!(asking.has_method("GET") && asking.has_method("HEAD"));
        assert!(!asking.has_method("POST") && !asking.has_method("get"));
        assert_eq!(serde_json::to_value(&asking).unwrap(), json!({"url": "https://api.example.com"}));
        let both = json!({"url": "https://api.example.com/v1", "methods": ["GET", "POST"], "private": true});
        assert_eq!(serde_json::to_value(grant(both.clone()).unwrap()).unwrap(), both);
    }

    #[test]
    fn addresses_that_aren_t_the_internet_s_are_granted_only_in_so_many_words() {
        for url in [
            "http://127.0.0.1:8080",
            "http://localhost",
            "http://x.localhost",
            "http://[::1]",
            "http://10.0.0.1",
        ] {
            let error = grant(json!({"url": url})).unwrap_err();
            assert!(error.contains("private = true"), "{error}");
            grant(json!({"url": url, "private": true})).unwrap();
        }
        for url in ["http://169.254.169.254", "http://[fe80::1]"] {
            let error = grant(json!({"url": url})).unwrap_err();
            assert!(error.contains("link-local") && !error.contains("private = true"), "{error}");
            grant(json!({"url": url, "private": true})).unwrap();
        }
        for url in ["http://0.0.0.0", "http://[::]", "http://224.0.0.1", "http://255.255.255.255"] {
            assert!(grant(json!({"url": url, "private": true})).is_err(), "{url}");
        }
    }

    #[test]
    fn methods_that_can_t_be_granted_are_refused() {
        let with =
            |methods: serde_json::Value| grant(json!({"url": "https://a.example", "methods": methods}));
        for methods in
            [json!([]), json!(["get"]), json!(["*"]), json!(["CONNECT"]), json!(["TRACE"]), json!([""])]
        {
            assert!(with(methods.clone()).is_err(), "{methods}");
        }
        assert!(grant(json!({"url": "https://a.example", "method": ["GET"]})).is_err());
    }

    #[test]
    fn what_two_grants_have_in_common_is_within_both() {
        let one = grant(json!({"url": "https://a.example/v1", "methods": ["GET", "POST"]})).unwrap();
        let other =
            grant(json!({"url": "https://a.example", "methods": ["DELETE", "POST"], "private": true}))
                .unwrap();
        let common = one.common(&other).unwrap();
        assert_eq!(common.to_string(), "https://a.example/v1 (POST)");
        assert!(common.lies_in(&one) && common.lies_in(&other) && !one.lies_in(&other));
        assert_eq!(one.common(&HostGrant::parse("https://b.example").unwrap()), None);
        let get = grant(json!({"url": "https://a.example", "methods": ["PUT"]})).unwrap();
        assert_eq!(one.common(&get), None);
        assert_eq!(common_hosts(&[one.clone(), get], &[other.clone(), other]), [common]);
    }

    #[test]
    fn the_flag_that_would_allow_a_request_is_complete() {
        let origin = |text| HostUrl::parse(text).unwrap().origin;
        assert_eq!(
            allowing(&origin("http://10.0.0.1"), "GET", false).as_deref(),
            Some(r#"--allow-host '{ url = "http://10.0.0.1", private = true }'"#)
        );
        assert_eq!(
            allowing(&origin("https://a.example:8443"), "POST", false).as_deref(),
            Some(r#"--allow-host '{ url = "https://a.example:8443", methods = ["POST"] }'"#)
        );
        assert_eq!(
            allowing(&origin("https://a.example"), "HEAD", false).as_deref(),
            Some("--allow-host https://a.example")
        );
        assert_eq!(allowing(&origin("https://a.example"), "CONNECT", false), None);
        assert_eq!(allowing(&origin("http://169.254.169.254"), "GET", true), None);
        assert_eq!(allowing(&origin("http://[fe80::1]"), "GET", true), None);
        assert_eq!(allowing(&origin("http://0.0.0.0"), "GET", false), None);
    }
}
