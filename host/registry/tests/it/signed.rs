//! Signatures of artifacts, as `cosign sign --key` puts them into a registry.

use crate::maker::{COMPONENT, Registry, Signer, WASM, fetch_signed, manifest, part};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ringfence_registry::{Sha256, TrustedKeys};
use ringfence_tests::loopback::Reply;
use serde_json::{Value, json};

fn payload(digest: &str) -> Vec<u8> {
    let payload = json!({ "critical": { "identity": { "docker-reference": "r.example/team/x" },
        "image": { "docker-manifest-digest": digest }, "type": "cosign container image signature" },
        "optional": null });
    payload.to_string().into_bytes()
}

/// Puts these payloads with their signatures where cosign does.
fn place(registry: &Registry, digest: Sha256, signatures: &[(Vec<u8>, String)]) {
    let layer = |(payload, signature): &(Vec<u8>, String)| {
        registry.blob(payload);
        let mut layer = part("application/vnd.dev.cosign.simplesigning.v1+json", payload);
        layer["annotations"] = json!({ "dev.cosignproject.cosign/signature": signature });
        layer
    };
    let layers: Vec<Value> = signatures.iter().map(layer).collect();
    registry.manifest(&format!("sha256-{}.sig", digest.hex()), &manifest(&layers));
}

fn keys(registry: &Registry, signer: &Signer) -> TrustedKeys {
    signer.trusted_for(&format!("oci://{}/team/", registry.0.host()))
}

#[tokio::test]
async fn an_artifact_that_a_trusted_key_signed_is_fetched() {
    let (registry, digest) = Registry::with_component();
    let (signer, other) = (Signer::new(), Signer::new());
    let payload = payload(&digest.to_string());
    let both = [(payload.clone(), other.sign(&payload)), (payload.clone(), signer.sign(&payload))];
    place(&registry, digest, &both);
    for version in [":1", &format!("@{digest}")] {
        let fetched = fetch_signed(&registry.reference(version), &keys(&registry, &signer)).await.unwrap();
        assert_eq!((fetched.bytes.as_slice(), fetched.signed_by), (COMPONENT, Some(signer.public.id())));
    }
}

#[tokio::test]
async fn any_other_signature_leaves_an_artifact_unfetched() {
    let (signer, other) = (Signer::new(), Signer::new());
    let good = |digest: Sha256| payload(&digest.to_string());
    let elsewhere = payload(&Sha256::of(b"another artifact").to_string());
    for (name, why) in [
        ("none", "has no signature"),
        ("other key", "another key, or over other bytes"),
        ("altered payload", "another key, or over other bytes"),
        ("other digest", "its signature is for sha256:"),
        ("no base64", "isn't base64"),
        ("no payload of cosign's", "isn't a payload of cosign's"),
    ] {
        let (registry, digest) = Registry::with_component();
        let signature = match name {
            "none" => None,
            "other key" => Some((good(digest), other.sign(&good(digest)))),
            "altered payload" => Some((good(digest), signer.sign(&elsewhere))),
            "other digest" => Some((elsewhere.clone(), signer.sign(&elsewhere))),
            "no base64" => Some((good(digest), "?".to_owned())),
            _ => Some((b"{}".to_vec(), signer.sign(b"{}"))),
        };
        if let Some(signature) = signature {
            place(&registry, digest, &[signature]);
        }
        let error = fetch_signed(&registry.reference(":1"), &keys(&registry, &signer)).await.unwrap_err();
        assert!(error.to_string().contains(why), "{name}: {error}");
        let blob = format!("/v2/team/x/blobs/{}", Sha256::of(COMPONENT));
        assert!(
            registry.0.asked().iter().all(|asked| asked.path != blob),
            "{name}: nothing of it is fetched"
        );
    }
}

#[tokio::test]
async fn whoever_signs_an_index_or_its_artifact_signs_the_component() {
    let (registry, inner) = Registry::with_component();
    let signer = Signer::new();
    let size = manifest(&[part(WASM, COMPONENT)]).to_string().len();
    let platform = json!({ "os": "wasip2", "architecture": "wasm" });
    let index = json!({ "manifests": [{ "digest": inner, "size": size, "platform": platform }] });
    let outer = registry.manifest("2", &index);
    for digest in [inner, outer] {
        let payload = payload(&digest.to_string());
        place(&registry, digest, &[(payload.clone(), signer.sign(&payload))]);
        let fetched = fetch_signed(&registry.reference(":2"), &keys(&registry, &signer)).await.unwrap();
        assert_eq!(fetched.signed_by, Some(signer.public.id()));
    }
}

/// Puts a bundle where cosign 3 does: in a registry with the API for referrers, or without.
fn place_bundle(registry: &Registry, digest: Sha256, signer: &Signer, subject: Sha256, has_api: bool) {
    let kind = "application/vnd.dev.sigstore.bundle.v0.3+json";
    let statement = json!({ "_type": "https://in-toto.io/Statement/v1", "predicate": {},
        "predicateType": "https://sigstore.dev/cosign/sign/v1", "subject": [{ "digest": { "sha256": subject.hex() } }] })
    .to_string();
    let payload_type = "application/vnd.in-toto+json";
    let signed = format!("DSSEv1 {} {payload_type} {} {statement}", payload_type.len(), statement.len());
    let envelope = json!({ "payload": STANDARD.encode(&statement), "payloadType": payload_type,
        "signatures": [{ "sig": signer.sign(signed.as_bytes()) }] });
    let bundle =
        json!({ "mediaType": kind, "verificationMaterial": {}, "dsseEnvelope": envelope }).to_string();
    registry.blob(bundle.as_bytes());
    let own = registry.manifest("bundle", &manifest(&[part(kind, bundle.as_bytes())]));
    let index = json!({ "schemaVersion": 2, "manifests": [
        { "digest": Sha256::of(b"an attestation"), "size": 1, "artifactType": "application/spdx+json" },
        { "digest": own, "size": 1, "artifactType": kind },
    ] });
    if has_api {
        registry.0.put(format!("/v2/team/x/referrers/{digest}"), Reply::ok(index.to_string()));
    } else {
        registry.manifest(&format!("sha256-{}", digest.hex()), &index);
    }
}

#[tokio::test]
async fn a_bundle_that_refers_to_an_artifact_is_its_signature() {
    let signer = Signer::new();
    for has_api in [true, false] {
        let (registry, digest) = Registry::with_component();
        let keys = keys(&registry, &signer);
        let fetched = || async { fetch_signed(&registry.reference(":1"), &keys).await };
        place_bundle(&registry, digest, &signer, Sha256::of(b"another artifact"), has_api);
        let error = fetched().await.unwrap_err().to_string();
        assert!(error.contains("its signature isn't for sha256:"), "{error}");
        place_bundle(&registry, digest, &Signer::new(), digest, has_api);
        let error = fetched().await.unwrap_err().to_string();
        assert!(error.contains("another key"), "{error}");
        place_bundle(&registry, digest, &signer, digest, has_api);
        assert_eq!(fetched().await.unwrap().signed_by, Some(signer.public.id()));
    }
}
