//! The same shapes as arguments of tools, in the react flow.

use super::{MARK, journaled, notes_on, of_kind, run_of, sample, shown};
use crate::configure;
use ringfence_tests::messages_api::{Answer, Asked, Called, MessagesApi, Stage};
use serde_json::{Value, json};

/// What has to become of a call.
enum Becomes {
    /// It is made; with this repair in the notes, or none.
    Made(Option<&'static str>),
    /// It isn't made, and its result says so in these words.
    Answered(&'static str),
}

use Becomes::{Answered, Made};

/// A tool's name and arguments as they are written in place of a good call's.
type Shape = fn(Value) -> (&'static str, String, Becomes);

const UNREADABLE: &str = "The input can't be read, so the call was not made";

const SHAPES: &[Shape] = &[
    |good| ("list_files", format!("```json\n{good}\n```"), Made(None)),
    |good| ("list_files", format!("zebra: {good}"), Made(Some("text around the object was left out"))),
    |good| ("list_files", format!("{good}{good}"), Made(Some("the object was sent more than once"))),
    |good| ("list_files", good.to_string().replace('}', ",}"), Made(Some("a trailing comma"))),
    |good| ("list_files", good.to_string().replace('"', "'"), Made(Some("single quotes"))),
    |mut good| {
        good["max_entries"] = json!(good["max_entries"].to_string());
        ("list_files", good.to_string(), Made(Some("another type than the schema's")))
    },
    |good| ("LIST_FILES", good.to_string(), Made(None)),
    |_| ("list_files", r#"{"directory": "zebra"} {"directory": "."}"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"directory": "zebr"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", "{   \n\n\n".to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", "zebra".to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"[{"directory": "zebra"}]"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"directory": "zebra</invoke>"}"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"directory": "zebra", "directory": "."}"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"directory": "zebra\u0000"}"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"max_entries": NaN}"#.to_owned(), Answered(UNREADABLE)),
    |_| ("list_files", r#"{"path": "."}"#.to_owned(), Answered("The input doesn't fit list_files: $.path")),
    |_| ("read_file", "{}".to_owned(), Answered("The input doesn't fit read_file: $.file_path: is missing")),
    |_| ("zebra_tool", "{}".to_owned(), Answered("There is no tool of the chosen name.")),
    |_| {
        let said = "There is no tool of the chosen name. It looks like several names in one";
        ("list_filesread_file", "{}".to_owned(), Answered(said))
    },
];

#[test]
fn arguments_of_tools_are_read_or_answered_and_never_replaced() {
    let inputs = (0..SHAPES.len()).map(|index| json!({ "directory": ".", "max_entries": 10 + index }));
    let calls: Vec<_> = SHAPES.iter().zip(inputs.clone()).map(|(shape, good)| shape(good)).collect();
    let turn = |(name, arguments, _): &(&str, String, Becomes)| {
        Answer::calls("I look.", [Called::new(*name, arguments.as_str())])
    };
    let server = MessagesApi::queue(calls.iter().map(turn).chain([Answer::text("All seen.")]));
    let product = sample();
    // Errors in a row would be noticed as standing still; here they are meant.
    configure(&product, "config.toml", "limits = { stagnation = 1000, reflect_after = 1000 }");
    let ended = product.run(&run_of(&["--flow", "react", "--max-iterations", "100"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new());
    assert_eq!(server.asked().len(), calls.len() + 1, "each turn is taken as it is");

    let (events, shown, asked) = (journaled(&product), shown(&product), server.asked());
    let replies = of_kind(&events, "model_replied");
    for (number, ((name, arguments, becomes), event)) in calls.iter().zip(replies).enumerate() {
        assert_eq!(event["reply"]["calls"][0]["arguments"], **arguments);
        let notes = notes_on(&shown, &event["call"]);
        let noted = |words: &str| notes.iter().any(|note| note.contains(words));
        let (said, is_error) = last_result(&asked[number + 1]);
        match becomes {
            Made(None) => assert!(notes.is_empty() && !is_error, "{name} {arguments}: {said} {notes:?}"),
            Made(Some(repair)) => {
                assert!(noted("repaired: ") && noted(repair) && !is_error, "{arguments}: {said} {notes:?}");
            }
            Answered(words) => {
                assert!(noted(words) && is_error && said.contains(words), "{arguments}: {said} {notes:?}");
            }
        }
    }
    let made: Vec<Value> = calls
        .iter()
        .zip(inputs)
        .filter_map(|((_, _, becomes), input)| matches!(becomes, Made(_)).then_some(input))
        .collect();
    let history = shown["state"]["history"].as_array().expect("a history");
    let history: Vec<Value> = history.iter().map(|action| action["deed"]["input"].clone()).collect();
    assert_eq!(history, made);
}

/// The last message's only result: what it says, and whether it is an error.
fn last_result(asked: &Asked) -> (String, bool) {
    let messages = asked.body["messages"].as_array().expect("messages");
    let content = &messages.last().expect("a message")["content"];
    assert_eq!(content.as_array().map(Vec::len), Some(1), "{content}");
    let said = content[0]["content"][0]["text"].as_str().unwrap_or_default();
    (said.to_owned(), content[0]["is_error"] == true)
}

#[test]
fn arguments_that_can_t_be_read_are_not_sent_back() {
    let server = MessagesApi::queue([
        Answer::calls("I look.", [Called::new("list_files", r#"{"directory": "zebr"#)]),
        Answer::text("Nothing to see."),
    ]);
    let product = sample();
    let ended = product.run(&run_of(&["--flow", "react"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let sent = server.asked().pop().expect("a request").body["messages"].to_string();
    assert!(!sent.contains("zebr") && sent.contains("INVALID_JSON"), "{sent}");
}

#[test]
fn a_turn_that_was_cut_off_is_asked_for_once_more_and_never_carried_out() {
    let call =
        json!({ "type": "tool_use", "id": "toolu_1", "name": "list_files", "input": { "directory": MARK } });
    let server = MessagesApi::queue([
        Answer::Blocks { content: vec![call], stop_reason: "max_tokens" },
        Answer::text("Nothing to see."),
    ]);
    let product = sample();
    let ended = product.run(&run_of(&["--flow", "react"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let asked = server.asked_for(Stage::Converse);
    let caps: Vec<_> = asked.iter().map(|asked| asked.body["max_tokens"].as_u64()).collect();
    assert_eq!(caps, [Some(16_000), Some(32_000)]);
    let words = "Your last answer could not be used: the reply was cut off at 16000 output tokens";
    assert!(asked[1].user.contains(words), "{}", asked[1].user);
    assert!(!asked[1].body.to_string().contains(MARK));
    assert_eq!(shown(&product)["state"]["history"], json!([]));
}
