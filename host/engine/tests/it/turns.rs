//! Calls that fail in passing, calls whose outcome nobody knows, and their deadlines.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

const READ: (&str, &str, &str) = ("r", "read_file", "{\"file_path\": \"a.py\"}");
const LIST: (&str, &str, &str) = ("l", "list_files", "{\"directory\": \".\"}");
const WRITE: (&str, &str, &str) = ("w", "write_file", "{\"file_path\": \"a.py\", \"content\": \"x\"}");

fn writing() -> Script {
    let mut script = deciding(with_writes());
    script.say(decide("write_file", json!({"file_path": "a.py", "content": "x"})));
    script
}

#[test]
fn a_call_that_fails_in_passing_is_made_again_twice_at_most() {
    let mut script = executing(without_pauses());
    let first = script.tool_call();
    let iterations = script.state().iterations;
    for attempt in 2..=3 {
        script.tool_stumbles();
        let again = script.tool_call();
        assert_eq!((again.call, again.step, again.attempt), (first.call, first.step, attempt));
    }
    script.tool_stumbles();
    assert_eq!(script.stage(), StageName::Evaluating, "the third failure counts");
    let state = script.state();
    assert_eq!(state.history.len(), 1, "one step in the record");
    assert_eq!(state.spent.tool_calls, 3, "each try is an event and counts");
    assert_eq!(state.iterations, iterations + 1, "they are one stage");
    assert_eq!(state.watch.trail.len(), 1);
}

#[test]
fn a_try_that_works_is_all_that_the_model_is_shown() {
    let mut script = executing(without_pauses());
    script.tool_stumbles();
    script.tool_gives(OutcomeStatus::Done, json!("import flask"));
    let user = script.model_call().user;
    assert!(user.contains("import flask") && !user.contains("busy"), "{user}");
}

#[test]
fn a_call_that_writes_or_sends_is_never_made_again_by_itself() {
    let mut script = writing();
    script.tool_stumbles();
    assert_eq!(script.stage(), StageName::Evaluating);
    let mut sending = deciding(with_egress());
    sending.say(decide("post", json!({"text": "t"})));
    sending.tool_stumbles();
    assert_eq!(sending.stage(), StageName::Evaluating);
}

#[test]
fn one_call_of_a_turn_stumbles_without_the_others() {
    let mut script = Script::start(in_flow(Flow::React, with_writes()));
    script.turn(&[READ, LIST]);
    let calls: Vec<CallId> = script.tool_calls().iter().map(|call| call.call).collect();
    script.tool_stumbles();
    let attempts: Vec<(CallId, u32)> =
        script.tool_calls().iter().map(|call| (call.call, call.attempt)).collect();
    assert_eq!(attempts, [(calls[0], 2), (calls[1], 1)]);
}

#[test]
fn calls_of_a_turn_that_only_read_are_all_made_again_after_a_crash() {
    let mut script = Script::start(in_flow(Flow::React, with_writes()));
    script.turn(&[READ, LIST]);
    let first = script.tool_call().call;
    script.tool_ends(first, OutcomeStatus::Done, json!("a"));
    script.send(EventKind::Resumed { rates: None });
    let calls = script.tool_calls();
    assert_eq!(calls.len(), 1, "what has ended isn't made again");
    assert_eq!((calls[0].tool.as_str(), calls[0].attempt), ("list_files", 2));
}

#[test]
fn a_write_in_a_turn_is_in_doubt_after_a_crash_and_the_rest_goes_on() {
    let turn = |answer: Option<Answer>| {
        let mut script = Script::start(in_flow(Flow::React, with_writes()));
        script.turn(&[READ, WRITE, LIST]);
        script.tool_gives(OutcomeStatus::Done, json!("a"));
        script.send(EventKind::Resumed { rates: None });
        let Subject::UnknownOutcome { call } = script.review().subject else { panic!("it is in doubt") };
        assert_eq!((call.tool.as_str(), call.attempt), ("write_file", 2));
        if let Some(answer) = answer {
            script.answer(answer);
        }
        script
    };
    let mut again = turn(Some(Answer::Approve { plan: None }));
    assert_eq!(again.tool_call().tool, "write_file");
    again.tool_gives(OutcomeStatus::Done, json!("written"));
    assert_eq!(again.tool_call().tool, "list_files");

    for (answer, status, said) in [
        (Answer::Reply { text: "it is there".to_owned() }, OutcomeStatus::Done, "it is there"),
        (Answer::Reject { reason: "nothing is there".to_owned() }, OutcomeStatus::Failed, "nothing is there"),
    ] {
        let mut taken = turn(Some(answer));
        assert_eq!(taken.tool_call().tool, "list_files", "it isn't made again");
        taken.tool_gives(OutcomeStatus::Done, json!([]));
        let messages = taken.model_call().messages;
        let Some(Message::Results { results, .. }) = messages.last() else { panic!("results come last") };
        assert_eq!(results.len(), 3);
        assert!(results[1].text.contains(said), "{}", results[1].text);
        let deed = &taken.state().history[1].deed;
        assert!(matches!(deed, Deed::Tool { status: seen, .. } if *seen == status));
    }

    let mut untouched = turn(None);
    untouched.send(EventKind::Resumed { rates: None });
    assert!(matches!(untouched.review().subject, Subject::UnknownOutcome { .. }), "it stays open");
}

#[test]
fn a_call_that_waits_behind_a_lost_one_isnt_in_doubt() {
    let mut script = Script::start(in_flow(Flow::React, with_writes()));
    script.turn(&[READ, WRITE]);
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.tool_call().tool, "read_file", "the write had not begun");
    script.tool_gives(OutcomeStatus::Done, json!("a"));
    assert_eq!(script.tool_call().attempt, 1);
}

#[test]
fn each_tool_may_have_less_time_than_the_others_but_never_more() {
    let mut settings = without_pauses();
    settings.limits.tool_call_ms = 9_000;
    settings.tools[0].timeout_ms = Some(2_000);
    settings.tools[1].timeout_ms = Some(60_000);
    let timeout = |tool: &str, input| {
        let mut script = deciding(settings.clone());
        script.say(decide(tool, input));
        script.tool_call().timeout_ms
    };
    assert_eq!(timeout("read_file", json!({"file_path": "a"})), 2_000);
    assert_eq!(timeout("list_files", json!({"directory": "."})), 9_000);
    assert_eq!(timeout("analyze_code", json!({"file_path": "a"})), 9_000);
}

#[test]
fn each_stage_may_have_its_own_time() {
    let mut settings = without_pauses();
    settings.limits.model_call_ms = 9_000;
    settings.limits.stage_ms.insert(ModelStage::Decide, 2_000);
    settings.limits.stage_ms.insert(ModelStage::Evaluate, 20_000);
    let mut script = Script::start(settings);
    assert_eq!(script.model_call().timeout_ms, 9_000);
    script.say(plan(&[task("a", "x")]));
    assert_eq!(script.model_call().timeout_ms, 2_000);
    script.say(decide("read_file", json!({"file_path": "a"})));
    script.tool_gives(OutcomeStatus::Done, json!(1));
    assert_eq!(script.model_call().timeout_ms, 20_000);
}

#[test]
fn no_call_has_more_time_than_the_run() {
    let mut settings = without_pauses();
    settings.limits.wall_clock_ms = Some(10_000);
    let mut script = Script::start(settings);
    assert_eq!(script.model_call().timeout_ms, 10_000);
    script.now += 3_000;
    script.say(plan(&[task("a", "x")]));
    assert_eq!(script.model_call().timeout_ms, 6_000);
    script.say(decide("read_file", json!({"file_path": "a"})));
    assert_eq!(script.tool_call().timeout_ms, 5_000);
}
