//! Conversations with tools over the Messages API.

use crate::loopback::{anthropic, asked, config, conversation, made, result, results, tool, user, whole};
use ringfence_models::{AnthropicConfig, Ask, Model, ModelError, Reply, Stop, ToolResult, ToolUse, Turn};
use ringfence_tests::messages_api::{Answer, Called, MessagesApi, Stage};
use serde_json::{Value, json};

fn said(reply: &Reply) -> Turn {
    Turn::Model { text: reply.text.clone(), calls: reply.calls.clone(), content: reply.content.clone() }
}

fn read(path: &str) -> Called {
    Called::new("read_file", json!({ "path": path }).to_string())
}

fn script() -> [Answer; 3] {
    [
        Answer::calls("I look.", [read("a.é"), Called::new("list_files", " { \"path\" : \".\" } ")]),
        Answer::calls("", [read("b")]),
        Answer::text("All is well."),
    ]
}

#[tokio::test]
async fn calls_and_results_go_to_and_fro_until_the_model_is_done() {
    let servers = [MessagesApi::queue(script()), MessagesApi::queue(script())];
    for (server, model) in servers.iter().zip([anthropic(&servers[0]), whole(&servers[1])]) {
        let mut turns = vec![user("Look at it.")];
        let first = model.complete(conversation(turns.clone())).await.unwrap();
        assert_eq!((first.stop, first.text.as_str()), (Stop::ToolUse, "I look."));
        let names: Vec<_> = first.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["read_file", "list_files"]);
        assert_eq!(first.calls[0].arguments, "{\"path\":\"a.é\"}");
        turns.extend([said(&first), results(&first.calls)]);
        let second = model.complete(conversation(turns.clone())).await.unwrap();
        assert_eq!((second.stop, second.text.as_str(), second.calls.len()), (Stop::ToolUse, "", 1));
        let failed = ToolResult { is_error: true, ..result(&second.calls[0].id, "no such file") };
        let results = Turn::Results { results: vec![failed], text: Some("Two steps are left.".into()) };
        turns.extend([said(&second), results]);
        let third = model.complete(conversation(turns)).await.unwrap();
        assert_eq!((third.stop, third.text.as_str(), third.calls.len()), (Stop::End, "All is well.", 0));

        assert!(server.refused().is_empty(), "{:?}", server.refused());
        let [one, two, three] = [first.usage, second.usage, third.usage];
        assert_eq!((one.cached_tokens, one.input_tokens), (0, one.cache_write_tokens));
        assert_eq!(two.cached_tokens, one.input_tokens, "all that was asked is read again");
        assert_eq!(three.cached_tokens, two.input_tokens);
        assert_eq!(server.asked_for(Stage::Converse).len(), 3);
        let last = &server.asked()[2].body["messages"][4]["content"];
        assert_eq!(last[0]["is_error"], true);
        assert_eq!(last[1]["text"], "Two steps are left.");
        for asked in server.asked() {
            assert_eq!(asked.body.get("tool_choice"), None);
            assert_eq!(asked.body.get("output_config"), None);
        }
    }
}

#[tokio::test]
async fn what_the_model_said_is_sent_back_as_it_was() {
    let server = MessagesApi::queue(script());
    let model = anthropic(&server);
    let first = model.complete(conversation(vec![user("Look.")])).await.unwrap();
    let content = first.content.clone().unwrap();
    assert_eq!(content[0]["type"], "thinking");
    assert_eq!(content[0]["signature"], "c2lnbmVk0000+/é=");
    // Kept and read again, as a journal does.
    let kept: Turn = serde_json::from_str(&serde_json::to_string(&said(&first)).unwrap()).unwrap();
    let turns = vec![user("Look."), kept, results(&first.calls)];
    model.complete(conversation(turns)).await.unwrap();
    assert_eq!(server.asked()[1].body["messages"][1]["content"], content);
    // The server notices a change, and a thought that is replayed after one.
    let mut changed = first.clone();
    changed.content.as_mut().unwrap()[0]["signature"] = json!("x");
    let turns = vec![user("Look."), said(&changed), results(&first.calls)];
    let error = model.complete(conversation(turns)).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Refused { status: 400, .. }), "{error}");
    let turns = vec![user("Look again."), said(&first), results(&first.calls)];
    let error = model.complete(conversation(turns)).await.unwrap_err();
    assert!(error.to_string().contains("cannot be edited"), "{error}");
}

#[tokio::test]
async fn what_never_changes_is_cached_and_so_is_what_was_said() {
    let server = MessagesApi::queue((0..3).map(|_| Answer::text("yes")));
    let model = anthropic(&server);
    let exchange = |number: usize| {
        let said = Turn::Model { text: "yes".into(), calls: Vec::new(), content: None };
        [user(&format!("question {number}")), said]
    };
    let mut turns: Vec<_> = (0..5).flat_map(exchange).collect();
    turns.push(user("last"));
    let request = conversation(turns.clone());
    model.complete(request).await.unwrap();
    let body = &server.asked()[0].body;
    let is_marked = |block: &Value| block["cache_control"] == json!({ "type": "ephemeral" });
    assert!(is_marked(&body["system"][0]));
    assert!(body["tools"].as_array().unwrap().iter().all(|tool| !is_marked(tool)));
    let messages = body["messages"].as_array().unwrap();
    let marked: Vec<_> = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message["content"].as_array().unwrap().iter().any(is_marked))
        .map(|(index, _)| index)
        .collect();
    assert_eq!(marked, [8, 10]);
    // Without a system text the tools end the fixed part.
    let tools = vec![tool("a"), tool("b")];
    model.complete(asked(Ask::Conversation { system: String::new(), turns, tools })).await.unwrap();
    let body = &server.asked()[1].body;
    assert_eq!(body.get("system"), None);
    assert!(!is_marked(&body["tools"][0]) && is_marked(&body["tools"][1]));
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[tokio::test]
async fn arguments_that_cant_be_read_are_kept_as_they_came_and_never_sent_back() {
    for arguments in ["{\"path\": \"unfin", "[1]", "{\"path\": NaN}", "</invoke>", "{\"a\":1}{\"a\":2}"] {
        let call = Called::new("read_file", arguments);
        let server = MessagesApi::queue([Answer::calls("", [call]), Answer::text("sorry")]);
        let model = anthropic(&server);
        let reply = model.complete(conversation(vec![user("go")])).await.unwrap();
        assert_eq!(reply.calls[0].arguments, arguments);
        let turns = vec![user("go"), said(&reply), results(&reply.calls)];
        model.complete(conversation(turns)).await.unwrap();
        let input = &server.asked()[1].body["messages"][1]["content"][1]["input"];
        assert!(input["INVALID_JSON"].is_string(), "{input}");
        assert!(!server.asked()[1].body["messages"].to_string().contains("unfin"));
        assert!(server.refused().is_empty(), "{:?}", server.refused());
    }
}

#[tokio::test]
async fn a_call_without_parameters_has_the_input_that_it_began_with() {
    let server = MessagesApi::queue([Answer::calls("", [Called::new("list_files", "")])]);
    let reply = anthropic(&server).complete(conversation(vec![user("go")])).await.unwrap();
    assert_eq!(reply.calls[0].arguments, "{}");
    assert_eq!(reply.content.unwrap()[1]["input"], json!({}));
}

#[tokio::test]
async fn a_turn_of_which_only_words_and_calls_are_known_is_made_from_them() {
    let server = MessagesApi::queue([Answer::text("ok")]);
    let call = ToolUse { id: "x1".into(), name: "read_file".into(), arguments: "{\"path\":\"a\"}".into() };
    let turns = vec![
        user("go"),
        Turn::Model { text: "Reading.".into(), calls: vec![call.clone()], content: None },
        results(&[call]),
        Turn::Model { text: " ".into(), calls: Vec::new(), content: Some(json!([])) },
        user("and?"),
    ];
    anthropic(&server).complete(conversation(turns)).await.unwrap();
    let messages = &server.asked()[0].body["messages"];
    assert_eq!(
        messages[1]["content"],
        json!([
            { "type": "text", "text": "Reading." },
            { "type": "tool_use", "id": "x1", "name": "read_file", "input": { "path": "a" } },
        ])
    );
    assert_eq!(messages[3]["content"], json!([{ "type": "text", "text": "(no words)" }]));
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[tokio::test]
async fn every_reason_to_stop_has_its_meaning_in_a_conversation() {
    let call = json!({ "type": "tool_use", "id": "t", "name": "read_file", "input": { "path": "a" } });
    let words = json!({ "type": "text", "text": "w" });
    for (reason, content, stop) in [
        ("end_turn", vec![&words], Stop::End),
        ("stop_sequence", vec![&words], Stop::End),
        ("max_tokens", vec![&words, &call], Stop::Length),
        ("model_context_window_exceeded", vec![&words], Stop::Length),
        ("refusal", vec![&words], Stop::Refusal),
        ("tool_use", vec![&words, &call], Stop::ToolUse),
        ("end_turn", vec![&call], Stop::ToolUse),
        ("some_new_reason", vec![&words], Stop::End),
    ] {
        let content = content.into_iter().cloned().collect();
        let server = MessagesApi::queue([Answer::Blocks { content, stop_reason: reason }]);
        let reply = anthropic(&server).complete(conversation(vec![user("go")])).await.unwrap();
        assert_eq!(reply.stop, stop, "{reason}");
    }
    let empty = Answer::Blocks { content: vec![words], stop_reason: "tool_use" };
    let server = MessagesApi::queue([empty]);
    let error = anthropic(&server).complete(conversation(vec![user("go")])).await.unwrap_err();
    assert!(error.to_string().ends_with("the reply stopped for tool_use and calls none"), "{error}");
}

#[tokio::test]
async fn strict_tools_are_sent_within_the_limits_and_their_arguments_led_back() {
    let mut open = tool("note");
    open.input_schema["properties"]["data"] = json!({ "type": "object" });
    let call = Called::new("note", r#"{"path":"a","data":"{\"b\":1}"}"#);
    let server = MessagesApi::queue([Answer::calls("", [call])]);
    let strict = AnthropicConfig { strict_tools: true, ..config(&server) };
    let ask = |tools| asked(Ask::Conversation { system: "s".into(), turns: vec![user("go")], tools });
    let reply = made(strict.clone()).complete(ask(vec![open])).await.unwrap();
    assert_eq!(reply.calls[0].arguments, r#"{"path":"a","data":{"b":1}}"#);
    let sent = &server.asked()[0].body["tools"][0];
    assert_eq!(sent["strict"], true);
    assert_eq!(sent["input_schema"]["properties"]["data"]["type"], "string");
    assert_eq!(sent["input_schema"]["properties"]["depth"].get("minimum"), None);
    let many = (0..21).map(|number| tool(&format!("t{number}"))).collect();
    let error = made(strict).complete(ask(many)).await.unwrap_err();
    assert!(error.to_string().contains("`t20` is the first too many"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_conversation_that_no_provider_would_take_never_reaches_the_server() {
    let server = MessagesApi::queue([]);
    for turns in [
        vec![],
        vec![user("a"), user("b")],
        vec![user("a"), Turn::Model { text: "b".into(), calls: Vec::new(), content: None }],
        vec![user("")],
    ] {
        let error = anthropic(&server).complete(conversation(turns)).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unsupported { .. }), "{error}");
    }
    assert!(server.asked().is_empty() && server.refused().is_empty());
}
