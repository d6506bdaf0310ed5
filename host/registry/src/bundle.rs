//! Signatures as cosign 3 writes them: a bundle with an envelope around a statement about a digest.
//!
//! Owns: what such a bundle must say to be a signature, and by whom. Certificates, logs and time
//! stamps in it aren't looked at: a key that the user trusts is what counts.

use crate::key::{KeyId, PublicKey};
use crate::sha256::Sha256;
use crate::signature::{SignatureError, signer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// Beginning of the media types of bundles, of any version.
pub(crate) const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";
/// Longer ones aren't read.
pub(crate) const MAX_BUNDLE_BYTES: u64 = 1 << 20;

const STATEMENT: &str = "application/vnd.in-toto+json";
/// What a signature is about; anything else is an attestation, which says other things.
const SIGN: &str = "https://sigstore.dev/cosign/sign/v1";
/// Signatures of one envelope that are looked at.
const MAX_SIGNATURES: usize = 8;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bundle {
    media_type: String,
    dsse_envelope: Option<Envelope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    sig: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    predicate_type: String,
    subject: Vec<Subject>,
}

#[derive(Deserialize)]
struct Subject {
    digest: Digests,
}

#[derive(Deserialize)]
struct Digests {
    sha256: Option<String>,
}

/// The key, among these, that signed the artifact with this digest, by what a bundle says.
pub(crate) fn bundle_signer(
    keys: &[&PublicKey],
    bundle: &[u8],
    digest: Sha256,
) -> Result<KeyId, SignatureError> {
    let unreadable = || SignatureError::invalid("its bundle of a signature can't be read");
    let bundle: Bundle = serde_json::from_slice(bundle).map_err(|_| unreadable())?;
    let Some(envelope) = bundle.dsse_envelope.filter(|_| bundle.media_type.starts_with(BUNDLE)) else {
        return Err(SignatureError::invalid("its bundle has no envelope, as `cosign sign` writes it"));
    };
    let payload = STANDARD.decode(&envelope.payload).map_err(|_| unreadable())?;
    let signed = encoded(&envelope.payload_type, &payload);
    let mut found = Err(SignatureError::invalid("its bundle has no signature"));
    for signature in envelope.signatures.iter().take(MAX_SIGNATURES) {
        found = signer(keys, &signed, &signature.sig);
        if found.is_ok() {
            break;
        }
    }
    let key = found?;
    if envelope.payload_type != STATEMENT {
        return Err(SignatureError::invalid("what its bundle signs is no statement"));
    }
    let statement: Statement = serde_json::from_slice(&payload).map_err(|_| unreadable())?;
    if statement.predicate_type != SIGN {
        return Err(SignatureError::invalid("its bundle attests something else than a signature"));
    }
    let hex = digest.hex();
    if !statement.subject.iter().any(|subject| subject.digest.sha256.as_deref() == Some(&hex)) {
        return Err(SignatureError::invalid(format!("its signature isn't for {digest}")));
    }
    Ok(key)
}

/// What is signed of an envelope (DSSE's pre-authentication encoding).
fn encoded(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::tests::{P256, openssl, pair};
    use serde_json::json;

    fn statement(predicate: &str, digest: Sha256) -> String {
        json!({ "_type": "https://in-toto.io/Statement/v1", "predicateType": predicate, "predicate": {},
            "subject": [{ "digest": { "sha256": digest.hex() }, "annotations": {} }] })
        .to_string()
    }

    fn bundle(kind: &str, payload: &str, signature: &[u8]) -> String {
        json!({ "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": { "publicKey": { "hint": "x" }, "tlogEntries": [] },
            "dsseEnvelope": { "payload": STANDARD.encode(payload), "payloadType": kind,
                "signatures": [{ "sig": STANDARD.encode(signature) }] } })
        .to_string()
    }

    #[test]
    fn a_bundle_counts_for_its_key_and_digest_and_as_a_signature_alone() {
        let (private, public) = pair(P256);
        let (key, other) =
            (PublicKey::from_pem(&public).unwrap(), PublicKey::from_pem(&pair(P256).1).unwrap());
        let sign = |kind: &str, payload: &str| {
            let path = private.path().to_str().unwrap();
            openssl(&["dgst", "-sha256", "-sign", path], &encoded(kind, payload.as_bytes()))
        };
        let digest = Sha256::of(b"manifest");
        let good = statement(SIGN, digest);
        let text = bundle(STATEMENT, &good, &sign(STATEMENT, &good));
        assert_eq!(bundle_signer(&[&other, &key], text.as_bytes(), digest), Ok(key.id()));
        let attested = statement("https://slsa.dev/provenance/v1", digest);
        let elsewhere = statement(SIGN, Sha256::of(b"other"));
        let plain = "text/plain";
        for (keys, text, why) in [
            (&[&other][..], text.clone(), "another key"),
            (&[&key], bundle(STATEMENT, &elsewhere, &sign(STATEMENT, &good)), "other bytes"),
            (&[&key], bundle(STATEMENT, &elsewhere, &sign(STATEMENT, &elsewhere)), "isn't for sha256:"),
            (&[&key], bundle(STATEMENT, &attested, &sign(STATEMENT, &attested)), "attests something else"),
            (&[&key], bundle(plain, &good, &sign(plain, &good)), "is no statement"),
            (&[&key], bundle(plain, &good, &sign(STATEMENT, &good)), "other bytes"),
            (&[&key], text.replace("dsseEnvelope", "messageSignature"), "has no envelope"),
            (&[&key], text.replace("sigstore.bundle", "other"), "has no envelope"),
            (&[&key], "{".to_owned(), "can't be read"),
        ] {
            let error = bundle_signer(keys, text.as_bytes(), digest).unwrap_err().to_string();
            assert!(error.contains(why), "{why}: {error}");
        }
    }

    #[test]
    fn what_is_signed_is_encoded_as_its_specification_has_it() {
        let encoded = encoded("http://example.com/HelloWorld", b"hello world");
        assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }
}
