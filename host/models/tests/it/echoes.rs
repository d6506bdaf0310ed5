//! A server that repeats the key: no text that comes from it has the key in it.

use crate::anthropic_requests::{KEY, request};
use crate::server::{Act, Server};
use ringfence_models::{
    Anthropic, AnthropicConfig, Catalogue, Model, ModelError, OpenAi, OpenAiConfig, Reply, Secret, Transport,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Has everything that JSON writes differently.
const ODD_KEY: &str = r#"sk-o/d"d\key"#;

/// Whether a debug text shows the key, however often it was escaped.
fn shows(text: &str, key: &str) -> bool {
    let bare = |text: &str| text.replace('\\', "");
    bare(text).contains(&bare(key))
}

fn transport() -> Transport {
    Transport { first_wait: Duration::from_millis(1), attempts: 2, ..Transport::default() }
}

fn anthropic(server: &Server, key: &str) -> Anthropic {
    let config = AnthropicConfig {
        base_url: server.url(),
        transport: transport(),
        ..AnthropicConfig::new(Secret::new(key))
    };
    Anthropic::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

fn openai(server: &Server, key: Option<&str>) -> OpenAi {
    let api_key = key.map(Secret::new);
    let config =
        OpenAiConfig { api_key, transport: transport(), ..OpenAiConfig::new(server.url() + "/v1", "local") };
    OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

/// What both providers make of the same answer.
async fn both(key: &str, act: &Act) -> [Result<Reply, ModelError>; 2] {
    let servers = [Server::start([act.clone(), act.clone()]), Server::start([act.clone(), act.clone()])];
    let [first, second] = &servers;
    [anthropic(first, key).complete(request()).await, openai(second, Some(key)).complete(request()).await]
}

/// A good reply for both APIs at once.
fn reply(text: &str, model: &str, stop: &str) -> Value {
    json!({
        "model": model,
        "content": [{ "type": "text", "text": text }], "stop_reason": stop,
        "choices": [{ "message": { "content": text }, "finish_reason": stop }],
    })
}

#[tokio::test]
async fn a_key_in_a_good_reply_is_taken_out_of_its_text_model_and_request_id() {
    for key in [KEY, ODD_KEY] {
        let said = json!({ "reasoning": format!("you sent {key}"), "action": "human_help" }).to_string();
        let act = Act::json(200, reply(&said, &format!("model-{key}"), "end_turn"))
            .header("request-id", format!("req-{key}"))
            .header("x-request-id", format!("req-{key}"));
        for got in both(key, &act).await {
            let got = got.unwrap();
            let read: Value = serde_json::from_str(&got.text).unwrap();
            assert_eq!(read, json!({ "reasoning": "you sent [secret]", "action": "human_help" }));
            assert_eq!(got.model, "model-[secret]");
            assert_eq!(got.request_id.as_deref(), Some("req-[secret]"));
            assert!(!shows(&format!("{got:?}"), key), "{got:?}");
        }
    }
}

#[tokio::test]
async fn a_key_in_json_within_json_is_taken_out_too() {
    for key in [KEY, ODD_KEY] {
        let input = json!({ "file_path": key }).to_string();
        let said = json!({ "reasoning": key, "action": "read_file", "action_input": input }).to_string();
        for got in both(key, &Act::json(200, reply(&said, "m", "end_turn"))).await {
            let text = got.unwrap().text;
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["action_input"]["file_path"], "[secret]", "{text}");
            assert!(!shows(&text, key), "{text}");
        }
    }
}

#[tokio::test]
async fn a_key_in_a_refusals_words_is_taken_out() {
    let mut body = reply("", "m", "refusal");
    body["stop_details"] = json!({ "explanation": format!("not with {KEY}") });
    body["choices"][0]["message"] = json!({ "content": null, "refusal": format!("not with {KEY}") });
    for got in both(KEY, &Act::json(200, body)).await {
        assert_eq!(got.unwrap().text, "not with [secret]");
    }
}

#[tokio::test]
async fn a_key_in_a_call_or_a_thought_is_taken_out_too() {
    let input = json!({ "path": KEY });
    let call = json!({ "type": "tool_use", "id": format!("id-{KEY}"), "name": KEY, "input": input });
    let function = json!({ "name": KEY, "arguments": input.to_string() });
    let message = json!({ "tool_calls": [{ "id": format!("id-{KEY}"), "function": function }] });
    let act = Act::json(
        200,
        json!({
            "content": [{ "type": "thinking", "thinking": format!("my key is {KEY}"), "signature": "s" }, call],
            "stop_reason": "tool_use",
            "choices": [{ "message": message, "finish_reason": "tool_calls" }],
        }),
    );
    let servers = [Server::start([act.clone()]), Server::start([act])];
    let ask = || crate::loopback::conversation(vec![crate::loopback::user("go")]);
    for got in [
        anthropic(&servers[0], KEY).complete(ask()).await.unwrap(),
        openai(&servers[1], Some(KEY)).complete(ask()).await.unwrap(),
    ] {
        let call = &got.calls[0];
        let told = [call.id.as_str(), call.name.as_str(), call.arguments.as_str()];
        assert_eq!(told, ["id-[secret]", "[secret]", r#"{"path":"[secret]"}"#]);
        assert!(!shows(&format!("{got:?}"), KEY), "{got:?}");
    }
}

#[tokio::test]
async fn a_name_is_cut_only_after_the_key_was_taken_out_of_it() {
    // The cut at 200 falls into the key.
    let long = format!("{}{KEY}", "m".repeat(190));
    let good = Act::json(200, reply("{}", &long, "end_turn"))
        .header("request-id", &*long)
        .header("x-request-id", &*long);
    let bad = Act::json(400, json!({ "error": { "type": "invalid_request_error", "message": "no" } }))
        .header("request-id", &*long);
    for got in both(KEY, &good).await.into_iter().chain(both(KEY, &bad).await) {
        let told = match got {
            Ok(reply) => format!("{reply:?}"),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("mmm[secret]"), "{told}");
        assert!(!told.contains("sk-"), "{told}");
    }
}

#[tokio::test]
async fn no_error_shows_the_key_however_it_came_to_it() {
    let hidden = format!("sk-\u{200b}{}", KEY.trim_start_matches("sk-"));
    let acts = [
        Act::json(400, json!({ "error": { "type": "x", "message": format!("{}{KEY}", "x".repeat(490)) } })),
        Act::json(400, json!({ "error": { "type": "x", "message": hidden } })),
        Act::json(404, json!({ "error": { "message": "bad", "param": KEY } })),
        Act::json(529, json!({ "error": { "type": "x", "message": KEY } })),
        Act::json(200, json!({ "error": { "type": "overloaded_error", "message": KEY } })),
        Act::Answer(400, Vec::new(), KEY.as_bytes().to_vec()),
        Act::json(200, json!({ "content": KEY, "choices": KEY })),
        Act::json(307, json!({})).header("location", format!("http://{KEY}.example/")),
        Act::json(307, json!({})).header("location", format!("http://example/{KEY}")),
    ];
    for act in acts {
        for got in both(KEY, &act).await {
            let error = got.unwrap_err();
            for told in [error.to_string(), format!("{error:?}")] {
                assert!(!told.contains("sk-") && !told.contains("very-private"), "{told}");
            }
        }
    }
}

#[tokio::test]
async fn the_names_in_a_list_of_models_are_without_the_key() {
    let list = json!({ "data": [{ "id": format!("a-{KEY}") }, { "id": "b" }] });
    let server = Server::start([Act::json(200, list)]);
    assert_eq!(openai(&server, Some(KEY)).models().await.unwrap(), ["a-[secret]", "b"]);
}

#[tokio::test]
async fn a_refused_key_is_told_with_the_variable_that_holds_it() {
    for status in [401, 403] {
        let body = json!({ "error": { "type": "authentication_error", "message": "invalid key" } });
        let act = Act::json(status, body).header("request-id", "req_1");
        for (got, name, variable) in both(KEY, &act)
            .await
            .into_iter()
            .zip(["anthropic", "openai"])
            .zip(["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
            .map(|((got, name), variable)| (got, name, variable))
        {
            let error = got.unwrap_err();
            assert!(
                matches!(error.cause(), ModelError::Refused { status: told, .. } if *told == status),
                "{error}"
            );
            let told = error.to_string();
            assert!(told.starts_with(&format!("{name} at http://127.0.0.1:")), "{told}");
            let end = format!(" refused the key ({status}): invalid key (request req_1); check {variable}");
            assert!(told.ends_with(&end), "{told}");
        }
        let server = Server::start([act]);
        let told = openai(&server, None).complete(request()).await.unwrap_err().to_string();
        let end = "invalid key (request req_1); if it wants a key, set OPENAI_API_KEY";
        assert!(told.contains(&format!("refused the request without a key ({status}): ")), "{told}");
        assert!(told.ends_with(end), "{told}");
    }
}

/// The key as JSON may write it, with every character as an escape.
fn escaped(key: &str) -> String {
    key.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect()
}

/// What a server says that has written the key with escapes, within so many levels of JSON.
fn said(key: &str, levels: usize) -> String {
    let mut said = format!("{{\"note\":\"you sent {}\"}}", escaped(key));
    for _ in 1..levels {
        said = json!({ "note": said }).to_string();
    }
    said
}

fn is_refused_without(got: Result<Reply, ModelError>, key: &str) {
    let error = got.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error:?}");
    assert!(error.to_string().ends_with("_API_KEY) is in it, written with escapes"), "{error}");
    for told in [error.to_string(), format!("{error:?}")] {
        assert!(!shows(&told, key) && !told.contains("\\u00"), "{told}");
    }
}

#[tokio::test]
async fn a_reply_with_the_key_behind_escapes_is_refused() {
    for key in [KEY, ODD_KEY] {
        for levels in 1..5 {
            for got in both(key, &Act::json(200, reply(&said(key, levels), "m", "end_turn"))).await {
                is_refused_without(got, key);
            }
        }
    }
}

#[tokio::test]
async fn a_call_with_the_key_behind_escapes_is_refused() {
    let ask = || crate::loopback::conversation(vec![crate::loopback::user("go")]);
    for levels in 1..4 {
        let arguments = said(KEY, levels);
        let body = json!({ "choices": [{
            "message": { "tool_calls": [{ "id": "1", "function": { "name": "f", "arguments": arguments } }] },
            "finish_reason": "tool_calls",
        }] });
        let server = Server::start([Act::json(200, body)]);
        is_refused_without(openai(&server, Some(KEY)).complete(ask()).await, KEY);

        // One level more: the input is a value, with JSON as text in it.
        let input = json!({ "path": arguments });
        let call = json!({ "type": "tool_use", "id": "1", "name": "f", "input": input });
        let body = json!({ "content": [call], "stop_reason": "tool_use" });
        let server = Server::start([Act::json(200, body)]);
        is_refused_without(anthropic(&server, KEY).complete(ask()).await, KEY);
    }
}

#[tokio::test]
async fn a_call_that_is_streamed_with_the_key_behind_escapes_is_refused() {
    let events = [
        json!({ "type": "message_start", "message": { "model": "m", "content": [], "stop_reason": null } }),
        json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "tool_use", "id": "1", "name": "f", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "input_json_delta", "partial_json": said(KEY, 1) } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let act = Act::Answer(200, vec![("content-type", "text/event-stream".to_owned())], stream.into_bytes());
    let server = Server::start([act]);
    let ask = crate::loopback::conversation(vec![crate::loopback::user("go")]);
    let got = anthropic(&server, KEY).complete(ask).await;
    // The block's own input was read, so that the key came out and was taken out of it.
    is_refused_without(got, KEY);
}

#[tokio::test]
async fn a_name_or_an_errors_words_with_the_key_behind_escapes_are_left_out() {
    let hidden = escaped(KEY);
    for words in [hidden.clone(), said(KEY, 3)] {
        let good = Act::json(200, reply("{}", &words, "end_turn"));
        for got in both(KEY, &good).await {
            assert_eq!(got.unwrap().model, "[secret]");
        }
        let bad = Act::json(400, json!({ "error": { "type": "invalid_request_error", "message": words } }));
        for got in both(KEY, &bad).await {
            let told = got.unwrap_err().to_string();
            assert!(told.contains("(400): [secret]") && !told.contains("u00"), "{told}");
        }
    }
    // As it stands in the body, which isn't JSON.
    let raw = Act::Answer(400, Vec::new(), format!("no key like {hidden}").into_bytes());
    for got in both(KEY, &raw).await {
        let told = got.unwrap_err().to_string();
        assert!(told.contains("(400): [secret]") && !told.contains("u00"), "{told}");
    }
}
