//! The detour *recover*: a stage that failed is asked afresh once, knowing what went wrong.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn failing(settings: Settings) -> Settings {
    Settings { on_stage_failure: OnStageFailure::Fail, ..settings }
}

#[test]
fn a_failed_stage_is_asked_once_more_with_what_went_wrong() {
    for mut script in [Script::start(settings()), deciding(settings())] {
        let first = script.model_call();
        script.say_text("no");
        script.say_text("[]");
        let recovered = script.model_call();
        assert_eq!(recovered.stage, first.stage);
        assert_eq!(recovered.system, first.system, "what is cached stays as it is");
        let said = "An earlier try of this stage failed: two replies were unusable; the last: \
                    $: expected one JSON object, found an array";
        assert!(recovered.user.contains(said), "{}", recovered.user);
        assert!(!recovered.user.contains("Your last answer could not be used"), "it is asked afresh");
        script.say_text("no");
        let again = script.model_call();
        assert!(again.user.contains(said), "the re-ask still says it");
        assert!(again.user.contains("Your last answer could not be used"));
    }
}

#[test]
fn what_recovers_goes_on_as_if_nothing_had_been() {
    let mut script = Script::start(without_pauses());
    script.say_text("no");
    script.say_text("no");
    script.say(plan(&[task("a", "look")]));
    assert_eq!(script.stage(), StageName::Deciding);
    assert!(!script.model_call().user.contains("An earlier try"));
    assert_eq!(script.state().iterations, 1);
}

#[test]
fn a_stage_that_fails_again_is_left_to_a_person() {
    let mut script = deciding(settings());
    script.nothing_usable();
    let Subject::StageFailed { stage, why, unreachable } = script.review().subject else {
        panic!("a person is asked");
    };
    assert_eq!((stage, unreachable), (ModelStage::Decide, false));
    assert!(why.contains("two replies were unusable"), "{why}");
    script.answer(Answer::Reply { text: "use JSON".to_owned() });
    let user = script.model_call().user;
    assert!(user.contains("use JSON") && !user.contains("An earlier try"), "it begins afresh: {user}");
}

#[test]
fn a_stage_that_fails_again_ends_the_run_where_that_was_asked_for() {
    for (mut script, name) in
        [(Script::start(failing(settings())), "plan"), (deciding(failing(without_pauses())), "decide")]
    {
        script.nothing_usable();
        let Ending::Failed { why } = script.ending() else { panic!("the run has failed") };
        assert!(why.starts_with(&format!("the stage `{name}` failed twice: ")), "{why}");
    }
}

#[test]
fn a_model_out_of_reach_is_waited_for_whatever_was_asked_for() {
    let mut script = Script::start(failing(settings()));
    script.model_fails();
    assert!(matches!(script.review().subject, Subject::StageFailed { unreachable: true, .. }));
}

#[test]
fn a_conversation_recovers_too() {
    let mut script = Script::start(in_flow(Flow::React, without_pauses()));
    for _ in 0..4 {
        script.say_text(" ");
    }
    assert!(matches!(script.review().subject, Subject::StageFailed { stage: ModelStage::Converse, .. }));
    script.approve();
    let messages = script.model_call().messages;
    let [Message::User { text }] = messages.as_slice() else { panic!("nothing was answered") };
    assert_eq!(text.matches("Your last answer could not be used: the reply is empty").count(), 4);
    script.say_text("The answer.");
    assert_eq!(script.ending(), Ending::Achieved);
}

#[test]
fn a_refusal_recovers_in_a_pipeline() {
    let mut script = Script::start(in_flow(Flow::Pipeline, failing(without_pauses())));
    script.say_and_stop("", StopReason::Refusal);
    assert!(script.model_call().user.contains("An earlier try of this decision failed: the model refused"));
    script.say_and_stop("", StopReason::Refusal);
    let Ending::Failed { why } = script.ending() else { panic!("the run has failed") };
    assert_eq!(why, "the stage `reason` failed twice: the model refused to answer");
}

#[test]
fn an_evaluation_is_bridged_once_then_recovered() {
    let mut script = evaluating(without_pauses());
    script.say_text("no");
    script.say_text("no");
    assert_eq!(script.stage(), StageName::Deciding, "bridged");
    script.say(decide("list_files", json!({"directory": "."})));
    script.tool_gives(OutcomeStatus::Done, json!([]));
    script.say_text("no");
    script.say_text("no");
    let user = script.model_call().user;
    assert!(user.contains("An earlier try of this stage failed"), "{user}");
    script.say(judge("completed", "fine after all"));
    assert_eq!(script.state().done.len(), 1);
}
