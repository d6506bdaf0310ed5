//! Encrypted requests: whose certificates are believed.

use crate::egress_guest::{Answer, Given, code, failed, grant};
use crate::egress_server::{Connection, Server, reply};
use ringfence_sandbox::{Addresses, EgressContext, Resolve};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

const ROOT: &[u8] = include_bytes!("certificates/root.pem");
const LEAF: &[u8] = include_bytes!("certificates/leaf.pem");
const KEY: &[u8] = include_bytes!("certificates/leaf-key.pem");

struct Here;

impl Resolve for Here {
    fn resolve(&self, _name: &str) -> Addresses {
        Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
    }
}

/// Answers those that ask it by this name.
async fn server(name: &'static str) -> Server {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(LEAF).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let accept = move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let stream = acceptor.accept(stream).await.ok()?;
            let asked = stream.get_ref().1.server_name() == Some(name);
            asked.then(|| Box::new(stream) as Connection)
        }
    };
    Server::over(accept, |mut connection, _| async move {
        let _ = connection.write_all(&reply("x", b"encrypted")).await;
        let _ = connection.shutdown().await;
    })
    .await
}

fn given(name: &str, port: u16, egress: EgressContext) -> (Given, String) {
    let url = format!("https://{name}:{port}");
    let hosts = vec![grant(json!({"url": url, "private": true}))];
    (Given { hosts, egress: egress.resolving_by(Arc::new(Here)), ..Given::default() }, format!("{url}/"))
}

fn trusting_the_tests() -> EgressContext {
    let root = CertificateDer::from_pem_slice(ROOT).unwrap();
    EgressContext::default().trusting(vec![root.to_vec()])
}

#[tokio::test]
async fn a_host_is_asked_by_its_name_and_believed_by_its_certificate() {
    let server = server("api.example.com").await;
    let (given, url) = given("api.example.com", server.port(), trusting_the_tests());
    let report = given.get(&url).await;
    assert_eq!(Answer::of(&report).text(), "encrypted");
    assert!(server.heard()[0].contains(&format!("host: api.example.com:{}\r\n", server.port())));
}

#[tokio::test]
async fn a_certificate_of_nobody_s_or_another_s_is_not_believed() {
    let server = server("api.example.com").await;
    let (unknown, url) = given("api.example.com", server.port(), EgressContext::default());
    assert_eq!(failed(&unknown.get(&url).await), code::TLS_CERTIFICATE);
    let (other, url) = given("other.example.com", server.port(), trusting_the_tests());
    assert_eq!(failed(&other.get(&url).await), code::TLS_CERTIFICATE);
    assert!(server.heard().is_empty());
}

/// Runs itself once more, where the variable names the root of the tests.
#[tokio::test]
async fn a_root_that_ssl_cert_file_names_is_believed() {
    const INNER: &str = "RINGFENCE_TESTS_WITH_ROOT";
    if std::env::var_os(INNER).is_some() {
        let server = server("api.example.com").await;
        let (given, url) = given("api.example.com", server.port(), EgressContext::default());
        assert_eq!(Answer::of(&given.get(&url).await).text(), "encrypted");
        return;
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/certificates/root.pem");
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "egress_tls::a_root_that_ssl_cert_file_names_is_believed"])
        .envs([(INNER, "1"), ("SSL_CERT_FILE", root)])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_an_error_of_the_guest_s() {
    let at_once = |mut stream: tokio::net::TcpStream| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        Some(Box::new(stream) as Connection)
    };
    let server = Server::over(at_once, |_, _| async {}).await;
    let (given, url) = given("api.example.com", server.port(), trusting_the_tests());
    assert_eq!(failed(&given.get(&url).await), code::TLS_PROTOCOL);
}
