//! Components of files and of hosts.

use crate::maker::{COMPONENT, Signer, fetch, fetch_signed};
use ringfence_registry::{Error, Resolved, Sha256};
use ringfence_tests::loopback::{Loopback, Reply};

#[tokio::test]
async fn a_component_comes_from_a_file_or_a_host() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Loopback::start());
    let path = folder.path().join("x.wasm");
    std::fs::write(&path, COMPONENT).unwrap();
    server.put("/x.wasm", Reply::ok(COMPONENT));
    for source in [path.to_str().unwrap(), &server.url("/x.wasm")] {
        let fetched = fetch(source).await.unwrap();
        assert_eq!((fetched.bytes.as_slice(), fetched.sha256), (COMPONENT, Sha256::of(COMPONENT)));
        assert_eq!((fetched.resolved, fetched.signed_by), (Resolved::Same, None));
    }
}

#[tokio::test]
async fn what_is_no_component_is_refused() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Loopback::start());
    let path = folder.path().join("x.wasm");
    std::fs::write(&path, "hello").unwrap();
    server.put("/page", Reply::ok("<!doctype html>"));
    for (source, why) in [
        (path.to_str().unwrap(), "isn't WebAssembly"),
        (&server.url("/page"), "a page for people"),
        (&server.url("/nothing"), "has no http://"),
        (folder.path().to_str().unwrap(), "no regular file"),
        ("registry.example.com/team/x:1", "No such file"),
    ] {
        let error = fetch(source).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let error = fetch("registry.example.com/team/x:1").await.unwrap_err();
    assert_eq!(error.hint().unwrap(), "for a registry, write oci://registry.example.com/team/x:1");
}

#[tokio::test]
async fn a_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error = fetch(pipe.to_str().unwrap()).await.unwrap_err();
    assert!(matches!(error, Error::File { .. }), "{error}");
}

#[tokio::test]
async fn a_file_with_a_key_must_have_a_signature_beside_it() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Loopback::start());
    let (signer, other) = (Signer::new(), Signer::new());
    let path = folder.path().join("x.wasm");
    let beside = folder.path().join("x.wasm.sig");
    let (file, url) = (path.to_str().unwrap().to_owned(), server.url("/x.wasm"));
    std::fs::write(&path, COMPONENT).unwrap();
    server.put("/x.wasm", Reply::ok(COMPONENT));
    let place = |text: Option<String>| {
        let Some(text) = text else { return };
        std::fs::write(&beside, &text).unwrap();
        server.put("/x.wasm.sig", Reply::ok(text));
    };
    for (signature, why) in [
        (None, "has no signature"),
        (Some(other.sign(COMPONENT)), "another key, or over other bytes"),
        (Some(signer.sign(b"other bytes")), "another key, or over other bytes"),
        (Some("no base64!".to_owned()), "isn't base64"),
        (Some(signer.sign(COMPONENT)), ""),
    ] {
        place(signature);
        for (source, scope) in [(&file, folder.path().to_str().unwrap()), (&url, &server.url("/"))] {
            let fetched = fetch_signed(source, &signer.trusted_for(scope)).await;
            match (why, fetched) {
                ("", fetched) => assert_eq!(fetched.unwrap().signed_by, Some(signer.public.id())),
                (why, Err(error)) => assert!(error.to_string().contains(why), "{error}"),
                (why, Ok(_)) => panic!("{source} was fetched, though {why}"),
            }
        }
    }
}
