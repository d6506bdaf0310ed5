//! Whose certificates are believed: those that the system believes, and `SSL_CERT_FILE`.

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls_platform_verifier::Verifier;
use std::sync::{Arc, LazyLock, OnceLock};

/// Roots of trust, read when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Trust {
    extra: Vec<CertificateDer<'static>>,
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

/// The system's; it is read once a process.
pub(super) static SYSTEM: LazyLock<Arc<Trust>> = LazyLock::new(Arc::default);

impl Trust {
    /// The system's roots and these certificates (DER).
    pub(super) fn and(extra: Vec<Vec<u8>>) -> Arc<Self> {
        let extra = extra.into_iter().map(CertificateDer::from).collect();
        Arc::new(Self { extra, config: OnceLock::new() })
    }

    /// Settings for connections that speak HTTP/1.1. Reads files the first time.
    pub(super) fn config(&self) -> Result<Arc<ClientConfig>, String> {
        self.config.get_or_init(|| self.make().map_err(|error| error.to_string())).clone()
    }

    fn make(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        let provider = Arc::new(ring::default_provider());
        let verifier = Verifier::new_with_extra_roots(self.extra.iter().cloned(), provider.clone())?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}
