//! Independent tasks at the same time: together at the server, joined in the order of the plan.

use crate::{journaled, of_kind, run_of, sample, saying, shown, signal, tools_called};
use ringfence_tests::messages_api::worked_example::{TASKS, answer};
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product, wait};
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

const TOOLS: [&str; 4] = ["list_files", "read_file", "analyze_code", "read_file"];

/// The worked example with tasks that don't wait for each other.
fn independent(asked: &Asked) -> Answer {
    match answer(asked) {
        Answer::Json(mut reply) => {
            let tasks = reply.get_mut("new_sub_tasks").and_then(Value::as_array_mut);
            for task in tasks.into_iter().flatten() {
                task["depends_on"] = json!([]);
            }
            Answer::Json(reply)
        }
        other => other,
    }
}

/// Answers deciders as soon as three are in, and evaluators as soon as three of them are.
fn together(asked: &Asked) -> Answer {
    let (plan, deciders) = (1, 3);
    match asked.stage {
        Some(Stage::Decide) => independent(asked).after(plan + deciders),
        Some(Stage::Evaluate) => independent(asked).after(plan + 2 * deciders),
        _ => independent(asked),
    }
}

fn parallel(more: &[&'static str]) -> Vec<&'static str> {
    [&run_of(&["--parallel", "3", "--max-iterations", "60", "--model-timeout", "60s"])[..], more].concat()
}

/// What a report says, without what differs from run to run: ids, times, numbers of steps.
fn reported(product: &Product, ended: &Ended) -> Value {
    let report = product.run(&["report", ended.run_id(), "--format", "json"], &[]);
    let report: Value = serde_json::from_str(&report.stdout).expect("a report");
    let texts = |list: &str| -> Vec<Value> {
        let all = report[list].as_array().expect("a list");
        all.iter().map(|one| json!([one["text"], one["severity"], places(&one["evidence"])])).collect()
    };
    let of = |list: &str, keys: &[&str]| -> Vec<Value> {
        let all = report[list].as_array().expect("a list");
        all.iter().map(|one| keys.iter().map(|key| one[*key].clone()).collect()).collect()
    };
    json!({
        "outcome": report["outcome"],
        "counts": report["counts"],
        "stack": texts("stack"),
        "modules": texts("modules"),
        "findings": texts("findings"),
        "tasks": of("tasks", &["id", "status", "summary"]),
        "steps": of("steps", &["task", "tool", "input", "outcome", "status"]),
    })
}

/// Files and lines, without the step that showed them.
fn places(evidence: &Value) -> Vec<Value> {
    let all = evidence.as_array().into_iter().flatten();
    all.map(|one| json!([one["file"], one["first_line"], one["last_line"]])).collect()
}

#[test]
fn three_tasks_are_asked_about_at_the_same_time_and_joined_in_the_order_of_the_plan() {
    let (product, server) = (sample(), MessagesApi::start(together));
    let ended = product.run(&parallel(&[]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new());
    let stages: Vec<_> = server.asked().iter().filter_map(|asked| asked.stage).collect();
    assert_eq!(stages[..4], [Stage::Plan, Stage::Decide, Stage::Decide, Stage::Decide]);
    assert_eq!(stages.len(), 10);
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), TOOLS, "in the order of the plan, whatever ended first");
    let done: Vec<_> =
        shown["state"]["done"].as_array().expect("tasks").iter().map(|task| &task["id"]).collect();
    assert_eq!(done, TASKS.map(|task| task.id));

    let (one, serial) = (sample(), MessagesApi::start(independent));
    let alone = one.run(&run_of(&["--max-iterations", "60"]), &serial.env());
    assert_eq!(alone.code, Some(0), "{alone:?}");
    assert_eq!(reported(&product, &ended), reported(&one, &alone));
}

#[test]
fn a_task_alone_knows_nothing_of_the_others_that_are_under_way() {
    let (product, server) = (sample(), MessagesApi::start(together));
    let ended = product.run(&parallel(&[]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let deciders = server.asked_for(Stage::Decide);
    let mut tops: Vec<_> = deciders[..3].iter().filter_map(Asked::top_task).collect();
    tops.sort();
    let mut planned: Vec<_> = TASKS[..3].iter().map(|task| task.description.to_owned()).collect();
    planned.sort();
    assert_eq!(tops, planned, "each decides for its own task");
    assert!(deciders[..3].iter().all(|asked| asked.section("Tasks done with").is_none()));
    let last = deciders[3].section("Tasks done with").expect("what the three found out");
    assert!(TASKS[..3].iter().all(|task| last.contains(task.id)), "{last}");
}

/// Stops a run while so many requests are answered and the next ones aren't, and resumes it.
fn stopped_and_resumed(answered: usize, waits_for: usize, name: &str) {
    let product = sample();
    let silent =
        MessagesApi::start(move |asked| if asked.number < answered { together(asked) } else { Answer::Hang });
    let child = product.start(&parallel(&[]), &silent.env());
    assert!(silent.wait_for(waits_for, PATIENCE), "{answered}: {} requests", silent.asked().len());
    signal(&child, name);
    let stopped = wait(child);
    let code = if name == "-INT" { Some(130) } else { None };
    assert_eq!(stopped.code, code, "{stopped:?}");

    let server = MessagesApi::start(independent);
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let ended = match name {
        "-INT" => product.run_printed(&format!("{} --yes", stopped.printed_command("resume")), &server.env()),
        _ => product.run(&["resume", &id, "--yes"], &server.env()),
    };
    assert_eq!(ended.code, Some(0), "{name} at {answered}: {ended:?}");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), TOOLS, "{name} at {answered}");
    assert_eq!(
        of_kind(&journaled(&product), "tool_finished").len(),
        4,
        "no call twice: {name} at {answered}"
    );
    assert_eq!(shown["receipts"].as_object().map(|all| all.len()), Some(4));
}

#[test]
fn ctrl_c_stops_all_of_them_and_the_printed_command_goes_on() {
    // All three decide; all three are judged.
    stopped_and_resumed(1, 4, "-INT");
    stopped_and_resumed(4, 7, "-INT");
}

#[test]
fn a_run_that_was_killed_with_three_under_way_goes_on_without_doing_anything_twice() {
    stopped_and_resumed(1, 4, "-KILL");
    stopped_and_resumed(4, 7, "-KILL");
    stopped_and_resumed(7, 8, "-KILL");
}

#[test]
fn a_budget_is_kept_by_all_of_them_together() {
    let tokens = |product: &Product| -> u64 {
        let events = journaled(product);
        let used = |event: &&Value, kind: &str| event["reply"]["usage"][kind].as_u64().unwrap_or_default();
        let replies = of_kind(&events, "model_replied");
        replies.iter().map(|event| used(event, "input_tokens") + used(event, "output_tokens")).sum()
    };
    let (free, server) = (sample(), MessagesApi::start(independent));
    let ended = free.run(&parallel(&[]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (whole, calls) = (tokens(&free), server.asked().len());
    for cap in [whole / 3, whole * 2 / 3, whole] {
        let (product, server) = (sample(), MessagesApi::start(independent));
        let word = cap.to_string();
        let ended = product.run(&[&parallel(&[])[..], &["--max-tokens", &word]].concat(), &server.env());
        assert_eq!(ended.code, Some(4), "{cap}: {ended:?}");
        assert!(tokens(&product) <= cap, "{} of {cap}", tokens(&product));
        assert!(server.asked().len() < calls, "{cap}");
        assert_eq!(shown(&product)["state"]["stage"]["ending"]["ending"], "limit");
    }
}

#[test]
fn a_question_of_one_task_waits_for_the_others_and_its_answer_reaches_it_alone() {
    let mut asked_once = false;
    let server = MessagesApi::start(move |asked| {
        let second = asked.top_task().is_some_and(|task| task.starts_with(TASKS[1].description));
        match asked.stage {
            Some(Stage::Decide) if second && !asked_once => {
                asked_once = true;
                Answer::Json(json!({
                    "reasoning": "unclear", "action": "human_help", "action_input": {},
                    "query_to_human": "Which manifest counts?", "confidence": "low",
                }))
            }
            _ => independent(asked),
        }
    });
    let product = sample();
    let waiting = product.run(&parallel(&[]), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert!(waiting.stderr.contains("Which manifest counts?"), "{}", waiting.stderr);
    assert_eq!(of_kind(&journaled(&product), "tool_finished").len(), 2, "the other two went on");
    let command = saying(waiting.printed_command("--answer"), "pyproject.toml");
    let ended = product.run_printed(&format!("{command} --yes"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)), TOOLS);
    let told: Vec<_> =
        server.asked().into_iter().filter(|asked| asked.user.contains("Which manifest counts?")).collect();
    assert!(told[0].top_task().is_some_and(|task| task.starts_with(TASKS[1].description)), "{told:?}");
}
