//! Answers of very many small parts are given up before they take memory.

use crate::anthropic_requests::{KEY, config, model, request};
use crate::loopback::{conversation, user};
use crate::server::{Act, Server};
use ringfence_models::{Catalogue, Model, ModelError, OpenAi, OpenAiConfig, Secret};
use serde_json::{Value, json};

const BLOCKS: usize = 10_000;

fn openai(server: &Server) -> OpenAi {
    let config =
        OpenAiConfig { api_key: Some(Secret::new(KEY)), ..OpenAiConfig::new(server.url() + "/v1", "local") };
    OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

fn is_given_up(error: &ModelError, why: &str) {
    assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error:?}");
    assert!(error.to_string().contains(why), "{error}");
}

fn blocks(count: usize) -> Value {
    std::iter::repeat_n(json!({ "type": "text", "text": "" }), count).collect()
}

#[tokio::test]
async fn a_message_has_at_most_ten_thousand_blocks() {
    let whole = |count| Act::json(200, json!({ "content": blocks(count), "stop_reason": "end_turn" }));
    let server = Server::start([whole(BLOCKS), whole(BLOCKS + 1)]);
    let model = model(config(&server.url()));
    assert_eq!(model.complete(request()).await.unwrap().text, "");
    is_given_up(&model.complete(request()).await.unwrap_err(), "it has more than 10000 blocks or parts");
}

#[tokio::test]
async fn so_has_one_that_is_streamed() {
    let streamed = |count: usize| {
        let start = json!({ "type": "message_start", "message": { "model": "m", "content": [] } });
        let block = |index: usize| {
            let block = json!({ "type": "text", "text": "" });
            json!({ "type": "content_block_start", "index": index, "content_block": block })
        };
        let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
        let ends = [delta, json!({ "type": "message_stop" })];
        let events = std::iter::once(start).chain((0..count).map(block)).chain(ends);
        let text: String = events.map(|event| format!("data: {event}\n\n")).collect();
        Act::Answer(200, vec![("content-type", "text/event-stream".to_owned())], text.into_bytes())
    };
    let server = Server::start([streamed(BLOCKS), streamed(BLOCKS + 1)]);
    let model = model(config(&server.url()));
    assert_eq!(model.complete(request()).await.unwrap().text, "");
    is_given_up(&model.complete(request()).await.unwrap_err(), "it has more than 10000 blocks or parts");
}

#[tokio::test]
async fn so_have_parts_and_calls_of_a_chat_answer() {
    let chat = |message: Value| {
        Act::json(200, json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }))
    };
    let calls = |count| -> Value { std::iter::repeat_n(json!({ "function": {} }), count).collect() };
    let server = Server::start([
        chat(json!({ "content": blocks(BLOCKS) })),
        chat(json!({ "content": blocks(BLOCKS + 1) })),
        chat(json!({ "tool_calls": calls(BLOCKS) })),
        chat(json!({ "tool_calls": calls(BLOCKS + 1) })),
    ]);
    let model = openai(&server);
    for _ in 0..2 {
        model.complete(conversation(vec![user("go")])).await.unwrap();
        let error = model.complete(conversation(vec![user("go")])).await.unwrap_err();
        is_given_up(&error, "it has more than 10000 blocks or parts");
    }
}

#[tokio::test]
async fn no_answer_holds_millions_of_values_wherever_they_stand() {
    let many = format!("[{}0]", "[],".repeat(300_000));
    let bodies = [
        format!("{{\"content\":{many},\"stop_reason\":\"end_turn\",\"choices\":{many}}}"),
        format!("{{\"usage\":{many}}}"),
        many,
    ];
    for body in bodies {
        let act = Act::Answer(200, Vec::new(), body.clone().into_bytes());
        let servers = [Server::start([act.clone()]), Server::start([act])];
        let errors = [
            model(config(&servers[0].url())).complete(request()).await.unwrap_err(),
            openai(&servers[1]).complete(request()).await.unwrap_err(),
        ];
        errors.iter().for_each(|error| is_given_up(error, "it holds more than 200000 values"));
    }
}
