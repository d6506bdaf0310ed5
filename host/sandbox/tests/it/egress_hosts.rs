//! Which hosts a guest reaches, and how a refusal reads.

use crate::egress_guest::{Answer, Ask, Given, code, denied, failed, grant, others_go_on, resolving};
use crate::egress_server::{Server, reply};
use ringfence_sandbox::{Addresses, DenialReason, Facts, Grants, Outcome, Resolve};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Mutex;

/// Answers look-ups from a list, one after the other; the last one again and again.
struct Told(Mutex<Vec<Vec<IpAddr>>>);

impl Told {
    fn once(addresses: &[&str]) -> Self {
        Self::in_turn(&[addresses])
    }

    fn in_turn(answers: &[&[&str]]) -> Self {
        let read = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Self(Mutex::new(answers.iter().map(read).collect()))
    }
}

impl Resolve for Told {
    fn resolve(&self, _name: &str) -> Addresses {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test]
async fn a_granted_host_is_asked_and_what_was_asked_is_on_record() {
    let server = Server::echoing().await;
    let given = Given::host(&server.url(""));
    let report = given.get(&server.url("/a?q=1")).await;
    let answer = Answer::of(&report);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain")));
    let head = format!("GET /a?q=1 HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    assert_eq!(answer.text(), head);
    let [request] = &report.receipt.requests[..] else { panic!("{:?}", report.receipt.requests) };
    assert_eq!((request.method.as_str(), request.url.clone()), ("GET", server.url("/a?q=1")));
    assert_eq!((request.address, request.status), (Some(server.address), Some(200)));
    assert_eq!((request.bytes_out, request.bytes_in), (0, head.len() as u64));
    assert_eq!(report.receipt.hosts, given.hosts);
}

#[tokio::test]
async fn a_body_is_sent_where_the_method_is_granted() {
    let server = Server::new(|mut connection, _| async move {
        let mut body = [0; 100];
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut length = 0;
        while !body[..length].ends_with(b"\r\n0\r\n\r\n") {
            length += connection.read(&mut body[length..]).await.unwrap();
        }
        let _ = connection.write_all(&reply("x", &body[..length])).await;
    })
    .await;
    let methods = json!({"url": server.url(""), "methods": ["POST"], "private": true});
    let given = Given { hosts: vec![grant(methods)], ..Given::default() };
    let report = given.ask(&Ask { method: "POST", body: b"hello", ..Ask::get(&server.url("/")) }).await;
    assert_eq!(Answer::of(&report).text(), "5\r\nhello\r\n0\r\n\r\n");
    assert_eq!(report.receipt.requests[0].bytes_out, 5);
}

#[tokio::test]
async fn with_no_grant_nothing_is_asked_and_the_refusal_says_what_would_allow_it() {
    let server = Server::echoing().await;
    let report = Given::default().get(&server.url("/x")).await;
    let (seen, denial) = denied(&report);
    assert_eq!((seen, denial.reason), (code::DENIED, DenialReason::Network));
    let allow = format!(r#"--allow-host '{{ url = "{}", private = true }}'"#, server.url(""));
    let line =
        format!("GET {} was not requested: no host is granted; `{allow}` would allow it", server.url("/x"));
    assert_eq!(report.outcome.message(&report.receipt), line);
    assert!(server.heard().is_empty());
    others_go_on().await;
}

#[tokio::test]
async fn link_local_addresses_are_refused_without_a_grant_to_copy() {
    for host in ["169.254.169.254", "[fe80::1]"] {
        let report = Given::host("http://127.0.0.1:9").get(&format!("http://{host}/latest")).await;
        let (seen, denial) = denied(&report);
        assert_eq!((seen, denial.reason, &denial.would_allow), (code::DENIED, DenialReason::Network, &None));
        let line = report.outcome.message(&report.receipt);
        assert!(
            line.ends_with("that is a link-local address, refused unless a grant names it as such"),
            "{line}"
        );
    }
    // A name leads there with no grant, private or not.
    let public = grant(json!({"url": "http://a.example"}));
    for given in [Given::host("http://a.example"), Given { hosts: vec![public], ..Given::default() }] {
        let given = Given { egress: resolving(Told::once(&["169.254.169.254"])), ..given };
        let report = given.get("http://a.example/").await;
        let (_, denial) = denied(&report);
        assert_eq!((denial.reason, &denial.would_allow), (DenialReason::Address, &None));
        let line = report.outcome.message(&report.receipt);
        assert!(line.contains("link-local") && !line.contains("private"), "{line}");
    }
}

#[tokio::test]
async fn other_ports_schemes_paths_methods_and_names_are_refused() {
    let server = Server::echoing().await;
    let other = Server::echoing().await;
    let given = Given::host(&server.url("/v1"));
    let (port, outside) = (server.port(), other.url("/v1"));
    let at = |rest: &str| format!("http://127.0.0.1:{port}{rest}");
    for (method, url, reason) in [
        ("GET", outside, DenialReason::Network),
        ("GET", format!("https://127.0.0.1:{port}/v1"), DenialReason::Network),
        ("GET", format!("http://localhost:{port}/v1"), DenialReason::Network),
        ("GET", format!("http://[::1]:{port}/v1"), DenialReason::Network),
        ("GET", format!("http://127.0.0.2:{port}/v1"), DenialReason::Network),
        ("GET", "http://127.0.0.1/v1".to_owned(), DenialReason::Network),
        ("GET", format!("http://[::ffff:127.0.0.1]:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://2130706433:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://0x7f.1:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://0177.0.0.1:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://127.1:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://me:secret@127.0.0.1:{port}/v1"), DenialReason::Malformed),
        ("GET", format!("http://127.0.0.1:{port}@evil.example/v1"), DenialReason::Malformed),
        ("GET", format!("ftp://127.0.0.1:{port}/v1"), DenialReason::Malformed),
        ("GET", at("/"), DenialReason::UrlPath),
        ("GET", at("/v10"), DenialReason::UrlPath),
        ("GET", at("/v1/%2e%2e/admin"), DenialReason::UrlPath),
        ("GET", at("/v1/..%2fadmin"), DenialReason::UrlPath),
        ("GET", at("/v1/%252e%252e/admin"), DenialReason::UrlPath),
        ("GET", at("/v1/../admin"), DenialReason::UrlPath),
        ("POST", at("/v1"), DenialReason::Method),
        ("DELETE", at("/v1"), DenialReason::Method),
        ("get", at("/v1"), DenialReason::Method),
        ("CONNECT", at("/v1"), DenialReason::Method),
        ("TRACE", at("/v1"), DenialReason::Method),
    ] {
        let report = given.ask(&Ask { method, ..Ask::get(&url) }).await;
        let (seen, denial) = denied(&report);
        assert_eq!((seen, denial.reason), (code::DENIED, reason), "{method} {url}");
        assert!(!denial.asked.contains("secret"), "{}", denial.asked);
    }
    assert!(server.heard().is_empty() && other.heard().is_empty());
    assert_eq!(Answer::of(&given.get(&at("/v1/x")).await).status, 200);
}

#[tokio::test]
async fn a_guest_can_t_name_another_host_or_split_its_request_in_two() {
    let server = Server::echoing().await;
    let given = Given::host(&server.url(""));
    for header in [
        ("host", "evil.example"),
        ("Host", "evil.example"),
        ("transfer-encoding", "chunked"),
        ("connection", "keep-alive"),
        ("upgrade", "websocket"),
        ("proxy-authorization", "x"),
        ("proxy-anything", "x"),
        ("te", "trailers"),
        ("trailer", "x"),
        ("expect", "100-continue"),
    ] {
        let report = given.ask(&Ask { headers: &[header], ..Ask::get(&server.url("/")) }).await;
        assert_eq!(failed(&report), code::FORBIDDEN_HEADER, "{header:?}");
    }
    for (header, refusal) in [(("x", "a\r\nhost: evil.example"), 200), ((":authority", "evil.example"), 200)]
    {
        let report = given.ask(&Ask { headers: &[header], ..Ask::get(&server.url("/")) }).await;
        assert_eq!(failed(&report), refusal, "{header:?}");
    }
    let length = [("content-length", "5")];
    let report = given.ask(&Ask { headers: &length, ..Ask::get(&server.url("/")) }).await;
    assert!(matches!(report.outcome, Outcome::Failed(_)), "{:?}", report.outcome);
    // Absolute-form: the path is a path or nothing.
    let absolute = json!({"method": "GET", "scheme": "http", "authority": server.address.to_string(),
        "path": "http://evil.example/", "headers": [], "body": ""});
    let report = given.call("ask", absolute).await;
    assert_eq!(failed(&report), code::PATH);
    assert!(server.heard().is_empty());
}

#[tokio::test]
async fn a_redirect_is_a_reply_like_any_other() {
    let elsewhere = Server::echoing().await;
    let moved =
        format!("HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", elsewhere.url("/"));
    let server = Server::saying(moved).await;
    let given = Given::host(&server.url(""));
    let answer = Answer::of(&given.get(&server.url("/")).await);
    assert_eq!((answer.status, answer.header("location")), (302, Some(elsewhere.url("/").as_str())));
    assert!(elsewhere.heard().is_empty());
    let next = given.get(&elsewhere.url("/")).await;
    assert_eq!(denied(&next).1.reason, DenialReason::Network);
}

#[tokio::test]
async fn a_name_that_leads_into_a_network_around_is_refused_unless_that_is_granted() {
    let server = Server::echoing().await;
    let url = format!("http://api.example.com:{}/", server.port());
    let public = grant(json!({"url": format!("http://api.example.com:{}", server.port())}));
    for address in [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.2.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::1",
    ] {
        for answer in [vec![address], vec!["1.1.1.1", address], vec![address, "1.1.1.1"]] {
            let egress = resolving(Told::once(&answer));
            let given = Given { hosts: vec![public.clone()], egress, ..Given::default() };
            let report = given.get(&url).await;
            let (seen, denial) = denied(&report);
            assert_eq!((seen, denial.reason), (code::IP_PROHIBITED, DenialReason::Address), "{address}");
            assert!(denial.resolved.starts_with(&address.parse::<IpAddr>().unwrap().to_string()));
            let allow = format!(
                r#"--allow-host '{{ url = "http://api.example.com:{}", private = true }}'"#,
                server.port()
            );
            let is_of_the_link = denial.resolved.contains("link-local");
            assert_eq!(is_of_the_link, ["169.254.169.254", "fe80::1"].contains(&address));
            assert_eq!(denial.would_allow, (!is_of_the_link).then_some(allow));
        }
    }
    assert!(server.heard().is_empty());
    let private = grant(json!({"url": format!("http://api.example.com:{}", server.port()), "private": true}));
    let egress = resolving(Told::once(&["127.0.0.1"]));
    let given = Given { hosts: vec![private], egress, ..Given::default() };
    let answer = Answer::of(&given.get(&url).await);
    assert!(answer.text().contains(&format!("host: api.example.com:{}", server.port())));
}

#[tokio::test]
async fn addresses_of_no_host_are_refused_even_where_private_ones_are_granted() {
    let private = grant(json!({"url": "http://api.example.com", "private": true}));
    for address in ["0.0.0.0", "0.0.0.7", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:0.0.0.0"] {
        let egress = resolving(Told::once(&[address]));
        let given = Given { hosts: vec![private.clone()], egress, ..Given::default() };
        let report = given.get("http://api.example.com/").await;
        let (seen, denial) = denied(&report);
        assert_eq!((seen, denial.reason), (code::IP_PROHIBITED, DenialReason::Address), "{address}");
        assert_eq!(denial.would_allow, None);
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_a_request_and_what_was_checked_is_connected_to() {
    let server = Server::echoing().await;
    let url = format!("http://api.example.com:{}", server.port());
    let private = grant(json!({"url": url, "private": true}));
    // The second answer would lead elsewhere: nobody listens there.
    let egress = resolving(Told::in_turn(&[&["127.0.0.1"], &["127.0.0.77"]]));
    let given = Given { hosts: vec![private], egress, ..Given::default() };
    let report = given.get(&format!("{url}/")).await;
    assert_eq!(report.receipt.requests[0].address, Some(server.address));
    let report = given.get(&format!("{url}/")).await;
    assert_eq!(failed(&report), code::CONNECTION_REFUSED);
    assert_eq!(report.receipt.requests[0].address, None);

    let public = grant(json!({"url": url}));
    let egress = resolving(Told::in_turn(&[&["127.0.0.1"], &["1.1.1.1"]]));
    let given = Given { hosts: vec![public], egress, ..Given::default() };
    assert_eq!(denied(&given.get(&format!("{url}/")).await).1.reason, DenialReason::Address);
}

#[tokio::test]
async fn the_next_address_is_tried_where_one_doesn_t_answer() {
    let server = Server::echoing().await;
    let url = format!("http://api.example.com:{}", server.port());
    let egress = resolving(Told::once(&["127.0.0.77", "127.0.0.1"]));
    let given =
        Given { hosts: vec![grant(json!({"url": url, "private": true}))], egress, ..Given::default() };
    assert_eq!(Answer::of(&given.get(&format!("{url}/")).await).status, 200);
}

#[tokio::test]
async fn two_grants_for_one_host_allow_what_either_does() {
    let server = Server::echoing().await;
    let hosts = vec![
        grant(json!({"url": server.url("/a"), "methods": ["DELETE"], "private": true})),
        grant(json!({"url": server.url("/b"), "private": true})),
    ];
    let given = Given { hosts, ..Given::default() };
    let delete = |path: &str| server.url(path);
    let report = given.ask(&Ask { method: "DELETE", ..Ask::get(&delete("/a")) }).await;
    assert_eq!(Answer::of(&report).status, 200);
    let report = given.ask(&Ask { method: "DELETE", ..Ask::get(&delete("/b")) }).await;
    assert_eq!(denied(&report).1.reason, DenialReason::Method);
}

#[test]
fn a_call_that_may_ask_hosts_is_neither_local_nor_repeatable() {
    let hosts = vec![grant(json!({"url": "https://api.example.com"}))];
    let facts = Grants { hosts, ..Grants::whole_project() }.facts();
    assert_eq!(facts, Facts { reads: true, writes: false, egress: true, deterministic: false });
    assert_eq!(
        serde_json::to_value(Grants::whole_project())
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["dirs", "limits"]
    );
}
