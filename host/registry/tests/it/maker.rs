//! What tests are made of: a component, an artifact at a loopback registry, keys of openssl's.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ringfence_registry::{
    Client, Error, Fetched, Limits, Logins, PublicKey, Sha256, Source, TrustedKey, TrustedKeys,
};
use ringfence_tests::loopback::{Loopback, Reply};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::NamedTempFile;

/// As much of a component as fetching looks at.
pub(crate) const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0 and more";

/// Of the layout that registries have components in.
pub(crate) const WASM: &str = "application/wasm";

/// Short times: nothing here is slow on purpose but what a test is about.
pub(crate) fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        silence: Duration::from_millis(700),
        exchange: Duration::from_secs(60),
    }
}

pub(crate) async fn fetch(source: &str) -> Result<Fetched, Error> {
    fetch_signed(source, &TrustedKeys::default()).await
}

pub(crate) async fn fetch_signed(source: &str, keys: &TrustedKeys) -> Result<Fetched, Error> {
    fetch_as(source, keys, Logins::None).await
}

pub(crate) async fn fetch_as(source: &str, keys: &TrustedKeys, logins: Logins) -> Result<Fetched, Error> {
    let source: Source = source.parse().unwrap();
    Client::new(logins, limits()).unwrap().fetch(&source, keys).await
}

/// A layer or the like, by the digest of these bytes.
pub(crate) fn part(kind: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": kind, "digest": Sha256::of(bytes), "size": bytes.len() })
}

pub(crate) fn manifest(layers: &[Value]) -> Value {
    json!({ "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": part("application/vnd.wasm.config.v0+json", b"{}"), "layers": layers })
}

/// A registry with one repository, `team/x`.
pub(crate) struct Registry(pub(crate) Loopback);

impl Registry {
    pub(crate) fn new() -> Self {
        Self(Loopback::start())
    }

    /// One with a component at the tag `1`.
    pub(crate) fn with_component() -> (Self, Sha256) {
        let registry = Self::new();
        registry.blob(COMPONENT);
        let digest = registry.manifest("1", &manifest(&[part(WASM, COMPONENT)]));
        (registry, digest)
    }

    pub(crate) fn reference(&self, version: &str) -> String {
        format!("oci://{}/team/x{version}", self.0.host())
    }

    /// Puts a manifest at a tag and at its digest.
    pub(crate) fn manifest(&self, tag: &str, manifest: &Value) -> Sha256 {
        let text = manifest.to_string();
        let digest = Sha256::of(text.as_bytes());
        for name in [tag, &digest.to_string()] {
            self.0.put(format!("/v2/team/x/manifests/{name}"), Reply::ok(text.clone()));
        }
        digest
    }

    pub(crate) fn blob(&self, bytes: &[u8]) {
        self.0.put(format!("/v2/team/x/blobs/{}", Sha256::of(bytes)), Reply::ok(bytes));
    }
}

/// A private key of openssl's, with its public half.
pub(crate) struct Signer {
    private: NamedTempFile,
    pub(crate) public: PublicKey,
}

impl Signer {
    pub(crate) fn new() -> Self {
        let private = NamedTempFile::new().unwrap();
        let made = openssl(&["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], b"");
        std::fs::write(private.path(), &made).unwrap();
        let pem = openssl(&["pkey", "-pubout"], &made);
        Self { private, public: PublicKey::from_pem(&String::from_utf8(pem).unwrap()).unwrap() }
    }

    /// Base64, as cosign writes it.
    pub(crate) fn sign(&self, bytes: &[u8]) -> String {
        let key = self.private.path().to_str().unwrap();
        STANDARD.encode(openssl(&["dgst", "-sha256", "-sign", key], bytes))
    }

    pub(crate) fn trusted_for(&self, scope: &str) -> TrustedKeys {
        TrustedKeys::new(vec![TrustedKey { scope: scope.parse().unwrap(), key: self.public.clone() }])
    }
}

fn openssl(words: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("openssl");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{words:?}");
    output.stdout
}
