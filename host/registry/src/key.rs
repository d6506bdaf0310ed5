//! Keys that a person trusts, and which of them a source needs.

use crate::scope::Scope;
use crate::sha256::Sha256;
use crate::source::Source;
use p256::ecdsa::VerifyingKey;
use p256::pkcs8::spki::{self, DecodePublicKey, EncodePublicKey};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// What a key is called: the digest of it as DER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(Sha256);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// An ECDSA key on the curve P-256: what `cosign generate-key-pair` makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    id: KeyId,
    key: VerifyingKey,
}

/// Why a text is no key that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A private one.
    #[error("it holds a private key; name the public one (`cosign public-key --key …` prints it)")]
    Private,
    /// Another kind.
    #[error("it is a key of another kind; only ECDSA on the curve P-256 is verified, as cosign makes it")]
    OtherKind,
    /// No key.
    #[error("it is no public key in PEM (-----BEGIN PUBLIC KEY-----)")]
    NoKey,
}

impl PublicKey {
    /// Reads a key in PEM.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        if pem.contains("PRIVATE KEY-----") {
            return Err(KeyError::Private);
        }
        let key = VerifyingKey::from_public_key_pem(pem.trim()).map_err(|error| match error {
            spki::Error::OidUnknown { .. }
            | spki::Error::AlgorithmParametersMissing
            | spki::Error::KeyMalformed => KeyError::OtherKind,
            _ => KeyError::NoKey,
        })?;
        let der = key.to_public_key_der().map_err(|_| KeyError::NoKey)?;
        Ok(Self { id: KeyId(Sha256::of(der.as_bytes())), key })
    }

    /// What it is called.
    pub fn id(&self) -> KeyId {
        self.id
    }

    pub(crate) fn key(&self) -> &VerifyingKey {
        &self.key
    }
}

/// A key, and the sources whose components it must have signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// Which sources.
    pub scope: Scope,
    /// The key.
    pub key: PublicKey,
}

/// All keys of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedKeys(Vec<TrustedKey>);

impl TrustedKeys {
    /// These.
    pub fn new(keys: Vec<TrustedKey>) -> Self {
        Self(keys)
    }

    /// The keys of which one must have signed what comes from here; none where nobody says so. The
    /// deepest scope decides, and several keys of it stand for each other.
    pub fn of(&self, source: &Source) -> Vec<&PublicKey> {
        let depths =
            || self.0.iter().filter_map(|trusted| Some((trusted.scope.depth(source)?, &trusted.key)));
        let deepest = depths().map(|(depth, _)| depth).max();
        depths().filter(|(depth, _)| Some(*depth) == deepest).map(|(_, key)| key).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// What `openssl` prints: an independent maker of keys and signatures.
    pub(crate) fn openssl(words: &[&str], input: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut command = Command::new("openssl");
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("openssl");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words:?}");
        output.stdout
    }

    /// A private key, and its public half.
    pub(crate) fn pair(kind: &[&str]) -> (tempfile::NamedTempFile, String) {
        let private = openssl(&[&["genpkey"], kind].concat(), b"");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), private).unwrap();
        let public = openssl(&["pkey", "-pubout", "-in", file.path().to_str().unwrap()], b"");
        (file, String::from_utf8(public).unwrap())
    }

    pub(crate) const P256: &[&str] = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

    #[test]
    fn only_public_keys_on_p_256_are_read() {
        let (private, public) = pair(P256);
        let key = PublicKey::from_pem(&public).unwrap();
        let der = openssl(&["pkey", "-pubin", "-outform", "DER"], public.as_bytes());
        assert_eq!(key.id().to_string(), Sha256::of(&der).to_string());
        let private = std::fs::read_to_string(private.path()).unwrap();
        assert_eq!(PublicKey::from_pem(&private), Err(KeyError::Private));
        for kind in [
            &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"][..],
            &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
            &["-algorithm", "ED25519"],
        ] {
            assert_eq!(PublicKey::from_pem(&pair(kind).1), Err(KeyError::OtherKind), "{kind:?}");
        }
        for text in ["", "ssh-ed25519 AAAA", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
            assert_eq!(PublicKey::from_pem(text), Err(KeyError::NoKey), "{text}");
        }
    }

    #[test]
    fn the_deepest_scope_decides_which_keys_count() {
        let keys: Vec<_> = (0..3).map(|_| PublicKey::from_pem(&pair(P256).1).unwrap()).collect();
        let trusted =
            |scope: &str, at: usize| TrustedKey { scope: scope.parse().unwrap(), key: keys[at].clone() };
        let all = TrustedKeys::new(vec![
            trusted("oci://r.example/", 0),
            trusted("oci://r.example/team/", 1),
            trusted("oci://r.example/team", 2),
        ]);
        let of = |source: &str| all.of(&source.parse().unwrap()).into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(of("oci://r.example/x"), keys[..1]);
        assert_eq!(of("oci://r.example/team/x"), keys[1..]);
        assert!(of("oci://other.example/x").is_empty());
    }
}
