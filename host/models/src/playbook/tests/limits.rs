//! What the playbook says where it can't do it all: few iterations, large trees, tools that fail,
//! plans that are rejected.

use super::folder::Folder;
use super::{ALL, PLAIN, Way, answer, drive};
use crate::playbook::analyst::Claim;
use serde_json::{Value, json};

fn of<'c>(claims: &'c [Claim], topic: &str) -> &'c Claim {
    claims.iter().find(|claim| claim.topic == topic).unwrap_or_else(|| panic!("no claim on {topic}"))
}

fn project() -> Folder {
    Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"a\"\nversion = \"1.0\"\n"),
        (
            "a/app.py",
            "import os\n\n\ndef run(text):\n    return os.getcwd() + text  # nothing wrong with it\n",
        ),
        ("b/main.go", "package main\n\nfunc main() {\n\tprintln(1) // nothing wrong with this either\n}\n"),
    ])
}

/// The planner's reply to a run that has just begun.
fn plan(facts: Value) -> Value {
    let mut all = json!({
        "stage": "plan", "tools": ALL.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        "iterations": { "used": 0, "limit": 50 },
    });
    all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    answer(all).unwrap()
}

#[test]
fn a_plan_says_what_it_left_out_for_lack_of_stages() {
    let said = |limit: u32| {
        let reply = plan(json!({ "iterations": { "used": 0, "limit": limit } }));
        reply["reasoning"].as_str().unwrap().to_owned()
    };
    assert!(
        said(10).contains(
            "Left out for lack of stages: structure. The cap of 10 iterations has room for 2 calls."
        ),
        "{}",
        said(10)
    );
    assert!(said(6).contains("Left out for lack of stages: structure, problems."), "{}", said(6));
    assert!(said(20).contains("has room for 5 calls of the 7 that the whole analysis takes"), "{}", said(20));
    assert!(!said(50).contains("room for"), "{}", said(50));
}

#[test]
fn a_plan_without_the_tool_for_problems_says_that_they_are_not_searched_for() {
    let tools: Vec<Value> = PLAIN.iter().map(|name| json!({ "name": name })).collect();
    let reply = plan(json!({ "tools": tools }));
    let ids: Vec<&str> =
        reply["new_sub_tasks"].as_array().unwrap().iter().filter_map(|task| task["id"].as_str()).collect();
    assert_eq!(ids, ["stack", "structure"]);
    assert!(reply["reasoning"].as_str().unwrap().contains("`find_problems` isn't offered"));
}

#[test]
fn languages_without_rules_are_said_not_to_be_searched() {
    let claims = drive(&project(), &Way::default()).claims();
    let coverage = of(&claims, "coverage");
    assert_eq!(coverage.partial.as_deref(), Some("not searched for lack of rules: Go"));
    assert!(coverage.text.contains("Languages of the project without rules: Go."), "{}", coverage.text);
}

#[test]
fn searches_that_failed_are_no_searches() {
    let folder = Folder { broken: vec!["find_problems"], ..project() };
    let run = drive(&folder, &Way::default());
    assert_eq!(run.task("problems")["status"], "failed");
    let claims = run.claims();
    let told = of(&claims, "not-searched");
    assert!(
        told.text.contains("gave no result (step ") && told.text.contains("denied: not granted"),
        "{}",
        told.text
    );
    assert_eq!(told.partial.as_deref(), Some("1 search gave no result"));
}

#[test]
fn tools_that_fail_are_stood_in_for() {
    let folder = Folder { broken: vec!["detect_stack", "map_code"], ..project() };
    let run = drive(&folder, &Way { limit: 100, ..Way::default() });
    assert!(run.achieved, "{:#?}", run.done);
    let claims = run.claims();
    assert!(of(&claims, "languages").text.starts_with("Code by size: "));
    assert!(claims.iter().any(|claim| claim.topic == "outline"));
}

#[test]
fn a_run_in_which_only_the_listing_worked_achieved_nothing() {
    let broken = ALL.iter().copied().filter(|tool| *tool != "list_files").collect();
    let edit = |mut tasks: Vec<Value>| {
        tasks.insert(0, json!({ "id": "inventory", "description": "", "kind": "inventory" }));
        tasks
    };
    let run = drive(&Folder { broken, ..project() }, &Way { edit: &edit, ..Way::default() });
    assert!(!run.achieved, "{:#?}", run.done);
    assert_eq!(run.task("inventory")["status"], "completed");
}

#[test]
fn calls_that_gave_nothing_are_counted_in_the_tasks_summary() {
    let folder = Folder { broken: vec!["analyze_code"], ..project() };
    let run = drive(&folder, &Way::default());
    let summary = run.task("structure")["summary"].as_str().unwrap();
    assert!(summary.contains("gave no result; the last: analyze_code on"), "{summary}");
}

#[test]
fn a_tree_too_large_for_its_listings_is_never_told_as_whole() {
    let mut folder = project();
    for index in 0..60 {
        let text = "def f():\n    return 1\n\n# enough text to be looked at, one would think\n";
        folder.files.insert(format!("pkg{:02}/m{index:03}.py", index / 6), text.to_owned());
    }
    folder.shows = Some(20);
    let run = drive(&folder, &Way { tools: PLAIN, limit: 100, ..Way::default() });
    let claims = run.claims();
    let part = of(&claims, "languages").partial.clone().unwrap();
    assert!(part.starts_with("the ") && part.ends_with(" more weren't shown)"), "{part}");
    for topic in ["languages", "layout"] {
        assert_eq!(of(&claims, topic).partial.as_ref(), Some(&part));
        assert!(
            of(&claims, topic).text.ends_with(&format!("This counts only {part}.")),
            "{}",
            of(&claims, topic).text
        );
    }
    assert!(run.task("stack")["summary"].as_str().unwrap().contains(&part));
}

#[test]
fn a_rejected_plan_is_proposed_once_more_with_the_reason_first() {
    let no = json!({ "to": "the proposed plan", "text": "do something else" });
    let again =
        plan(json!({ "said": [no], "latest": "A person rejected the proposed plan: do something else" }));
    assert_eq!(again["new_sub_tasks"].as_array().unwrap().len(), 3);
    let reasoning = again["reasoning"].as_str().unwrap();
    assert!(reasoning.starts_with("The playbook has only this plan and can't take advice in words: edit it"));
    let last = plan(json!({ "said": [no, no] }));
    assert_eq!(
        (last["new_sub_tasks"].as_array().unwrap().len(), &last["is_goal_achieved"]),
        (0, &json!(false))
    );
    assert!(last["reasoning"].as_str().unwrap().contains("rejected twice"));
}

#[test]
fn a_person_who_removes_all_tasks_is_not_asked_again() {
    let reply = plan(json!({ "latest": "A person removed all open tasks from the plan." }));
    assert_eq!(reply["new_sub_tasks"], json!([]));
    assert!(reply["reasoning"].as_str().unwrap().contains("took every task out"));
}

#[test]
fn nothing_is_planned_where_no_known_tool_is_offered() {
    let reply = plan(json!({ "tools": [{ "name": "word_count" }] }));
    assert_eq!(reply["new_sub_tasks"], json!([]));
}
