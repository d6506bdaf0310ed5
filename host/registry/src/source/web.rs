//! The address of a file of a host.

use super::SourceError;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use url::{Host, Url};

/// `https://…`; `http://…` only on this machine itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress(Url);

impl WebAddress {
    /// As a URL.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The address of the signature that lies beside it.
    pub(crate) fn signature(&self) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}.sig", self.0.path()));
        url
    }
}

impl FromStr for WebAddress {
    type Err = SourceError;
    fn from_str(text: &str) -> Result<Self, SourceError> {
        let url = Url::parse(text).map_err(|error| SourceError::new(text, error.to_string()))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(SourceError::new(text, "want a path, https://… or oci://…"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The text isn't repeated: it holds a password.
            return Err(SourceError {
                text: format!("{}://…@{}", url.scheme(), url.host_str().unwrap_or_default()),
                why: "an address holds no login".to_owned(),
            });
        }
        if url.fragment().is_some() {
            return Err(SourceError::new(text, "an address ends before `#`"));
        }
        if !is_safe(&url) {
            return Err(SourceError::new(text, "http is for this machine itself only; use https"));
        }
        Ok(Self(url))
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Whether nobody between here and there can read along.
pub(crate) fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url))
}

/// Whether it is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => Ipv4Addr::is_loopback(&address),
        Some(Host::Ipv6(address)) => address == Ipv6Addr::LOCALHOST,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for good in
            ["https://a.example/x.wasm", "http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:1/x"]
        {
            assert_eq!(good.parse::<WebAddress>().unwrap().to_string(), good);
        }
        for wrong in [
            "http://a.example/x",
            "http://127.0.0.1.a.example/x",
            "http://localhost.a.example/x",
            "http://10.0.0.1/x",
            "ftp://a.example/x",
            "file:///etc/passwd",
            "https://a.example/x#y",
            "https://",
        ] {
            assert!(wrong.parse::<WebAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        let error = "https://me:hunter2@a.example/x".parse::<WebAddress>().unwrap_err().to_string();
        assert!(error.contains("holds no login") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn the_signature_lies_beside_the_file() {
        let of = |text: &str| text.parse::<WebAddress>().unwrap().signature().to_string();
        assert_eq!(of("https://a.example/x.wasm"), "https://a.example/x.wasm.sig");
        assert_eq!(of("https://a.example/x.wasm?v=1"), "https://a.example/x.wasm.sig?v=1");
    }
}
