//! The standard tools that ask hosts.

use crate::standard::{call_in, project, tree};
use ringfence_sandbox::{GrantedTree, Grants, Outcome, ProjectDir};
use serde_json::json;

#[tokio::test]
async fn no_page_is_fetched_without_a_granted_host() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    let report = call_in(&tree, "fetch_page", json!({ "url": "http://127.0.0.1:9/x?q=hunter2" })).await;
    let Outcome::Denied { error, denials, .. } = report.outcome else {
        panic!("{:?} {:?}", report.outcome, report.crash)
    };
    assert_eq!(error["case"], "not_permitted");
    assert_eq!(denials[0].asked, "GET http://127.0.0.1:9/x?q=hunter2");
    let report = call_in(&tree, "fetch_page", json!({ "url": "file:///etc/passwd" })).await;
    let Outcome::Failed(error) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(error["case"], "invalid_url");
}

#[tokio::test]
async fn a_search_without_a_provider_says_what_to_configure() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    let report = call_in(&tree, "web_search", json!({ "query": "anything" })).await;
    let Outcome::Failed(error) = report.outcome else { panic!("{:?} {:?}", report.outcome, report.crash) };
    let message =
        "no search provider is configured; set [tools.web_search] provider and url in the configuration";
    assert_eq!(error, json!({ "case": "not_configured", "value": message }));
}

#[tokio::test]
async fn whom_to_search_with_comes_from_the_grants() {
    let project = project();
    let under = |settings: &[(&str, &str)]| {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let grants = Grants { settings: settings.collect(), ..Grants::whole_project() };
        GrantedTree::open(&ProjectDir::open(project.path()).unwrap(), &grants).unwrap()
    };
    for (settings, asked) in [
        (&[("search.provider", "brave")][..], "GET https://api.search.brave.com/"),
        (
            &[("search.provider", "searxng"), ("search.url", "https://searx.example")],
            "GET https://searx.example/",
        ),
    ] {
        let report = call_in(&under(settings), "web_search", json!({ "query": "ring fence" })).await;
        let Outcome::Denied { denials, .. } = report.outcome else { panic!("{:?}", report.outcome) };
        assert!(denials[0].asked.starts_with(asked), "{denials:?}");
    }
}
