//! Guards: iterations, time, tokens, repetition.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn limited(change: impl FnOnce(&mut Limits)) -> Settings {
    let mut settings = without_pauses();
    change(&mut settings.limits);
    settings
}

fn which(script: &Script) -> String {
    match script.ending() {
        Ending::Limit { which } => which,
        other => panic!("a limit ends it, not {other:?}"),
    }
}

/// The same call, judged as needing more work.
fn same_round(script: &mut Script) {
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    script.tool_gives(OutcomeStatus::Done, json!("x"));
    if script.stage() == StageName::Evaluating {
        script.say(judge("needs_more_work", "again"));
    }
}

#[test]
fn the_iterations_are_counted_by_stage_and_end_the_run() {
    let mut script = deciding(limited(|l| l.iterations = 4));
    same_round(&mut script);
    assert_eq!(which(&script), "4 iterations are used up");
    assert_eq!(script.state().history.len(), 1, "what was done stays");
    assert_eq!(script.state().history[0].summary, "again");
}

#[test]
fn a_goal_achieved_with_the_last_iteration_is_achieved() {
    let mut script = Script::start(limited(|l| l.iterations = 1));
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
}

#[test]
fn tokens_end_the_run() {
    let mut script = Script::start(limited(|l| l.tokens = Some(200)));
    script.say(plan(&[task("a", "x")]));
    assert_eq!(script.stage(), StageName::Deciding);
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    assert_eq!(which(&script), "200 tokens are used up (220 used)");
}

#[test]
fn working_time_ends_the_run_and_pauses_dont_count() {
    let mut settings = limited(|l| l.wall_clock_ms = Some(10_000));
    settings.pause = [PausePoint::AfterPlan].into();
    let mut script = Script::start(settings);
    script.say(plan(&[task("a", "x")]));
    script.now += 1_000_000_000;
    script.approve();
    assert_eq!(script.state().clock.active_ms, 1_000);
    script.now += 20_000;
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    assert_eq!(which(&script), "10000 ms of working time are used up");
}

#[test]
fn the_time_between_a_crash_and_the_resumption_doesnt_count() {
    let mut script = deciding(limited(|l| l.wall_clock_ms = Some(10_000)));
    script.now += 1_000_000_000;
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(script.state().clock.active_ms, 1_000);
}

#[test]
fn a_clock_that_goes_backwards_harms_nothing() {
    let mut script = deciding(limited(|l| l.wall_clock_ms = Some(10_000)));
    script.now = i64::MIN + 2_000;
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    assert_eq!(script.state().clock.active_ms, 1_000);
    script.now = i64::MAX - 2_000;
    script.tool_gives(OutcomeStatus::Done, json!("x"));
    assert_eq!(which(&script), "10000 ms of working time are used up");
}

#[test]
fn five_equal_calls_pause_the_run() {
    let mut script = deciding(without_pauses());
    for _ in 0..4 {
        same_round(&mut script);
        assert_eq!(script.stage(), StageName::Deciding);
    }
    same_round(&mut script);
    let Subject::Stagnation { seen } = script.review().subject else {
        panic!("the fifth equal call pauses the run");
    };
    assert!(seen.starts_with("the same action 5 times in a row: read_file"), "{seen}");
    assert_eq!(script.state().history.len(), 5);
    script.approve();
    assert_eq!(script.stage(), StageName::Evaluating, "it goes on where it was");
    script.say(judge("needs_more_work", "again"));
    for _ in 0..4 {
        same_round(&mut script);
        assert_eq!(script.stage(), StageName::Deciding, "it counts afresh");
    }
}

#[test]
fn another_outcome_or_input_isnt_a_repetition() {
    let mut script = deciding(without_pauses());
    for n in 0..6 {
        script.say(decide("read_file", json!({"file_path": format!("{n}.py")})));
        script.tool_gives(OutcomeStatus::Done, json!("x"));
        script.say(judge("needs_more_work", "again"));
    }
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn the_order_of_keys_makes_no_other_call() {
    let mut script = deciding(limited(|l| l.stagnation = 2));
    script
        .say_text(r#"{"reasoning":"r","action":"read_file","action_input":{"file_path":"a","max_lines":1}}"#);
    script.tool_gives(OutcomeStatus::Done, json!(1));
    script.say(judge("needs_more_work", "again"));
    script
        .say_text(r#"{"reasoning":"r","action":"read_file","action_input":{"max_lines":1,"file_path":"a"}}"#);
    script.tool_gives(OutcomeStatus::Done, json!(2));
    assert!(matches!(script.review().subject, Subject::Stagnation { .. }));
}

#[test]
fn the_same_unfit_choice_is_a_repetition_too() {
    let mut script = deciding(without_pauses());
    for _ in 0..5 {
        script.say(decide("run_shell", json!({"command": "ls"})));
    }
    assert!(matches!(script.review().subject, Subject::Stagnation { .. }));
}

#[test]
fn advice_against_a_repetition_reaches_the_decider() {
    let mut script = deciding(limited(|l| l.stagnation = 2));
    same_round(&mut script);
    same_round(&mut script);
    script.answer(Answer::Reply { text: "look at setup.py instead".to_owned() });
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Decide);
    assert!(call.user.contains("look at setup.py instead"));
    assert_eq!(script.state().watch.trail, []);
}

#[test]
fn a_task_that_repeats_itself_can_be_given_up() {
    let mut script = deciding(limited(|l| l.stagnation = 2));
    same_round(&mut script);
    same_round(&mut script);
    script.answer(Answer::Reject { reason: "not worth it".to_owned() });
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    assert_eq!(script.state().done[0].status, TaskStatus::Failed);
    assert!(script.state().done[0].summary.contains("not worth it"));
}

#[test]
fn a_repetition_that_is_under_review_stays_under_the_same_review() {
    let mut script = deciding(limited(|l| l.stagnation = 2));
    same_round(&mut script);
    same_round(&mut script);
    let review = script.review();
    script.send(EventKind::Resumed { rates: None });
    script.send(EventKind::Interrupted);
    assert_eq!(script.review(), review);
    script.approve();
    assert_eq!(script.stage(), StageName::Evaluating);
}
