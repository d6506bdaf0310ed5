//! What is shown of runs that the engine carried out.

use super::trace::Trace;
use super::{Shown, events, json, text};
use crate::driven_by::DrivenBy;
use crate::rehearsal::{Rehearsal, achieved, judge, plan, read, reason, settings};
use ringfence_engine::{Answer, Flow, Intent, OutcomeStatus, PausePoint, RunId, Settings, Timestamp};
use ringfence_store::{Heartbeat, Journal, Parent, Recorded, RunSummary};
use serde_json::json;

fn shown(rehearsal: &Rehearsal, all: bool) -> Shown {
    let state = rehearsal.run.state().clone();
    let events = rehearsal.events.iter().zip(1..);
    let run = RunSummary {
        id: RunId("run-1".to_owned()),
        project: "/home/anna/project".into(),
        goal: state.goal.clone(),
        model: "scripted (tests)".to_owned(),
        created: state.clock.started,
        parent: Some(Parent { run: RunId("run-0".to_owned()), event: 7 }),
        updated: state.clock.latest,
        stage: state.stage.name(),
        ending: state.stage.ending(),
        events: rehearsal.events.len() as u64,
    };
    let journal = Journal {
        run,
        events: events
            .map(|(event, seq)| Recorded { seq, event: event.clone(), intents: Vec::<Intent>::new() })
            .collect(),
        receipts: Vec::new(),
    };
    Shown {
        trace: Trace::of(&journal).unwrap(),
        resume: "ringfence resume run-1".to_owned(),
        fork: "ringfence fork run-1 --at EVENT".to_owned(),
        driven_by: None,
        now: Timestamp(state.clock.latest.0 + 187_200_000),
        role: None,
        proposed: None,
        whole_diff: "ringfence diff run-1 --proposed".to_owned(),
        all,
        journal,
        state,
    }
}

#[test]
fn a_run_that_waits_shows_what_it_did_and_what_answers_it() {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan, PausePoint::BeforeTool]);
    run.reply(plan(&["a", "b"], false)).approve();
    run.reply(read("x")).approve().tool(OutcomeStatus::Denied, "`x` isn't granted", false);
    run.reply(judge("needs_more_work", "Another file.")).reply(read("\u{1b}[2Jy"));
    insta::assert_snapshot!(text::page(&shown(&run, false)));
}

#[test]
fn tasks_at_the_same_time_are_shown_with_where_each_is() {
    let mut run =
        Rehearsal::of(Settings { parallel: 2, ..settings(Flow::Staged, &[PausePoint::BeforeTool]) });
    run.reply(plan(&["a", "b"], true)).reply(read("x")).reply(read("y"));
    let shown = shown(&run, false);
    assert_eq!(shown.questions().len(), 2);
    insta::assert_snapshot!(text::page(&shown));
}

#[test]
fn a_run_with_an_answer_shows_it_behind_a_mark() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    run.reply(reason("CALL_TOOL", json!({ "tool_name": "read_file", "tool_input": { "path": "x" } }))).done();
    run.reply(reason("NEED_MORE_INFO", json!({ "question": "Which?" })));
    run.answer(Answer::Reply { text: "all".to_owned() });
    run.reply(reason("FINAL_ANSWER", json!({ "answer": "Two lines\nTo go on, one of:\u{1b}[31m" })));
    insta::assert_snapshot!(text::page(&shown(&run, false)));
}

#[test]
fn every_event_is_listed_with_its_number() {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan]);
    run.reply(plan(&["a"], false)).answer(Answer::Reply { text: "smaller".to_owned() });
    run.reply(plan(&["a"], false)).approve();
    run.reply(read("x")).done().reply(judge("completed", "Read.")).reply(achieved());
    let shown = shown(&run, false);
    insta::assert_snapshot!(events::list(&shown));
    let whole = json::whole(&shown);
    assert_eq!(whole["steps"], json!([{ "step": 1, "event": 7 }]));
    assert_eq!(whole["log"][6]["steps"], json!([1]));
    assert_eq!(whole["parent"], json!({ "run": "run-0", "event": 7 }));
    assert_eq!(whole["budgets"]["tokens"], json!({ "used": 5250, "limit": null }));
    assert_eq!(whole["waits_for"], json!([]));
}

#[test]
fn a_long_history_is_cut_to_its_last_steps_unless_all_are_asked_for() {
    let mut run = Rehearsal::flow(Flow::Staged, &[]);
    run.reply(plan(&["a"], false));
    for number in 0..10 {
        run.reply(read(&format!("f{number}"))).done().reply(judge("needs_more_work", "More."));
    }
    let page = |all| text::page(&shown(&run, all));
    assert!(!page(false).contains("--all"));
    let settings = settings(Flow::React, &[]);
    let limits = ringfence_engine::Limits { iterations: 60, reflect_after: None, ..settings.limits.clone() };
    let mut run = Rehearsal::of(Settings { limits, ..settings });
    for number in 0..25 {
        run.ask_for(&[("read_file", json!({ "path": format!("f{number}") }))]).done();
    }
    let page = |all| text::page(&shown(&run, all));
    assert!(page(false).contains("the last 20 of 25") && !page(false).contains("\"f4\""), "{}", page(false));
    assert!(page(true).contains("\"f4\"") && !page(true).contains("the last 20"));
}

#[test]
fn a_run_that_is_being_driven_names_the_process_and_offers_no_second_one() {
    let run = Rehearsal::flow(Flow::Staged, &[]);
    let mut shown = shown(&run, false);
    assert!(text::page(&shown).contains("Not driven to an end. To go on:"));
    assert_eq!(json::whole(&shown)["driven_by"], json!(null));
    let at = Timestamp(shown.now.0 - 1_000);
    let beat = Heartbeat { at, pid: 7, token: 1, host: "desk".to_owned() };
    shown.driven_by = DrivenBy::of(beat, shown.now);
    let page = text::page(&shown);
    assert!(page.contains("Being driven by process 7 on desk, last sign of life 1.0 s ago."), "{page}");
    assert!(!page.contains("To go on"), "{page}");
    assert_eq!(json::whole(&shown)["driven_by"], json!({ "pid": 7, "host": "desk", "at": at }));
}

#[test]
fn a_question_of_a_delegated_task_is_shown_while_others_are_worked_on() {
    let settings = Settings { parallel: 2, ..settings(Flow::Staged, &[PausePoint::BeforeTool]) };
    let mut run = Rehearsal::of(settings);
    run.reply(plan(&["a", "b"], true)).reply(read("x"));
    let page = text::page(&shown(&run, false));
    assert!(page.contains("From the work on a:\nA tool call waits for approval"), "{page}");
    assert!(page.contains("ringfence resume run-1 --approve 1\n"), "{page}");
}
