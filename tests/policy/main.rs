//! The policy as a person meets it: what a run may do, as whom, and what is allowed while it lasts.

mod environment;
mod grants;
mod roles;

use ringfence_tests::messages_api::{Answer, Asked, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

/// A home with the sample project in it.
fn sample() -> Product {
    let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
    product.copy_of("examples/my_project");
    product
}

/// Writes the user's own configuration.
fn configure(product: &Product, text: &str) {
    let folder = product.home().join(".config/ringfence");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), text).expect("a file");
}

/// A model with one task, to read a file; it asks a person first if it may, and tries after any
/// answer.
fn asks_first(file: &'static str) -> impl FnMut(&Asked) -> Answer + Send + 'static {
    asks_first_and_calls("read_file", json!({ "file_path": file }))
}

/// The same with another call.
fn asks_first_and_calls(tool: &'static str, input: Value) -> impl FnMut(&Asked) -> Answer + Send + 'static {
    let (mut planned, mut asked_once) = (false, false);
    move |asked| match asked.stage {
        Some(Stage::Plan) if !planned => {
            planned = true;
            Answer::Json(json!({
                "reasoning": "one thing", "is_goal_achieved": false,
                "new_sub_tasks": [{ "id": "read", "description": "Read the file" }],
            }))
        }
        Some(Stage::Plan) => {
            Answer::Json(json!({ "reasoning": "read", "is_goal_achieved": true, "new_sub_tasks": [] }))
        }
        Some(Stage::Decide) if !asked_once => {
            asked_once = true;
            Answer::Json(json!({
                "reasoning": "it isn't granted", "action": "human_help", "action_input": {},
                "query_to_human": format!("May I call {tool} with {input}?"), "confidence": "low",
            }))
        }
        Some(Stage::Decide) => Answer::Json(json!({
            "reasoning": "now", "action": tool, "confidence": "high", "action_input": input,
        })),
        _ => Answer::Json(json!({
            "reasoning": "seen", "sub_task_status": "completed", "summary": "It was tried.",
            "suggested_next_step": "", "confidence": "high",
        })),
    }
}

/// A run on one folder that waits for the answer to its question.
fn asking(product: &Product, server: &MessagesApi, more: &[&str]) -> Ended {
    let run = ["run", "my_project", "Read the file", "--yes"];
    let waiting = product.run(&[&run[..], more].concat(), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    waiting
}

/// `show --json` of a run.
fn shown(product: &Product, run: &str) -> Value {
    let shown = product.run(&["show", run, "--json"], &[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    serde_json::from_str(&shown.stdout).expect("JSON from `show --json`")
}

/// How the tool calls of a run ended, in order.
fn outcomes(shown: &Value) -> Vec<String> {
    let history = shown["state"]["history"].as_array().expect("a history");
    history.iter().filter_map(|action| action["deed"]["status"].as_str()).map(str::to_owned).collect()
}

/// The first printed line that holds these words, without what stands around it.
fn line<'e>(ended: &'e Ended, words: &str) -> &'e str {
    let line = ended.stderr.lines().find(|line| line.contains(words));
    line.unwrap_or_else(|| panic!("no `{words}` in:\n{}", ended.stderr)).trim()
}
