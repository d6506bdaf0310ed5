//! The detour *reflect*: one review of the whole working memory, and where it leads.

use crate::script::*;
use ringfence_engine::*;
use serde_json::{Value, json};

fn soon(flow: Flow) -> Settings {
    let mut settings = in_flow(flow, without_pauses());
    settings.limits.reflect_after = Some(3);
    settings
}

/// One action that brings nothing forward.
fn idle_round(script: &mut Script, n: usize) {
    script.round(
        decide("read_file", json!({"file_path": format!("{n}.py")})),
        json!("x"),
        judge("needs_more_work", "nothing yet"),
    );
}

/// A run that reviews itself after three actions without progress.
fn reflecting() -> Script {
    let mut script = deciding(soon(Flow::Staged));
    (0..3).for_each(|n| idle_round(&mut script, n));
    assert_eq!(script.stage(), StageName::Reflecting);
    script
}

#[test]
fn actions_without_progress_lead_to_a_review() {
    let script = reflecting();
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Reflect);
    assert!(call.user.contains("3 actions brought nothing forward"), "{}", call.user);
    assert_eq!(call.facts["why"], "3 actions brought nothing forward");
    let Stage::Reflecting { then, .. } = &script.state().stage else { panic!("it reflects") };
    assert_eq!(then.name(), StageName::Deciding, "and then it decides");
}

#[test]
fn a_completed_task_is_progress() {
    let mut script = deciding(soon(Flow::Staged));
    (0..2).for_each(|n| idle_round(&mut script, n));
    script.round(decide("list_files", json!({"directory": "."})), json!([]), judge("completed", "done"));
    assert_eq!(script.state().watch.idle, 0);
    (2..4).for_each(|n| idle_round(&mut script, n));
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn in_a_flow_without_a_judge_a_new_result_is_progress_and_a_known_one_isnt() {
    let mut script = Script::start(soon(Flow::Pipeline));
    let read = |file: &str| call_tool("read_file", json!({"file_path": file}));
    for file in ["1", "2", "3", "4"] {
        script.say(read(file));
        script.tool_gives(OutcomeStatus::Done, json!("x"));
    }
    assert_eq!(script.stage(), StageName::Observing, "news all along");
    for file in ["1", "2", "3"] {
        script.say(read(file));
        script.tool_gives(OutcomeStatus::Done, json!("x"));
    }
    assert_eq!(script.stage(), StageName::Reflecting);
}

#[test]
fn it_can_be_switched_off() {
    let mut settings = soon(Flow::Staged);
    settings.limits.reflect_after = None;
    let mut script = deciding(settings);
    (0..6).for_each(|n| idle_round(&mut script, n));
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn the_instruction_reaches_every_later_prompt_until_the_next_review() {
    let mut script = reflecting();
    script.say(reflection("read the manifest"));
    let shown = "A review of the work so far says\n<data>\nread the manifest\n</data>";
    let see = |script: &Script| {
        let call = script.model_call();
        assert!(call.user.contains(shown), "{:?}: {}", call.stage, call.user);
        assert_eq!(call.facts["instruction"], "read the manifest");
    };
    see(&script);
    script.say(decide("read_file", json!({"file_path": "setup.py"})));
    script.tool_gives(OutcomeStatus::Done, json!("x"));
    see(&script);
    script.say(judge("failed", "no"));
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    see(&script);
    let instruction = script.state().instruction.clone().expect("an instruction");
    assert_eq!(instruction.assessment, "it goes round in circles");
    assert_eq!(instruction.why, "3 actions brought nothing forward");

    script.say(plan(&[]));
    (3..5).for_each(|n| idle_round(&mut script, n));
    assert_eq!(script.stage(), StageName::Reflecting, "it can come again");
    assert!(script.model_call().user.contains("What the last review told the agent"));
    script.say(reflection("end with what there is"));
    let user = script.model_call().user;
    assert!(user.contains("end with what there is") && !user.contains("read the manifest"));
}

#[test]
fn in_a_conversation_the_instruction_is_said_once_with_the_results() {
    let mut script = Script::start(soon(Flow::React));
    for n in 0..4 {
        script.turn(&[(&n.to_string(), "read_file", "{\"file_path\": \"a.py\"}")]);
        script.tool_gives(OutcomeStatus::Done, json!("x"));
    }
    assert_eq!(script.stage(), StageName::Reflecting);
    script.say(reflection("read another file"));
    let messages = script.model_call().messages;
    let said = "A review of the work so far says: read another file";
    assert!(matches!(messages.last(), Some(Message::Results { text: Some(text), .. }) if text == said));
    let all = serde_json::to_string(&messages).expect("messages serialize");
    assert_eq!(all.matches(said).count(), 1);
}

#[test]
fn equal_calls_in_one_turn_are_reviewed_and_their_results_still_arrive() {
    let mut settings = soon(Flow::React);
    settings.limits.stagnation = 3;
    let mut script = Script::start(settings);
    let same = "{\"file_path\": \"a.py\"}";
    script.turn(&[("1", "read_file", same), ("2", "read_file", same), ("3", "read_file", same)]);
    assert_eq!(script.stage(), StageName::Reflecting);
    assert!(script.model_call().user.contains("the same call 3 times in one turn"));
    script.say(reflection("read it once"));
    for _ in 0..3 {
        script.tool_gives(OutcomeStatus::Done, json!("x"));
    }
    let messages = script.model_call().messages;
    let Some(Message::Results { results, text }) = messages.last() else { panic!("results come last") };
    assert_eq!(results.len(), 3, "no result is lost");
    assert_eq!(text.as_deref(), Some("A review of the work so far says: read it once"));
}

#[test]
fn an_instruction_is_bounded_and_cant_leave_its_tags() {
    let mut script = reflecting();
    script.say(reflection(&format!("</data> {}", "x".repeat(10_000))));
    let instruction = script.state().instruction.clone().expect("an instruction").text;
    assert!(instruction.chars().count() <= 2_001);
    let user = script.model_call().user;
    assert_eq!(user.matches("<data>").count(), user.matches("</data>").count(), "{user}");
}

#[test]
fn an_unusable_review_goes_on_without_one() {
    for bad in [json!("no"), json!({"assessment": "a", "instruction": " "}), json!({"assessment": "a"})] {
        let mut script = reflecting();
        let spent = script.state().iterations;
        script.say(bad.clone());
        assert_eq!(script.stage(), StageName::Reflecting, "it is asked again once");
        script.say(bad);
        assert_eq!(script.stage(), StageName::Deciding);
        assert_eq!(script.state().instruction, None);
        assert_eq!(script.state().iterations, spent + 1, "it was a stage carried out");
        assert!(notes(&script).contains(&"no usable review; the work goes on without one"));
    }
}

#[test]
fn a_review_that_the_model_refuses_goes_on_without_one() {
    let mut script = reflecting();
    script.say_and_stop("", StopReason::Refusal);
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn a_review_can_be_interrupted_and_out_of_reach() {
    let mut script = reflecting();
    script.send(EventKind::Interrupted);
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.stage(), StageName::Reflecting);
    script.model_fails();
    assert!(matches!(script.review().subject, Subject::StageFailed { unreachable: true, .. }));
    script.send(EventKind::Resumed { rates: None });
    script.say(reflection("read the manifest"));
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn a_limit_that_is_reached_with_the_review_ends_the_run() {
    let mut settings = soon(Flow::Staged);
    settings.limits.iterations = 11;
    let mut script = deciding(settings);
    (0..3).for_each(|n| idle_round(&mut script, n));
    script.say(reflection("read the manifest"));
    assert!(matches!(script.ending(), Ending::Limit { .. }), "{:?}", script.state().iterations);
    let _: Value = serde_json::to_value(script.state()).expect("the state serializes");
}
