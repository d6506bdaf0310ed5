//! Evaluating: whether a task is done, and what came of it, said in the analyst's own claims.

use super::analyst::{About, Claim, Inventory, Observation, Severity, claims, plural};
use super::calls;
use super::decide::next;
use super::facts::{Facts, Task};
use super::kind::Kind;
use super::parting;
use serde_json::{Value, json};

/// The evaluate stage's reply.
pub(super) fn evaluate(facts: &Facts, task: &Task) -> Value {
    let own: Vec<&Observation> = facts.observations.iter().filter(|seen| seen.task == task.id).collect();
    let last = own.last().copied();
    let kind = Kind::of(task);
    if calls::is_beyond(facts, kind) {
        return beyond(last, task, kind);
    }
    let is_parting = |seen: &&Observation| parting::is_one(facts, task, &seen.tool, &seen.input);
    if !own.is_empty() && own.iter().all(is_parting) {
        let why = "Every call that would serve it was rejected by a person.";
        return reply(why, "failed", parting::summary(facts, task), String::new(), "high");
    }
    if let Some(call) = next(facts, task) {
        let summary = last.map_or_else(|| "Nothing was done yet.".to_owned(), one_call);
        return reply("More is worth seeing for this task.", "needs_more_work", summary, call.why, "high");
    }
    if own.iter().any(|seen| serves(kind, &own, seen)) {
        let summary = format!("{}{}", summary(kind, facts), without_result(&own));
        return reply("What serves this task has been seen.", "completed", summary, String::new(), "high");
    }
    let failed = own.iter().rev().find(|seen| !seen.is_done()).copied().or(last);
    let why = failed.map_or_else(|| "no call was made for it".to_owned(), one_call);
    let summary = format!("No call for this task gave a result: {why}");
    reply("None of the calls for this task gave a result.", "failed", summary, String::new(), "high")
}

/// Whether a call brought something for the task. A listing alone doesn't stand in for calls that
/// failed.
fn serves(kind: Kind, own: &[&Observation], seen: &Observation) -> bool {
    let all_done = own.iter().all(|seen| seen.is_done());
    seen.is_done() && (all_done || kind == Kind::Inventory || seen.tool != "list_files")
}

/// What has to be added where some calls gave nothing.
fn without_result(own: &[&Observation]) -> String {
    let failed: Vec<&&Observation> = own.iter().filter(|seen| !seen.is_done()).collect();
    let Some(last) = failed.last() else { return String::new() };
    let calls = plural(own.len() as u64, "call");
    format!(" {} of {calls} gave no result; the last: {}", failed.len(), one_call(last))
}

fn reply(reasoning: &str, status: &str, summary: String, next: String, confidence: &str) -> Value {
    json!({
        "reasoning": reasoning,
        "sub_task_status": status,
        "summary": summary,
        "suggested_next_step": next,
        "confidence": confidence,
    })
}

/// A task that the playbook can't do: it says so, with what it looked at.
fn beyond(last: Option<&Observation>, task: &Task, kind: Kind) -> Value {
    let seen = last.map_or_else(String::new, |seen| format!(" It only looked: {}", one_call(seen)));
    let (reasoning, summary) = match kind.tool() {
        Some(tool) => (
            "The one tool for this work isn't offered.",
            format!("Not done: {} needs {tool}, which isn't offered.{seen}", kind.name()),
        ),
        None => (
            "This isn't one of the kinds of work that the playbook knows.",
            format!(
                "The built-in playbook can't do \"{}\"; it knows stack, structure, problems and inventory. A model \
                 can.{seen}",
                task.description.chars().take(120).collect::<String>()
            ),
        ),
    };
    reply(reasoning, "failed", summary, String::new(), "high")
}

/// One line on one call.
pub(super) fn one_call(seen: &Observation) -> String {
    let asked = |key: &str| seen.input.get(key).and_then(Value::as_str).unwrap_or(".").to_owned();
    let what = match seen.tool.as_str() {
        "read_file" | "analyze_code" => format!("`{}`", asked("file_path")),
        _ => format!("`{}`", asked("directory")),
    };
    if !seen.is_done() {
        let message = if seen.message.is_empty() { "no reason given" } else { &seen.message };
        let ended = match seen.status.as_str() {
            "denied" => "was denied",
            "exceeded" => "exceeded a limit",
            "cancelled" => "was cancelled",
            other => other,
        };
        return format!("{} on {what} {ended}: {message}", seen.tool);
    }
    let number = |pointer: &str| seen.value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    match seen.tool.as_str() {
        "list_files" => format!("Listed {what}: {}.", plural(number("/total"), "entry")),
        "search_text" => {
            format!(
                "Searched {}: {} in {}.",
                plural(number("/files_searched"), "file"),
                plural(number("/total"), "line"),
                plural(number("/files_matched"), "file")
            )
        }
        "read_file" => format!("Read {what}, lines {}–{}.", number("/first_line"), number("/last_line")),
        "analyze_code" => format!(
            "Analysed {what}: {}, {}, {}.",
            plural(number("/counts/classes"), "type"),
            plural(number("/counts/functions"), "function"),
            plural(number("/counts/methods"), "method")
        ),
        "detect_stack" => {
            let count = |key: &str| seen.value.get(key).and_then(Value::as_array).map_or(0, Vec::len) as u64;
            format!(
                "Looked at the stack of {what}: {}, {}, {}.",
                plural(count("languages"), "language"),
                plural(count("manifests"), "manifest"),
                plural(number("/total_dependencies"), "dependency")
            )
        }
        "map_code" => format!(
            "Mapped {what}: {} in {}.",
            plural(number("/total"), "file"),
            plural(number("/total_packages"), "package")
        ),
        "find_problems" => format!(
            "Ran {} on {what}: {} found.",
            plural(number("/rules_run"), "rule"),
            plural(number("/total"), "place")
        ),
        tool => format!("{tool} gave a result."),
    }
}

/// What a finished task brought.
fn summary(kind: Kind, facts: &Facts) -> String {
    let all = claims(&facts.observations);
    let texts = |topics: &[&str]| -> Vec<String> {
        all.iter()
            .filter(|claim| topics.contains(&claim.topic.as_str()))
            .map(|claim| claim.text.clone())
            .collect()
    };
    let (parts, none) = match kind {
        Kind::Inventory => {
            let inventory = Inventory::of(&facts.observations);
            let files = plural(inventory.files.len() as u64, "file");
            let folders = plural(inventory.directories.len() as u64, "folder");
            let count = match inventory.partial() {
                None => format!("{files} in {folders}."),
                Some(part) => format!("{files} in {folders}; this counts only {part}."),
            };
            ([vec![count], texts(&["languages"])].concat(), "The granted folders hold no files.")
        }
        Kind::Stack => (
            texts(&["languages", "package", "frameworks", "manifests"]),
            "Nothing says what the project is built with.",
        ),
        Kind::Structure => (structure(&all), "There is no code whose structure could be shown."),
        Kind::Problems => (problems(&all), "No file was searched for problems."),
        Kind::Unknown => (Vec::new(), "Nothing is known about this task."),
    };
    if parts.is_empty() { none.to_owned() } else { parts.into_iter().take(4).collect::<Vec<_>>().join(" ") }
}

fn structure(all: &[Claim]) -> Vec<String> {
    let mut parts: Vec<String> = all
        .iter()
        .filter(|claim| claim.topic == "layout" || claim.topic == "entries")
        .map(|claim| claim.text.clone())
        .collect();
    let outlines: Vec<&Claim> = all.iter().filter(|claim| claim.topic == "outline").collect();
    if !outlines.is_empty() {
        let files: Vec<String> = outlines
            .iter()
            .filter_map(|claim| claim.evidence.first()?.file.as_ref())
            .map(|file| format!("`{file}`"))
            .collect();
        parts.push(format!("Analysed {}.", files.join(", ")));
    }
    parts
}

fn problems(all: &[Claim]) -> Vec<String> {
    let found: Vec<&Claim> =
        all.iter().filter(|claim| claim.about == About::Problem && claim.severity.is_some()).collect();
    let coverage = all.iter().find(|claim| claim.topic == "coverage");
    let partly = coverage.and_then(|claim| claim.partial.as_deref());
    let partly = partly.map_or_else(String::new, |gap| format!(" Only partly searched: {gap}."));
    if found.is_empty() {
        let none = "No rule found anything in what was searched.";
        return coverage.map(|_| format!("{none}{partly}")).into_iter().collect();
    }
    let counts: Vec<String> = [Severity::High, Severity::Medium, Severity::Low, Severity::Info]
        .into_iter()
        .filter_map(|severity| {
            let count = found.iter().filter(|claim| claim.severity == Some(severity)).count();
            (count > 0).then(|| format!("{count} {}", severity.name()))
        })
        .collect();
    let first: Vec<&str> = found.iter().take(3).map(|claim| claim.text.trim_end_matches('.')).collect();
    vec![format!("Kinds of possible problems: {}. {}.{partly}", counts.join(", "), first.join("; "))]
}
