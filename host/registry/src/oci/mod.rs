//! One repository of a registry: asking, with a login where one is wanted.
//!
//! Owns: the paths of the distribution API, and who is asked with which login. Doesn't own: what
//! manifests mean (`manifest`), pulling and pushing.

mod challenge;
mod manifest;
mod pull;
mod push;
mod signed;

pub use push::{Artifact, Published};

use crate::Error;
use crate::login::{Login, Logins};
use crate::sha256::Sha256;
use crate::source::{OciReference, RegistryHost};
use crate::web::{Answer, Ask, Web, host, may_lead};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use challenge::Challenge;
use reqwest::header::{HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode};
use std::sync::{Mutex, PoisonError};
use url::Url;

/// Larger manifests aren't read.
const MAX_MANIFEST_BYTES: u64 = 4 << 20;
/// Larger answers of who gives tokens aren't read.
const MAX_TOKEN_BYTES: u64 = 256 << 10;

/// A repository, and the login that was found to work for it.
#[derive(Debug)]
pub(crate) struct Registry<'c> {
    web: &'c Web,
    logins: &'c Logins,
    host: RegistryHost,
    repository: String,
    login: Mutex<Option<HeaderValue>>,
}

/// What a login must be good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Pull,
    Push,
}

impl<'c> Registry<'c> {
    pub(crate) fn new(web: &'c Web, logins: &'c Logins, reference: &OciReference) -> Self {
        Self {
            web,
            logins,
            host: reference.registry.clone(),
            repository: reference.repository_path(),
            login: Mutex::default(),
        }
    }

    /// An address below the repository's.
    fn url(&self, path: &str) -> Result<Url, Error> {
        let text = format!("{}v2/{}/{path}", self.host.base(), self.repository);
        Url::parse(&text).map_err(|error| Error::Client(error.to_string()))
    }

    /// Asks the registry, with a login if it wants one. An address elsewhere, as registries give them
    /// for uploads, is asked without.
    async fn ask(&self, ask: Ask<'_>, wanted: Use) -> Result<Answer, Error> {
        let own = Url::parse(&self.host.base()).is_ok_and(|base| base.origin() == ask.url.origin());
        if !own {
            return self.web.ask(ask).await;
        }
        let login = self.login.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let answer = self.web.ask(Ask { login, ..ask.clone() }).await?;
        if answer.url.origin() != ask.url.origin() {
            // Whoever the registry has led to isn't asked with a login, and answers for itself.
            return Ok(answer);
        }
        if answer.status != StatusCode::UNAUTHORIZED {
            return self.no_entry(answer, ask.what);
        }
        let login = self.log_in(&answer, ask.what, wanted).await?;
        *self.login.lock().unwrap_or_else(PoisonError::into_inner) = Some(login.clone());
        let answer = self.web.ask(Ask { login: Some(login), ..ask.clone() }).await?;
        if answer.url.origin() == ask.url.origin() { self.no_entry(answer, ask.what) } else { Ok(answer) }
    }

    fn no_entry(&self, answer: Answer, what: &str) -> Result<Answer, Error> {
        match answer.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Error::LoginRefused {
                registry: self.host.to_string(),
                what: what.to_owned(),
                status: answer.status.as_u16(),
            }),
            _ => Ok(answer),
        }
    }

    /// The header that the registry asks for.
    async fn log_in(&self, answer: &Answer, what: &str, wanted: Use) -> Result<HeaderValue, Error> {
        let lines = answer.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|line| line.to_str().ok());
        let login = self.logins.of(&self.host).await?;
        let needed = || Error::LoginNeeded { registry: self.host.to_string(), what: what.to_owned() };
        match Challenge::of(lines) {
            Some(Challenge::Basic) => basic(&login.ok_or_else(needed)?).ok_or_else(needed),
            Some(Challenge::Bearer { realm, service, scope }) => {
                let actions = match wanted {
                    Use::Pull => "pull",
                    Use::Push => "pull,push",
                };
                let scope = scope.unwrap_or_else(|| format!("repository:{}:{actions}", self.repository));
                let token = self.token(&answer.url, &realm, service.as_deref(), &scope, login.as_ref());
                match token.await? {
                    Some(token) => Ok(token),
                    None if login.is_none() => Err(needed()),
                    None => Err(Error::LoginRefused {
                        registry: self.host.to_string(),
                        what: what.to_owned(),
                        status: StatusCode::UNAUTHORIZED.as_u16(),
                    }),
                }
            }
            None => Err(needed()),
        }
    }

    /// A token of whom the registry names; none if that one refuses.
    async fn token(
        &self,
        asked_by: &Url,
        realm: &str,
        service: Option<&str>,
        scope: &str,
        login: Option<&Login>,
    ) -> Result<Option<HeaderValue>, Error> {
        let refused = |why: &str| Error::Login {
            registry: self.host.to_string(),
            why: format!("tokens are to be got from {}, {why}", crate::words::cut(realm, 200)),
        };
        let mut url = Url::parse(realm).map_err(|_| refused("which is no address"))?;
        may_lead(asked_by, &url).map_err(|why| refused(&format!("but {why}")))?;
        let what = format!("a token for {}", self.host);
        let mut fields = vec![("scope", scope)];
        fields.extend(service.map(|service| ("service", service)));
        let ask = match login {
            Some(Login::Token(token)) => {
                fields.extend([
                    ("grant_type", "refresh_token"),
                    ("client_id", "ringfence"),
                    ("refresh_token", token),
                ]);
                let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
                let body = Some(("application/x-www-form-urlencoded", form.into_bytes()));
                Ask { method: Method::POST, body, ..Ask::get(url, &what) }
            }
            Some(Login::Password { .. }) | None => {
                url.query_pairs_mut().extend_pairs(fields);
                Ask { login: login.and_then(basic), ..Ask::get(url, &what) }
            }
        };
        let answer = self.web.ask(ask).await?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Ok(None),
            _ => return Err(answer.refused().await),
        }
        let at = host(&answer.url);
        let body = answer.body(MAX_TOKEN_BYTES).await?;
        let said: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let token = said.get("token").or_else(|| said.get("access_token")).and_then(|token| token.as_str());
        let header = token.and_then(|token| secret_header(&format!("Bearer {token}")));
        header.map(Some).ok_or_else(|| Error::Login {
            registry: self.host.to_string(),
            why: format!("{at} gives no token"),
        })
    }

    /// What refers to an artifact, as an index; none if nothing does.
    async fn referrers(&self, digest: Sha256, what: &str) -> Result<Option<Vec<u8>>, Error> {
        let url = self.url(&format!("referrers/{digest}"))?;
        let answer =
            self.ask(Ask { accept: Some(manifest::ACCEPTED), ..Ask::get(url, what) }, Use::Pull).await?;
        if answer.status == StatusCode::OK {
            return answer.body(MAX_MANIFEST_BYTES).await.map(Some);
        }
        // Registries without that API have the index at a tag.
        let tag = format!("sha256-{}", digest.hex());
        Ok(self.manifest(&tag, None, what).await?.map(|(_, bytes)| bytes))
    }

    /// A manifest by tag or digest, with its own digest; none if there is none.
    async fn manifest(
        &self,
        name: &str,
        expected: Option<Sha256>,
        what: &str,
    ) -> Result<Option<(Sha256, Vec<u8>)>, Error> {
        let url = self.url(&format!("manifests/{name}"))?;
        let ask = Ask { accept: Some(manifest::ACCEPTED), ..Ask::get(url, what) };
        let answer = self.ask(ask, Use::Pull).await?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Ok(None),
            _ => return Err(answer.refused().await),
        }
        let bytes = answer.body(MAX_MANIFEST_BYTES).await?;
        let found = Sha256::of(&bytes);
        match expected {
            Some(expected) if expected != found => {
                Err(Error::WrongDigest { what: format!("the manifest of {what}"), expected, found })
            }
            Some(_) | None => Ok(Some((found, bytes))),
        }
    }

    /// A blob, whole and with the promised digest.
    async fn blob(&self, digest: Sha256, most: u64, what: &str) -> Result<Vec<u8>, Error> {
        let url = self.url(&format!("blobs/{digest}"))?;
        let answer = self.ask(Ask::get(url, what), Use::Pull).await?;
        if answer.status != StatusCode::OK {
            return Err(answer.refused().await);
        }
        let bytes = answer.body(most).await?;
        let found = Sha256::of(&bytes);
        if found != digest {
            return Err(Error::WrongDigest { what: what.to_owned(), expected: digest, found });
        }
        Ok(bytes)
    }
}

fn basic(login: &Login) -> Option<HeaderValue> {
    let Login::Password { user, password } = login else { return None };
    secret_header(&format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
}

fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
