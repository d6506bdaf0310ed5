//! Who asks a registry: logins as other tools keep them.
//!
//! Looked for in three variables of the environment, then where docker and podman keep theirs, with
//! their credential helpers. A login is sent to its own registry alone.

use crate::Error;
use crate::source::RegistryHost;
use docker_credential::{CredentialRetrievalError, DockerCredential};
use std::fmt;
use std::time::Duration;

/// A login of one registry.
#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    /// A name and its password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token that others are got with.
    Token(String),
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(f, "Password({user:?}, …)"),
            Self::Token(_) => f.write_str("Token(…)"),
        }
    }
}

/// Where logins are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logins {
    /// Where people keep them.
    OfUser,
    /// One, for one registry.
    Only(RegistryHost, Login),
    /// Nowhere.
    None,
}

/// Time for a credential helper.
const HELPER: Duration = Duration::from_secs(30);

impl Logins {
    /// The login for a registry, if there is one.
    pub(crate) async fn of(&self, registry: &RegistryHost) -> Result<Option<Login>, Error> {
        match self {
            Self::Only(own, login) => Ok((own == registry).then(|| login.clone())),
            Self::None => Ok(None),
            Self::OfUser => {
                if let Some(login) = of_environment(registry, |name| std::env::var(name).ok())? {
                    return Ok(Some(login));
                }
                let asked = registry.clone();
                let kept = tokio::task::spawn_blocking(move || kept(&asked));
                match tokio::time::timeout(HELPER, kept).await {
                    Ok(Ok(found)) => found,
                    Ok(Err(_)) => Ok(None),
                    Err(_) => Err(Error::Login {
                        registry: registry.to_string(),
                        why: format!("its credential helper took longer than {} s", HELPER.as_secs()),
                    }),
                }
            }
        }
    }
}

fn of_environment(
    registry: &RegistryHost,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Login>, Error> {
    let [host, user, password] = ["HOST", "USER", "PASSWORD"]
        .map(|name| variable(&format!("RINGFENCE_REGISTRY_{name}")).filter(|value| !value.is_empty()));
    let wrong = |why: &str| Error::Login { registry: registry.to_string(), why: why.to_owned() };
    match (host, user, password) {
        (None, None, None) => Ok(None),
        (Some(host), Some(user), Some(password)) => {
            let host = RegistryHost::parse(&host)
                .map_err(|_| wrong("RINGFENCE_REGISTRY_HOST is no host, such as ghcr.io"))?;
            Ok((host == *registry).then_some(Login::Password { user, password }))
        }
        _ => Err(wrong(
            "RINGFENCE_REGISTRY_HOST, RINGFENCE_REGISTRY_USER and RINGFENCE_REGISTRY_PASSWORD are set together or not at all",
        )),
    }
}

/// The login that docker or podman keep.
fn kept(registry: &RegistryHost) -> Result<Option<Login>, Error> {
    let name = match registry.as_str() {
        "docker.io" => "https://index.docker.io/v1/",
        name => name,
    };
    let mut failed = None;
    for found in [docker_credential::get_credential(name), docker_credential::get_podman_credential(name)] {
        match found {
            Ok(DockerCredential::UsernamePassword(user, password)) => {
                return Ok(Some(Login::Password { user, password }));
            }
            Ok(DockerCredential::IdentityToken(token)) => return Ok(Some(Login::Token(token))),
            Err(error) => failed = failed.or(why(&error)),
        }
    }
    match failed {
        Some(why) => Err(Error::Login { registry: registry.to_string(), why }),
        None => Ok(None),
    }
}

/// What is wrong, unless there is merely no login. A helper's output is never repeated: it may hold
/// what it was asked for.
fn why(error: &CredentialRetrievalError) -> Option<String> {
    match error {
        CredentialRetrievalError::ConfigNotFound
        | CredentialRetrievalError::ConfigReadError
        | CredentialRetrievalError::NoCredentialConfigured => None,
        CredentialRetrievalError::HelperFailure { stdout, stderr, .. }
            if format!("{stdout}{stderr}").contains("not found") =>
        {
            None
        }
        CredentialRetrievalError::HelperFailure { helper, .. } => Some(format!("`{helper}` failed")),
        CredentialRetrievalError::HelperCommunicationError => {
            Some("its credential helper can't be started, or doesn't listen".to_owned())
        }
        CredentialRetrievalError::MalformedHelperResponse
        | CredentialRetrievalError::CredentialDecodingError
        | CredentialRetrievalError::CredentialMismatchError => Some("it can't be read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str, variables: &[(&str, &str)]) -> Result<Option<Login>, Error> {
        let value = |name: &str| {
            let named = variables.iter().find(|(known, _)| format!("RINGFENCE_REGISTRY_{known}") == name);
            named.map(|(_, value)| (*value).to_owned())
        };
        of_environment(&RegistryHost::parse(host).unwrap(), value)
    }

    #[test]
    fn a_login_of_the_environment_is_for_its_own_registry_alone() {
        let all = [("HOST", "r.example"), ("USER", "me"), ("PASSWORD", "hunter2")];
        let login = of("r.example", &all).unwrap().unwrap();
        assert_eq!(login, Login::Password { user: "me".to_owned(), password: "hunter2".to_owned() });
        assert!(!format!("{login:?}").contains("hunter2"));
        assert_eq!(of("other.example", &all).unwrap(), None);
        assert_eq!(of("r.example", &[]).unwrap(), None);
        for some in [&all[..2], &all[1..], &[("HOST", "a b"), all[1], all[2]]] {
            let error = of("r.example", some).unwrap_err().to_string();
            assert!(error.contains("RINGFENCE_REGISTRY_") && !error.contains("hunter2"), "{error}");
        }
    }
}
