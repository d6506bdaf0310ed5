//! Whether a trusted key has signed something: cosign's ways of saying so.
//!
//! Owns: the arithmetic, and what must be signed (the bytes of a file, or a payload that names the
//! digest of an artifact). Doesn't own: where signatures lie (`client`, `oci`).

use crate::key::{KeyId, PublicKey};
use crate::sha256::Sha256;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Verifier;
use serde_json::Value;
use thiserror::Error;

/// Why a component doesn't count as signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// There is none.
    #[error("it must be signed, by your configuration, and has no signature: {looked_at}")]
    Missing {
        /// Where one was looked for.
        looked_at: String,
    },
    /// There are some, none of them good.
    #[error("it must be signed, by your configuration, and {why}")]
    Invalid {
        /// What is wrong with the last one.
        why: String,
    },
}

impl SignatureError {
    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid { why: why.into() }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => Some(
                "ask whoever publishes it to sign it with `cosign sign --key`, or `cosign sign-blob --key` for a file; which sources must be signed is said in [[trusted_keys]] of your configuration"
                    .to_owned(),
            ),
            Self::Invalid { .. } => Some(
                "don't use it before whoever publishes it has explained that; keys are listed in [[trusted_keys]] of your configuration"
                    .to_owned(),
            ),
        }
    }
}

/// The key, among these, that made a signature (base64 of DER) over these bytes.
pub(crate) fn signer(keys: &[&PublicKey], signed: &[u8], signature: &str) -> Result<KeyId, SignatureError> {
    let der = STANDARD
        .decode(signature.trim())
        .map_err(|_| SignatureError::invalid("its signature isn't base64, as cosign writes it"))?;
    let signature = Signature::from_der(&der)
        .map_err(|_| SignatureError::invalid("its signature isn't one of ECDSA on the curve P-256"))?;
    let made = |key: &&&PublicKey| key.key().verify(signed, &signature).is_ok();
    let Some(key) = keys.iter().find(made) else {
        let known: Vec<_> = keys.iter().map(|key| key.id().to_string()).collect();
        return Err(SignatureError::invalid(format!(
            "its signature was made by another key, or over other bytes (the key of your configuration is {})",
            known.join(" or ")
        )));
    };
    Ok(key.id())
}

/// Whether a payload of cosign's is about the artifact with this digest.
pub(crate) fn is_about(payload: &[u8], digest: Sha256) -> Result<(), SignatureError> {
    let payload: Value = serde_json::from_slice(payload)
        .map_err(|_| SignatureError::invalid("what is signed isn't JSON, as cosign writes it"))?;
    let critical = payload.get("critical");
    let kind = critical.and_then(|critical| critical.get("type")).and_then(Value::as_str);
    if kind != Some("cosign container image signature") {
        return Err(SignatureError::invalid("what is signed isn't a payload of cosign's"));
    }
    let named = critical
        .and_then(|critical| critical.get("image"))
        .and_then(|image| image.get("docker-manifest-digest"))
        .and_then(Value::as_str);
    if named.and_then(|named| named.parse::<Sha256>().ok()) != Some(digest) {
        let named = crate::words::cut(named.unwrap_or("nothing"), 80);
        return Err(SignatureError::invalid(format!("its signature is for {named}, not for {digest}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::tests::{P256, openssl, pair};
    use serde_json::json;

    #[test]
    fn a_signature_of_openssl_s_counts_for_its_key_and_bytes_alone() {
        let (private, public) = pair(P256);
        let private = private.path().to_str().unwrap();
        let der = openssl(&["dgst", "-sha256", "-sign", private], b"the bytes");
        let signature = format!("{}\n", STANDARD.encode(der));
        let (key, other) =
            (PublicKey::from_pem(&public).unwrap(), PublicKey::from_pem(&pair(P256).1).unwrap());
        assert_eq!(signer(&[&other, &key], b"the bytes", &signature), Ok(key.id()));
        for (keys, bytes, signature, why) in [
            (&[&other][..], &b"the bytes"[..], signature.as_str(), "another key"),
            (&[&key], b"the bytes.", &signature, "other bytes"),
            (&[&key], b"the bytes", "!", "isn't base64"),
            (&[&key], b"the bytes", "AAAA", "isn't one of ECDSA"),
            (&[], b"the bytes", &signature, "another key"),
        ] {
            let error = signer(keys, bytes, signature).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_payload_is_about_one_digest() {
        let digest = Sha256::of(b"manifest");
        let payload = |kind: &str, named: &str| {
            json!({ "critical": { "type": kind, "image": { "docker-manifest-digest": named } } }).to_string()
        };
        let kind = "cosign container image signature";
        is_about(payload(kind, &digest.to_string()).as_bytes(), digest).unwrap();
        for (text, why) in [
            (payload(kind, &Sha256::of(b"other").to_string()), "is for sha256:"),
            (payload(kind, ""), "is for"),
            (payload("atomic container signature", &digest.to_string()), "payload of cosign's"),
            ("{}".to_owned(), "payload of cosign's"),
            ("no".to_owned(), "isn't JSON"),
        ] {
            let error = is_about(text.as_bytes(), digest).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
