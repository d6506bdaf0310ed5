//! What a host that was sent a secret makes of it in its replies.

use crate::egress_guest::{Answer, Ask, Given, denied, failed, grant};
use crate::egress_server::{Server, reply};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::{DenialReason, EgressContext, SecretGrant, SecretValue, Secrets};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt;

const VALUE: &str = "tok/en+\"7&x\" of-mine-and-a-rather-long-one-that-goes-on-for-more-than-a-line";
const WORD: &str = "sk-live-0123456789abcdef";

fn with_secret(server: &Server, prefix: &str, value: &str) -> Given {
    let url = server.url("");
    let written = json!({"name": "key", "host": url, "header": "Authorization", "prefix": prefix});
    let secret: SecretGrant = serde_json::from_value(written).unwrap();
    let mut secrets = Secrets::default();
    secrets.insert(secret.clone(), SecretValue::new(value.to_owned()).unwrap());
    Given { secrets: vec![secret], egress: EgressContext::new(Arc::new(secrets)), ..Given::host(&url) }
}

async fn heard_of(value: &str, said: &[u8]) -> String {
    let server = Server::saying(reply("text/plain", said)).await;
    let report = with_secret(&server, "Bearer ", value).get(&server.url("/")).await;
    String::from_utf8_lossy(&Answer::of(&report).body).into_owned()
}

fn escaped(text: &str, kept: &str, escape: impl Fn(u8) -> String) -> String {
    let one = |byte: u8| match byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
        true => char::from(byte).to_string(),
        false => escape(byte),
    };
    text.bytes().map(one).collect()
}

fn in_lines(text: &str, width: usize, between: &str) -> String {
    let lines: Vec<_> = text.as_bytes().chunks(width).map(String::from_utf8_lossy).collect();
    lines.join(between)
}

#[tokio::test]
async fn an_echo_is_found_however_common_encoders_write_it() {
    let percent = |text: &str| escaped(text, "", |byte| format!("%{byte:02X}"));
    let wide = |turn: fn(u16) -> [u8; 2]| VALUE.encode_utf16().flat_map(turn).collect::<Vec<_>>();
    let hex = |between: &str| VALUE.bytes().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(between);
    let coded = STANDARD.encode(format!("authorization: Bearer {VALUE}"));
    let in_json = json!(json!({"auth": VALUE}).to_string()).to_string();
    for (how, form) in [
        ("base64 in lines", in_lines(&coded, 76, "\r\n").into_bytes()),
        ("JSON within JSON", in_json.into_bytes()),
        ("percent within percent", percent(&percent(VALUE)).into_bytes()),
        ("HTML within JSON", json!(VALUE.replace('&', "&amp;").replace('"', "&quot;")).to_string().into()),
        ("hexadecimal with spaces", hex(" ").into_bytes()),
        ("hexadecimal with colons", hex(":").into_bytes()),
        ("JavaScript", escaped(VALUE, " ", |byte| format!("\\x{byte:02X}")).into_bytes()),
        ("quoted-printable", in_lines(&VALUE.replace('=', "=3D"), 60, "=\r\n").into_bytes()),
        ("UTF-16", wide(u16::to_be_bytes)),
        ("UTF-32", VALUE.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect()),
        ("capitals", VALUE.to_uppercase().into_bytes()),
        ("base64 of UTF-16", STANDARD.encode(wide(u16::to_le_bytes)).into_bytes()),
        ("base64 of base64", STANDARD.encode(STANDARD.encode(VALUE)).into_bytes()),
    ] {
        let seen = heard_of(VALUE, &form).await;
        assert!(seen.contains("[secret key]"), "{how}: {seen}");
    }
}

#[tokio::test]
async fn an_echo_is_found_in_what_common_languages_make_of_it_for_urls() {
    for (value, kept) in [
        // Python, Go, Ruby and PHP, `URLSearchParams` and Java, JavaScript's `escape`.
        ("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "_.-~/"),
        ("p4ss~w0rd*with!marks,and:more", "-_.~$&+:=@"),
        ("key$with(odd)=ends?#x", "_.-"),
        ("p4ss~w0rd*with!marks,and:more", "*-._"),
        ("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "@*_+-./"),
    ] {
        let url = format!("https://x.example/?k={}", escaped(value, kept, |byte| format!("%{byte:02X}")));
        assert_eq!(heard_of(value, url.as_bytes()).await, "https://x.example/?k=[secret key]");
    }
}

#[tokio::test]
async fn a_password_that_travels_in_base64_is_taken_out_when_a_server_says_it_decoded() {
    let value = STANDARD.encode("alice:correct horse battery staple");
    let server = Server::new(|mut connection, head| async move {
        let coded = head.lines().find_map(|line| line.strip_prefix("authorization: Basic ")).unwrap();
        let plain = String::from_utf8(STANDARD.decode(coded).unwrap()).unwrap();
        let (user, password) = plain.split_once(':').unwrap();
        let said = json!({"authenticated": false, "as": plain, "user": user, "password": password});
        let _ = connection.write_all(&reply("application/json", said.to_string().as_bytes())).await;
    })
    .await;
    let report = with_secret(&server, "Basic ", &value).get(&server.url("/")).await;
    // A name is no secret, unless it is long enough to be one.
    let expected =
        "{\"authenticated\":false,\"as\":\"[secret key]\",\"user\":\"alice\",\"password\":\"[secret key]\"}";
    assert_eq!(Answer::of(&report).text(), expected);
}

/// Keeps so much of what it was sent, as many debug pages and error texts do.
async fn cutting(bytes: usize, is_header: bool) -> Server {
    Server::new(move |mut connection, head| async move {
        let head = head.replace("\r\n", " ");
        let cut = head.get(..head.len().min(bytes)).unwrap();
        let said = match is_header {
            true => format!("HTTP/1.1 200 OK\r\nx-cut: {cut}\r\ncontent-length: 0\r\n\r\n").into_bytes(),
            false => reply("text/plain", cut.as_bytes()),
        };
        let _ = connection.write_all(&said).await;
    })
    .await
}

#[tokio::test]
async fn an_echo_that_a_server_cuts_short_does_not_hand_out_a_part() {
    for is_header in [false, true] {
        let server = cutting(200, is_header).await;
        let given = with_secret(&server, "Bearer ", WORD);
        let (mut known, mut cut) = (0, 0);
        for pad in 80..160 {
            let filler = "p".repeat(pad);
            let headers = [("aaaa", filler.as_str())];
            let report = given.ask(&Ask { headers: &headers, ..Ask::get(&server.url("/")) }).await;
            let answer = Answer::of(&report);
            let text = if is_header { answer.header("x-cut").unwrap() } else { answer.text() };
            if let Some((_, told)) = text.split_once("Bearer ") {
                match told.contains("[secret key]") {
                    true => cut += 1,
                    false => known = known.max(told.len()),
                }
            }
        }
        assert!(known < 4 && cut > WORD.len() - 5, "{known} bytes of the secret, {cut} marks");
    }
}

#[tokio::test]
async fn what_a_guest_says_is_told_without_a_secret_and_with_all_else() {
    let server = Server::saying(reply("text/plain", b"hello")).await;
    let asked = |key: &str| server.url(&format!("/?k={key}"));
    // A guest has heard no part of it: what ends like its beginning is no secret.
    for (said, told) in [(WORD, "[secret key]"), ("sk-live-01234", "sk-live-01234")] {
        let report = with_secret(&server, "Bearer ", WORD).get(&asked(said)).await;
        assert_eq!(report.receipt.requests[0].url, asked(told));
    }
}

#[tokio::test]
async fn a_tool_without_a_host_s_secret_does_not_get_it_from_that_host() {
    // The host keeps a log of requests under a path of its own, as request bins and gateways do.
    let last = Arc::new(Mutex::new(String::new()));
    let server = Server::new(move |mut connection, head| {
        let last = last.clone();
        async move {
            let said = match head.starts_with("GET /log") {
                true => format!("last request: {}", last.lock().unwrap()),
                false => {
                    *last.lock().unwrap() = head;
                    "thanks".to_owned()
                }
            };
            let _ = connection.write_all(&reply("text/plain", said.as_bytes())).await;
        }
    })
    .await;
    let keyed = with_secret(&server, "Bearer ", WORD);
    keyed.get(&server.url("/api")).await;
    // Narrowed to another path of the host, where no secret goes.
    let other = Given {
        hosts: vec![grant(json!({"url": server.url("/log"), "private": true}))],
        secrets: Vec::new(),
        egress: keyed.egress.clone(),
        ..Given::default()
    };
    let report = other.get(&server.url("/log")).await;
    let answer = Answer::of(&report);
    assert!(answer.text().contains("Bearer [secret key]"), "{}", answer.text());
    assert!(!server.heard().last().unwrap().contains("authorization"));
    // Nor in parts, nor compressed.
    let url = server.url("/log");
    let ranged = Ask { headers: &[("range", "bytes=0-5")], ..Ask::get(&url) };
    assert_eq!(denied(&other.ask(&ranged).await).1.reason, DenialReason::Malformed);
    let packed =
        Server::saying("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc").await;
    let keyed = with_secret(&packed, "Bearer ", WORD);
    let report = Given { secrets: Vec::new(), ..keyed }.get(&packed.url("/log")).await;
    assert_eq!(failed(&report), crate::egress_guest::code::CONTENT_CODING);
}
