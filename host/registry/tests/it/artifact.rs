//! Artifacts of registries: which part of them is the component.

use crate::maker::{COMPONENT, Registry, WASM, fetch, manifest, part};
use ringfence_registry::{Resolved, Sha256};
use serde_json::json;

#[tokio::test]
async fn a_tag_is_resolved_to_the_digest_of_its_manifest() {
    let (registry, digest) = Registry::with_component();
    let by_digest = registry.reference(&format!("@{digest}"));
    for version in [":1", &format!("@{digest}"), &format!(":other@{digest}")] {
        let fetched = fetch(&registry.reference(version)).await.unwrap();
        assert_eq!(fetched.bytes, COMPONENT);
        assert_eq!(fetched.resolved, Resolved::At(by_digest.parse().unwrap()));
        assert_eq!(fetched.sha256, Sha256::of(COMPONENT));
    }
}

#[tokio::test]
async fn a_tag_that_moves_is_another_artifact_and_the_digest_stays_the_same() {
    let (registry, digest) = Registry::with_component();
    let other = b"\0asm\x0d\0\x01\0 another";
    registry.blob(other);
    let moved = registry.manifest("1", &manifest(&[part(WASM, other)]));
    let fetched = fetch(&registry.reference(":1")).await.unwrap();
    assert_eq!((fetched.bytes.as_slice(), moved == digest), (other.as_slice(), false));
    let fetched = fetch(&registry.reference(&format!("@{digest}"))).await.unwrap();
    assert_eq!(fetched.bytes, COMPONENT);
}

#[tokio::test]
async fn layers_beside_the_component_are_passed_over_and_named() {
    let registry = Registry::new();
    registry.blob(COMPONENT);
    let older = "application/vnd.wasm.content.layer.v1+wasm";
    registry.manifest("1", &manifest(&[part("text/markdown", b"# Readme"), part(older, COMPONENT)]));
    let fetched = fetch(&registry.reference(":1")).await.unwrap();
    assert_eq!(fetched.passed_over, [format!("text/markdown ({})", Sha256::of(b"# Readme"))]);
    let asked = registry.0.asked();
    assert!(asked.iter().all(|asked| !asked.path.ends_with(&Sha256::of(b"# Readme").hex())));
}

#[tokio::test]
async fn one_platform_of_an_index_is_the_component_s() {
    let (registry, inner) = Registry::with_component();
    let size = manifest(&[part(WASM, COMPONENT)]).to_string().len();
    let index = |platforms: &[(&str, &str)]| {
        let part = |(os, architecture): &(&str, &str)| json!({ "digest": inner, "size": size, "platform": { "os": os, "architecture": architecture } });
        json!({ "schemaVersion": 2, "manifests": platforms.iter().map(part).collect::<Vec<_>>() })
    };
    let digest = registry.manifest("2", &index(&[("linux", "amd64"), ("wasip2", "wasm")]));
    let fetched = fetch(&registry.reference(":2")).await.unwrap();
    let expected = registry.reference(&format!("@{digest}")).parse().unwrap();
    assert_eq!((fetched.bytes.as_slice(), fetched.resolved), (COMPONENT, Resolved::At(expected)));
    registry.manifest("3", &index(&[("linux", "amd64")]));
    let error = fetch(&registry.reference(":3")).await.unwrap_err().to_string();
    assert!(error.contains("none of its platforms is wasm: linux/amd64"), "{error}");
    let nested = json!({ "schemaVersion": 2, "manifests": [{ "digest": digest, "size": 1 }] });
    registry.manifest("4", &nested);
    let error = fetch(&registry.reference(":4")).await.unwrap_err().to_string();
    assert!(error.contains("an index of it holds an index"), "{error}");
}

#[tokio::test]
async fn an_artifact_that_is_no_component_says_what_it_is() {
    let registry = Registry::new();
    registry.blob(b"hello");
    let tar = "application/vnd.oci.image.layer.v1.tar+gzip";
    registry.manifest("image", &manifest(&[part(tar, b"tar")]));
    registry.manifest("two", &manifest(&[part(WASM, COMPONENT), part(WASM, b"other")]));
    registry.manifest("text", &manifest(&[part(WASM, b"hello")]));
    for (tag, why) in [
        ("image", format!("none of its layers is application/wasm: {tar}")),
        ("two", "several of its layers are components: application/wasm".to_owned()),
        ("text", "isn't a component: it isn't WebAssembly".to_owned()),
        ("none", format!("{} has no oci://", registry.0.host())),
    ] {
        let error = fetch(&registry.reference(&format!(":{tag}"))).await.unwrap_err().to_string();
        assert!(error.contains(&why), "{error}");
    }
}
