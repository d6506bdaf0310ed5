//! Replies of the Messages API that come as streams.

use crate::loopback::{anthropic, config, made, one_stage, whole};
use ringfence_models::{Model, ModelError, Reply, Stop, Transport};
use ringfence_tests::messages_api::{Answer, Delivery, MessagesApi};
use serde_json::{Value, json};

/// Characters of one to four bytes, and everything that JSON escapes.
const TEXT: &str = "{\"reasoning\":\"aé日🦀\\n\\u0000\\\"\",\"action\":\"human_help\",\"action_input\":\"{}\",\"confidence\":\"low\"}";

const DELIVERIES: [Delivery; 5] = [
    Delivery::Whole,
    Delivery::Bytes,
    Delivery::InCharacters,
    Delivery::CarriageReturns,
    Delivery::ManyLines,
];

async fn streamed(answer: Answer) -> Result<Reply, ModelError> {
    let server = MessagesApi::queue([answer]);
    let reply = anthropic(&server).complete(one_stage()).await;
    assert_eq!(server.asked().len(), 1, "asked once");
    assert_eq!(server.asked()[0].body["stream"], true);
    assert!(server.refused().is_empty(), "{:?}", server.refused());
    reply
}

/// A stream of these events.
fn events(events: &[Value]) -> Answer {
    let written = events.iter().map(|event| format!("data: {event}\n\n"));
    Answer::Events(written.collect::<String>().into_bytes())
}

fn begun() -> [Value; 2] {
    [
        json!({ "type": "message_start", "message": {
            "model": "m", "content": [], "usage": { "input_tokens": 7, "output_tokens": 1 },
        }}),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ]
}

fn ended(stop_reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason }, "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn text_delta(index: u64, text: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": text } })
}

#[tokio::test]
async fn a_reply_is_the_same_however_its_bytes_travel() {
    let unstreamed = MessagesApi::queue(DELIVERIES.map(|delivery| Answer::text(TEXT).sent(delivery)));
    let model = whole(&unstreamed);
    let expected = streamed(Answer::text(TEXT)).await.unwrap();
    assert!(expected.text.starts_with(r#"{"reasoning":"aé日🦀\n\u0000\""#), "{}", expected.text);
    assert!(expected.text.contains(r#""action_input":{}"#), "{}", expected.text);
    for delivery in DELIVERIES {
        assert_eq!(streamed(Answer::text(TEXT).sent(delivery)).await.unwrap(), expected, "{delivery:?}");
        let reply = model.complete(one_stage()).await.unwrap();
        assert_eq!(reply.text, expected.text, "{delivery:?} without a stream");
        assert_eq!(reply.usage.output_tokens, expected.usage.output_tokens);
    }
    assert!(unstreamed.asked().iter().all(|asked| asked.body.get("stream").is_none()));
}

#[tokio::test]
async fn usage_is_cumulative_and_the_cost_follows_from_it() {
    let server = MessagesApi::queue([Answer::text("{}"), Answer::text("{}")]);
    let model = anthropic(&server);
    let price = model.price("decide", None).unwrap();
    let first = model.complete(one_stage()).await.unwrap();
    let second = model.complete(one_stage()).await.unwrap();
    assert_eq!(first.usage.output_tokens, 21, "the last count, not the sum of all");
    assert_eq!((first.usage.cache_write_tokens, first.usage.cached_tokens), (3, 0));
    assert_eq!((second.usage.cache_write_tokens, second.usage.cached_tokens), (0, 3));
    assert_eq!(first.usage.input_tokens, second.usage.input_tokens);
    for reply in [first, second] {
        assert_eq!(reply.cost, Some(price.of(&reply.usage)));
        assert_eq!(reply.content, None, "a stage's reply is never sent back");
    }
}

#[tokio::test]
async fn truncation_and_refusal_are_told_by_the_reason_to_stop() {
    let cut = streamed(Answer::truncated("{\"reasoning\": \"unfin")).await.unwrap();
    assert_eq!((cut.stop, cut.text.as_str()), (Stop::Length, "{\"reasoning\": \"unfin"));
    let thoughts_only = streamed(Answer::truncated("")).await.unwrap();
    assert_eq!((thoughts_only.stop, thoughts_only.text.as_str()), (Stop::Length, ""));
    let refused = streamed(Answer::refusal("")).await.unwrap();
    assert_eq!((refused.stop, refused.text.as_str()), (Stop::Refusal, "declined by policy"));
    let window = Answer::Text { text: "{".to_owned(), stop_reason: "model_context_window_exceeded" };
    assert_eq!(streamed(window).await.unwrap().stop, Stop::Length);
}

#[tokio::test]
async fn whatever_text_a_model_writes_reaches_the_caller_as_it_is() {
    let spaces = "{".to_owned() + &" ".repeat(5_000);
    for text in [
        "```json\n{\"a\": 1}\n```",
        "```bash\nls\n```\n{\"a\": \"`b`\"}",
        "Sure!\n{\"a\": 1} Done. }",
        "{\"a\": 1}\n{\"a\": 2}",
        "{\"a\": 1}{\"a\": 1, \"b\": 2}",
        "{'a': None, \"b\": True,}",
        "{\"a\": \"raw\n\tline\"}",
        "{\"a\": \"\\* and \"inner\" quote\"}",
        "{\"a\": \"untermin",
        spaces.as_str(),
        "{\"a\":\"[\\\"b\\\"]\",\"c\":\"200000\"}",
        "[null]",
        "{\"action\":\"read_filelist_files\",\"parameters\":{}}",
        "<invoke name=\"read_file\">x</invoke>",
        "{\"confidence\":\"HIGH\"}",
        "\u{feff}{\"a\": NaN, \"a\": 2 /* c */, \"d\": \"\\ud800\\u0000\"}",
    ] {
        assert_eq!(streamed(Answer::text(text)).await.unwrap().text, text);
    }
}

#[tokio::test]
async fn events_and_blocks_and_changes_that_nobody_knows_are_passed_over() {
    let [start, text] = begun();
    let [delta, stop] = ended("end_turn");
    let future = json!({ "type": "from_the_future", "text": "not this" });
    let told = [
        json!({ "type": "ping" }),
        start,
        json!({ "type": "from_the_future", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": future }),
        text,
        text_delta(0, "{\"a\":"),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "new_delta", "text": "no" } }),
        json!({ "type": "ping" }),
        text_delta(0, "1}"),
        json!({ "type": "content_block_stop", "index": 0 }),
        delta,
        stop,
        json!({ "type": "error", "error": { "type": "api_error", "message": "after the end" } }),
    ];
    let reply = streamed(events(&told)).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("{\"a\":1}", Stop::End));
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (7, 5));
}

#[tokio::test]
async fn a_stream_that_breaks_the_apis_promises_is_unreadable_and_not_asked_for_again() {
    let [start, text] = begun();
    let [_, stop] = ended("end_turn");
    for (answer, words) in [
        (Answer::Events(b"event: message_start\ndata: {\"type\":\n\n".to_vec()), "the event message_start"),
        (events(&[start.clone(), text_delta(0, "x")]), "block 0, which never started"),
        (events(&[start, text, stop]), "no stop_reason"),
        (events(&[json!({ "no": "type" })]), "type"),
    ] {
        let error = streamed(answer).await.unwrap_err();
        assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn an_error_that_a_gateway_tells_without_its_type_is_one() {
    let error = br#"data: {"error":{"message":"no room","type":"overloaded_error"}}"#;
    let server = MessagesApi::queue([Answer::Events([&error[..], b"\n\n"].concat()), Answer::text("{}")]);
    assert_eq!(anthropic(&server).complete(one_stage()).await.unwrap().text, "{}");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_server_that_answers_whole_although_asked_to_stream_is_understood() {
    let body = json!({
        "model": "m", "content": [{ "type": "text", "text": "{}" }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let reply = streamed(Answer::Body(body.to_string().into_bytes())).await.unwrap();
    assert_eq!(reply.text, "{}");
}

#[tokio::test]
async fn a_stream_beyond_all_bounds_is_not_read_to_its_end() {
    let server = MessagesApi::queue([Answer::PingForever]);
    let mut config = config(&server);
    config.transport = Transport { max_body: 4_000, ..config.transport };
    let error = made(config).complete(one_stage()).await.unwrap_err();
    assert!(error.to_string().ends_with("answered something unreadable: more than 4000 bytes"), "{error}");
    assert_eq!(server.asked().len(), 1);
}
