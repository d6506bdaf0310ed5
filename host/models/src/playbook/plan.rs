//! Planning: the three tasks of the analysis, fewer where the iterations don't allow them, and
//! whether the goal is achieved once no task is open.

use super::analyst::plural;
use super::budget;
use super::calls;
use super::facts::{Facts, Status, Task};
use super::kind::Kind;
use serde_json::{Value, json};

/// The tools that the playbook can use.
pub(super) const TOOLS: [&str; 6] =
    ["detect_stack", "map_code", "find_problems", "analyze_code", "list_files", "read_file"];

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
    let wanted: Vec<Kind> =
        Kind::PLANNED.into_iter().filter(|kind| !calls::is_beyond(facts, *kind)).collect();
    let kinds: Vec<Kind> = match room {
        0 | 1 => wanted.iter().copied().take(1).collect(),
        2 if wanted.len() > 2 => vec![Kind::Stack, Kind::Problems],
        _ => wanted.clone(),
    };
    let mut reasoning = String::new();
    if facts.plans_rejected() > 0 {
        reasoning.push_str(
            "The playbook has only this plan and can't take advice in words: edit it to remove, reorder or add \
             tasks, or use a model. A second rejection ends the run. ",
        );
    }
    reasoning.push_str("First what the project is built with, then how it is put together");
    reasoning.push_str(if wanted.contains(&Kind::Problems) {
        "; then rules look for possible problems in all of its code."
    } else {
        ". Problems can't be searched for: `find_problems` isn't offered."
    });
    reasoning.push_str(&left_out(facts, room, &wanted, &kinds));
    let tasks = kinds.iter().map(|kind| task(*kind, facts)).collect();
    reply(reasoning, tasks, false)
}

/// What the iterations leave no room for.
fn left_out(facts: &Facts, room: u32, wanted: &[Kind], kinds: &[Kind]) -> String {
    let missing: Vec<&str> =
        wanted.iter().filter(|kind| !kinds.contains(kind)).map(|kind| kind.name()).collect();
    let limit = plural(u64::from(facts.iterations.limit), "iteration");
    let calls = plural(u64::from(room.max(1)), "call");
    if !missing.is_empty() {
        return format!(
            " Left out for lack of stages: {}. The cap of {limit} has room for {calls}. Raise the cap for the whole \
             analysis.",
            missing.join(", ")
        );
    }
    let usual: u32 = kinds.iter().map(|kind| kind.usual()).sum();
    if room >= usual {
        return String::new();
    }
    format!(
        " The cap of {limit} has room for {calls} of the {usual} that the whole analysis takes: fewer core files are \
         looked at closely."
    )
}

fn task(kind: Kind, facts: &Facts) -> Value {
    // The tools for code need nothing of each other, so that tasks can be worked on at the same
    // time; what stands in for them chooses from one listing.
    let listed = calls::needs_others(facts, Kind::Stack) && calls::needs_others(facts, Kind::Structure);
    let after: &[&str] = if kind == Kind::Structure && listed { &[Kind::Stack.name()] } else { &[] };
    json!({
        "id": kind.name(),
        "description": describe(kind, facts),
        "kind": kind.name(),
        "depends_on": after,
    })
}

fn describe(kind: Kind, facts: &Facts) -> &'static str {
    match kind {
        Kind::Stack if facts.offers("detect_stack") => {
            "Detect the technology stack: languages, frameworks, tools, dependencies and their versions."
        }
        Kind::Stack => "List the project's files and read its manifests: languages and dependencies.",
        Kind::Structure if facts.offers("map_code") => {
            "Map the modules: packages and who imports whom, entry points, the core; outline the core files."
        }
        Kind::Structure => "Look at the entry and core files: modules and what they define.",
        Kind::Problems => {
            "Search all code with rules for possible problems: security, correctness, performance, upkeep."
        }
        Kind::Inventory => "List the project's files: which languages there are, and how they are laid out.",
        Kind::Unknown => "Something else.",
    }
}

fn reply(reasoning: String, tasks: Vec<Value>, achieved: bool) -> Value {
    json!({ "reasoning": reasoning, "new_sub_tasks": tasks, "is_goal_achieved": achieved })
}
