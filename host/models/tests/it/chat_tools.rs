//! Conversations with tools over chat completions.

use crate::loopback::{conversation, one_stage, openai, result, results, user};
use crate::server::{Act, Server};
use ringfence_models::{
    Catalogue, Model, ModelError, OpenAi, OpenAiConfig, Reply, Stop, ToolResult, ToolUse, Turn,
};
use ringfence_tests::messages_api::{Answer, Called, MessagesApi};
use serde_json::{Value, json};

fn said(reply: &Reply) -> Turn {
    Turn::Model { text: reply.text.clone(), calls: reply.calls.clone(), content: reply.content.clone() }
}

fn call(id: Option<&str>, path: &str) -> Called {
    let arguments = json!({ "path": path }).to_string();
    Called { id: id.map(str::to_owned), ..Called::new("read_file", arguments) }
}

#[tokio::test]
async fn calls_and_results_go_to_and_fro_until_the_model_is_done() {
    let server = MessagesApi::queue([
        Answer::calls("I look.", [call(Some("c1"), "a"), call(Some("c2"), "b")]),
        Answer::text("All is well."),
    ]);
    let model = openai(&server);
    let first = model.complete(conversation(vec![user("Look.")])).await.unwrap();
    assert_eq!((first.stop, first.text.as_str()), (Stop::ToolUse, "I look."));
    assert_eq!(first.calls[1].id, "c2");
    assert_eq!(first.calls[1].arguments, "{\"path\":\"b\"}");
    let failed = ToolResult { is_error: true, ..result("c1", "no such file") };
    let results = Turn::Results { results: vec![failed, result("c2", "text")], text: Some("Go on.".into()) };
    let turns = vec![user("Look."), said(&first), results];
    let second = model.complete(conversation(turns)).await.unwrap();
    assert_eq!((second.stop, second.text.as_str()), (Stop::End, "All is well."));
    assert!(server.refused().is_empty(), "{:?}", server.refused());
    insta::assert_json_snapshot!(server.asked()[1].body);
}

#[tokio::test]
async fn ids_that_are_missing_or_not_unique_are_made_up() {
    let server = MessagesApi::queue([
        Answer::calls(
            "",
            [call(None, "a"), call(Some("same"), "b"), call(Some("same"), "c"), call(None, "d")],
        ),
        Answer::calls("", [call(None, "e")]),
        Answer::text("done"),
    ]);
    let model = openai(&server);
    let mut turns = vec![user("go")];
    let mut ids = Vec::new();
    for _ in 0..2 {
        let reply = model.complete(conversation(turns.clone())).await.unwrap();
        ids.extend(reply.calls.iter().map(|call| call.id.clone()));
        turns.extend([said(&reply), results(&reply.calls)]);
    }
    assert_eq!(ids, ["call_2_1", "same", "call_2_3", "call_2_4", "call_4_1"]);
    assert_eq!(model.complete(conversation(turns)).await.unwrap().text, "done");
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[tokio::test]
async fn arguments_that_cant_be_read_are_kept_as_they_came_and_never_sent_back() {
    for arguments in ["", "{\"path\": \"unfin", "[1]", "null"] {
        let server = MessagesApi::queue([
            Answer::calls("", [Called::new("read_file", arguments)]),
            Answer::text("sorry"),
        ]);
        let model = openai(&server);
        let reply = model.complete(conversation(vec![user("go")])).await.unwrap();
        assert_eq!(reply.calls[0].arguments, arguments);
        let turns = vec![user("go"), said(&reply), results(&reply.calls)];
        model.complete(conversation(turns)).await.unwrap();
        assert!(server.refused().is_empty(), "{:?}", server.refused());
        let sent = server.asked()[1].body["messages"].to_string();
        assert!(sent.contains("INVALID_JSON") && !sent.contains("unfin"), "{sent}");
    }
}

/// What is made of this message and reason to finish.
async fn made_of(message: Value, finish: &str) -> Result<Reply, ModelError> {
    let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
    let server = Server::start([Act::json(200, body)]);
    let config = OpenAiConfig::new(server.url() + "/v1", "local");
    let model = OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap();
    model.complete(conversation(vec![user("go")])).await
}

#[tokio::test]
async fn servers_that_write_calls_in_their_own_way_are_understood() {
    let function = json!({ "name": "read_file", "arguments": { "path": "a" } });
    let message = json!({ "content": null, "tool_calls": [{ "id": "", "function": function }] });
    let reply = made_of(message.clone(), "stop").await.unwrap();
    assert_eq!(reply.stop, Stop::ToolUse, "whatever reason is given");
    let call =
        ToolUse { id: "call_2_1".into(), name: "read_file".into(), arguments: "{\"path\":\"a\"}".into() };
    assert_eq!(reply.calls, [call]);
    assert_eq!(made_of(message, "length").await.unwrap().stop, Stop::Length);
    let nameless = json!({ "tool_calls": [{ "id": "i", "function": {} }] });
    let reply = made_of(nameless, "tool_calls").await.unwrap();
    assert_eq!((reply.calls[0].name.as_str(), reply.calls[0].arguments.as_str()), ("", ""));
    let none = made_of(json!({ "content": "x", "tool_calls": [] }), "tool_calls").await.unwrap_err();
    assert!(none.to_string().ends_with("the reply stopped for tool_calls and calls none"), "{none}");
}

#[tokio::test]
async fn a_stage_is_asked_by_these_servers_rules() {
    let server = MessagesApi::queue([Answer::rate_limited(1), Answer::Close, Answer::truncated("{\"a")]);
    let reply = openai(&server).complete(one_stage()).await.unwrap();
    assert_eq!((reply.stop, reply.text.as_str()), (Stop::Length, "{\"a"));
    assert!(server.refused().is_empty(), "{:?}", server.refused());
    assert_eq!(server.asked().len(), 3);
}
