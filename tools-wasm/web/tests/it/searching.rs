use crate::net::{Configured, Net};
use proptest::prelude::*;
use ringfence_web::{Failure, Hit, NetError, SearchRequest, web_search};

const BRAVE: Configured = Configured(&[("search.provider", "brave")]);
const SEARXNG: Configured =
    Configured(&[("search.provider", "searxng"), ("search.url", "http://127.0.0.1:8888/")]);
const BRAVE_URL: &str = "https://api.search.brave.com/res/v1/web/search?q=rust+%26+wasm&count=2";
const SEARXNG_URL: &str = "http://127.0.0.1:8888/search?q=rust+%26+wasm&format=json";

fn search(net: &mut Net, settings: &Configured) -> Result<Vec<Hit>, Failure> {
    web_search(net, settings, &SearchRequest { query: " rust & wasm ", count: Some(2) })
}

#[test]
fn results_of_brave_are_read() {
    let body = r#"{"type": "search", "query": {"original": "x"}, "web": {"type": "search", "results": [
        {"title": "Rust &amp; Wasm", "url": "https://a.test/x", "description": "A <strong>book</strong> on\u202e it.", "age": "March 3, 2026"},
        {"title": "no address", "url": "javascript:alert(1)", "description": "x"},
        {"title": "Second", "url": "http://b.test", "extra_snippets": []},
        {"title": "Third", "url": "http://c.test"}]}}"#;
    let mut net = Net::default().page(BRAVE_URL, "application/json", body);
    let hits = search(&mut net, &BRAVE).unwrap();
    let first = Hit {
        title: "Rust & Wasm".into(),
        url: "https://a.test/x".into(),
        snippet: "A book on it.".into(),
        age: Some("March 3, 2026".into()),
    };
    assert_eq!(hits[0], first);
    assert_eq!((hits.len(), hits[1].title.as_str(), hits[1].url.as_str()), (2, "Second", "http://b.test/"));
    let mut net = Net::default().page(BRAVE_URL, "application/json", r#"{"query": {}, "type": "search"}"#);
    assert_eq!(search(&mut net, &BRAVE).unwrap(), []);
}

#[test]
fn results_of_searxng_are_read() {
    let body = r#"{"query": "x", "number_of_results": 0, "results": [
        {"url": "https://a.test/", "title": "A", "content": "if a < b && c", "engine": "x", "publishedDate": null},
        {"url": "https://b.test/", "title": "B", "content": "", "publishedDate": "2026-01-02T00:00:00"}]}"#;
    let mut net = Net::default().page(SEARXNG_URL, "application/json", body);
    let hits = search(&mut net, &SEARXNG).unwrap();
    assert_eq!((hits[0].snippet.as_str(), &hits[0].age), ("if a < b && c", &None));
    assert_eq!(hits[1].age.as_deref(), Some("2026-01-02T00:00:00"));
}

#[test]
fn the_address_is_the_configured_one() {
    for (settings, asked) in [
        (
            Configured(&[("search.provider", "brave"), ("search.url", "http://proxy.test")]),
            "http://proxy.test/res/v1/web/search?q=rust+%26+wasm&count=2",
        ),
        (
            Configured(&[("search.provider", "brave"), ("search.url", "http://proxy.test/v2/find?k=1")]),
            "http://proxy.test/v2/find?k=1&q=rust+%26+wasm&count=2",
        ),
        (
            Configured(&[("search.provider", "searxng"), ("search.url", "https://s.test/x/search")]),
            "https://s.test/x/search?q=rust+%26+wasm&format=json",
        ),
        (
            Configured(&[("search.provider", "searxng"), ("search.url", "https://s.test/x")]),
            "https://s.test/x/search?q=rust+%26+wasm&format=json",
        ),
    ] {
        let mut net = Net::default();
        let Err(Failure::NotPermitted(why)) = search(&mut net, &settings) else { panic!("found") };
        assert_eq!(net.asked, [asked]);
        assert!(!why.contains("wasm"), "{why}");
    }
}

#[test]
fn a_missing_or_wrong_configuration_says_what_to_set() {
    for (settings, word) in [
        (Configured(&[]), "`searxng` its `url` and that host granted"),
        (Configured(&[("search.provider", " ")]), "no search provider is configured"),
        (Configured(&[("search.provider", "google")]), "`google` is not known"),
        (Configured(&[("search.provider", "searxng")]), "url is missing"),
        (
            Configured(&[("search.provider", "brave"), ("search.url", "api.test")]),
            "[tools.web_search] url: `api.test`: not absolute",
        ),
    ] {
        let mut net = Net::default();
        let Err(Failure::NotConfigured(why)) = search(&mut net, &settings) else { panic!("found") };
        assert!(why.contains(word), "{why}");
        assert!(net.asked.is_empty());
    }
}

#[test]
fn queries_and_counts_out_of_range_ask_nothing() {
    let long = "x".repeat(401);
    for (query, count) in [("", None), ("  ", None), (long.as_str(), None), ("x", Some(0))] {
        let mut net = Net::default();
        let found = web_search(&mut net, &BRAVE, &SearchRequest { query, count });
        assert!(matches!(found, Err(Failure::InvalidRange(_))));
        assert!(net.asked.is_empty());
    }
}

#[test]
fn answers_that_are_none_are_explained() {
    for body in ["", "<html>", "[]", "null", "{}", r#"{"results": 1}"#, r#"{"web": []}"#, "{\"results\": ["] {
        let mut net = Net::default().page(SEARXNG_URL, "application/json", body).page(BRAVE_URL, "x/y", body);
        for settings in [SEARXNG, BRAVE] {
            let found = search(&mut net, &settings);
            assert!(
                matches!(found, Err(Failure::Provider(ref why)) if why.contains("provider's answer")),
                "{body} {found:?}"
            );
        }
    }
    for body in ["[".repeat(100_000), format!("{{\"results\": {}", "[".repeat(3 << 20))] {
        let mut net = Net::default().page(SEARXNG_URL, "application/json", body);
        assert!(matches!(search(&mut net, &SEARXNG), Err(Failure::Provider(_))));
    }
    for (status, word) in [(401, "is its key set"), (429, "wait"), (302, "redirect"), (500, "500")] {
        let mut net =
            Net::default().answer(SEARXNG_URL, status, &[("location", "http://evil.test/")], "why\u{1b}[2J");
        let Err(Failure::Provider(why)) = search(&mut net, &SEARXNG) else { panic!("found") };
        assert!(why.contains(word) && !why.contains('\u{1b}'), "{why}");
        assert_eq!(net.asked.len(), 1);
    }
    let mut net = Net::default().refuses(BRAVE_URL, NetError::Failed("no answer in time".into()));
    assert!(matches!(search(&mut net, &BRAVE), Err(Failure::Network(_))));
}

#[test]
fn texts_of_results_are_bounded() {
    let long = "字 ".repeat(100_000);
    let body = serde_json::json!({"results": [{"url": "https://a.test/", "title": long, "content": long}]});
    let mut net = Net::default().page(SEARXNG_URL, "application/json", body.to_string());
    let hits = search(&mut net, &SEARXNG).unwrap();
    assert!(hits[0].title.chars().count() <= 201 && hits[0].snippet.chars().count() <= 601);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z<>&;/:.]{0,12}".prop_map(Value::from),
        Just(json!("https://a.test/")),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let key = prop::sample::select(vec![
            "web",
            "results",
            "url",
            "title",
            "description",
            "content",
            "age",
            "query",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic(body in json(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        for body in [body.to_string().into_bytes(), bytes] {
            let mut net = Net::default().page(SEARXNG_URL, "a/b", body.clone()).page(BRAVE_URL, "a/b", body);
            for settings in [SEARXNG, BRAVE] {
                if let Ok(hits) = search(&mut net, &settings) {
                    prop_assert!(hits.len() <= 2 && hits.iter().all(|hit| hit.url.starts_with("http")));
                }
            }
        }
    }
}
