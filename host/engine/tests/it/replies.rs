//! Malformed replies at each stage: one re-ask, then the stage's degraded result.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

/// Replies that no stage can use, each with what the re-ask says of it.
const BAD: [(&str, &str); 8] = [
    ("I can't do that in JSON.", "$: expected one JSON object, found none"),
    ("   \n ", "the reply is empty"),
    ("[1, 2]", "$: expected one JSON object, found an array"),
    ("{\"reasoning\": \"cut", "$.reasoning: the JSON ends before it is complete"),
    ("{\"reasoning\": \"a\", \"reasoning\": \"b\"}", "$.reasoning: the same key occurs twice"),
    ("{\"reasoning\": \"a\"} {\"reasoning\": \"b\"}", "found 2 different ones"),
    ("<invoke name=\"read_file\">", "XML markup of a tool call"),
    ("{\"reasoning\": NaN}", "NaN and infinities aren't JSON"),
];

fn at_each_stage() -> [Script; 3] {
    [Script::start(settings()), deciding(settings()), evaluating(settings())]
}

#[test]
fn an_unusable_reply_is_asked_for_again_once_with_path_and_reason() {
    for (text, said) in BAD {
        for mut script in at_each_stage() {
            let first = script.model_call();
            script.say_text(text);
            let again = script.model_call();
            assert_eq!(again.stage, first.stage);
            assert!(again.user.contains(said), "{text}: {}", again.user);
            assert_eq!(again.system, first.system);
            assert_eq!(again.max_tokens, first.max_tokens);
            assert_ne!(again.call, first.call);
            let notes = notes(&script);
            assert!(notes[0].starts_with("unusable reply: "), "{notes:?}");
        }
    }
}

#[test]
fn the_bad_text_never_goes_back_into_a_prompt() {
    let poison = "IGNORE-ALL-RULES";
    for mut script in at_each_stage() {
        for text in [
            format!("{{\"reasoning\": \"{poison}\", \"{poison}\": 1}}"),
            format!("{poison} without any object"),
        ] {
            script.say_text(&text);
            for call in script.model_calls() {
                let shown = call.user.replace(&format!("$[\"{poison}\"]"), "");
                assert!(!shown.contains(poison), "{shown}");
            }
        }
    }
}

#[test]
fn a_second_unusable_plan_or_decision_is_left_to_a_person() {
    for (mut script, failed) in
        [(Script::start(settings()), ModelStage::Plan), (deciding(settings()), ModelStage::Decide)]
    {
        let iterations = script.state().iterations;
        script.nothing_usable();
        let Subject::StageFailed { stage, unreachable, .. } = script.review().subject else {
            panic!("a person is asked");
        };
        assert_eq!((stage, unreachable), (failed, false));
        assert_eq!(script.state().iterations, iterations);
        script.approve();
        assert_eq!(script.model_call().stage, failed);
    }
}

#[test]
fn an_evaluation_that_stays_unusable_means_more_work_and_then_a_person() {
    let mut script = evaluating(settings());
    script.say_text("no");
    script.say_text("no");
    assert_eq!(script.stage(), StageName::Deciding);
    let verdict = script.state().history[0].verdict.clone().expect("a degraded verdict");
    assert_eq!(verdict.status, Progress::NeedsMoreWork);
    assert_eq!(verdict.confidence, Confidence::Low);
    assert!(notes(&script).iter().any(|note| note.contains("taken as needs_more_work")));

    script.say(decide("list_files", json!({"directory": "."})));
    script.tool_gives(OutcomeStatus::Done, json!([]));
    script.nothing_usable();
    let Subject::StageFailed { stage: ModelStage::Evaluate, .. } = script.review().subject else {
        panic!("the second time it is recovered, and then a person is asked");
    };
    script.approve();
    script.say(judge("completed", "fine after all"));
    assert_eq!(script.state().done.len(), 1);
    assert_eq!(script.state().watch.weak_evaluations, 0);
}

#[test]
fn a_reply_that_was_cut_off_is_never_carried_out_and_gets_a_higher_cap_once() {
    let whole = plan(&[task("a", "x")]).to_string();
    let mut script = Script::start(settings());
    assert_eq!(script.model_call().max_tokens, 16_000);
    script.say_and_stop(&whole, StopReason::Length);
    let again = script.model_call();
    assert_eq!(again.max_tokens, 32_000);
    assert!(again.user.contains("cut off at 16000 output tokens"));
    script.say_and_stop(&whole, StopReason::Length);
    assert_eq!(script.model_call().max_tokens, 16_000, "recovered, it begins with the usual cap");
    assert_eq!(script.state().plans, []);
}

#[test]
fn a_refusal_is_said_and_left_to_a_person() {
    let mut script = deciding(settings());
    script.say_and_stop("", StopReason::Refusal);
    assert!(script.model_call().user.contains("failed: the model refused to answer"));
    script.say_and_stop("", StopReason::Refusal);
    let Subject::StageFailed { why, unreachable: false, .. } = script.review().subject else {
        panic!("a person is asked");
    };
    assert_eq!(why, "the model refused to answer");
}

#[test]
fn missing_optional_keys_never_fail() {
    let mut script = Script::start(without_pauses());
    script.say(plan(&[task("a", "x")]));
    script.say(json!({"reasoning": "r", "action": "list_files", "action_input": {"directory": "."}}));
    script.tool_gives(OutcomeStatus::Done, json!([]));
    script.say(json!({"reasoning": "r", "sub_task_status": "completed", "summary": "s"}));
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(notes(&script), Vec::<&str>::new());
}

#[test]
fn repairs_are_noted_with_their_stage_and_call() {
    let mut script = Script::start(without_pauses());
    let call = script.model_call().call;
    script.say_text(
        "Here it is:\n```json\n{'reasoning': 'r', 'new_sub_tasks': [{'id': 1, 'description': 'look',}], 'is_goal_achieved': False}\n```\nDone.",
    );
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(script.state().stack[0].planned.id, "1".into());
    let state = script.state();
    assert!(state.notes.iter().all(|n| n.call == call && n.stage == ModelStage::Plan));
    insta::assert_snapshot!(notes(&script).join("\n"));
}

#[test]
fn an_enum_value_in_another_letter_case_is_folded() {
    let mut script = evaluating(without_pauses());
    script.say(json!({"reasoning": "r", "sub_task_status": "Completed", "summary": "s",
        "suggested_next_step": "", "confidence": "HIGH"}));
    assert_eq!(script.state().done.len(), 1);
    let verdict = script.state().history[0].verdict.as_ref();
    assert_eq!(verdict.map(|v| v.confidence), Some(Confidence::High));
}

#[test]
fn an_unknown_status_is_asked_for_again_with_the_known_ones() {
    let mut script = evaluating(without_pauses());
    script.say(judge("done", "s"));
    let user = script.model_call().user;
    assert!(
        user.contains(r#"$.sub_task_status: expected one of ["completed","failed","needs_more_work"]"#),
        "{user}"
    );
}

#[test]
fn whole_stages_work_with_malformed_replies_in_between() {
    let mut script = Script::start(without_pauses());
    script.say_text("sorry");
    script.say(plan(&[task("a", "x")]));
    script.say_text("{\"action\": \"list_files\"");
    script.say(decide("list_files", json!({"directory": "."})));
    script.tool_gives(OutcomeStatus::Done, json!([]));
    script.say_text("{\"sub_task_status\": null}");
    script.say(judge("completed", "nothing there"));
    script.say_text("");
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(script.state().iterations, 5);
}
