//! Planning: the four tasks of the analysis, fewer where the iterations don't allow them, and
//! whether the goal is achieved once no task is open.

use super::analyst::plural;
use super::budget;
use super::facts::{Facts, Status, Task};
use super::kind::Kind;
use serde_json::{Value, json};

/// The tools that the playbook can use.
pub(super) const TOOLS: [&str; 4] = ["list_files", "read_file", "search_text", "analyze_code"];

/// The plan stage's reply.
pub(super) fn plan(facts: &Facts) -> Value {
    if !facts.open.is_empty() {
        return reply("The plan still has open tasks; it goes on with them.".to_owned(), Vec::new(), false);
    }
    if facts.done.is_empty() {
        return first(facts);
    }
    closing(facts)
}

/// Whether the goal is achieved, when every task has ended.
fn closing(facts: &Facts) -> Value {
    let completed = |task: &&Task| task.status == Some(Status::Completed);
    let total = facts.done.len();
    let failed: Vec<&str> =
        facts.done.iter().filter(|task| !completed(task)).map(|task| task.id.as_str()).collect();
    if failed.len() == total {
        let why = match total {
            1 => "The only task failed, so there is nothing to report on.".to_owned(),
            _ => format!("All {total} tasks failed, so there is nothing to report on."),
        };
        return reply(why, Vec::new(), false);
    }
    // A listing alone is no analysis, unless nothing else was planned.
    let mut analysis = facts.done.iter().filter(|task| Kind::of(task) != Kind::Inventory).peekable();
    if analysis.peek().is_some() && !analysis.any(|task| completed(&task)) {
        let why = format!(
            "The files were listed, and no task of the analysis itself succeeded ({}).",
            failed.join(", ")
        );
        return reply(why, Vec::new(), false);
    }
    let reasoning = match (total, failed.as_slice()) {
        (1, []) => "The only task is completed; its result makes the report.".to_owned(),
        (_, []) => format!("All {total} tasks are completed; their results make the report."),
        (_, ids) => format!(
            "{} of {} completed; failed: {}. The report says why.",
            total - ids.len(),
            plural(total as u64, "task"),
            ids.join(", ")
        ),
    };
    reply(reasoning, Vec::new(), true)
}

/// The first plan, which is also proposed again after a rejection, once: a playbook can't take
/// advice in words, and says so.
fn first(facts: &Facts) -> Value {
    let latest = facts.latest.as_deref().unwrap_or_default();
    let nothing = |why: &str| reply(why.to_owned(), Vec::new(), false);
    if facts.plans_rejected() > 1 {
        return nothing(
            "The plan was rejected twice, and the playbook has no other: edit it to remove, reorder or add tasks, or \
             use a model, which can take advice in words.",
        );
    }
    // What the loop says after a plan without tasks, and after a person took them all out.
    if latest.starts_with("A person removed all open tasks") || latest.starts_with("The goal was said not to")
    {
        return nothing("A person took every task out of the plan, and the playbook has no others.");
    }
    if !TOOLS.iter().any(|tool| facts.offers(tool)) {
        return nothing(
            "None of the tools that the playbook knows is offered, so it can't look at anything.",
        );
    }
    let room = budget::calls_left(facts);
    let kinds: &[Kind] = match room {
        0 | 1 => &[Kind::Inventory],
        2 => &[Kind::Inventory, Kind::Problems],
        3 => &[Kind::Inventory, Kind::Manifests, Kind::Problems],
        _ => &Kind::PLANNED,
    };
    let mut reasoning = String::new();
    if facts.plans_rejected() > 0 {
        reasoning.push_str(
            "The playbook has only this plan and can't take advice in words: edit it to remove, reorder or add \
             tasks, or use a model. A second rejection ends the run. ",
        );
    }
    reasoning.push_str(
        "The files tell what the project is made of, its manifests what it is built with, its entry files how it is \
         laid out; then known shapes of problems are looked for.",
    );
    reasoning.push_str(&left_out(facts, room, kinds));
    let tasks = kinds.iter().map(|kind| task(*kind, facts)).collect();
    reply(reasoning, tasks, false)
}

/// What the iterations leave no room for.
fn left_out(facts: &Facts, room: u32, kinds: &[Kind]) -> String {
    let missing: Vec<&str> =
        Kind::PLANNED.iter().filter(|kind| !kinds.contains(kind)).map(|kind| kind.name()).collect();
    let (limit, calls) = (facts.iterations.limit, plural(u64::from(room.max(1)), "call"));
    if !missing.is_empty() {
        let fewer =
            if kinds.contains(&Kind::Problems) { " Not all searches for problems will be made." } else { "" };
        return format!(
            " Left out for lack of stages: {}. The cap of {} has room for {calls}.{fewer} Raise the cap for the \
             whole analysis.",
            missing.join(", "),
            plural(u64::from(limit), "iteration")
        );
    }
    let searches = facts.offers("search_text");
    let wanted: u32 = kinds.iter().map(|kind| kind.usual(searches)).sum();
    if room >= wanted {
        return String::new();
    }
    format!(
        " The cap of {} has room for {calls} of the {wanted} that the whole analysis takes: fewer entry files are \
         looked at, and fewer searches made where that isn't enough; the report says what wasn't searched for.",
        plural(u64::from(limit), "iteration")
    )
}

fn task(kind: Kind, facts: &Facts) -> Value {
    // What is done with the files needs to know which there are, and nothing else: the rest can be
    // worked on at the same time.
    let after: &[&str] = match kind {
        Kind::Inventory => &[],
        Kind::Manifests | Kind::Structure | Kind::Problems | Kind::Unknown => &[Kind::Inventory.name()],
    };
    json!({
        "id": kind.name(),
        "description": describe(kind, facts),
        "kind": kind.name(),
        "depends_on": after,
    })
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
