//! Recording a run's exchanges, and the same run again from the recording.

use crate::{product, run_of, sample, shown, tools_called, trusting};
use ringfence_tests::messages_api::worked_example::{GOAL, script};
use ringfence_tests::messages_api::{KEY, MessagesApi};
use ringfence_tests::product::{Ended, Product};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A recorded run.
fn recorded(more: &[&str]) -> (Product, MessagesApi, Ended) {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let ended = product.run(&[&run_of(&["--record", "run.jsonl"])[..], more].concat(), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    (product, server, ended)
}

/// The state of one of the runs in this home, without what differs from run to run.
fn state_of(product: &Product, ended: &Ended) -> Value {
    let shown = product.run(&["show", ended.run_id(), "--json"], &[]);
    let mut state = serde_json::from_str::<Value>(&shown.stdout).expect("JSON")["state"].take();
    for own in ["run", "clock"] {
        state[own] = Value::Null;
    }
    state["settings"]["metadata"] = Value::Null;
    for action in state["history"].as_array_mut().into_iter().flatten() {
        action["deed"]["receipt"] = Value::Null;
    }
    state
}

/// The report without run, times and the word that the model is a recorded one.
fn findings(ended: &Ended) -> Vec<String> {
    let lines = ended.stdout.lines().filter(|line| !line.starts_with("Model: ") && !line.contains(" ms"));
    lines.map(|line| line.replace("(cassette ", "(")).collect()
}

#[test]
fn a_recorded_run_is_the_same_again_without_a_server_and_without_a_key() {
    for flow in ["staged", "pipeline", "react"] {
        let (product, server, first) = recorded(&["--flow", flow]);
        let asked = server.asked().len();
        drop(server);
        let again = product.run(&run_of(&["--flow", flow, "--replay", "run.jsonl"]), &[]);
        assert_eq!(again.code, Some(0), "{flow}: {again:?}");
        assert!(again.stderr.contains("cassette anthropic"), "{}", again.stderr);
        assert_eq!(state_of(&product, &again), state_of(&product, &first), "{flow}");
        assert_eq!(findings(&again), findings(&first), "{flow}");
        let lines = fs::read_to_string(product.home().join("run.jsonl")).unwrap().lines().count();
        assert_eq!(lines, asked + 1, "{flow}: one line for each exchange");
    }
}

#[test]
fn a_budget_of_money_is_kept_in_a_replay_too() {
    let (product, server, _) = recorded(&["--max-money", "1"]);
    drop(server);
    let again = product.run(&run_of(&["--replay", "run.jsonl", "--max-money", "1"]), &[]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let less = product.run(&run_of(&["--replay", "run.jsonl", "--max-money", "0.000001"]), &[]);
    assert_eq!(less.code, Some(4), "{less:?}");
}

#[test]
fn a_cassette_holds_no_key_and_nobody_else_can_read_it() {
    let (product, _, _) = recorded(&[]);
    let path = product.home().join("run.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("new_sub_tasks") && !text.contains(KEY), "no key, and what was said");
    assert!(!text.contains("x-api-key"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_key_that_stands_in_the_project_is_left_out_of_the_cassette() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let settings = product.home().join("my_project/shop/settings.py");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{text}\nMODEL_KEY = \"{KEY}\"\n")).unwrap();
    let ended = product.run(&run_of(&["--record", "run.jsonl"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let tape = fs::read_to_string(product.home().join("run.jsonl")).unwrap();
    assert!(tape.contains("MODEL_KEY") && !tape.contains(KEY));
}

#[test]
fn another_goal_drifts_and_the_place_is_shown() {
    let (product, server, _) = recorded(&[]);
    drop(server);
    let mut arguments = run_of(&["--replay", "run.jsonl"]);
    arguments[2] = "find the dead code";
    let drifted = product.run(&arguments, &[]);
    assert_eq!(drifted.code, Some(5), "{drifted:?}");
    for said in [
        "stage plan isn't as the cassette",
        "the user text line 2 was",
        "find the dead code",
        "analyse the main",
    ] {
        assert!(drifted.stderr.contains(said), "no `{said}` in {}", drifted.stderr);
    }
    let recorded_goal = product.run(&run_of(&["--replay", "run.jsonl"]), &[]);
    assert_eq!(recorded_goal.code, Some(0), "{recorded_goal:?}");
    assert!(recorded_goal.stdout.contains(GOAL));
}

#[test]
fn another_prompt_template_drifts_where_it_differs() {
    let (product, server, _) = recorded(&[]);
    drop(server);
    let template = include_str!("../../host/engine/prompts/evaluate.md");
    let folder = product.home().join("my_project/.ringfence/prompts");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("evaluate.md"), template.replacen("You are strict", "You are lenient", 1)).unwrap();
    let refused = product.run(&run_of(&["--replay", "run.jsonl"]), &[]);
    let drifted = product.run_printed(trusting(&refused), &[]);
    assert_eq!(drifted.code, Some(5), "{drifted:?}");
    for said in [
        "stage evaluate isn't as the cassette",
        "the system text line 1 was",
        "You are strict",
        "You are lenient",
    ] {
        assert!(drifted.stderr.contains(said), "no `{said}` in {}", drifted.stderr);
    }
}

#[test]
fn a_changed_project_drifts_at_the_first_prompt_that_shows_it() {
    let (product, server, _) = recorded(&[]);
    drop(server);
    fs::write(product.home().join("my_project/pyproject.toml"), "[project]\nname = \"other\"\n").unwrap();
    let drifted = product.run(&run_of(&["--replay", "run.jsonl"]), &[]);
    assert_eq!(drifted.code, Some(5), "{drifted:?}");
    assert!(drifted.stderr.contains("isn't as the cassette"), "{}", drifted.stderr);
}

#[test]
fn a_paused_run_goes_on_from_a_recording() {
    let (product, server, _) = recorded(&[]);
    drop(server);
    let mut arguments = run_of(&["--pause", "after_plan", "--replay", "run.jsonl"]);
    arguments.retain(|word| *word != "--yes");
    let waiting = product.run(&arguments, &[]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let ended = product.run_printed(waiting.printed_command("--approve"), &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_file_that_is_no_cassette_is_refused_before_anything_is_kept() {
    let product = sample();
    fs::write(product.home().join("notes.txt"), "hello\n").unwrap();
    for file in ["notes.txt", "nowhere.jsonl", "my_project"] {
        let refused = product.run(&run_of(&["--replay", file]), &[]);
        assert_eq!(refused.code, Some(2), "{file}: {refused:?}");
        assert!(refused.stderr.contains(file), "{}", refused.stderr);
    }
    let server = MessagesApi::start(script());
    let refused = product.run(&run_of(&["--record", "notes.txt"]), &server.env());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(fs::read_to_string(product.home().join("notes.txt")).unwrap(), "hello\n");
    assert_eq!(product.run(&["runs", "--json"], &[]).stdout.trim(), "[]");
}

#[test]
fn a_resumed_run_goes_on_recording_to_the_same_file() {
    let server = MessagesApi::start(script());
    let product = product();
    product.copy_of("examples/my_project");
    let mut arguments = run_of(&["--pause", "after_plan", "--record", "run.jsonl"]);
    arguments.retain(|word| *word != "--yes");
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let command = format!("{} --record run.jsonl", waiting.printed_command("--approve"));
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
    drop(server);
    let again = product.run(&run_of(&["--replay", "run.jsonl"]), &[]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(findings(&again), findings(&ended));
}
