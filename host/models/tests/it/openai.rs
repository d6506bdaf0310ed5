//! Servers that speak chat completions.

use crate::anthropic_requests::{request, schema, stage};
use crate::server::{Act, Server};
use ringfence_models::{
    Catalogue, Effort, Model, ModelError, OpenAi, OpenAiConfig, Reply, Secret, Stop, Transport, Usage,
};
use serde_json::{Value, json};
use std::time::Duration;

fn config(server: &Server) -> OpenAiConfig {
    let transport = Transport { first_wait: Duration::from_millis(1), ..Transport::default() };
    OpenAiConfig { transport, ..OpenAiConfig::new(server.url() + "/v1", "local") }
}

fn model(config: OpenAiConfig) -> OpenAi {
    OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

fn completion(message: Value, finish: Value) -> Act {
    Act::json(
        200,
        json!({
            "id": "c1", "model": "local-7b", "object": "chat.completion",
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
            "usage": {
                "prompt_tokens": 20, "completion_tokens": 3,
                "prompt_tokens_details": { "cached_tokens": 16 },
            },
        }),
    )
}

fn good(text: &str) -> Act {
    completion(json!({ "role": "assistant", "content": text }), json!("stop"))
}

fn error(status: u16, message: &str) -> Act {
    Act::json(status, json!({ "error": { "message": message, "type": "x", "code": null } }))
}

async fn reply(act: Act) -> Result<Reply, ModelError> {
    let server = Server::start([act]);
    model(config(&server)).complete(request()).await
}

#[tokio::test]
async fn a_stage_is_sent_as_chat_completions_want_it() {
    let server = Server::start([good("{}")]);
    let config = OpenAiConfig {
        api_key: Some(Secret::new("sk-local")),
        effort: Some(Effort::Low),
        temperature: Some(0.0),
        ..config(&server)
    };
    model(config).complete(request()).await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(seen.header("authorization"), Some("Bearer sk-local"));
    insta::assert_json_snapshot!(seen.body);
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let server = Server::start([good("{}")]);
    model(config(&server)).complete(request()).await.unwrap();
    assert_eq!(server.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_reply_keeps_model_and_usage() {
    let act = good("{\"a\":1}").header("x-request-id", "req_9");
    assert_eq!(
        reply(act).await.unwrap(),
        Reply {
            text: "{\"a\":1}".to_owned(),
            calls: Vec::new(),
            content: None,
            stop: Stop::End,
            usage: Usage { input_tokens: 20, cached_tokens: 16, cache_write_tokens: 0, output_tokens: 3 },
            cost: None,
            model: "local-7b".to_owned(),
            request_id: Some("req_9".to_owned()),
        }
    );
}

#[tokio::test]
async fn every_reason_to_finish_has_its_meaning() {
    for (finish, stop) in [
        (json!("stop"), Stop::End),
        (json!("length"), Stop::Length),
        (json!("content_filter"), Stop::Refusal),
        (json!(null), Stop::End),
        (json!("eos"), Stop::End),
    ] {
        let act = completion(json!({ "content": "{" }), finish.clone());
        assert_eq!(reply(act).await.unwrap().stop, stop, "{finish}");
    }
    let refused = completion(json!({ "content": null, "refusal": "no" }), json!("stop"));
    let refused = reply(refused).await.unwrap();
    assert_eq!((refused.stop, refused.text.as_str()), (Stop::Refusal, "no"));
    let called = completion(json!({ "content": null }), json!("tool_calls"));
    assert!(matches!(reply(called).await.unwrap_err().cause(), ModelError::Unreadable { .. }));
}

#[tokio::test]
async fn content_in_parts_and_content_left_out_are_read() {
    let parts = json!([{ "type": "text", "text": "{\"a\"" }, { "type": "text", "text": ":1}" }]);
    let got = reply(completion(json!({ "content": parts }), json!("stop"))).await.unwrap();
    assert_eq!(got.text, "{\"a\":1}");
    assert_eq!(reply(completion(json!({}), json!("stop"))).await.unwrap().text, "");
    let none = reply(Act::json(200, json!({ "choices": [] }))).await.unwrap_err();
    assert!(none.to_string().ends_with("the reply has no choices"), "{none}");
}

#[tokio::test]
async fn a_server_without_response_format_gets_the_schema_in_the_prompt_from_then_on() {
    let refusal = error(400, "'response_format.type' must be one of 'text'");
    let server = Server::start([refusal, good("{\"action_input\":{}}"), good("{}")]);
    let model = model(config(&server));
    assert_eq!(model.complete(request()).await.unwrap().text, "{\"action_input\":{}}");
    model.complete(request()).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen[0].body.get("response_format").is_some());
    for seen in &seen[1..] {
        assert_eq!(seen.body.get("response_format"), None);
        let system = seen.body["messages"][0]["content"].as_str().unwrap();
        assert!(system.starts_with("You choose the next action."), "{system}");
        assert!(system.contains(&schema().to_string()), "{system}");
    }
}

#[tokio::test]
async fn the_fallback_is_tried_once_and_not_for_other_complaints() {
    let refusal = || error(400, "response_format is not supported");
    let server = Server::start([refusal(), refusal()]);
    let refused = model(config(&server)).complete(request()).await.unwrap_err();
    assert!(matches!(refused.cause(), ModelError::Refused { status: 400, .. }), "{refused}");
    assert_eq!(server.seen().len(), 2);
    let server = Server::start([error(400, "no such model")]);
    model(config(&server)).complete(request()).await.unwrap_err();
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_server_that_wants_the_cap_by_its_new_name_gets_it() {
    let refusal = error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.");
    let server = Server::start([refusal, good("{}")]);
    model(config(&server)).complete(request()).await.unwrap();
    assert_eq!(server.seen()[1].body["max_completion_tokens"], 1_234);
    assert_eq!(server.seen()[1].body.get("max_tokens"), None);
}

#[tokio::test]
async fn failures_are_handled_as_for_any_provider() {
    let server = Server::start([
        error(429, "slow down").header("retry-after-ms", "1"),
        Act::Close,
        error(503, "loading model"),
        good("{}"),
    ]);
    assert_eq!(model(config(&server)).complete(request()).await.unwrap().text, "{}");
    for (body, words) in [
        (json!({ "error": "model 'x' not found" }), "model 'x' not found"),
        (json!({ "detail": [{ "loc": ["body"] }] }), "[{\"loc\":[\"body\"]}]"),
        (json!({ "message": "nope" }), "nope"),
        (json!({ "error": { "message": "bad", "param": "top" } }), "bad (parameter top)"),
    ] {
        let server = Server::start([Act::json(404, body)]);
        let error = model(config(&server)).complete(request()).await.unwrap_err();
        let told = format!("openai at {}/v1 refused the request (404): {words}", server.url());
        assert_eq!(error.to_string(), told);
    }
}

#[tokio::test]
async fn a_used_up_quota_is_not_asked_again() {
    let body = json!({ "error": { "message": "quota", "code": "insufficient_quota" } });
    let server = Server::start([Act::json(429, body)]);
    let error = model(config(&server)).complete(request()).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Refused { status: 429, .. }), "{error}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_optional_property_comes_back_left_out() {
    let server = Server::start([good(r#"{"id":"a", "kind":null, "after":["b"]}"#)]);
    let mut request = request();
    let schema = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "kind": { "type": "string" },
            "after": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["id"],
    });
    request.ask = stage("s", "u", schema);
    let got = model(config(&server)).complete(request).await.unwrap();
    assert_eq!(got.text, r#"{"id":"a","after":["b"]}"#);
    let schema = &server.seen()[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["id", "kind", "after"]));
    assert_eq!(schema["properties"]["kind"]["type"], json!(["string", "null"]));
}

#[tokio::test]
async fn the_servers_models_can_be_listed() {
    let list = json!({ "object": "list", "data": [{ "id": "a" }, { "id": "b" }] });
    let server = Server::start([Act::json(200, list)]);
    assert_eq!(model(config(&server)).models().await.unwrap(), ["a", "b"]);
    assert_eq!(server.seen()[0].line, "GET /v1/models HTTP/1.1");
}
