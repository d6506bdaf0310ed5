//! From a reference to a component.

use super::Registry;
use super::manifest::{Manifest, choose_layer, choose_platform};
use crate::component::{self, MAX_BYTES};
use crate::fetched::{Fetched, Resolved};
use crate::key::PublicKey;
use crate::sha256::Sha256;
use crate::source::{OciReference, Source};
use crate::{Error, SignatureError};

impl Registry<'_> {
    /// Fetches the component that a reference leads to. With keys, one of them must have signed it.
    pub(crate) async fn pull(&self, reference: &OciReference, keys: &[&PublicKey]) -> Result<Fetched, Error> {
        let what = reference.to_string();
        let unusable = |why: String| Error::Artifact { what: what.clone(), why };
        let version = &reference.version;
        let (digest, bytes) = self.known_manifest(&version.asked(), version.digest(), &what).await?;
        let (layers, inner) = match Manifest::parse(&bytes).map_err(unusable)? {
            Manifest::Artifact { layers } => (layers, None),
            Manifest::Index { manifests } => {
                let chosen = choose_platform(&manifests).map_err(unusable)?;
                let inner = chosen.sha256().map_err(unusable)?;
                let (_, bytes) = self.known_manifest(&inner.to_string(), Some(inner), &what).await?;
                match Manifest::parse(&bytes).map_err(unusable)? {
                    Manifest::Artifact { layers } => (layers, Some(inner)),
                    Manifest::Index { .. } => {
                        return Err(unusable("an index of it holds an index".to_owned()));
                    }
                }
            }
        };
        let (layer, passed_over) = choose_layer(&layers).map_err(unusable)?;
        let signed_by = match keys {
            [] => None,
            keys => {
                let signer = match self.signer(digest, keys).await? {
                    // Whoever signs one platform's artifact signs this one.
                    Err(SignatureError::Missing { looked_at }) => match inner {
                        Some(inner) => self.signer(inner, keys).await?,
                        None => Err(SignatureError::Missing { looked_at }),
                    },
                    found => found,
                };
                Some(signer.map_err(|source| Error::Signature { what: what.clone(), source })?)
            }
        };
        if layer.size > MAX_BYTES {
            return Err(Error::TooLarge { what, limit: MAX_BYTES });
        }
        let sha256 = layer.sha256().map_err(unusable)?;
        let bytes = self.blob(sha256, layer.size, &what).await?;
        if bytes.len() as u64 != layer.size {
            return Err(unusable(format!("it has {} bytes, not {} as it says", bytes.len(), layer.size)));
        }
        component::check(&what, &bytes)?;
        let resolved = Resolved::At(Source::Oci(reference.at(digest)));
        Ok(Fetched { bytes, sha256, resolved, signed_by, passed_over })
    }

    async fn known_manifest(
        &self,
        name: &str,
        expected: Option<Sha256>,
        what: &str,
    ) -> Result<(Sha256, Vec<u8>), Error> {
        let found = self.manifest(name, expected, what).await?;
        found.ok_or_else(|| Error::NotFound { at: self.host.to_string(), what: what.to_owned() })
    }
}
