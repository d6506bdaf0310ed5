//! A real registry, as distributions package it, with and without logins.

use crate::maker::{COMPONENT, limits};
use ringfence_registry::{
    Artifact, Client, Error, Login, Logins, OciReference, RegistryHost, Resolved, Source, TrustedKeys,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

struct RealRegistry {
    process: Child,
    host: String,
    _folder: TempDir,
}

impl Drop for RealRegistry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl RealRegistry {
    /// Starts one on a free port; with a login, nobody else may do anything.
    fn start(login: Option<(&str, &str)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{port}");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut config = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {host}\n",
            path("store")
        );
        if let Some((user, password)) = login {
            let made = Command::new("htpasswd").args(["-Bbn", user, password]).output().expect("htpasswd");
            std::fs::write(path("htpasswd"), made.stdout).unwrap();
            config += &format!("auth:\n  htpasswd:\n    realm: here\n    path: {}\n", path("htpasswd"));
        }
        std::fs::write(path("config.yml"), config).unwrap();
        let mut command = Command::new("docker-registry");
        command.args(["serve", &path("config.yml")]).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("docker-registry");
        let registry = Self { process, host, _folder: folder };
        for _ in 0..200 {
            if TcpStream::connect(&registry.host).is_ok() {
                return registry;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the registry doesn't listen");
    }

    fn reference(&self) -> OciReference {
        format!("oci://{}/team/x:1.0", self.host).parse().unwrap()
    }
}

fn artifact(annotations: &BTreeMap<String, String>) -> Artifact<'_> {
    Artifact { name: "x.wasm", component: COMPONENT, imports: &[], exports: &[], annotations }
}

fn client(logins: Logins) -> Client {
    Client::new(logins, limits()).unwrap()
}

#[tokio::test]
#[ignore = "needs docker-registry"]
async fn a_component_is_published_and_fetched_again() {
    let registry = RealRegistry::start(None);
    let title = [("org.opencontainers.image.title".to_owned(), "A tool".to_owned())].into();
    let client = client(Logins::None);
    let published = client.publish(&registry.reference(), &artifact(&title)).await.unwrap();
    assert!(!published.was_there);
    let again = client.publish(&registry.reference(), &artifact(&title)).await.unwrap();
    assert_eq!((again.was_there, &again.reference), (true, &published.reference));
    for reference in [registry.reference(), published.reference.clone()] {
        let fetched = client.fetch(&Source::Oci(reference), &TrustedKeys::default()).await.unwrap();
        assert_eq!((fetched.bytes.as_slice(), fetched.sha256), (COMPONENT, published.sha256));
        assert_eq!(fetched.resolved, Resolved::At(Source::Oci(published.reference.clone())));
    }
    let missing: OciReference = format!("oci://{}/team/y:1", registry.host).parse().unwrap();
    let error = client.fetch(&Source::Oci(missing), &TrustedKeys::default()).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs docker-registry"]
async fn what_is_published_has_the_layout_that_other_tools_read() {
    let registry = RealRegistry::start(None);
    let annotations = BTreeMap::new();
    let (imports, exports) = (["wasi:io/poll@0.2.0".to_owned()], ["count".to_owned()]);
    let artifact = Artifact { imports: &imports, exports: &exports, ..artifact(&annotations) };
    client(Logins::None).publish(&registry.reference(), &artifact).await.unwrap();
    let get = |path: String| -> Value {
        let url = format!("http://{}/v2/team/x/{path}", registry.host);
        let accept = "Accept: application/vnd.oci.image.manifest.v1+json";
        let got = Command::new("curl").args(["-sf", "-H", accept, &url]).output().expect("curl");
        serde_json::from_slice(&got.stdout).unwrap()
    };
    let manifest = get("manifests/1.0".to_owned());
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    let config = get(format!("blobs/{}", manifest["config"]["digest"].as_str().unwrap()));
    assert_eq!((&config["architecture"], &config["os"]), (&"wasm".into(), &"wasip2".into()));
    assert_eq!(config["layerDigests"][0], manifest["layers"][0]["digest"]);
    assert_eq!(
        (&config["component"]["imports"][0], &config["component"]["exports"][0]),
        (&imports[0].as_str().into(), &"count".into())
    );
}

#[tokio::test]
#[ignore = "needs docker-registry"]
async fn a_registry_with_a_login_wants_it() {
    let registry = RealRegistry::start(Some(("me", "hunter2")));
    let annotations = BTreeMap::new();
    let error =
        client(Logins::None).publish(&registry.reference(), &artifact(&annotations)).await.unwrap_err();
    assert!(matches!(error, Error::LoginNeeded { .. }), "{error}");
    let only = |password: &str| {
        let login = Login::Password { user: "me".to_owned(), password: password.to_owned() };
        Logins::Only(RegistryHost::parse(&registry.host).unwrap(), login)
    };
    let error =
        client(only("wrong")).publish(&registry.reference(), &artifact(&annotations)).await.unwrap_err();
    assert!(matches!(error, Error::LoginRefused { .. }), "{error}");
    let published = client(only("hunter2")).publish(&registry.reference(), &artifact(&annotations)).await;
    let source = Source::Oci(published.unwrap().reference);
    let fetched = client(only("hunter2")).fetch(&source, &TrustedKeys::default()).await.unwrap();
    assert_eq!(fetched.bytes, COMPONENT);
}
