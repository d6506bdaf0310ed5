//! Logins: tokens, passwords, and who gets them.

use crate::maker::{COMPONENT, Registry, WASM, fetch, fetch_as, manifest, part};
use ringfence_registry::{Error, Login, Logins, RegistryHost, TrustedKeys};
use ringfence_tests::loopback::{Loopback, Reply};
use serde_json::json;

/// A registry that wants a token of `tokens`, which gives `sesame` to whoever may.
fn guarded(tokens: &Loopback, gives: Reply) -> Registry {
    let (registry, _) = Registry::with_component();
    let text = manifest(&[part(WASM, COMPONENT)]).to_string();
    let challenge = format!("Bearer realm=\"{}\",service=\"r\"", tokens.url("/token"));
    let wants = Reply::status(401).header("www-authenticate", &challenge);
    let reply = Reply::For("Bearer sesame".to_owned(), Box::new(Reply::ok(text)), Box::new(wants));
    registry.0.put("/v2/team/x/manifests/1", reply);
    tokens.put("/token", gives);
    registry
}

fn only(registry: &Registry, login: Login) -> Logins {
    Logins::Only(RegistryHost::parse(&registry.0.host()).unwrap(), login)
}

fn password() -> Login {
    Login::Password { user: "me".to_owned(), password: "hunter2".to_owned() }
}

fn token() -> Reply {
    Reply::ok(json!({ "token": "sesame" }).to_string())
}

#[tokio::test]
async fn a_token_is_got_without_a_login_where_anybody_may_read() {
    let tokens = Loopback::start();
    let registry = guarded(&tokens, token());
    assert_eq!(fetch(&registry.reference(":1")).await.unwrap().bytes, COMPONENT);
    let asked = &tokens.asked()[0];
    assert_eq!(asked.path, "/token?scope=repository%3Ateam%2Fx%3Apull&service=r");
    assert_eq!(asked.header("authorization"), None);
}

#[tokio::test]
async fn a_password_goes_to_whoever_gives_tokens() {
    let tokens = Loopback::start();
    let basic = "Basic bWU6aHVudGVyMg==".to_owned();
    let gives = Reply::For(basic, Box::new(token()), Box::new(Reply::status(401)));
    let registry = guarded(&tokens, gives);
    let (source, none) = (registry.reference(":1"), TrustedKeys::default());
    let error = fetch(&source).await.unwrap_err();
    assert!(matches!(error, Error::LoginNeeded { .. }), "{error}");
    let hint = error.hint().unwrap();
    assert!(hint.contains(&format!("docker login {}", registry.0.host())), "{hint}");
    assert_eq!(fetch_as(&source, &none, only(&registry, password())).await.unwrap().bytes, COMPONENT);
    let wrong = Login::Password { user: "me".to_owned(), password: "wrong".to_owned() };
    let error = fetch_as(&source, &none, only(&registry, wrong)).await.unwrap_err();
    assert!(matches!(error, Error::LoginRefused { .. }), "{error}");
}

#[tokio::test]
async fn an_identity_token_is_sent_in_a_form() {
    let tokens = Loopback::start();
    let registry = guarded(&tokens, Reply::ok(json!({ "access_token": "sesame" }).to_string()));
    let logins = only(&registry, Login::Token("refresh me".to_owned()));
    let source = registry.reference(":1");
    assert_eq!(fetch_as(&source, &TrustedKeys::default(), logins).await.unwrap().bytes, COMPONENT);
    let asked = &tokens.asked()[0];
    let body = String::from_utf8(asked.body.clone()).unwrap();
    assert!(asked.method == "POST" && body.contains("refresh_token=refresh+me"), "{body}");
}

#[tokio::test]
async fn a_login_isn_t_sent_to_an_unsafe_giver_of_tokens() {
    let (registry, _) = Registry::with_component();
    let wants =
        |realm: &str| Reply::status(401).header("www-authenticate", &format!("Bearer realm=\"{realm}\""));
    for (realm, why) in [("http://10.0.0.1/token", "isn't encrypted"), ("no address", "no address")] {
        registry.0.put("/v2/team/x/manifests/1", wants(realm));
        let logins = only(&registry, password());
        let error = fetch_as(&registry.reference(":1"), &TrustedKeys::default(), logins).await.unwrap_err();
        assert!(matches!(error, Error::Login { .. }) && error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_giver_of_tokens_that_says_anything_is_not_believed() {
    for said in ["", "{}", "[]", "{\"token\": 5}", "{\"token\": \"a\\nb\"}"] {
        let tokens = Loopback::start();
        let registry = guarded(&tokens, Reply::ok(said));
        let error = fetch(&registry.reference(":1")).await.unwrap_err();
        assert!(matches!(error, Error::Login { .. }), "{said}: {error}");
    }
}

#[tokio::test]
async fn who_may_not_is_told_so_at_once() {
    let (registry, _) = Registry::with_component();
    registry.0.put("/v2/team/x/manifests/1", Reply::status(403));
    let error = fetch(&registry.reference(":1")).await.unwrap_err();
    assert!(matches!(error, Error::LoginRefused { status: 403, .. }), "{error}");
}

#[tokio::test]
async fn whoever_a_registry_leads_to_answers_for_itself() {
    let (registry, _) = Registry::with_component();
    let elsewhere = Loopback::start();
    for status in [401, 403] {
        registry.0.put("/v2/team/x/manifests/1", Reply::redirect(&elsewhere.url("/x")));
        elsewhere.put("/x", Reply::status(status));
        let logins = only(&registry, password());
        let error = fetch_as(&registry.reference(":1"), &TrustedKeys::default(), logins).await.unwrap_err();
        assert!(error.to_string().starts_with(&elsewhere.host()), "{error}");
        assert_eq!(error.hint(), None, "no login of the registry's helps");
    }
    assert!(elsewhere.asked().iter().all(|asked| asked.header("authorization").is_none()));
}
