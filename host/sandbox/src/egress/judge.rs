//! Whether a request may be made: its final form against the grants.
//!
//! Reads nothing but the request: what its host's name leads to is for `connect`.

use super::address::Reach;
use super::grant::{HostGrant, allowing, reach_of};
use super::headers::is_forbidden;
use super::secret::{SecretGrant, Secrets};
use super::url::{Origin, UrlScheme, without_user};
use crate::grant::Grants;
use crate::receipt::{Denial, DenialReason};
use http::header::{CONTENT_LENGTH, HOST, RANGE};
use http::request::Parts;

/// A request that may be made.
pub(super) struct Permit {
    /// Whom it goes to.
    pub(super) origin: Origin,
    /// What grants it.
    pub(super) grant: HostGrant,
    /// What the host adds.
    pub(super) secrets: Vec<SecretGrant>,
    /// Whether its host has a secret: added to this request, or to others that this call can make or
    /// can't.
    pub(super) knows_a_secret: bool,
    /// As it is named in receipts and denials.
    pub(super) asked: Asked,
}

/// A request, as it is named.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) url: String,
}

impl Asked {
    fn of(request: &Parts) -> Self {
        let url = without_user(&request.uri.to_string());
        Self { method: request.method.to_string(), url }
    }

    /// A refusal of it.
    pub(super) fn denied(
        &self,
        reason: DenialReason,
        resolved: &str,
        would_allow: Option<String>,
    ) -> Box<Denial> {
        Box::new(Denial {
            operation: "request".to_owned(),
            asked: format!("{} {}", self.method, self.url),
            resolved: crate::trap::bounded(resolved, 200),
            reason,
            mask: None,
            would_allow,
            left_out_by: None,
        })
    }
}

/// Judges a request on the way out, under a call's grants. `all`: whatever secrets hosts may know.
pub(super) fn judged(grants: &Grants, all: &Secrets, request: &Parts) -> Result<Permit, Box<Denial>> {
    judge(grants.open_hosts(), grants.open_secrets(), all, request).map_err(|mut denial| {
        // No host would help who is held to be deterministic.
        denial.would_allow = denial.would_allow.filter(|_| !grants.deterministic);
        denial
    })
}

fn judge(
    hosts: &[HostGrant],
    secrets: &[SecretGrant],
    all: &Secrets,
    request: &Parts,
) -> Result<Permit, Box<Denial>> {
    let asked = Asked::of(request);
    let malformed = |why: &str| asked.denied(DenialReason::Malformed, why, None);
    let origin = origin_of(request).map_err(|why| malformed(&why))?;
    well_formed(request).map_err(|why| malformed(&why))?;

    let (path, method) = (request.uri.path(), request.method.as_str());
    let allowing = || allowing(&origin, method, false);
    let at_origin: Vec<&HostGrant> = hosts.iter().filter(|grant| grant.url().origin == origin).collect();
    if at_origin.is_empty() {
        let what = match reach_of(&origin.host) {
            Reach::LinkLocal(what) => what,
            Reach::Public | Reach::Private(_) | Reach::Nowhere(_) => "",
        };
        return Err(asked.denied(DenialReason::Network, what, allowing()));
    }
    let at_path: Vec<&HostGrant> =
        at_origin.into_iter().filter(|grant| grant.url().path.holds(path)).collect();
    if at_path.is_empty() {
        return Err(asked.denied(DenialReason::UrlPath, "", allowing()));
    }
    let granted = at_path.into_iter().filter(|grant| grant.has_method(method));
    // Of several, one that may lead anywhere.
    let Some(grant) = granted.max_by_key(|grant| grant.is_private()) else {
        return Err(asked.denied(DenialReason::Method, "", allowing()));
    };

    let knows_a_secret = all.has_one_of(&origin) || secrets.iter().any(|secret| secret.host.origin == origin);
    let ours = |secret: &&SecretGrant| secret.host.origin == origin && secret.host.path.holds(path);
    let ours: Vec<SecretGrant> = secrets.iter().filter(ours).cloned().collect();
    if let Some(secret) = ours.iter().find(|secret| request.headers.contains_key(secret.header.name())) {
        let header = secret.header.name();
        return Err(malformed(&format!("the header `{header}` is set by the host, with a secret")));
    }
    if knows_a_secret && request.headers.contains_key(RANGE) {
        return Err(malformed("a host that has a secret can't be asked for a part of a reply"));
    }
    Ok(Permit { origin, grant: grant.clone(), secrets: ours, knows_a_secret, asked })
}

fn origin_of(request: &Parts) -> Result<Origin, String> {
    let scheme = match request.uri.scheme_str() {
        Some("https") => UrlScheme::Https,
        Some("http") => UrlScheme::Http,
        Some(other) => return Err(format!("its scheme is `{other}`, not https or http")),
        None => return Err("it has no scheme".to_owned()),
    };
    let authority = request.uri.authority().ok_or("it names no host")?;
    Origin::parse(scheme, authority.as_str()).map_err(|problem| problem.to_string())
}

/// What a guest can't set but through a fault of ours or the runtime's, checked all the same.
fn well_formed(request: &Parts) -> Result<(), String> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let authority = request.uri.authority().map(|authority| authority.as_str().as_bytes());
    if hosts.next().map(|host| host.as_bytes()) != authority || hosts.next().is_some() {
        return Err("its `host` header names another host".to_owned());
    }
    if let Some(name) = request.headers.keys().find(|name| **name != HOST && is_forbidden(name)) {
        return Err(format!("the header `{name}` is the host's to set"));
    }
    if request.headers.get_all(CONTENT_LENGTH).iter().count() > 1 {
        return Err("it says its length twice".to_owned());
    }
    if !request.uri.path().starts_with('/') {
        return Err("its path doesn't begin with a slash".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().method(method).uri(uri);
        let uri: http::Uri = uri.parse().unwrap();
        request = request.header("host", uri.authority().unwrap().as_str());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn reason(request: &Parts) -> Result<(), DenialReason> {
        let hosts = [
            HostGrant::parse("https://api.example.com/v1").unwrap(),
            HostGrant::parse("http://[2001:db8::1]").err().map_or_else(
                || unreachable!("documentation addresses aren't the internet's"),
                |_| HostGrant::parse("http://[2606:4700::1]:8080").unwrap(),
            ),
        ];
        judge(&hosts, &[], &Secrets::default(), request).map(drop).map_err(|denial| denial.reason)
    }

    #[test]
    fn only_the_granted_scheme_host_port_path_and_method_pass() {
        for uri in [
            "https://api.example.com/v1",
            "https://API.example.com:443/v1/x?q=../..",
            "http://[2606:4700:0:0::1]:8080/anything",
        ] {
            assert_eq!(reason(&parts("GET", uri, &[])), Ok(()), "{uri}");
        }
        for (method, uri, why) in [
            ("GET", "http://api.example.com/v1", DenialReason::Network),
            ("GET", "https://api.example.com:8443/v1", DenialReason::Network),
            ("GET", "https://api.example.com.evil.example/v1", DenialReason::Network),
            ("GET", "https://evil.example/api.example.com/v1", DenialReason::Network),
            ("GET", "https://1.1.1.1/v1", DenialReason::Network),
            ("GET", "https://api.example.com/", DenialReason::UrlPath),
            ("GET", "https://api.example.com/v1/%2e%2e/x", DenialReason::UrlPath),
            ("POST", "https://api.example.com/v1", DenialReason::Method),
            ("get", "https://api.example.com/v1", DenialReason::Method),
            ("CONNECT", "https://api.example.com/v1", DenialReason::Method),
            ("GET", "https://user@api.example.com/v1", DenialReason::Malformed),
            ("GET", "https://api.example.com@evil.example/v1", DenialReason::Malformed),
            ("GET", "https://api.example.com./v1", DenialReason::Malformed),
            ("GET", "https://0x7f.1/v1", DenialReason::Malformed),
            ("GET", "https://2130706433/v1", DenialReason::Malformed),
            ("GET", "ftp://api.example.com/v1", DenialReason::Malformed),
        ] {
            assert_eq!(reason(&parts(method, uri, &[])), Err(why), "{method} {uri}");
        }
    }

    #[test]
    fn headers_that_could_split_a_request_are_refused_even_if_the_runtime_lets_them_pass() {
        for header in [
            ("host", "evil.example"),
            ("transfer-encoding", "chunked"),
            ("connection", "upgrade"),
            ("proxy-authorization", "x"),
            ("te", "trailers"),
            ("upgrade", "h2c"),
        ] {
            let request = parts("GET", "https://api.example.com/v1", &[header]);
            assert_eq!(reason(&request), Err(DenialReason::Malformed), "{header:?}");
        }
        let twice = [("content-length", "1"), ("content-length", "2")];
        assert!(reason(&parts("GET", "https://api.example.com/v1", &twice)).is_err());
        let mut without = parts("GET", "https://api.example.com/v1", &[]);
        without.headers.clear();
        assert_eq!(reason(&without), Err(DenialReason::Malformed));
    }

    #[test]
    fn a_password_in_a_request_is_not_repeated() {
        let denial =
            judge(&[], &[], &Secrets::default(), &parts("GET", "https://me:hunter2@a.example/x", &[]))
                .err()
                .unwrap();
        assert_eq!(denial.asked, "GET https://…@a.example/x");
    }
}
