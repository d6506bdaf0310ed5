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
        let mut url = Url::parse(text).map_err(|error| SourceError::new(text, error.to_string()))?;
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
        if !drop_final_dot(&mut url) {
            return Err(SourceError::new(text, "its host is none"));
        }
        if hides_names(url.path()) {
            return Err(SourceError::new(text, "a path holds no `/`, `\\` or control character as `%…`"));
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

/// Takes the dot off the end of a host: with and without it is one place. False where more dots are
/// there, or nothing else.
pub(super) fn drop_final_dot(url: &mut Url) -> bool {
    let Some(Host::Domain(name)) = url.host() else { return url.has_host() };
    let Some(rest) = name.strip_suffix('.').map(str::to_owned) else { return !name.is_empty() };
    !rest.is_empty() && !rest.ends_with('.') && url.set_host(Some(&rest)).is_ok()
}

/// Whether a server may see other names in a path than are there to be compared.
fn hides_names(path: &str) -> bool {
    path.split('%').skip(1).any(|after| {
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        code.is_some_and(|byte| matches!(byte, b'/' | b'\\') || byte.is_ascii_control())
    })
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

/// Whether it is this machine, or in a network that is its own, as far as the address says so: a
/// stranger has no business there.
pub(crate) fn is_near(url: &Url) -> bool {
    let is_near_v4 = |address: Ipv4Addr| {
        let [one, two, ..] = address.octets();
        address.is_loopback()
            || address.is_unspecified()
            || address.is_private()
            || address.is_link_local()
            || (one == 100 && two & 0xc0 == 64)
    };
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            let last = name.rsplit('.').next().unwrap_or(name);
            !name.contains('.') || matches!(last, "localhost" | "local" | "internal")
        }
        Some(Host::Ipv4(address)) => is_near_v4(address),
        Some(Host::Ipv6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.to_ipv4_mapped().is_some_and(is_near_v4)
        }
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
            "https://a.example../x",
            "https://a.example/tools%2fx.wasm",
            "https://a.example/tools/..%2Fx.wasm",
            "https://a.example/tools%5c..%5cx.wasm",
            "https://a.example/x.wasm%00",
        ] {
            assert!(wrong.parse::<WebAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_place_is_written_in_one_way() {
        for (text, written) in [
            ("https://A.example.:443/x", "https://a.example/x"),
            ("http://localhost./x", "http://localhost/x"),
            ("https://a.example/tools/%2e%2e/x", "https://a.example/x"),
            ("https://a.example/a%20b", "https://a.example/a%20b"),
        ] {
            assert_eq!(text.parse::<WebAddress>().unwrap().to_string(), written);
        }
    }

    #[test]
    fn what_is_near_is_told_by_the_address() {
        let near = |host: &str| is_near(&Url::parse(&format!("https://{host}/")).unwrap());
        for host in [
            "localhost",
            "localhost.",
            "x.localhost",
            "127.0.0.2",
            "2130706433",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[::ffff:127.0.0.1]",
            "intranet",
            "host.docker.internal",
            "printer.local.",
        ] {
            assert!(near(host), "{host}");
        }
        for host in ["a.example", "8.8.8.8", "172.32.0.1", "[2001:db8::1]", "localhost.a.example"] {
            assert!(!near(host), "{host}");
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
