//! What is told of whole runs.

use super::Telling;
use crate::rehearsal::{Rehearsal, achieved, decide, judge, plan, read, reason, settings};
use ringfence_engine::{Answer, Effect, Flow, OutcomeStatus, PausePoint, Run, Settings};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Everything that is told while the run happens; what is awaited stands behind a dot.
fn told(rehearsal: &Rehearsal, asking: bool) -> String {
    let mut telling = Telling::new(asking);
    let mut lines = Vec::new();
    let mut begun = BTreeSet::new();
    for (place, event) in rehearsal.events.iter().enumerate() {
        let (run, owed) = Run::replay(rehearsal.events[..=place].iter().cloned()).unwrap();
        lines.extend(telling.told(event, run.state()));
        for effect in owed {
            match effect {
                Effect::CallModel(call) if begun.insert((call.call, 1)) => {
                    lines.push(format!("  · {}", telling.asked(&call, run.state())));
                }
                Effect::CallTool(call) if begun.insert((call.call, call.attempt)) => {
                    lines.push(format!("  · {}", telling.called(&call)));
                }
                Effect::CallModel(_) | Effect::CallTool(_) | Effect::AskPerson(_) | Effect::Finish(_) => {}
            }
        }
    }
    lines.join("\n")
}

fn reflection(instruction: &str) -> Value {
    json!({ "assessment": "going in circles", "instruction": instruction })
}

#[test]
fn the_staged_flow_tells_what_was_planned_decided_done_and_judged() {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan]);
    run.reply(plan(&["a", "b"], false)).approve();
    run.reply(read("x")).done().reply(judge("completed", "All read."));
    run.reply(json!("no json")).reply(decide("write_file", json!({ "path": "y" })));
    run.tool(OutcomeStatus::Denied, "`y` can't be written", false);
    run.reply(judge("failed", "It can't be written.")).reply(achieved());
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn a_stage_that_failed_is_asked_afresh_and_then_waits_for_a_person() {
    let mut run = Rehearsal::flow(Flow::Staged, &[]);
    for _ in 0..4 {
        run.reply(json!("no json"));
    }
    run.approve().unreachable("the server said 503");
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn the_pipeline_tells_what_was_reasoned_and_answered() {
    let call = |path: &str| json!({ "tool_name": "read_file", "tool_input": { "path": path } });
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    run.reply(reason("CALL_TOOL", call("x"))).tool(OutcomeStatus::Failed, "the pool is full", true).done();
    run.reply(reason("CALL_TOOL", json!({ "tool_name": "burn", "tool_input": {} })));
    run.reply(reason("NEED_MORE_INFO", json!({ "question": "Which?" })));
    run.answer(Answer::Reply { text: "all".to_owned() });
    run.reply(reason("FINAL_ANSWER", json!({ "answer": "It is\n\u{1b}[31mred." })));
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn react_tells_each_turn_with_its_tools() {
    let mut run = Rehearsal::flow(Flow::React, &[]);
    let path = |path: &str| json!({ "path": path });
    run.ask_for(&[("read_file", path("x")), ("read_file", path("y")), ("burn", json!({}))]);
    run.done().done();
    run.reply(json!("It is all there."));
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn tasks_at_the_same_time_are_told_apart() {
    let settings = Settings { parallel: 2, ..settings(Flow::Staged, &[]) };
    let mut run = Rehearsal::of(settings);
    run.reply(plan(&["a", "b"], true));
    run.reply(read("x")).done().reply(judge("completed", "Read x."));
    run.reply(read("y")).done().reply(judge("failed", "No y."));
    run.reply(achieved());
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn a_review_of_the_work_tells_why_and_what_came_of_it() {
    let mut run = Rehearsal::flow(Flow::Staged, &[]);
    run.reply(plan(&["a"], false));
    for _ in 0..5 {
        run.reply(read("x")).done();
        if !matches!(run.run.state().stage, ringfence_engine::Stage::Evaluating(_)) {
            break;
        }
        run.reply(judge("needs_more_work", "Again."));
    }
    run.reply(reflection("Read another file."));
    insta::assert_snapshot!(told(&run, false));
}

#[test]
fn a_plan_that_its_approver_has_seen_is_not_told_again() {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan]);
    run.reply(plan(&["a"], false)).approve();
    assert!(told(&run, false).contains("plan, version 1"));
    assert!(!told(&run, true).contains("plan, version 1"));
}
