//! The react flow: one growing conversation whose past never changes.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn react() -> Settings {
    in_flow(Flow::React, without_pauses())
}

fn writing() -> Settings {
    in_flow(Flow::React, with_writes())
}

const READ_A: (&str, &str, &str) = ("r1", "read_file", "{\"file_path\": \"a.py\"}");
const READ_B: (&str, &str, &str) = ("r2", "read_file", "{\"file_path\": \"b.py\"}");
const WRITE: (&str, &str, &str) = ("w1", "write_file", "{\"file_path\": \"a.py\", \"content\": \"x\"}");
const ASK: (&str, &str, &str) = ("h1", "human_help", "{\"question\": \"which folder?\"}");

/// The results of the last turn: id, text, whether it went wrong.
fn results(script: &Script) -> Vec<(String, String, bool)> {
    let messages = script.state().conversation.clone().expect("a conversation").messages;
    let last = messages.iter().rev().find_map(|message| match message {
        Message::Results { results, .. } => Some(results.clone()),
        Message::User { .. } | Message::Model { .. } => None,
    });
    let results = last.expect("there are results");
    results.into_iter().map(|answer| (answer.id, answer.text, answer.is_error)).collect()
}

/// Words beside the last results.
fn beside(script: &Script) -> String {
    match script.model_call().messages.last() {
        Some(Message::Results { text, .. }) => text.clone().unwrap_or_default(),
        other => panic!("results come last, not {other:?}"),
    }
}

#[test]
fn it_talks_calls_tools_and_answers() {
    let mut script = Script::start(react());
    let first = script.model_call();
    assert_eq!(first.stage, ModelStage::Converse);
    assert!(matches!(first.messages.as_slice(), [Message::User { text }] if text.starts_with(GOAL)));
    script.turn(&[READ_A]);
    script.tool_gives(OutcomeStatus::Done, json!("import flask"));
    assert_eq!(results(&script), [("r1".to_owned(), "import flask".to_owned(), false)]);
    script.say_text("It uses Flask.");
    assert_eq!(script.ending(), Ending::Achieved);
    let state = script.state();
    assert_eq!(state.answer.as_deref(), Some("It uses Flask."));
    assert_eq!(state.iterations, 2, "a turn and what its tools bring are one step");
    assert_eq!(state.history[0].reasoning, "I look.");
}

/// What was said before stands unchanged at the beginning of what is said now; the last message
/// may have got words behind it, if nothing was answered in between.
fn extends(before: &[Message], now: &[Message]) -> bool {
    let Some((last, rest)) = before.split_last() else { return true };
    let Some(same) = now.get(rest.len()) else { return false };
    let begins = |text: &Option<String>, longer: &Option<String>| {
        longer.as_deref().unwrap_or_default().starts_with(text.as_deref().unwrap_or_default())
    };
    now.starts_with(rest)
        && match (last, same) {
            (Message::User { text }, Message::User { text: longer }) => longer.starts_with(text),
            (Message::Results { results, text }, Message::Results { results: equal, text: longer }) => {
                results == equal && begins(text, longer)
            }
            _ => last == same,
        }
}

#[test]
fn every_list_of_messages_extends_the_one_before() {
    let mut script = Script::start(react());
    let mut before = script.model_call();
    let mut words_behind = 0;
    let mut follow = |script: &Script| {
        let now = script.model_call();
        assert_eq!(now.system, before.system);
        assert!(extends(&before.messages, &now.messages), "{:#?}\n{:#?}", before.messages, now.messages);
        words_behind += usize::from(!now.messages.starts_with(&before.messages));
        before = now;
    };
    for n in 0..3 {
        let input = format!("{{\"file_path\": \"{n}.py\"}}");
        script.turn(&[("x", "read_file", &input), ("y", "nothing", "{}")]);
        script.tool_gives(OutcomeStatus::Done, json!(n));
        follow(&script);
    }
    script.turn(&[ASK]);
    script.answer(Answer::Reply { text: "src".to_owned() });
    follow(&script);
    script.say_text(" ");
    follow(&script);
    script.send(EventKind::Interrupted);
    script.answer(Answer::Reply { text: "be quick".to_owned() });
    follow(&script);
    script.turn(&[("z", "nothing", "{}")]);
    follow(&script);
    assert_eq!(words_behind, 2, "after the empty reply and after the interruption, and nowhere else");
}

#[test]
fn several_calls_of_one_turn_are_answered_in_their_order() {
    let mut script = Script::start(react());
    script.turn(&[READ_A, READ_B]);
    let calls: Vec<CallId> = script.tool_calls().iter().map(|call| call.call).collect();
    assert_eq!(calls.len(), 2, "what only reads goes together");
    script.tool_ends(calls[1], OutcomeStatus::Done, json!("second"));
    assert_eq!(script.stage(), StageName::Executing, "the turn isn't over");
    script.tool_ends(calls[0], OutcomeStatus::Failed, json!(null));
    assert_eq!(
        results(&script),
        [("r1".to_owned(), "it was failed".to_owned(), true), ("r2".to_owned(), "second".to_owned(), false)]
    );
    let steps: Vec<u64> = script.state().history.iter().map(|action| action.step.0).collect();
    assert_eq!(steps, [1, 2], "the record keeps the turn's order, whatever ended first");
}

#[test]
fn what_writes_is_alone_and_in_its_place() {
    let mut script = Script::start(writing());
    script.turn(&[READ_A, WRITE, READ_B]);
    let due = |script: &Script| script.tool_calls().into_iter().map(|call| call.tool).collect::<Vec<_>>();
    assert_eq!(due(&script), ["read_file"], "the second read comes after the write");
    script.tool_gives(OutcomeStatus::Done, json!("old"));
    assert_eq!(due(&script), ["write_file"]);
    script.tool_gives(OutcomeStatus::Done, json!("written"));
    assert_eq!(due(&script), ["read_file"]);
    script.tool_gives(OutcomeStatus::Done, json!("new"));
    let texts: Vec<String> = results(&script).into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(texts, ["old", "written", "new"]);
}

#[test]
fn requests_that_cant_become_calls_are_answered_as_errors() {
    let mut script = Script::start(react());
    script.turn(&[
        ("1", "run_shell", "{}"),
        ("2", "read_file", "{\"file_path\": "),
        ("3", "read_file", ""),
        ("4", "read_file", "{\"path\": \"a.py\"}"),
        READ_A,
    ]);
    let calls = script.tool_calls();
    assert_eq!(calls.len(), 1, "an empty object never takes the place of what can't be read");
    assert_eq!(calls[0].input, json!({"file_path": "a.py"}));
    script.tool_gives(OutcomeStatus::Done, json!("text"));
    let results = results(&script);
    let ids: Vec<&str> = results.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "r1"], "each request has its result, in order");
    let wrong: Vec<bool> = results.iter().map(|(.., wrong)| *wrong).collect();
    assert_eq!(wrong, [true, true, true, true, false]);
    assert!(results[0].1.contains("Known actions: read_file, list_files"), "{}", results[0].1);
    assert!(
        results[1].1.contains("can't be read, so the call was not made: $.file_path"),
        "{}",
        results[1].1
    );
    assert!(results[2].1.contains("the reply is empty"), "{}", results[2].1);
    assert!(results[3].1.contains("$."), "{}", results[3].1);
    assert_eq!(notes(&script).len(), 4, "each is noted: {:?}", notes(&script));
}

#[test]
fn a_turn_without_one_usable_request_goes_on_without_a_call() {
    let mut script = Script::start(react());
    script.turn(&[("1", "run_shell", "{}")]);
    assert_eq!(script.stage(), StageName::Conversing);
    assert_eq!(results(&script).len(), 1);
    assert_eq!(script.state().history, []);
    assert_eq!(script.state().iterations, 1);
}

#[test]
fn more_tools_than_a_turn_may_ask_for_are_told_so() {
    let mut script = Script::start(react());
    let inputs: Vec<(String, String)> =
        (0..18).map(|n| (n.to_string(), format!("{{\"file_path\": \"{n}.py\"}}"))).collect();
    let calls: Vec<_> = inputs.iter().map(|(id, input)| (id.as_str(), "read_file", input.as_str())).collect();
    script.turn(&calls);
    assert_eq!(script.tool_calls().len(), 16);
    while script.stage() == StageName::Executing {
        script.tool_gives(OutcomeStatus::Done, json!(1));
    }
    assert_eq!(results(&script).len(), 18);
    assert!(results(&script)[17].1.contains("at most 16 tools in one turn"));
}

#[test]
fn two_requests_of_one_name_are_asked_for_again() {
    let mut script = Script::start(react());
    script.turn(&[READ_A, READ_A]);
    assert_eq!(script.stage(), StageName::Conversing);
    let last = script.model_call().messages;
    assert!(
        matches!(last.as_slice(), [Message::User { text }] if text.contains("two tool requests have one id"))
    );
}

#[test]
fn a_person_is_asked_alone() {
    let mut script = Script::start(react());
    script.turn(&[ASK]);
    assert!(
        matches!(script.review().subject, Subject::Question { question, .. } if question == "which folder?")
    );
    script.answer(Answer::Reply { text: "src".to_owned() });
    assert_eq!(results(&script), [("h1".to_owned(), "A person answered: src".to_owned(), false)]);

    script.turn(&[ASK, READ_A]);
    assert_eq!(script.reviews(), [], "with others it isn't asked");
    script.tool_gives(OutcomeStatus::Done, json!("text"));
    assert!(results(&script)[0].1.contains("has to be asked alone"));

    script.turn(&[("h2", "human_help", "{}")]);
    assert!(results(&script)[0].1.contains("The person was not asked: $.question: is missing"));
}

#[test]
fn a_turn_that_was_cut_off_is_never_executed() {
    let mut script = Script::start(react());
    let before = script.model_call();
    let call = before.call;
    let cut = ModelReply { stop: StopReason::Length, ..tools("I", &[READ_A]) };
    script.send(EventKind::ModelReplied { call, reply: cut });
    let again = script.model_call();
    assert_eq!(again.max_tokens, before.max_tokens * 2);
    assert_eq!(again.messages.len(), 1, "the cut turn isn't part of the conversation");
    assert!(matches!(&again.messages[0], Message::User { text } if text.contains("cut off at 16000")));
    assert_eq!(script.state().history, []);
}

#[test]
fn an_end_that_a_person_rejects_goes_on_with_their_words() {
    let mut script = Script::start(pausing(react(), &[PausePoint::BeforeFinish]));
    script.say_text("It uses Django.");
    let Subject::Finish { answer, .. } = script.review().subject else {
        panic!("the answer waits");
    };
    assert_eq!(answer.as_deref(), Some("It uses Django."));
    script.answer(Answer::Reject { reason: "look at a.py".to_owned() });
    let call = script.model_call();
    assert!(matches!(call.messages.last(), Some(Message::User { text }) if text.contains("look at a.py")));
    script.turn(&[READ_A]);
    script.tool_gives(OutcomeStatus::Done, json!("import flask"));
    script.say_text("It uses Flask.");
    script.answer(Answer::EditAnswer { text: "Flask.".to_owned() });
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(script.state().answer.as_deref(), Some("Flask."));
}

#[test]
fn a_rejected_call_is_its_requests_result() {
    let mut script = Script::start(pausing(writing(), &[PausePoint::BeforeWrite]));
    script.turn(&[READ_A, WRITE]);
    let Subject::Call { call, why } = script.review().subject else {
        panic!("the write waits");
    };
    assert_eq!((call.tool.as_str(), why), ("write_file", Cause::BeforeWrite));
    script.answer(Answer::Reject { reason: "leave it".to_owned() });
    script.tool_gives(OutcomeStatus::Done, json!("text"));
    let told = results(&script);
    assert_eq!(told[1], ("w1".to_owned(), "the person said: leave it".to_owned(), true));
    assert!(matches!(script.state().history[1].deed, Deed::Rejected { .. }));
}

#[test]
fn words_to_a_run_that_is_interrupted_in_a_turn_go_with_the_results() {
    let mut script = Script::start(react());
    script.turn(&[READ_A, READ_B]);
    script.send(EventKind::Interrupted);
    script.answer(Answer::Reply { text: "be quick".to_owned() });
    assert_eq!(script.tool_calls().len(), 2, "the turn goes on");
    script.tool_gives(OutcomeStatus::Done, json!("a"));
    script.tool_gives(OutcomeStatus::Done, json!("b"));
    let texts: Vec<String> = results(&script).into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(texts, ["a", "b"], "no result is lost");
    assert_eq!(beside(&script), "be quick");
}

#[test]
fn what_a_person_adds_to_a_call_goes_with_the_results() {
    let mut script = Script::start(pausing(react(), &[PausePoint::BeforeTool]));
    script.turn(&[READ_A]);
    script.answer(Answer::AddTasks { tasks: vec![planned("more")] });
    script.tool_gives(OutcomeStatus::Done, json!("a"));
    assert_eq!(results(&script)[0].1, "a");
    assert_eq!(beside(&script), "do more");
}

#[test]
fn a_call_written_as_text_is_no_answer() {
    for text in [
        "<invoke name=\"read_file\"><parameter name=\"file_path\">a.py</parameter></invoke>",
        "I'll look.\n<function_calls>\n<invoke name=\"read_file\"></invoke>\n</function_calls>",
    ] {
        let mut script = Script::start(react());
        script.say_text(text);
        assert_eq!(script.stage(), StageName::Conversing, "{text}");
        assert_eq!(script.state().answer, None);
        assert!(notes(&script)[0].contains("XML markup of a tool call"));
    }
    let mut script = Script::start(react());
    script.say_text("The template writes `<invoke>` tags around each call, in prompts.py.");
    assert_eq!(script.ending(), Ending::Achieved, "an answer may speak of such tags");
}

#[test]
fn a_turn_without_bounds_is_not_taken() {
    let mut script = Script::start(react());
    let long = format!("{{\"file_path\": \"{}\"}}", "a".repeat(2 << 20));
    script.turn(&[("1", "read_file", &long)]);
    assert_eq!(script.stage(), StageName::Conversing);
    assert_eq!(script.model_call().messages.len(), 1, "it isn't kept");
    assert!(notes(&script)[0].contains("at most 1048576 are read"));
}

#[test]
fn what_a_provider_sent_is_sent_back_unchanged() {
    let mut script = Script::start(react());
    let content = json!([{"type": "thinking", "signature": "abc"}, {"type": "tool_use", "id": "r1"}]);
    let call = script.model_call().call;
    let reply = ModelReply { content: Some(content.clone()), ..tools("", &[READ_A]) };
    script.send(EventKind::ModelReplied { call, reply });
    script.tool_gives(OutcomeStatus::Done, json!(1));
    let messages = script.model_call().messages;
    assert!(matches!(&messages[1], Message::Model { content: Some(sent), .. } if *sent == content));
}
