//! What is made of the Messages API's replies.

use crate::anthropic_requests::{config, good, model, request};
use crate::server::{Act, Server};
use ringfence_models::{MicroDollars, Model, ModelError, Reply, Stop, Usage};
use serde_json::{Value, json};

async fn reply(body: Value) -> Result<Reply, ModelError> {
    let server = Server::start([Act::json(200, body).header("request-id", "req_7")]);
    model(config(&server.url())).complete(request()).await
}

fn message(content: Value, stop: Value) -> Value {
    json!({
        "model": "claude-sonnet-5-5", "content": content, "stop_reason": stop,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

#[tokio::test]
async fn a_reply_keeps_model_request_id_and_every_token_that_was_counted() {
    let got = reply(json!({
        "model": "claude-sonnet-5-5-x",
        "content": [{ "type": "text", "text": "{\"reasoning\":\"r\"}" }],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 10, "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3000, "output_tokens": 40, "service_tier": "standard",
        },
    }));
    assert_eq!(
        got.await.unwrap(),
        Reply {
            text: "{\"reasoning\":\"r\"}".to_owned(),
            calls: Vec::new(),
            content: None,
            stop: Stop::End,
            usage: Usage {
                input_tokens: 3210,
                cached_tokens: 3000,
                cache_write_tokens: 200,
                output_tokens: 40,
            },
            cost: Some(MicroDollars(20 + 500 + 600 + 400)),
            model: "claude-sonnet-5-5-x".to_owned(),
            request_id: Some("req_7".to_owned()),
        }
    );
}

#[tokio::test]
async fn text_is_found_by_its_type_after_thoughts_and_unknown_blocks() {
    let content = json!([
        { "type": "thinking", "thinking": "", "signature": "abc" },
        { "type": "from_the_future", "text": "not this" },
        { "type": "text", "text": "{\"a\":" },
        { "type": "text", "text": "1}" },
    ]);
    assert_eq!(reply(message(content, json!("end_turn"))).await.unwrap().text, "{\"a\":1}");
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning() {
    for (reason, stop) in [
        ("end_turn", Stop::End),
        ("stop_sequence", Stop::End),
        ("some_new_reason", Stop::End),
        ("max_tokens", Stop::Length),
        ("model_context_window_exceeded", Stop::Length),
        ("refusal", Stop::Refusal),
    ] {
        let content = json!([{ "type": "text", "text": "{" }]);
        let got = reply(message(content, json!(reason))).await.unwrap();
        assert_eq!((got.stop, got.text.as_str()), (stop, "{"), "{reason}");
    }
    for reason in [json!("tool_use"), json!(null)] {
        let error = reply(message(json!([]), reason)).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_cap_spent_on_thinking_alone_is_a_reply_cut_off_without_text() {
    let thinking = json!([{ "type": "thinking", "thinking": "…", "signature": "abc" }]);
    let got = reply(message(thinking, json!("max_tokens"))).await.unwrap();
    assert_eq!((got.stop, got.text.as_str()), (Stop::Length, ""));
}

#[tokio::test]
async fn a_refusal_without_text_gives_the_servers_explanation() {
    let mut body = message(json!([]), json!("refusal"));
    body["stop_details"] = json!({ "type": "refusal", "explanation": "not for me" });
    let got = reply(body).await.unwrap();
    assert_eq!((got.stop, got.text.as_str()), (Stop::Refusal, "not for me"));
}

#[tokio::test]
async fn a_reply_without_usage_is_estimated_so_that_budgets_hold() {
    let body = json!({
        "content": [{ "type": "text", "text": "123456" }], "stop_reason": "end_turn",
    });
    let usage = reply(body).await.unwrap().usage;
    assert_eq!(usage.output_tokens, 2);
    assert!(usage.input_tokens > 50, "{usage:?}");
}

#[tokio::test]
async fn an_object_that_travelled_as_text_is_an_object_again() {
    let text = r#"{"reasoning":"r","action":"read_file","action_input":"{\"file_path\":\"a.py\",\"max_lines\":12345678901234567890}","confidence":"high"}"#;
    let server = Server::start([good(text)]);
    let got = model(config(&server.url())).complete(request()).await.unwrap();
    assert_eq!(
        got.text,
        r#"{"reasoning":"r","action":"read_file","action_input":{"file_path":"a.py","max_lines":12345678901234567890},"confidence":"high"}"#
    );
}

#[tokio::test]
async fn a_body_that_isnt_a_message_is_unreadable_and_not_asked_for_again() {
    let bodies: [&[u8]; 5] =
        [b"", b"<html>login</html>", b"{\"content\": [", b"[]", b"{\"content\": \"text\"}"];
    for body in bodies {
        let server = Server::start([Act::Answer(200, Vec::new(), body.to_vec())]);
        let error = model(config(&server.url())).complete(request()).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error}");
        assert!(error.to_string().contains(&server.url()), "{error}");
        assert_eq!(server.seen().len(), 1);
    }
}
