//! Reports on flows without a plan, on delegated tasks, on money and on what a run was told.

use crate::rehearsal::{Rehearsal, judge, plan, read, reason, settings};
use crate::report::{Journal, Report, Status, brief, markdown};
use ringfence_engine::{Answer, Flow, Limits, PausePoint, Rate, Rates, Settings};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn report(rehearsal: &Rehearsal) -> Report {
    Report::from_journal(Journal {
        state: rehearsal.run.state(),
        receipts: &BTreeMap::new(),
        project: "/home/anna/my_project",
        model: "scripted (tests)",
    })
}

fn call(path: &str) -> Value {
    json!({ "tool_name": "read_file", "tool_input": { "path": path } })
}

#[test]
fn an_answer_stands_at_the_beginning_and_its_markup_does_nothing() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    run.reply(reason("CALL_TOOL", call("x"))).done();
    run.reply(reason("NEED_MORE_INFO", json!({ "question": "Which?" })));
    run.answer(Answer::Reply { text: "*all* of it".to_owned() });
    let answer = "# It is a shop\n\n- <img src=x>\n- [a](javascript:b)\n```\ncode\n\u{1b}[31m";
    run.reply(reason("FINAL_ANSWER", json!({ "answer": answer })));
    let report = report(&run);
    assert_eq!(report.outcome.status, Status::Finished);
    insta::assert_snapshot!(markdown(&report));
}

#[test]
fn at_a_terminal_an_answer_is_plain_words_behind_a_mark() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    let answer = "## Possible problems\n\n  - see https://example.com/a_b \u{1b}[31m\n# At a glance";
    run.reply(reason("FINAL_ANSWER", json!({ "answer": answer })));
    let shown = brief(&report(&run));
    let block =
        "  │ ## Possible problems\n  │ \n  │   - see https://example.com/a_b ␛[31m\n  │ # At a glance\n";
    assert!(shown.contains(block), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with('#')).count(), 3, "{shown}");
}

#[test]
fn an_answer_can_t_leave_its_fence() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    run.reply(reason("FINAL_ANSWER", json!({ "answer": "````\n# Ours?\n````\n`````text" })));
    let page = markdown(&report(&run));
    assert!(page.contains("``````text\n````\n# Ours?\n````\n`````text\n``````\n"), "{page}");
}

#[test]
fn a_goal_of_one_s_own_has_no_sections_on_what_it_didn_t_ask_and_the_analysis_has_them_all() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[]);
    run.reply(reason("FINAL_ANSWER", json!({ "answer": "42" })));
    let mut report = report(&run);
    let parts = ["Technology stack", "Modules", "ossible problems"];
    for page in [markdown(&report), brief(&report)] {
        assert!(parts.iter().all(|part| !page.contains(part)), "{page}");
        assert!(page.find("## Answer") < page.find("## At a glance"), "{page}");
    }
    report.goal = ringfence_models::playbook::GOAL.to_owned();
    let page = markdown(&report);
    assert!(parts.iter().all(|part| page.contains(part)), "{page}");
    assert!(page.find("## At a glance") < page.find("## Answer"), "{page}");
}

#[test]
fn a_conversation_that_a_limit_ended_says_that_it_gave_no_answer() {
    let settings = settings(Flow::React, &[]);
    let limits = Limits { iterations: 2, ..settings.limits.clone() };
    let mut run = Rehearsal::of(Settings { limits, ..settings });
    run.ask_for(&[("read_file", json!({ "path": "x" }))]).done();
    run.ask_for(&[("read_file", json!({ "path": "y" }))]);
    let report = report(&run);
    assert_eq!(report.outcome.status, Status::Limit);
    let page = markdown(&report);
    assert!(
        page.contains("- Left out: The run was limited to 2 iterations; no final answer was given. [step 1]"),
        "{page}"
    );
    assert!(page.contains("- Done: 1 step; this flow has no plan."), "{page}");
}

#[test]
fn a_limit_other_than_iterations_is_named_where_it_left_something_out() {
    let settings = settings(Flow::Staged, &[]);
    let limits = Limits { wall_clock_ms: Some(1_000), ..settings.limits.clone() };
    let mut run = Rehearsal::of(Settings { limits, ..settings });
    run.reply(plan(&["a", "b"], false)).reply(read("x")).done().reply(judge("completed", "Read."));
    let report = report(&run);
    let page = markdown(&report);
    assert_eq!(report.outcome.status, Status::Limit, "{page}");
    assert!(
        page.contains("- Left out: A limit ended the run (") && page.contains("planned and not done: b"),
        "{page}"
    );
    assert!(page.contains("1.0 s of 1.0 s in all"), "{page}");
}

#[test]
fn tasks_under_way_at_the_same_time_are_in_the_report_with_their_steps() {
    let settings = Settings { parallel: 2, ..settings(Flow::Staged, &[PausePoint::BeforeTool]) };
    let mut run = Rehearsal::of(settings);
    run.reply(plan(&["a", "b"], true)).reply(read("x")).reply(read("y"));
    assert_eq!(report(&run).outcome.status, Status::Waiting);
    run.approve().done();
    let report = report(&run);
    assert_eq!(report.outcome.status, Status::Unfinished);
    let tasks: Vec<_> = report.tasks.iter().map(|task| (task.id.as_str(), task.delegated)).collect();
    assert_eq!(tasks, [("a", true), ("b", true)]);
    assert_eq!(report.steps.len(), 1);
    assert!(markdown(&report).contains("in progress, at the same time as others"));
}

#[test]
fn a_review_of_the_work_and_the_cost_are_told() {
    let settings = settings(Flow::Staged, &[]);
    let limits = Limits { money: Some(5_000_000), reflect_after: Some(1), ..settings.limits.clone() };
    let rates = Rates { default: Some(Rate { input: 1_000_000, output: 1_000_000 }), ..Rates::default() };
    let mut run = Rehearsal::of(Settings { limits, rates, ..settings });
    run.reply(plan(&["a"], false)).reply(read("x")).done();
    run.reply(judge("needs_more_work", "More."));
    run.reply(json!({ "assessment": "slow", "instruction": "Read <b>all</b>." }));
    let page = markdown(&report(&run));
    assert!(page.contains("What it told the run to do: Read &lt;b>all&lt;/b>."), "{page}");
    assert!(page.contains(" · $0.01 of $5 · "), "{page}");
    assert!(page.contains("| needs more work |"), "{page}");
}
