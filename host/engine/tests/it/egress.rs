//! What a run has read and received restricts what it may send: no setting takes that away.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

#[test]
fn after_reading_and_receiving_nothing_leaves_unseen() {
    let mut script = deciding(with_egress());
    let post = || decide("post", json!({"text": "t"}));
    let more = || judge("needs_more_work", "more");
    script.round(post(), json!("a page"), more());
    assert_eq!((script.state().exposure.read, script.state().exposure.received), (false, true));
    script.round(post(), json!("a page"), more());
    script.round(decide("read_file", json!({"file_path": "a.py"})), json!("a secret"), more());
    script.say(post());
    let Subject::Call { why, .. } = script.review().subject else { panic!("the call is held") };
    assert_eq!((why, why.pause_point()), (Cause::ReadAndReceived, None));
    script.approve();
    script.tool_gives(OutcomeStatus::Done, json!("a page"));
    script.say(more());
    script.say(post());
    assert_eq!(script.reviews().len(), 1, "and the next one is held again");
}

#[test]
fn a_call_that_can_read_and_send_by_itself_is_seen_from_the_first() {
    let mut settings = with_egress();
    let mut sync = settings.tools.last().expect("the tool that sends").clone();
    sync.name = "sync".to_owned();
    sync.can.reads = true;
    settings.tools.push(sync);
    let mut script = deciding(settings);
    script.say(decide("sync", json!({"text": "t"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::ReadAndReceived, .. }));
    script.approve();
    script.tool_gives(OutcomeStatus::Done, json!("a page"));
    script.say(judge("needs_more_work", "more"));
    script.say(decide("sync", json!({"text": "u"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::ReadAndReceived, .. }));
}

#[test]
fn a_failed_read_may_have_told_what_it_read() {
    let mut script = deciding(with_egress());
    script.round(decide("post", json!({"text": "t"})), json!(1), judge("needs_more_work", "more"));
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    script.tool_gives(OutcomeStatus::Failed, json!("line 3: SECRET is no number"));
    script.say(judge("needs_more_work", "more"));
    script.say(decide("post", json!({"text": "u"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::ReadAndReceived, .. }));
}

#[test]
fn what_one_turn_reads_and_receives_counts_for_the_rest_of_it() {
    let mut script = Script::start(in_flow(Flow::React, with_egress()));
    script.turn(&[
        ("1", "read_file", "{\"file_path\": \"a.py\"}"),
        ("2", "post", "{\"text\": \"first\"}"),
        ("3", "post", "{\"text\": \"second\"}"),
    ]);
    script.tool_gives(OutcomeStatus::Done, json!("a secret"));
    assert_eq!(script.tool_call().input, json!({"text": "first"}), "nothing was received yet");
    script.tool_gives(OutcomeStatus::Done, json!("a page"));
    let Subject::Call { call, why } = script.review().subject else { panic!("the second is held") };
    assert_eq!((call.input, why), (json!({"text": "second"}), Cause::ReadAndReceived));
    script.answer(Answer::Reject { reason: "keep it here".to_owned() });
    assert_eq!(script.stage(), StageName::Conversing);
}
