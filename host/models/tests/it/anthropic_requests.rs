//! What is sent to the Messages API.

use crate::server::{Act, Server};
use ringfence_models::{
    Anthropic, AnthropicConfig, Ask, Catalogue, Effort, Ledger, Model, ModelError, Request, Secret, Transport,
};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) const KEY: &str = "sk-ant-very-private";

pub(crate) fn request() -> Request {
    Request {
        stage: "decide".to_owned(),
        expert: None,
        ask: stage("You choose the next action.", "The task on top: list the files.", schema()),
        facts: Value::Null,
        max_tokens: 1_234,
        tries: None,
        ledger: Ledger::default(),
    }
}

pub(crate) fn stage(system: &str, user: &str, schema: Value) -> Ask {
    Ask::Stage { system: system.to_owned(), user: user.to_owned(), schema }
}

pub(crate) fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "reasoning": { "type": "string", "minLength": 1 },
            "action": { "type": "string", "enum": ["read_file", "human_help"] },
            "action_input": { "type": "object" },
            "confidence": { "type": "string", "enum": ["low", "medium", "high"] },
        },
        "required": ["reasoning", "action", "action_input", "confidence"],
    })
}

pub(crate) fn config(url: &str) -> AnthropicConfig {
    let transport = Transport {
        first_wait: Duration::from_millis(1),
        max_wait: Duration::from_millis(5),
        ..Transport::default()
    };
    AnthropicConfig { base_url: url.to_owned(), transport, ..AnthropicConfig::new(Secret::new(KEY)) }
}

pub(crate) fn model(config: AnthropicConfig) -> Anthropic {
    Anthropic::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

pub(crate) fn good(text: &str) -> Act {
    Act::json(
        200,
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5-5",
            "content": [{ "type": "text", "text": text }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        }),
    )
}

#[tokio::test]
async fn a_stage_is_sent_as_the_messages_api_wants_it() {
    let server = Server::start([good("{}")]);
    model(config(&server.url())).complete(request()).await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(seen.header("x-api-key"), Some(KEY));
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    insta::assert_json_snapshot!(seen.body);
}

#[tokio::test]
async fn effort_is_sent_and_a_base_url_may_end_with_a_slash() {
    let server = Server::start([good("{}")]);
    let config = AnthropicConfig { effort: Some(Effort::High), ..config(&(server.url() + "/")) };
    model(config).complete(request()).await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(seen.body["output_config"]["effort"], "high");
}

#[tokio::test]
async fn a_system_text_without_words_is_not_sent() {
    let server = Server::start([good("{}")]);
    let request = Request { ask: stage(" ", "The task.", schema()), ..request() };
    model(config(&server.url())).complete(request).await.unwrap();
    assert_eq!(server.seen()[0].body.get("system"), None);
}

#[tokio::test]
async fn a_temperature_goes_only_to_a_model_that_is_listed_as_taking_one() {
    let server = Server::start([good("{}")]);
    let listed = "[anthropic.older]\ntemperature = true\n";
    let config = |model: &str| AnthropicConfig {
        model: model.to_owned(),
        temperature: Some(0.5),
        ..config(&server.url())
    };
    let known = Catalogue::with(listed, "mine.toml").unwrap();
    Anthropic::new(config("older"), &known).unwrap().complete(request()).await.unwrap();
    assert_eq!(server.seen()[0].body["temperature"], 0.5);
    for model in ["claude-sonnet-5-5", "one-nobody-listed"] {
        let error = Anthropic::new(config(model), &known).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "anthropic {model} takes no temperature; leave it out, or list the model with \
                 `temperature = true` in a models file if it does"
            )
        );
    }
}

#[test]
fn an_effort_that_the_model_doesnt_take_is_refused() {
    let known = Catalogue::with("[anthropic.plain]\nefforts = [\"low\"]\n", "mine.toml").unwrap();
    let config = AnthropicConfig {
        model: "plain".to_owned(),
        effort: Some(Effort::Max),
        ..config("http://127.0.0.1:9")
    };
    let error = Anthropic::new(config, &known).unwrap_err();
    assert_eq!(error.to_string(), "anthropic plain doesn't take the effort max; it takes: low");
}

#[test]
fn an_unusable_key_is_refused_without_showing_it() {
    let known = Catalogue::built_in().unwrap();
    for key in ["", "  ", "sk-with\nnewline"] {
        let config = AnthropicConfig { api_key: Secret::new(key), ..config("http://127.0.0.1:9") };
        let error = Anthropic::new(config, &known).unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unsupported { .. }), "{error}");
        assert!(!error.to_string().contains("newline"), "{error}");
    }
    assert!(!format!("{:?}", model(config("http://127.0.0.1:9"))).contains(KEY));
    assert!(!format!("{:?}", config("http://127.0.0.1:9")).contains(KEY));
}

#[tokio::test]
async fn a_request_that_cant_be_sent_never_reaches_the_server() {
    let server = Server::start([]);
    let without_text = Request { ask: stage("s", "\n", schema()), ..request() };
    let too_big = Request { ask: stage("s", &"x".repeat(33 * 1024 * 1024), schema()), ..request() };
    let bad_schema = Request { ask: stage("s", "u", json!({ "type": "array" })), ..request() };
    for request in [without_text, too_big, bad_schema] {
        let error = model(config(&server.url())).complete(request).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unsupported { .. }), "{error}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_models_limits_are_asked_from_the_server() {
    let limits = json!({ "id": "a/b", "max_input_tokens": 1_000_000, "max_tokens": 128_000 });
    let server = Server::start([Act::json(200, limits)]);
    let config = AnthropicConfig { model: "a/b".to_owned(), ..config(&server.url()) };
    let limits = model(config).limits().await.unwrap();
    assert_eq!(limits.max_input_tokens, Some(1_000_000));
    assert_eq!(limits.max_output_tokens, Some(128_000));
    assert_eq!(server.seen()[0].line, "GET /v1/models/a%2Fb HTTP/1.1");
    assert_eq!(server.seen()[0].header("x-api-key"), Some(KEY));
}
