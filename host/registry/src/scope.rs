//! What a key is for: all sources that lie below an address, by host and by whole names of the path.

use crate::source::{RegistryHost, Repository, Source, WebAddress, is_loopback};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;
use url::Url;

/// Sources below an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Repositories of a registry; without names, all.
    Oci {
        /// The registry.
        registry: RegistryHost,
        /// The names that the repository begins with.
        names: Vec<String>,
    },
    /// Files of a host.
    Web {
        /// Scheme, host and port.
        origin: Url,
        /// The names that the path begins with.
        names: Vec<String>,
    },
    /// Files of this machine: this one, or all in this folder.
    File(PathBuf),
}

/// Why a text is no scope.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is nothing that a key can be for: want oci://registry/…, https://host/… or a folder")]
pub struct ScopeError(String);

impl Scope {
    /// How many names of the path it fixes, where it holds this source.
    pub(crate) fn depth(&self, source: &Source) -> Option<usize> {
        match (self, source) {
            (Self::Oci { registry, names }, Source::Oci(reference)) => {
                let path = reference.repository_path();
                let path: Vec<&str> = path.split('/').collect();
                let expanded = expanded(registry, names);
                let held = [expanded.as_slice(), names].into_iter().find(|names| begins(&path, names));
                held.filter(|_| same_registry(registry, &reference.registry)).map(<[_]>::len)
            }
            (Self::Web { origin, names }, Source::Web(address)) => {
                let path = names_of(address.url());
                (same_origin(origin, address.url()) && begins(&path, names)).then_some(names.len())
            }
            (Self::File(above), Source::File(path)) => {
                let real = |path: &PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path));
                let (above, path) = (real(above).ok()?, real(path).ok()?);
                path.starts_with(&above).then(|| above.components().count())
            }
            (
                Self::Oci { .. } | Self::Web { .. } | Self::File(_),
                Source::Oci(_) | Source::Web(_) | Source::File(_),
            ) => None,
        }
    }
}

/// The names as the registry has them, where they could be a whole repository.
fn expanded(registry: &RegistryHost, names: &[String]) -> Vec<String> {
    let whole = Repository::parse(&names.join("/")).map(|repository| registry.path_of(&repository));
    whole.map_or_else(|_| names.to_vec(), |path| path.split('/').map(str::to_owned).collect())
}

/// Whether both are one, by whichever name this machine is called.
fn same_registry(one: &RegistryHost, other: &RegistryHost) -> bool {
    let port = |host: &RegistryHost| Url::parse(&host.base()).ok()?.port_or_known_default();
    one == other || (one.is_loopback() && other.is_loopback() && port(one) == port(other))
}

/// The same of origins.
fn same_origin(one: &Url, other: &Url) -> bool {
    let (scheme, port) = (one.scheme() == other.scheme(), one.port_or_known_default());
    let both_here = is_loopback(one) && is_loopback(other);
    one.origin() == other.origin() || (both_here && scheme && port == other.port_or_known_default())
}

fn begins<A: AsRef<str>>(path: &[A], names: &[String]) -> bool {
    path.len() >= names.len() && path.iter().zip(names).all(|(one, other)| one.as_ref() == other)
}

/// The names of a path, each as a server reads it: `%74` is a `t`.
fn names_of(url: &Url) -> Vec<String> {
    url.path_segments().into_iter().flatten().filter(|name| !name.is_empty()).map(decoded).collect()
}

fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl FromStr for Scope {
    type Err = ScopeError;
    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let wrong = || ScopeError(crate::words::cut(text, 300));
        // It would hold nothing: a name counts as it is, and whole.
        if text.contains('*') {
            return Err(wrong());
        }
        if let Some(rest) = text.strip_prefix("oci://") {
            let (registry, path) = rest.split_once('/').unwrap_or((rest, ""));
            let path = path.strip_suffix('/').unwrap_or(path);
            let names = match path {
                "" => Vec::new(),
                path => {
                    let repository = Repository::parse(path).map_err(|_| wrong())?;
                    repository.as_str().split('/').map(str::to_owned).collect()
                }
            };
            return Ok(Self::Oci { registry: RegistryHost::parse(registry).map_err(|_| wrong())?, names });
        }
        if text.contains("://") {
            let address: WebAddress = text.parse().map_err(|_| wrong())?;
            if address.url().query().is_some() {
                return Err(wrong());
            }
            let mut origin = address.url().clone();
            origin.set_path("/");
            return Ok(Self::Web { origin, names: names_of(address.url()) });
        }
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(wrong());
        }
        Ok(Self::File(PathBuf::from(text)))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oci { registry, names } => write!(f, "oci://{registry}/{}", names.join("/")),
            Self::Web { origin, names } => write!(f, "{origin}{}", names.join("/")),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(scope: &str, source: &str) -> bool {
        scope.parse::<Scope>().unwrap().depth(&source.parse().unwrap()).is_some()
    }

    #[test]
    fn a_key_is_for_whole_names_of_one_host() {
        for (scope, source) in [
            ("oci://r.example/team/", "oci://r.example/team/x:1"),
            ("oci://r.example/team", "oci://r.example/team:1"),
            ("oci://R.example:443/team", "oci://r.example/team/x/y"),
            ("oci://r.example", "oci://r.example/x"),
            ("https://a.example/tools/", "https://A.example/tools/x.wasm"),
            ("https://a.example/tools", "https://a.example:443/%74ools/x.wasm"),
            ("https://a.example/tools", "https://a.example/x/../tools//x.wasm?v=1"),
            ("https://a.example", "https://a.example/x.wasm"),
            ("oci://r.example/team", "oci://r.example./team/x"),
            ("oci://r.example./team", "oci://r.example/team/x"),
            ("oci://docker.io/library/", "oci://docker.io/x"),
            ("oci://docker.io/library/x", "oci://index.docker.io/x"),
            ("oci://docker.io/x", "oci://registry-1.docker.io/library/x:1"),
            ("oci://docker.io/team", "oci://docker.io/team/x"),
            ("https://a.example/tools", "https://a.example./tools/x.wasm"),
            ("oci://localhost:5000/team", "oci://127.0.0.1:5000/team/x"),
            ("oci://localhost/team", "oci://[::1]:80/team/x"),
            ("http://127.0.0.1:8080/", "http://localhost:8080/x"),
        ] {
            assert!(holds(scope, source), "{scope} {source}");
        }
        for (scope, source) in [
            ("oci://r.example/team", "oci://r.example/teamwork/x"),
            ("oci://r.example/team", "oci://r.example.org/team/x"),
            ("oci://r.example/team", "oci://r.example:5000/team/x"),
            ("oci://r.example/team", "https://r.example/team/x"),
            ("oci://r.example/team/x", "oci://r.example/team"),
            ("https://a.example/tools", "https://a.example/toolset/x.wasm"),
            ("oci://r.example/library", "oci://r.example/x"),
            ("oci://docker.io/x", "oci://docker.io/team/x"),
            ("oci://localhost:5000/team", "oci://127.0.0.1:5001/team/x"),
            ("https://a.example/tools", "https://b.example/tools/x.wasm"),
        ] {
            assert!(!holds(scope, source), "{scope} {source}");
        }
        for wrong in [
            "",
            "oci://",
            "oci://r.example/A",
            "http://a.example",
            "https://a.example/?x",
            "*",
            "oci://*.example/",
            "https://a.example/*",
        ] {
            assert!(wrong.parse::<Scope>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_is_looked_for_where_it_really_is() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("tools");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("x.wasm"), "").unwrap();
        std::os::unix::fs::symlink(&inside, folder.path().join("link")).unwrap();
        let scope = inside.to_str().unwrap();
        assert!(holds(scope, folder.path().join("link/x.wasm").to_str().unwrap()));
        assert!(holds(scope, inside.join("../tools/x.wasm").to_str().unwrap()));
        assert!(!holds(scope, folder.path().join("toolset").to_str().unwrap()));
    }
}
