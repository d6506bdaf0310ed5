//! A reference to an artifact of a registry: `oci://registry/repository[:tag][@sha256:…]`.

use super::SourceError;
use super::web::{drop_final_dot, is_loopback, is_near};
use crate::sha256::Sha256;
use std::fmt;
use std::str::FromStr;

/// One artifact of a registry, by tag, by digest or by both; then the digest decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciReference {
    /// Whom to ask.
    pub registry: RegistryHost,
    /// In which repository.
    pub repository: Repository,
    /// For which of its artifacts.
    pub version: Version,
}

/// A registry: host and, where it isn't the usual one, port. In small letters, with no dot at its end:
/// one place has one name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryHost(String);

/// A repository: names with slashes between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repository(String);

/// A name that a registry can move from one artifact to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(String);

/// Which artifact of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// What the tag means now.
    Tag(Tag),
    /// Exactly this one.
    Digest(Sha256),
    /// Exactly this one; the tag is for people.
    Both(Tag, Sha256),
}

impl Version {
    /// What it is asked for by.
    pub(crate) fn asked(&self) -> String {
        match self {
            Self::Tag(tag) => tag.0.clone(),
            Self::Digest(digest) | Self::Both(_, digest) => digest.to_string(),
        }
    }

    /// The digest that the artifact must have.
    pub(crate) fn digest(&self) -> Option<Sha256> {
        match self {
            Self::Tag(_) => None,
            Self::Digest(digest) | Self::Both(_, digest) => Some(*digest),
        }
    }
}

const WANTED: &str = "want oci://registry/repository[:tag][@sha256:…]";

impl RegistryHost {
    /// As a person writes it.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let wrong = |why: &str| SourceError::new(text, why);
        let read = |scheme: &str| {
            let mut url = url::Url::parse(&format!("{scheme}://{text}"))
                .map_err(|_| wrong("the registry is no host"))?;
            if drop_final_dot(&mut url) { Ok(url) } else { Err(wrong("the registry is no host")) }
        };
        let plain_text = read("http")?;
        let url = if is_loopback(&plain_text) { plain_text } else { read("https")? };
        let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !plain || !url.username().is_empty() || url.password().is_some() || text.ends_with('/') {
            return Err(wrong("the registry is no host"));
        }
        let host = url.host_str().ok_or_else(|| wrong(WANTED))?;
        let host = match host {
            "index.docker.io" | "registry-1.docker.io" => "docker.io",
            host => host,
        };
        // Also without a port one thing has one name.
        Ok(Self(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))))
    }

    /// Its name as login tools have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is on this machine, or in a network of its own.
    pub(crate) fn is_near(&self) -> bool {
        url::Url::parse(&self.base()).is_ok_and(|url| is_near(&url))
    }

    /// Whether it is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        url::Url::parse(&self.base()).is_ok_and(|url| is_loopback(&url))
    }

    /// A repository as this registry names it: those of Docker Hub with one name lie in `library/`.
    pub(crate) fn path_of(&self, repository: &Repository) -> String {
        let official = self.0 == "docker.io" && !repository.0.contains('/');
        if official { format!("library/{}", repository.0) } else { repository.0.clone() }
    }

    /// Where its interface is.
    pub(crate) fn base(&self) -> String {
        let host = if self.0 == "docker.io" { "registry-1.docker.io" } else { &self.0 };
        let plain = format!("http://{host}/");
        let on_this_machine = url::Url::parse(&plain).is_ok_and(|url| is_loopback(&url));
        if on_this_machine { plain } else { format!("https://{host}/") }
    }
}

impl Repository {
    /// As a person writes it.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let is_name = |name: &str| {
            let (first, last) = (name.bytes().next(), name.bytes().last());
            let solid = |byte: Option<u8>| {
                byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            let inner =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
            solid(first) && solid(last) && name.bytes().all(inner) && !name.contains("..")
        };
        if text.len() > 255 || !text.split('/').all(is_name) {
            return Err(SourceError::new(
                text,
                "a repository is made of names in small letters, digits and `._-`, with `/` between them",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last of its names.
    pub fn last_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl Tag {
    /// As a person writes it.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !first || text.len() > 128 || !text.bytes().all(inner) {
            return Err(SourceError::new(text, "a tag has 128 letters, digits and `._-` at most"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl OciReference {
    /// The same artifact, found to have this digest.
    pub fn at(&self, digest: Sha256) -> Self {
        Self { version: Version::Digest(digest), ..self.clone() }
    }

    /// The repository as its registry names it.
    pub(crate) fn repository_path(&self) -> String {
        self.registry.path_of(&self.repository)
    }
}

impl FromStr for OciReference {
    type Err = SourceError;
    fn from_str(text: &str) -> Result<Self, SourceError> {
        let wrong = |why: String| SourceError::new(text, why);
        let rest = text.strip_prefix("oci://").ok_or_else(|| wrong(WANTED.to_owned()))?;
        let (name, digest) = match rest.split_once('@') {
            Some((name, digest)) => {
                (name, Some(digest.parse::<Sha256>().map_err(|error| wrong(error.to_string()))?))
            }
            None => (rest, None),
        };
        let (registry, path) = name.split_once('/').ok_or_else(|| wrong(WANTED.to_owned()))?;
        let (repository, tag) = match path.split_once(':') {
            Some((repository, tag)) => (repository, Some(Tag::parse(tag).map_err(|error| wrong(error.why))?)),
            None => (path, None),
        };
        let version = match (tag, digest) {
            (Some(tag), Some(digest)) => Version::Both(tag, digest),
            (None, Some(digest)) => Version::Digest(digest),
            (Some(tag), None) => Version::Tag(tag),
            (None, None) => Version::Tag(Tag("latest".to_owned())),
        };
        Ok(Self {
            registry: RegistryHost::parse(registry).map_err(|error| wrong(error.why))?,
            repository: Repository::parse(repository).map_err(|error| wrong(error.why))?,
            version,
        })
    }
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "oci://{}/{}", self.registry.0, self.repository.0)?;
        match &self.version {
            Version::Tag(tag) => write!(f, ":{}", tag.0),
            Version::Digest(digest) => write!(f, "@{digest}"),
            Version::Both(tag, digest) => write!(f, ":{}@{digest}", tag.0),
        }
    }
}

impl fmt::Display for RegistryHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_and_written_the_same() {
        let digest = Sha256::of(b"");
        for (text, written) in [
            ("oci://r.example/team/x:1.0", "oci://r.example/team/x:1.0".to_owned()),
            ("oci://r.example/x", "oci://r.example/x:latest".to_owned()),
            ("oci://R.Example:443/x", "oci://r.example/x:latest".to_owned()),
            ("oci://localhost:5000/a/b-c_d.e:V1", "oci://localhost:5000/a/b-c_d.e:V1".to_owned()),
            ("oci://[::1]:5000/a", "oci://[::1]:5000/a:latest".to_owned()),
            (&format!("oci://r.example/x@{digest}"), format!("oci://r.example/x@{digest}")),
            (&format!("oci://r.example/x:1@{digest}"), format!("oci://r.example/x:1@{digest}")),
            ("oci://index.docker.io/a/b", "oci://docker.io/a/b:latest".to_owned()),
            ("oci://registry-1.docker.io./a/b", "oci://docker.io/a/b:latest".to_owned()),
            ("oci://r.example.:443/x", "oci://r.example/x:latest".to_owned()),
            ("oci://localhost.:80/x", "oci://localhost/x:latest".to_owned()),
        ] {
            assert_eq!(text.parse::<OciReference>().unwrap().to_string(), written);
        }
        for wrong in [
            "oci://r.example",
            "oci:///x",
            "oci://r.example/",
            "oci://r.example/X",
            "oci://r.example/a//b",
            "oci://r.example/../x",
            "oci://r.example/a/..",
            "oci://r.example/x:",
            "oci://r.example/x:-1",
            "oci://r.example/x@sha256:00",
            "oci://r.example/x@sha512:00",
            "oci://me:pw@r.example/x",
            "oci://r.example/x?y",
            "oci://r.example/x#y",
            "oci://a b/x",
            "oci://r.example../x",
            "oci://./x",
        ] {
            assert!(wrong.parse::<OciReference>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_this_machine_is_spoken_to_in_plain_text() {
        let base = |text: &str| RegistryHost::parse(text).unwrap().base();
        assert_eq!(base("127.0.0.1:5000"), "http://127.0.0.1:5000/");
        assert_eq!(base("localhost"), "http://localhost/");
        assert_eq!(base("localhost:443"), "http://localhost:443/");
        assert_eq!(base("r.example:5000"), "https://r.example:5000/");
        assert_eq!(base("localhost.example"), "https://localhost.example/");
        assert_eq!(base("docker.io"), "https://registry-1.docker.io/");
    }
}
