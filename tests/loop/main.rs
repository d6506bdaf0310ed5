//! The loop as a person meets it: the real binary, a real folder, a server that speaks the
//! Messages API on loopback.

mod control;
mod crash;
mod fork;
mod notify;
mod playbook;
mod replay;
mod supervise;
mod trouble;
mod worked_example;

use ringfence_tests::messages_api::worked_example::{GOAL, answer};
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi};
use ringfence_tests::product::{Ended, Product};
use serde_json::Value;

fn product() -> Product {
    Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"))
}

/// The worked example's command: its goal, 30 iterations, a pause after the plan, three tools
/// that read and none that writes.
const WORKED_EXAMPLE: &[&str] = &[
    "run",
    "my_project",
    GOAL,
    "--max-iterations",
    "30",
    "--pause",
    "after_plan",
    "--tools",
    "read_file,list_files,analyze_code",
];

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
