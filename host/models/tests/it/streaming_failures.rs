//! Failures before a stream and within it: asked again, or an error that says what happened.

use crate::loopback::{anthropic, config, made, one_stage};
use ringfence_models::{Model, ModelError, Transport};
use ringfence_tests::messages_api::{Answer, MessagesApi};
use std::time::{Duration, SystemTime};

/// One failure, then a good answer: how often the server was asked.
async fn asked_after(failure: Answer, change: impl FnOnce(&mut Transport)) -> usize {
    let server = MessagesApi::queue([failure, Answer::text("{}")]);
    let mut config = config(&server);
    change(&mut config.transport);
    assert_eq!(made(config).complete(one_stage()).await.unwrap().text, "{}");
    server.asked().len()
}

/// The same failure each time: the error, and how often the server was asked.
async fn told_of(failure: Answer, change: impl FnOnce(&mut Transport)) -> (ModelError, usize) {
    let server = MessagesApi::start(move |_| failure.clone());
    let mut config = config(&server);
    change(&mut config.transport);
    let error = made(config).complete(one_stage()).await.unwrap_err();
    (error, server.asked().len())
}

#[tokio::test]
async fn a_failure_that_may_pass_is_asked_again_wherever_it_comes() {
    for failure in [
        Answer::overloaded(),
        Answer::internal_error(),
        Answer::FailInBody { kind: "overloaded_error" },
        Answer::FailInBody { kind: "rate_limit_error" },
        Answer::FailInBody { kind: "api_error" },
        Answer::FailInBody { kind: "timeout_error" },
        Answer::FailInBody { kind: "an_error_from_the_future" },
        Answer::Close,
        Answer::CloseInBody,
        Answer::EndInBody,
    ] {
        assert_eq!(asked_after(failure.clone(), |_| {}).await, 2, "{failure:?}");
    }
}

#[tokio::test]
async fn an_overload_in_a_stream_is_told_as_one_after_the_last_try() {
    let failure = Answer::FailInBody { kind: "overloaded_error" };
    let (error, asked) = told_of(failure, |_| {}).await;
    assert!(matches!(error.cause(), ModelError::Busy { status: 529, .. }), "{error}");
    assert!(error.to_string().contains("is busy (529): scripted (request req_"), "{error}");
    assert!(error.to_string().ends_with("; tried 3 times"), "{error}");
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn a_refusal_in_a_stream_is_not_asked_again() {
    for (kind, status) in [("invalid_request_error", 400), ("billing_error", 402), ("request_too_large", 413)]
    {
        let (error, asked) = told_of(Answer::FailInBody { kind }, |_| {}).await;
        assert!(
            matches!(error.cause(), ModelError::Refused { status: told, .. } if *told == status),
            "{error}"
        );
        assert_eq!(asked, 1, "{kind}");
    }
    let (error, asked) = told_of(Answer::SpendLimit, |_| {}).await;
    assert!(matches!(error.cause(), ModelError::Refused { status: 429, .. }), "{error}");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_stream_that_ends_before_its_message_is_a_broken_connection() {
    let (error, asked) = told_of(Answer::EndInBody, |_| {}).await;
    assert!(matches!(error.cause(), ModelError::Unreachable { .. }), "{error}");
    assert!(error.to_string().ends_with("the stream ended before the message did; tried 3 times"), "{error}");
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn silence_before_a_stream_and_within_it_is_given_up() {
    let haste = |transport: &mut Transport| transport.silence_timeout = Duration::from_millis(200);
    for (silence, words) in [
        (Answer::Hang, "no answer began in 200ms; tried 3 times"),
        (Answer::HangInBody, "the answer stopped for 200ms; tried 3 times"),
    ] {
        assert_eq!(asked_after(silence.clone(), haste).await, 2, "{silence:?}");
        let (error, asked) = told_of(silence, haste).await;
        assert!(matches!(error.cause(), ModelError::Unreachable { .. }), "{error}");
        assert!(error.to_string().ends_with(words), "{error}");
        assert_eq!(asked, 3);
    }
}

#[tokio::test]
async fn pings_are_life_but_not_for_ever() {
    // The pings come faster than the silence that is borne.
    let (error, asked) = told_of(Answer::PingForever, |transport| {
        transport.silence_timeout = Duration::from_secs(60);
        transport.answer_timeout = Duration::from_millis(200);
        transport.attempts = 2;
    })
    .await;
    assert!(error.to_string().ends_with("no whole answer in 200ms; tried 2 times"), "{error}");
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn the_time_that_a_rate_limit_names_is_kept_in_all_its_forms() {
    let soon = httpdate::fmt_http_date(SystemTime::now());
    for failure in [
        Answer::rate_limited(2),
        Answer::rate_limited_seconds(0.01),
        Answer::rate_limited_seconds(0.0),
        Answer::rate_limited_until(soon),
    ] {
        // Our own wait would be an hour.
        let asked = asked_after(failure.clone(), |transport| {
            transport.first_wait = Duration::from_secs(3600);
            transport.max_wait = Duration::from_secs(3600);
        });
        assert_eq!(asked.await, 2, "{failure:?}");
    }
    let in_an_hour = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
    for failure in [
        Answer::rate_limited(3_600_000),
        Answer::rate_limited_seconds(3600.0),
        Answer::rate_limited_until(in_an_hour),
    ] {
        let (error, asked) = told_of(failure, |_| {}).await;
        assert!(matches!(error.cause(), ModelError::Busy { status: 429, .. }), "{error}");
        assert!(error.to_string().contains("; it asks to wait "), "{error}");
        assert_eq!(asked, 1);
    }
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_stream() {
    let server = MessagesApi::queue((0..5).map(|_| Answer::text("{}")));
    let model = anthropic(&server);
    for _ in 0..5 {
        model.complete(one_stage()).await.unwrap();
    }
    assert_eq!(server.connections(), 1);
}
