//! Fetching and publishing, whatever the source.

use crate::Error;
use crate::component::{self, MAX_BYTES};
use crate::fetched::{Fetched, Resolved};
use crate::key::{KeyId, PublicKey, TrustedKeys};
use crate::login::Logins;
use crate::oci::{Artifact, Published, Registry};
use crate::sha256::Sha256;
use crate::signature::{SignatureError, signer};
use crate::source::{OciReference, Source, WebAddress};
use crate::web::{Ask, Web};
use reqwest::StatusCode;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// Times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To be connected, TLS included.
    pub connect: Duration,
    /// Between two pieces of an answer, and before the first one.
    pub silence: Duration,
    /// For one request, to the last byte of its answer.
    pub exchange: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            exchange: Duration::from_secs(600),
        }
    }
}

/// A detached signature is longer than this only if it is none.
const MAX_SIGNATURE_BYTES: u64 = 16 << 10;

/// Fetches and publishes components. Dropping a future ends what is under way.
#[derive(Debug)]
pub struct Client {
    web: Web,
    logins: Logins,
}

impl Client {
    /// Prepares connections; nothing is sent yet.
    pub fn new(logins: Logins, limits: Limits) -> Result<Self, Error> {
        Ok(Self { web: Web::new(limits)?, logins })
    }

    /// Fetches a component. Where a key is trusted for its source, one must have signed it.
    pub async fn fetch(&self, source: &Source, keys: &TrustedKeys) -> Result<Fetched, Error> {
        let keys = keys.of(source);
        match source {
            Source::File(path) => file(source, path, &keys),
            Source::Web(address) => self.web_file(source, address, &keys).await,
            Source::Oci(reference) => self.registry(reference).pull(reference, &keys).await,
        }
    }

    /// Puts a component into a registry, under a tag.
    pub async fn publish(&self, to: &OciReference, artifact: &Artifact<'_>) -> Result<Published, Error> {
        component::check(artifact.name, artifact.component)?;
        self.registry(to).push(to, artifact).await
    }

    fn registry(&self, reference: &OciReference) -> Registry<'_> {
        Registry::new(&self.web, &self.logins, reference)
    }

    async fn web_file(
        &self,
        source: &Source,
        address: &WebAddress,
        keys: &[&PublicKey],
    ) -> Result<Fetched, Error> {
        let what = source.to_string();
        let bytes = self.get(address.url().clone(), &what, MAX_BYTES).await?;
        let signed_by = if keys.is_empty() {
            None
        } else {
            let beside = address.signature();
            let signature = match self.get(beside.clone(), beside.as_str(), MAX_SIGNATURE_BYTES).await {
                Ok(signature) => Ok(String::from_utf8_lossy(&signature).into_owned()),
                Err(Error::NotFound { .. }) => {
                    Err(SignatureError::Missing { looked_at: format!("{beside} isn't there") })
                }
                Err(error) => return Err(error),
            };
            Some(signed(source, keys, &bytes, signature)?)
        };
        whole(source, bytes, signed_by)
    }

    async fn get(&self, url: Url, what: &str, most: u64) -> Result<Vec<u8>, Error> {
        let answer = self.web.ask(Ask::get(url, what)).await?;
        if answer.status != StatusCode::OK {
            return Err(answer.refused().await);
        }
        answer.body(most).await
    }
}

fn file(source: &Source, path: &Path, keys: &[&PublicKey]) -> Result<Fetched, Error> {
    let bytes = read(path, MAX_BYTES)?;
    let signed_by = if keys.is_empty() {
        None
    } else {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".sig");
        let beside = PathBuf::from(beside);
        let signature = match read(&beside, MAX_SIGNATURE_BYTES) {
            Ok(signature) => Ok(String::from_utf8_lossy(&signature).into_owned()),
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Err(SignatureError::Missing { looked_at: format!("{} isn't there", beside.display()) })
            }
            Err(error) => return Err(error),
        };
        Some(signed(source, keys, &bytes, signature)?)
    };
    whole(source, bytes, signed_by)
}

fn signed(
    source: &Source,
    keys: &[&PublicKey],
    bytes: &[u8],
    signature: Result<String, SignatureError>,
) -> Result<KeyId, Error> {
    let signer = signature.and_then(|signature| signer(keys, bytes, &signature));
    signer.map_err(|error| Error::Signature { what: source.to_string(), source: error })
}

fn whole(source: &Source, bytes: Vec<u8>, signed_by: Option<KeyId>) -> Result<Fetched, Error> {
    component::check(&source.to_string(), &bytes)?;
    let sha256 = Sha256::of(&bytes);
    Ok(Fetched { bytes, sha256, resolved: Resolved::Same, signed_by, passed_over: Vec::new() })
}

/// An ordinary file, if it has at most so many bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    // Opening a pipe waits for its writer.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("it is no regular file")));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(Error::TooLarge { what: path.display().to_string(), limit: most });
    }
    Ok(bytes)
}
