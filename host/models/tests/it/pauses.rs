//! Turns of a conversation that pause and go on.

use crate::loopback::{anthropic, conversation, made, one_stage, user, whole};
use crate::server::{Act, Server};
use ringfence_models::{AnthropicConfig, MicroDollars, Model, ModelError, Stop, Turn};
use ringfence_tests::messages_api::{Answer, MessagesApi};
use serde_json::{Value, json};

fn thought(signature: &str) -> Value {
    json!({ "type": "thinking", "thinking": "hm", "signature": signature })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn paused(signature: &str, words: &str) -> Answer {
    Answer::Blocks { content: vec![thought(signature), text(words)], stop_reason: "pause_turn" }
}

#[tokio::test]
async fn a_turn_that_pauses_is_sent_back_and_goes_on_as_one_turn() {
    let script = || {
        let call = json!({ "type": "tool_use", "id": "t1", "name": "read_file", "input": { "path": "a" } });
        let content = vec![thought("s3"), text("three"), call];
        let last = Answer::Blocks { content, stop_reason: "tool_use" };
        [paused("s1", "one "), paused("s2", "two "), last, Answer::text("done")]
    };
    let servers = [MessagesApi::queue(script()), MessagesApi::queue(script())];
    for (server, model) in servers.iter().zip([anthropic(&servers[0]), whole(&servers[1])]) {
        let reply = model.complete(conversation(vec![user("go")])).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("one two three", Stop::ToolUse));
        assert_eq!(reply.calls.len(), 1);
        let content = reply.content.clone().unwrap();
        let kinds: Vec<_> = content.as_array().unwrap().iter().map(|block| &block["type"]).collect();
        assert_eq!(kinds, ["thinking", "text", "thinking", "text", "thinking", "text", "tool_use"]);
        let asked = server.asked();
        assert_eq!(asked.len(), 3);
        assert_eq!(asked[1].body["messages"][1]["content"], json!([thought("s1"), text("one ")]));
        assert_eq!(asked[2].body["messages"].as_array().unwrap().len(), 2);
        assert_eq!(asked[2].body["messages"][1]["content"].as_array().unwrap().len(), 4);
        assert!(reply.usage.output_tokens > 60, "all three are counted: {:?}", reply.usage);

        let said = Turn::Model { text: reply.text, calls: reply.calls.clone(), content: reply.content };
        let turns = vec![user("go"), said, crate::loopback::results(&reply.calls)];
        assert_eq!(model.complete(conversation(turns)).await.unwrap().text, "done");
        assert!(server.refused().is_empty(), "{:?}", server.refused());
    }
}

#[tokio::test]
async fn a_turn_that_pauses_without_end_is_given_up() {
    let server = MessagesApi::start(|_| paused("s", "…"));
    let error = anthropic(&server).complete(conversation(vec![user("go")])).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error}");
    assert!(error.to_string().ends_with("the turn paused 9 times"), "{error}");
    assert_eq!(server.asked().len(), 9);
}

#[tokio::test]
async fn a_turn_that_goes_on_is_given_what_is_left_of_its_cap() {
    let part = |reason: &str, output: u32| {
        let usage = json!({ "input_tokens": 10, "output_tokens": output });
        Act::json(200, json!({ "content": [text("x")], "stop_reason": reason, "usage": usage }))
    };
    let caps = |server: &Server| -> Vec<_> {
        server.seen().iter().map(|seen| seen.body["max_tokens"].as_u64().unwrap()).collect()
    };
    let asked = async |server: &Server| {
        made(crate::anthropic_requests::config(&server.url())).complete(one_stage()).await
    };
    let ends = [part("pause_turn", 300), part("pause_turn", 650), part("end_turn", 50)];
    let server = Server::start(ends);
    assert_eq!(asked(&server).await.unwrap().stop, Stop::End);
    assert_eq!(caps(&server), [1_000, 700, 50]);

    let server = Server::start([part("pause_turn", 300), part("pause_turn", 700)]);
    let reply = asked(&server).await.unwrap();
    assert_eq!((reply.stop, reply.text.as_str()), (Stop::Length, "xx"), "nothing is left to go on with");
    assert_eq!(caps(&server), [1_000, 700]);
}

#[tokio::test]
async fn a_paused_turns_parts_are_priced_one_by_one() {
    let part = |reason: &str| {
        let usage = json!({ "input_tokens": 60_000, "output_tokens": 2 });
        Act::json(200, json!({ "content": [text("x")], "stop_reason": reason, "usage": usage }))
    };
    let server = Server::start([part("pause_turn"), part("end_turn")]);
    let config = AnthropicConfig {
        model: "claude-haiku-5-5".to_owned(),
        ..crate::anthropic_requests::config(&server.url())
    };
    let reply = made(config).complete(one_stage()).await.unwrap();
    assert_eq!(reply.usage.input_tokens, 120_000);
    // A single prompt of that length would cost five times as much.
    assert_eq!(reply.cost, Some(MicroDollars(12_002)));
}

#[tokio::test]
async fn a_stages_reply_that_pauses_goes_on_too() {
    let server = MessagesApi::queue([paused("s", "{\"a\":"), Answer::text("1}")]);
    let reply = anthropic(&server).complete(one_stage()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.content), ("{\"a\":1}", None));
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}
