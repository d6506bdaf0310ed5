//! What a failing server leads to: asked again, or an error that says what to do.

use crate::anthropic_requests::{KEY, config, good, model, request};
use crate::server::{Act, Server, nobody};
use ringfence_models::{AnthropicConfig, Model, ModelError, Reply, Transport};
use serde_json::json;
use std::time::{Duration, SystemTime};

fn failure(status: u16, kind: &str, message: &str) -> Act {
    Act::json(
        status,
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_b" }),
    )
}

async fn ask(server: &Server) -> Result<Reply, ModelError> {
    model(config(&server.url())).complete(request()).await
}

async fn ask_in_haste(server: &Server, change: impl FnOnce(&mut Transport)) -> ModelError {
    let mut config = config(&server.url());
    change(&mut config.transport);
    model(config).complete(request()).await.unwrap_err()
}

#[tokio::test]
async fn every_passing_failure_is_asked_again() {
    let acts = [
        failure(429, "rate_limit_error", "slow down").header("retry-after-ms", "1"),
        failure(529, "overloaded_error", "overloaded"),
        Act::Close,
        failure(500, "api_error", "oops"),
    ];
    for act in acts.iter().chain(&[
        Act::CloseInBody,
        failure(408, "timeout_error", "late"),
        failure(409, "conflict_error", "busy"),
        failure(503, "", ""),
        failure(200, "overloaded_error", "overloaded after all"),
        failure(400, "invalid_request_error", "try me again").header("x-should-retry", "true"),
        Act::Answer(502, Vec::new(), b"<html>Bad Gateway</html>".to_vec()),
    ]) {
        let server = Server::start([act.clone(), good("{}")]);
        assert_eq!(ask(&server).await.unwrap().text, "{}");
        assert_eq!(server.seen().len(), 2);
    }
    let server = Server::start(acts.into_iter().chain([good("{}")]));
    assert_eq!(ask(&server).await.unwrap().text, "{}");
    let bodies: Vec<_> = server.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(bodies.len(), 5);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "every try asks the same");
}

#[tokio::test]
async fn a_failure_that_stays_is_told_after_the_last_try() {
    let overloaded = || failure(529, "overloaded_error", "Overloaded").header("request-id", "req_h");
    let server = Server::start((0..9).map(|_| overloaded()));
    let error = ask(&server).await.unwrap_err();
    assert!(error.is_transient());
    assert_eq!(
        error.to_string(),
        format!("anthropic at {} is busy (529): Overloaded (request req_h); tried 5 times", server.url())
    );
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test]
async fn an_error_in_the_request_itself_is_never_asked_again() {
    for (status, kind) in [
        (400, "invalid_request_error"),
        (402, "billing_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
    ] {
        let server = Server::start([failure(status, kind, "no")]);
        let error = ask(&server).await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
        assert_eq!(
            error.to_string(),
            format!("anthropic at {} refused the request ({status}): no", server.url())
        );
        assert_eq!(server.seen().len(), 1);
        let hidden = Server::start([failure(200, kind, "no")]);
        let error = ask(&hidden).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Refused { status: told, .. } if *told == status));
    }
}

#[tokio::test]
async fn the_server_can_forbid_another_try() {
    let act = failure(500, "api_error", "don't").header("x-should-retry", "false");
    let server = Server::start([act]);
    assert!(matches!(ask(&server).await.unwrap_err(), ModelError::Refused { status: 500, .. }));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_spent_limit_is_not_asked_again_although_it_is_a_429() {
    let act = Act::json(
        429,
        json!({ "type": "error", "error": {
            "type": "rate_limit_error", "message": "your limit is reached",
            "details": { "error_code": "enforced_spend_limit_reached" },
        }}),
    );
    let server = Server::start([act.header("retry-after-ms", "1")]);
    assert!(matches!(ask(&server).await.unwrap_err(), ModelError::Refused { status: 429, .. }));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn the_servers_timing_goes_before_ours() {
    let now = SystemTime::now();
    let soon = httpdate::fmt_http_date(now);
    // Our own wait would be an hour: only the server's timing lets the call come back.
    let slow = |config: &mut AnthropicConfig| {
        config.transport.first_wait = Duration::from_secs(3600);
        config.transport.max_wait = Duration::from_secs(3600);
    };
    for (name, value) in [("retry-after-ms", "2"), ("retry-after", "0.01"), ("retry-after", soon.as_str())] {
        let act = failure(429, "rate_limit_error", "slow down").header(name, value);
        let server = Server::start([act, good("{}")]);
        let mut config = config(&server.url());
        slow(&mut config);
        assert_eq!(model(config).complete(request()).await.unwrap().text, "{}");
        assert_eq!(server.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_server_that_asks_for_a_long_wait_ends_the_call_and_says_until_when() {
    let in_an_hour = "Tue, 01 Sep 2026 11:00:00 GMT";
    for (name, value) in [("retry-after", "3600"), ("retry-after", in_an_hour), ("retry-after-ms", "3600000")]
    {
        let act = failure(429, "rate_limit_error", "too many")
            .header(name, value)
            .header("date", "Tue, 01 Sep 2026 10:00:00 GMT");
        let server = Server::start([act]);
        let error = ask(&server).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Busy { status: 429, .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("too many; it asks to wait 3600 s, until "), "{text}");
        assert!(text.ends_with(" GMT"), "{text}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn nobody_listening_is_told_with_the_address() {
    let url = nobody();
    let error = model(config(&url)).complete(request()).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unreachable { .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with(&format!("anthropic at {url} could not be reached: ")), "{text}");
    assert!(text.contains("refused") && text.ends_with("; tried 5 times"), "{text}");
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start([Act::Silence, Act::Silence]);
    let error = ask_in_haste(&server, |transport| {
        transport.answer_timeout = Duration::from_millis(50);
        transport.attempts = 2;
    })
    .await;
    assert!(error.to_string().contains("no whole answer in 50ms; tried 2 times"), "{error}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_server_that_falls_silent_within_its_answer_is_asked_again() {
    let server = Server::start([Act::SilenceInBody, good("{}")]);
    let mut config = config(&server.url());
    config.transport.silence_timeout = Duration::from_millis(50);
    assert_eq!(model(config).complete(request()).await.unwrap().text, "{}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn an_answer_beyond_all_bounds_is_not_read_to_its_end() {
    let server = Server::start([Act::Endless]);
    let error = ask_in_haste(&server, |transport| transport.max_body = 10_000).await;
    assert!(error.to_string().ends_with("answered something unreadable: more than 10000 bytes"));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_goes_nowhere_else() {
    let elsewhere = Server::start([good("{}")]);
    let target = format!("{}/v1/messages?token=hidden", elsewhere.url());
    for status in [301, 302, 307, 308] {
        let act = Act::json(status, json!({})).header("location", target.clone());
        let server = Server::start([act]);
        let error = ask(&server).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "anthropic at {} refused the request ({status}): it redirects to 127.0.0.1, \
                 which isn't followed; correct the base URL",
                server.url()
            )
        );
    }
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn the_servers_words_are_bounded_and_show_neither_key_nor_control_characters() {
    let words = format!("bad key {KEY}\u{1b}[2J\r\n{}", "x".repeat(5_000));
    let server = Server::start([failure(401, "authentication_error", &words)]);
    let text = ask(&server).await.unwrap_err().to_string();
    assert!(text.contains("bad key [secret][2J xxx"), "{text}");
    assert!(text.chars().count() < 600 && text.ends_with("…; check ANTHROPIC_API_KEY"), "{text}");
}

#[tokio::test]
async fn a_dropped_call_stops_asking() {
    let acts = (0..50).map(|_| failure(500, "api_error", "oops").header("retry-after-ms", "20"));
    let server = Server::start(acts);
    let mut config = config(&server.url());
    config.transport.attempts = 50;
    let model = model(config);
    let call = model.complete(request());
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    // What was on its way when the call was dropped may still come in.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let count = server.seen().len();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(server.seen().len(), count);
    assert!(count < 50);
}
