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
