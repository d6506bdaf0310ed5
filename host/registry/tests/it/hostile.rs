//! Servers that lie, never end, or lead elsewhere.

use crate::maker::{COMPONENT, Registry, WASM, fetch, fetch_as, manifest, part};
use ringfence_registry::{Error, Login, Logins, RegistryHost, Sha256, TrustedKeys};
use ringfence_tests::loopback::{Loopback, Reply};
use serde_json::json;

fn blob_path() -> String {
    format!("/v2/team/x/blobs/{}", Sha256::of(COMPONENT))
}

#[tokio::test]
async fn other_bytes_than_a_digest_promises_are_refused() {
    let (registry, digest) = Registry::with_component();
    let mut lie = COMPONENT.to_vec();
    lie[10] ^= 1;
    registry.0.put(blob_path(), Reply::ok(lie));
    let error = fetch(&registry.reference(":1")).await.unwrap_err();
    assert!(matches!(error, Error::WrongDigest { .. }), "{error}");
    let (registry, _) = Registry::with_component();
    let other = manifest(&[part(WASM, COMPONENT), part("text/plain", b"")]).to_string();
    registry.0.put(format!("/v2/team/x/manifests/{digest}"), Reply::ok(other));
    let error = fetch(&registry.reference(&format!("@{digest}"))).await.unwrap_err();
    assert!(error.to_string().contains("the manifest of oci://"), "{error}");
}

#[tokio::test]
async fn what_has_no_end_is_given_up() {
    let (registry, _) = Registry::with_component();
    registry.0.put(blob_path(), Reply::Endless);
    registry.0.put("/v2/team/x/manifests/endless", Reply::Endless);
    registry.0.put("/x.wasm", Reply::Endless);
    for (source, limit) in [
        (registry.reference(":1"), COMPONENT.len() as u64),
        (registry.reference(":endless"), 4 << 20),
        (registry.0.url("/x.wasm"), 64 << 20),
    ] {
        let error = fetch(&source).await.unwrap_err();
        assert!(matches!(&error, Error::TooLarge { limit: found, .. } if *found == limit), "{error}");
    }
}

#[tokio::test]
async fn a_size_that_is_too_large_is_not_even_begun() {
    let registry = Registry::new();
    let huge = json!({ "mediaType": WASM, "digest": Sha256::of(COMPONENT), "size": 65_u64 << 20 });
    registry.manifest("1", &manifest(&[huge]));
    let error = fetch(&registry.reference(":1")).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert_eq!(registry.0.asked().len(), 1);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_not_waited_for() {
    let server = Loopback::start();
    server.put("/x.wasm", Reply::Stalled);
    let error = fetch(&server.url("/x.wasm")).await.unwrap_err();
    assert!(matches!(error, Error::TooSlow { .. }), "{error}");
    server.put("/x.wasm", Reply::Cut);
    let error = fetch(&server.url("/x.wasm")).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn a_compressed_answer_is_not_unpacked() {
    let server = Loopback::start();
    server.put("/x.wasm", Reply::ok(COMPONENT).header("content-encoding", "gzip"));
    let error = fetch(&server.url("/x.wasm")).await.unwrap_err().to_string();
    assert!(error.contains("compressed, though that wasn't asked for"), "{error}");
}

#[tokio::test]
async fn redirects_lead_nowhere_unsafe_and_come_to_an_end() {
    let server = Loopback::start();
    server.put("/x.wasm", Reply::ok(COMPONENT));
    server.put("/moved", Reply::redirect("/x.wasm"));
    server.put("/out", Reply::redirect("http://10.0.0.1/x.wasm"));
    server.put("/file", Reply::redirect("file:///etc/passwd"));
    server.put("/login", Reply::redirect("http://me:hunter2@127.0.0.1/x.wasm"));
    server.put("/round", Reply::redirect("/round"));
    assert_eq!(fetch(&server.url("/moved")).await.unwrap().bytes, COMPONENT);
    for (path, why) in [
        ("/out", "it isn't encrypted"),
        ("/file", "it isn't encrypted"),
        ("/login", "it holds a login"),
        ("/round", "more than 5 times"),
    ] {
        let error = fetch(&server.url(path)).await.unwrap_err();
        assert!(matches!(error, Error::Redirect { .. }), "{error}");
        assert!(error.to_string().contains(why) && !error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_login_doesn_t_follow_to_another_host() {
    let (registry, _) = Registry::with_component();
    let elsewhere = Loopback::start();
    elsewhere.put("/blob", Reply::ok(COMPONENT));
    let basic = "Basic bWU6aHVudGVyMg==".to_owned();
    let wants = Reply::status(401).header("www-authenticate", "Basic realm=\"x\"");
    let guarded = |reply: Reply| Reply::For(basic.clone(), Box::new(reply), Box::new(wants.clone()));
    let text = manifest(&[part(WASM, COMPONENT)]).to_string();
    registry.0.put("/v2/team/x/manifests/1", guarded(Reply::ok(text)));
    registry.0.put(blob_path(), guarded(Reply::redirect(&elsewhere.url("/blob"))));
    let host = RegistryHost::parse(&registry.0.host()).unwrap();
    let login = Login::Password { user: "me".to_owned(), password: "hunter2".to_owned() };
    let logins = Logins::Only(host, login);
    let fetched = fetch_as(&registry.reference(":1"), &TrustedKeys::default(), logins).await.unwrap();
    assert_eq!(fetched.bytes, COMPONENT);
    let asked = elsewhere.asked();
    assert_eq!((asked.len(), asked[0].header("authorization")), (1, None));
}

#[tokio::test]
async fn a_registry_s_words_can_t_act_on_a_terminal_and_are_cut() {
    let server = Loopback::start();
    let words = format!("\u{1b}]0;owned\u{7}{}", "x".repeat(5_000));
    server.put("/x.wasm", Reply::Whole(500, Vec::new(), words.into_bytes()));
    let error = fetch(&server.url("/x.wasm")).await.unwrap_err().to_string();
    assert!(error.contains("answers 500") && !error.contains('\u{1b}') && error.len() < 500, "{error}");
}
