//! The way out of a task for which every call was rejected. The decide stage can only call or
//! ask, so one small call is made that touches nearly nothing, and the task is then evaluated as
//! failed.

use super::calls::Call;
use super::facts::{Facts, Rejected, Task};
use serde_json::json;

/// The call to end a task with; another one where a person rejected it too.
pub(super) fn call(facts: &Facts, task: &Task) -> Option<Call> {
    sizes(facts)
        .filter_map(|size| small(facts, task, size))
        .find(|call| !facts.is_rejected(call.tool, &call.input))
}

/// Whether a call that was made is one of these.
pub(super) fn is_one(facts: &Facts, task: &Task, tool: &str, input: &serde_json::Value) -> bool {
    !facts.rejected.is_empty()
        && sizes(facts)
            .filter_map(|size| small(facts, task, size))
            .any(|call| call.tool == tool && call.input == *input)
}

/// One more than there can be rejected ones. A call rejected for one task isn't made for another.
fn sizes(facts: &Facts) -> std::ops::RangeInclusive<usize> {
    1..=facts.rejected.len() + 1
}

/// A call that shows at most `size` things.
fn small(facts: &Facts, task: &Task, size: usize) -> Option<Call> {
    let (tool, input) = if facts.offers("list_files") {
        ("list_files", json!({ "directory": ".", "max_entries": size }))
    } else if facts.offers("search_text") {
        let input = json!({ "pattern": "^\\z", "directory": ".", "max_matches": size, "context_lines": 0 });
        ("search_text", input)
    } else if facts.offers("read_file") {
        ("read_file", json!({ "file_path": "README.md", "max_lines": size }))
    } else {
        return None;
    };
    let why = format!(
        "Every call that would serve the task \"{}\" was rejected, and the playbook can't take advice in words. With \
         this call, which shows next to nothing, the task ends as failed and the run goes on with the next one.",
        task.id
    );
    Some(Call { tool, input, why })
}

/// What is said of a task that ended so.
pub(super) fn summary(facts: &Facts, task: &Task) -> String {
    let own: Vec<&Rejected> = facts.rejected.iter().filter(|no| no.task == task.id).collect();
    let no = if own.is_empty() { facts.rejected.iter().collect() } else { own };
    let reason = no.iter().rev().find(|no| !no.reason.trim().is_empty());
    let reason = reason.map_or_else(String::new, |no| {
        format!(" The latest reason: {}", no.reason.chars().take(200).collect::<String>())
    });
    let calls = match no.len() {
        1 => "the one call that would serve it".to_owned(),
        many => format!("all {many} calls that would serve it"),
    };
    format!("Not done: a person rejected {calls}.{reason}")
}
