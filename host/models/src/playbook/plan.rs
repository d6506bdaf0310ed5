//! Planning: the four tasks of the analysis, fewer where the iterations don't allow them, and
//! whether the goal is achieved once no task is open.

use super::budget;
use super::facts::{Facts, Status};
use super::kind::Kind;
use serde_json::{Value, json};

/// The plan stage's reply.
pub(super) fn plan(facts: &Facts) -> Value {
    if !facts.open.is_empty() {
        return reply("The plan still has open tasks; it goes on with them.".to_owned(), Vec::new(), false);
    }
    if facts.done.is_empty() {
        return first(facts);
    }
    let completed = facts.done.iter().filter(|task| task.status == Some(Status::Completed)).count();
    let total = facts.done.len();
    if completed == 0 {
        let why = format!("None of {total} tasks could be carried out, so there is nothing to report on.");
        return reply(why, Vec::new(), false);
    }
    let reasoning = match total - completed {
        0 => format!("All {total} tasks are completed; their results make the report."),
        failed => format!(
            "{completed} of {total} tasks are completed and {failed} could not be; the report says which."
        ),
    };
    reply(reasoning, Vec::new(), true)
}

/// The first plan, which is also proposed again after a rejection: a playbook can't take advice
/// in words, and says so.
fn first(facts: &Facts) -> Value {
    let room = budget::calls_left(facts);
    let kinds: &[Kind] = match room {
        0 | 1 => &[Kind::Inventory],
        2 => &[Kind::Inventory, Kind::Problems],
        3 => &[Kind::Inventory, Kind::Manifests, Kind::Problems],
        _ => &[Kind::Inventory, Kind::Manifests, Kind::Structure, Kind::Problems],
    };
    let mut reasoning =
        "The files tell what the project is made of, its manifests what it is built with, its \
                         entry files how it is laid out; then known shapes of problems are looked for."
            .to_owned();
    if kinds.len() < 4 {
        reasoning.push_str(&format!(
            " The iterations that are left allow {room} calls, so only the most telling tasks are planned."
        ));
    }
    if facts.latest.as_deref().is_some_and(|latest| !latest.trim().is_empty()) {
        reasoning.push_str(
            " The playbook has only this plan and can't take advice in words: edit it to remove, reorder or add \
             tasks, or use a model.",
        );
    }
    // No task names another, so that a person can remove any of them.
    let task = |kind: &Kind| json!({ "id": kind.name(), "description": describe(*kind, facts), "kind": kind.name() });
    let tasks = kinds.iter().map(task).collect();
    reply(reasoning, tasks, false)
}

fn describe(kind: Kind, facts: &Facts) -> &'static str {
    match kind {
        Kind::Inventory => "List the project's files: which languages there are, and how they are laid out.",
        Kind::Manifests => {
            "Read the manifests and build files: technology stack, dependencies and their versions."
        }
        Kind::Structure if facts.offers("analyze_code") => {
            "Analyse the entry and core files: modules, the main classes and functions, what imports what."
        }
        Kind::Structure => "Read the entry and core files: modules and what they define.",
        Kind::Problems if facts.offers("search_text") => {
            "Search the code for the shapes of known problems: security first, then performance and upkeep."
        }
        Kind::Problems => "Read key files and look in them for the shapes of known problems, security first.",
        Kind::Unknown => "Something else.",
    }
}

fn reply(reasoning: String, tasks: Vec<Value>, achieved: bool) -> Value {
    json!({ "reasoning": reasoning, "new_sub_tasks": tasks, "is_goal_achieved": achieved })
}
