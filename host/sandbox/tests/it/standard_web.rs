//! The standard tools that ask hosts.

use crate::egress_guest::grant;
use crate::egress_server::Server;
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
    let message = "no search provider is configured; set [tools.web_search] provider in the configuration: `brave` needs its host granted and a secret with its key, `searxng` its `url` and that host granted";
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

#[tokio::test]
async fn a_page_that_grows_as_it_is_read_is_cut_and_says_so() {
    // Each of its lines is shown with the marks of all that it stands in.
    let nested = format!("{}{}<pre>x", "<blockquote>".repeat(8), "<ul>".repeat(8));
    let page = format!("{nested}{}x", "\n".repeat((4 << 20) - 1000));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n";
    let server = Server::saying(format!("{head}{page}")).await;
    let url = format!("http://{}/", server.address);
    let hosts = vec![grant(json!({ "url": url, "private": true }))];
    let grants = Grants { hosts, ..Grants::whole_project() };
    let project = project();
    let tree = GrantedTree::open(&ProjectDir::open(project.path()).unwrap(), &grants).unwrap();
    let report = call_in(&tree, "fetch_page", json!({ "url": url })).await;
    let Outcome::Done(page) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(page["truncated"], json!(true));
    assert!(page["total_characters"].as_u64() <= Some(8 << 20), "{}", page["total_characters"]);
}
