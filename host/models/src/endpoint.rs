//! Where a provider is reached.
//!
//! Owns: checking a base URL, naming it in errors without what could be secret. Doesn't
//! own: connections.

use crate::ModelError;
use reqwest::Url;

/// A checked base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    base: Url,
}

/// Whether a key may travel unencrypted to another machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only to this machine itself.
    #[default]
    LoopbackOnly,
    /// Anywhere: somebody vouches for the network.
    Anywhere,
}

impl Endpoint {
    /// Checks a base URL; `keyed` says whether a key will be sent there.
    pub(crate) fn new(base: &str, keyed: bool, plain: PlainHttp) -> Result<Self, ModelError> {
        let refuse = |why: String| Err(ModelError::Unsupported { why });
        let mut url = match Url::parse(base.trim()) {
            Ok(url) => url,
            // The text itself isn't repeated: it may hold a password.
            Err(error) => return refuse(format!("the model's base URL can't be read: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return refuse(format!(
                "the model's base URL must begin with http:// or https://, not {}:",
                url.scheme()
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(format!(
                "the model's base URL for {} holds a user name or password; give the key apart",
                url.host_str().unwrap_or_default()
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse(format!(
                "the model's base URL for {} must end with its path, without `?` or `#`",
                url.host_str().unwrap_or_default()
            ));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        let endpoint = Self { base: url };
        let encrypted = endpoint.base.scheme() == "https" || endpoint.is_loopback();
        if keyed && !encrypted && plain == PlainHttp::LoopbackOnly {
            return refuse(format!(
                "the key would travel unencrypted to {}; use https, or allow plain http for it",
                endpoint.address()
            ));
        }
        Ok(endpoint)
    }

    /// The URL of one operation: `path` begins with a slash.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// How the address is named to people.
    pub(crate) fn address(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    /// The host's name.
    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(base: &str) -> Result<Endpoint, ModelError> {
        Endpoint::new(base, true, PlainHttp::LoopbackOnly)
    }

    #[test]
    fn paths_are_joined_with_one_slash() {
        for base in ["https://api.example.com/v1", "https://api.example.com/v1/"] {
            let endpoint = new(base).unwrap();
            assert_eq!(
                endpoint.url("/chat/completions").as_str(),
                "https://api.example.com/v1/chat/completions"
            );
        }
        let bare = new("https://api.example.com").unwrap();
        assert_eq!(bare.url("/v1/messages").as_str(), "https://api.example.com/v1/messages");
        assert_eq!(bare.address(), "https://api.example.com");
    }

    #[test]
    fn a_url_with_credentials_is_refused_without_repeating_them() {
        for base in ["https://me:hunter2@api.example.com", "https://api.example.com?key=hunter2"] {
            let error = new(base).unwrap_err().to_string();
            assert!(error.contains("api.example.com"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let error = new("hunter2@nowhere:443:").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
        assert!(new("ftp://api.example.com").is_err());
    }

    #[test]
    fn a_key_isnt_sent_unencrypted_to_another_machine() {
        assert!(new("http://127.0.0.1:8080").is_ok());
        assert!(new("http://[::1]:8080").is_ok());
        assert!(new("http://localhost:11434/v1").is_ok());
        let error = new("http://gateway:4000").unwrap_err().to_string();
        assert_eq!(
            error,
            "the key would travel unencrypted to http://gateway:4000; \
             use https, or allow plain http for it"
        );
        assert!(Endpoint::new("http://gateway:4000", true, PlainHttp::Anywhere).is_ok());
        assert!(Endpoint::new("http://ollama:11434", false, PlainHttp::LoopbackOnly).is_ok());
        assert!(new("http://127.0.0.1.example.com").is_err());
    }
}
