//! Signatures of artifacts, where cosign puts them: at the tag `sha256-….sig`, and since its version
//! 3 in bundles that refer to the artifact.

use super::Registry;
use super::manifest::{Descriptor, Manifest};
use crate::Error;
use crate::bundle::{BUNDLE, MAX_BUNDLE_BYTES, bundle_signer};
use crate::key::{KeyId, PublicKey};
use crate::sha256::Sha256;
use crate::signature::{SignatureError, is_about, signer};

const PAYLOAD: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIGNATURE: &str = "dev.cosignproject.cosign/signature";
/// Longer payloads aren't read.
const MAX_PAYLOAD_BYTES: u64 = 64 << 10;
/// Signatures that are looked at.
const MAX_SIGNATURES: usize = 32;

impl Registry<'_> {
    /// The key, among these, that signed the artifact with this digest.
    pub(super) async fn signer(
        &self,
        digest: Sha256,
        keys: &[&PublicKey],
    ) -> Result<Result<KeyId, SignatureError>, Error> {
        let at_tag = match self.signer_at_tag(digest, keys).await? {
            Ok(key) => return Ok(Ok(key)),
            Err(error) => error,
        };
        Ok(match self.signer_in_bundles(digest, keys).await? {
            Ok(key) => Ok(key),
            Err(SignatureError::Missing { .. }) => Err(at_tag),
            Err(error) => Err(error),
        })
    }

    async fn signer_in_bundles(
        &self,
        digest: Sha256,
        keys: &[&PublicKey],
    ) -> Result<Result<KeyId, SignatureError>, Error> {
        let what = format!("a signature of {}@{digest}", self.repository);
        let mut wrong = SignatureError::Missing { looked_at: what.clone() };
        let Some(index) = self.referrers(digest, &what).await? else { return Ok(Err(wrong)) };
        let Ok(Manifest::Index { manifests }) = Manifest::parse(&index) else { return Ok(Err(wrong)) };
        let is_bundle =
            |part: &&Descriptor| part.artifact_type.as_ref().is_none_or(|kind| kind.starts_with(BUNDLE));
        for part in manifests.iter().filter(is_bundle).take(MAX_SIGNATURES) {
            let Ok(own) = part.sha256() else { continue };
            let Some((_, bytes)) = self.manifest(&own.to_string(), Some(own), &what).await? else { continue };
            let Ok(Manifest::Artifact { layers }) = Manifest::parse(&bytes) else { continue };
            let Some(layer) = layers.iter().find(|layer| layer.media_type.starts_with(BUNDLE)) else {
                continue;
            };
            let Ok(blob) = layer.sha256() else { continue };
            let bundle = self.blob(blob, MAX_BUNDLE_BYTES, &what).await?;
            match bundle_signer(keys, &bundle, digest) {
                Ok(key) => return Ok(Ok(key)),
                Err(error) => wrong = error,
            }
        }
        Ok(Err(wrong))
    }

    async fn signer_at_tag(
        &self,
        digest: Sha256,
        keys: &[&PublicKey],
    ) -> Result<Result<KeyId, SignatureError>, Error> {
        let tag = format!("sha256-{}.sig", digest.hex());
        let what = format!("a signature {}:{tag}", self.repository);
        let missing =
            || SignatureError::Missing { looked_at: format!("neither at the tag {tag}, nor in a bundle") };
        let Some((_, bytes)) = self.manifest(&tag, None, &what).await? else { return Ok(Err(missing())) };
        let layers = match Manifest::parse(&bytes) {
            Ok(Manifest::Artifact { layers }) => layers,
            Ok(Manifest::Index { .. }) => {
                return Ok(Err(SignatureError::invalid(
                    "its signatures are an index, as nobody writes them",
                )));
            }
            Err(why) => return Ok(Err(SignatureError::invalid(format!("of its signatures, {why}")))),
        };
        let mut wrong = missing();
        let payloads = layers.iter().filter(|layer| layer.media_type == PAYLOAD).take(MAX_SIGNATURES);
        for layer in payloads {
            match self.signer_of(layer, digest, keys, &what).await? {
                Ok(signer) => return Ok(Ok(signer)),
                Err(error) => wrong = error,
            }
        }
        Ok(Err(wrong))
    }

    async fn signer_of(
        &self,
        layer: &Descriptor,
        digest: Sha256,
        keys: &[&PublicKey],
        what: &str,
    ) -> Result<Result<KeyId, SignatureError>, Error> {
        let Some(signature) = layer.annotations.get(SIGNATURE) else {
            return Ok(Err(SignatureError::invalid("its signature is left out")));
        };
        let Ok(payload) = layer.sha256() else {
            return Ok(Err(SignatureError::invalid("what is signed has no digest that can be checked")));
        };
        let payload = self.blob(payload, MAX_PAYLOAD_BYTES, what).await?;
        Ok(signer(keys, &payload, signature).and_then(|key| is_about(&payload, digest).map(|()| key)))
    }
}
