//! The worked example in the flows of one stage: the pipeline's decisions, the conversation's turns.
//!
//! No memory here either. What was called stands in the prompt or in the conversation. Sent back
//! from the end, the model also reads README.md.

use super::{Answer, Asked, TASKS, Task, claims, first_number, input};
use crate::messages_api::Called;
use serde_json::{Value, json};

/// The beginning of the final answer.
pub const ANSWER: &str = "A Flask service with a TypeScript front end";

/// What the answer says once README.md was read.
pub const README_READ: &str = "as README.md says";

const README: (&str, &str, &str) = ("read_file", "file_path", "README.md");

/// The next decision: the next call that wasn't made, or the answer.
pub(super) fn reason(asked: &Asked) -> Value {
    let steps = TASKS.map(|task| step_of(asked, task.tool, task.path));
    if let Some((task, _)) = TASKS.iter().zip(steps).find(|(_, step)| step.is_none()) {
        return call(task.tool, task.parameter, task.path);
    }
    let readme = step_of(asked, README.0, README.2);
    if asked.user.contains("to the proposed end:") && readme.is_none() {
        return call(README.0, README.1, README.2);
    }
    let all = TASKS.iter().zip(steps);
    let claims: Vec<Value> = all.filter_map(|(task, step)| Some(claims(task, step?))).flatten().collect();
    json!({
        "thought": "The steps cover stack, modules and problems.",
        "decision": "FINAL_ANSWER",
        "confidence": "high",
        "details": { "answer": answer(readme.is_some()), "claims": claims },
    })
}

fn call(tool: &str, parameter: &str, path: &str) -> Value {
    json!({
        "thought": format!("{path} comes next."),
        "decision": "CALL_TOOL",
        "confidence": "high",
        "details": { "tool_name": tool, "tool_input": input(tool, parameter, path) },
    })
}

/// The number of the step that made a call, as the prompt tells it.
fn step_of(asked: &Asked, tool: &str, path: &str) -> Option<u32> {
    let (tool, path) = (format!(", goal: {tool} "), format!("\"{path}\""));
    let told = |line: &&str| line.starts_with("step ") && line.contains(&tool) && line.contains(&path);
    asked.user.lines().find(told).and_then(first_number)
}

/// The next turn: first the list, then everything else at once, then the answer.
pub(super) fn converse(asked: &Asked) -> Answer {
    let [list, rest @ ..] = TASKS;
    if !was_called(asked, list.tool, list.path) {
        return Answer::calls("I look at the layout first.", [called(&list)]);
    }
    let open: Vec<&Task> = rest.iter().filter(|task| !was_called(asked, task.tool, task.path)).collect();
    if !open.is_empty() {
        return Answer::calls("Now the files that matter.", open.into_iter().map(called));
    }
    let readme = was_called(asked, README.0, README.2);
    if sent_back(asked) && !readme {
        let arguments = input(README.0, README.1, README.2).to_string();
        return Answer::calls("", [Called::new(README.0, arguments)]);
    }
    Answer::text(answer(readme))
}

fn called(task: &Task) -> Called {
    Called::new(task.tool, input(task.tool, task.parameter, task.path).to_string())
}

/// Whether a call stands in the conversation, as either API writes it.
fn was_called(asked: &Asked, tool: &str, path: &str) -> bool {
    let names = |name: &Value, input: &Value| {
        let inputs = input.as_object();
        name == tool && inputs.is_some_and(|inputs| inputs.values().any(|value| value == path))
    };
    messages(asked).any(|message| {
        let mut blocks = list(&message["content"]);
        let mut calls = list(&message["tool_calls"]).map(|call| &call["function"]);
        blocks.any(|block| names(&block["name"], &block["input"]))
            || calls.any(|call| {
                let arguments = call["arguments"].as_str().unwrap_or_default();
                names(&call["name"], &serde_json::from_str(arguments).unwrap_or_default())
            })
    })
}

fn messages(asked: &Asked) -> impl Iterator<Item = &Value> {
    list(&asked.body["messages"])
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether the model answered already, and somebody spoke after that.
fn sent_back(asked: &Asked) -> bool {
    messages(asked).any(|message| {
        message["role"] == "assistant"
            && list(&message["content"]).all(|block| block["type"] != "tool_use")
            && list(&message["tool_calls"]).next().is_none()
    })
}

fn answer(readme: bool) -> String {
    let readme = if readme { format!(", {README_READ}") } else { String::new() };
    format!("{ANSWER}; shop/settings.py holds a live payment key{readme}.")
}
