//! The loop as a person meets it: the real binary, a real folder, a server that speaks the
//! Messages API on loopback.

mod analysts;
mod applying;
mod approvals;
mod budgets;
mod cassette;
mod compare;
mod control;
mod crash;
mod egress;
mod flows;
mod fork;
mod given_up;
mod malformed;
mod models;
mod notify;
mod parallel;
mod pauses;
mod playbook;
mod recall;
mod renamed;
mod replay;
mod supervise;
mod trouble;
mod worked_example;
mod writes;

use ringfence_store::Store;
use ringfence_tests::messages_api::worked_example::{GOAL, WORKED_EXAMPLE, answer};
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi};
use ringfence_tests::product::{Ended, Product};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command};

fn product() -> Product {
    Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"))
}

/// A run of the worked example up to the plan's review.
fn planned(product: &Product, server: &MessagesApi) -> Ended {
    product.copy_of("examples/my_project");
    let ended = product.run(WORKED_EXAMPLE, &server.env());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    ended
}

/// The replies of the worked example, with tasks that don't wait for each other.
fn independent(asked: &Asked) -> Answer {
    match answer(asked) {
        Answer::Json(mut reply) => {
            for task in reply.get_mut("new_sub_tasks").and_then(Value::as_array_mut).into_iter().flatten() {
                task["depends_on"] = serde_json::json!([]);
            }
            Answer::Json(reply)
        }
        other => other,
    }
}

/// `show --json` of the only run in this home.
fn shown(product: &Product) -> Value {
    let ids = run_ids(product);
    assert_eq!(ids.len(), 1, "{ids:?}");
    shown_of(product, &ids[0])
}

/// The ids of all runs in this home, newest first.
fn run_ids(product: &Product) -> Vec<String> {
    let runs = product.run(&["runs", "--json"], &[]);
    let runs: Value = serde_json::from_str(&runs.stdout).expect("JSON from `runs --json`");
    let ids = runs.as_array().expect("a list of runs").iter().map(|run| run["id"].as_str());
    ids.map(|id| id.expect("a run has an id").to_owned()).collect()
}

/// `show --json` of one run.
fn shown_of(product: &Product, id: &str) -> Value {
    let shown = product.run(&["show", id, "--json"], &[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    serde_json::from_str(&shown.stdout).expect("JSON from `show --json`")
}

/// The tools called, in order.
fn tools_called(shown: &Value) -> Vec<String> {
    let history = shown["state"]["history"].as_array().expect("a history");
    history.iter().filter_map(|action| action["deed"]["tool"].as_str()).map(str::to_owned).collect()
}

/// What happened to the only run in this home, as its journal has it.
fn journaled(product: &Product) -> Vec<Value> {
    let path = product.home().join(".local/state/ringfence/runs.db");
    let store = Store::open_read_only(&path).expect("a journal");
    let runs = store.runs(None).expect("a list of runs");
    assert_eq!(runs.len(), 1, "{runs:?}");
    let events = store.events(&runs[0].id).expect("a journal that can be read");
    events.iter().map(|recorded| serde_json::to_value(&recorded.event).expect("JSON")).collect()
}

/// The events of one kind among these.
fn of_kind<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

/// `run` on the sample project with the worked example's goal and tools, all approved.
fn run_of<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let tools = "read_file,list_files,analyze_code";
    [&["run", "my_project", GOAL, "--yes", "--tools", tools][..], more].concat()
}

/// A home with the sample project in it.
fn sample() -> Product {
    let product = product();
    product.copy_of("examples/my_project");
    product
}

/// Writes a file of the user's own configuration.
fn configure(product: &Product, name: &str, text: &str) {
    let folder = product.home().join(".config/ringfence");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(name), text).expect("a file");
}

/// The command to trust a project's own configuration, as it was printed.
fn trusting(refused: &Ended) -> &str {
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let line = refused.stderr.lines().find(|line| line.contains("--trust"));
    line.unwrap_or_else(|| panic!("no command to trust it in:\n{}", refused.stderr)).trim()
}

/// The words that stand in a printed command for a person's own.
fn words_in(command: &str) -> &str {
    let between = command.split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\''));
    between.unwrap_or_else(|| panic!("no words in {command}")).0
}

/// The printed command with a person's own words.
fn saying(command: &str, words: &str) -> String {
    command.replace(words_in(command), words)
}

/// Sends a signal to a child.
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.expect("kill can be run").success());
}
