//! What a run did: tasks, steps, plans, what the fence refused, what it used.

use super::Page;
use crate::amounts::dollars;
use crate::report::safe::{cell, clip, inline, word};
use crate::report::{Judgement, Report};
use ringfence_models::playbook::analyst::plural;
use serde_json::Value;

/// Tasks, steps and plans.
pub(super) fn done(report: &Report, page: &mut Page) {
    page.heading(2, "What was done");
    if !report.tasks.is_empty() {
        page.line(format!("Tasks; the summaries are the model's own words ({}):", inline(&report.model)));
        page.table(
            &["Task", "Status", "Steps", "Summary"],
            report.tasks.iter().map(|task| {
                let what = format!("**{}**: {}", cell(&task.id), cell(&task.description));
                let summary = if task.summary.is_empty() { "–".to_owned() } else { cell(&task.summary) };
                let others = if task.delegated { ", at the same time as others" } else { "" };
                let status = format!("{}{others}", cell(&task.status.replace('_', " ")));
                vec![what, status, ranges(&task.steps), summary]
            }),
        );
    }
    if !report.steps.is_empty() {
        steps(report, page);
    }
    plans(report, page);
}

fn steps(report: &Report, page: &mut Page) {
    // Only one of the flows has a judge.
    let judged = report.steps.iter().any(|step| step.judgement.is_some());
    let mut head = vec!["Step", "Tool", "Input", "Outcome"];
    head.extend(judged.then_some("Judged"));
    head.push("Receipt");
    page.line("Steps:");
    page.table(
        &head,
        report.steps.iter().map(|step| {
            let message = if step.message.is_empty() { String::new() } else { format!(": {}", step.message) };
            let mut row = vec![
                step.step.to_string(),
                word(&step.action),
                word(&clip(&input(&step.input), 160)),
                cell(&clip(&format!("{}{message}", step.outcome), 300)),
            ];
            if judged {
                row.push(step.judgement.as_ref().map_or("–".to_owned(), judgement));
            }
            row.push(step.receipt.as_deref().map_or("–".to_owned(), word));
            row
        }),
    );
}

fn judgement(judgement: &Judgement) -> String {
    let unsure = if judgement.confidence == "low" { ", not sure" } else { "" };
    format!("{}{unsure}", cell(&judgement.status.replace('_', " ")))
}

/// The last review of the work, and what a person said.
pub(super) fn told(report: &Report, page: &mut Page) {
    if let Some(reflection) = &report.reflection {
        page.heading(2, "The last review of the work");
        page.line(format!("Why there was one: {}", inline(&reflection.why)));
        page.gap();
        page.line(format!("What it saw, in the model's words: {}", inline(&reflection.assessment)));
        page.gap();
        page.line(format!("What it told the run to do: {}", inline(&reflection.instruction)));
    }
    if report.said.is_empty() {
        return;
    }
    page.heading(2, "What a person said");
    for said in &report.said {
        page.line(format!("- To {}: {}", inline(&said.to), inline(&said.text)));
    }
}

fn plans(report: &Report, page: &mut Page) {
    if report.plans.is_empty() {
        return;
    }
    page.line("Versions of the plan:");
    page.table(
        &["Version", "By", "Approved", "Tasks", "Hash"],
        report.plans.iter().map(|plan| {
            let tasks: Vec<String> = plan.tasks.iter().map(|(id, _)| cell(id)).collect();
            let tasks = if tasks.is_empty() { "none".to_owned() } else { tasks.join(", ") };
            let author = if plan.author == "person" { "a person" } else { "the model" };
            let approved = if plan.approved { "yes" } else { "no" };
            vec![
                plan.version.to_string(),
                author.to_owned(),
                approved.to_owned(),
                tasks,
                word(&clip(&plan.hash, 12)),
            ]
        }),
    );
    for plan in report.plans.iter().filter(|plan| !plan.reasoning.trim().is_empty()) {
        page.line(format!(
            "Why version {}, in the model's words: {}",
            plan.version,
            inline(&clip(&plan.reasoning, 600))
        ));
        page.gap();
    }
}

/// `3, 5–8`
fn ranges(steps: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for step in steps {
        match parts.last_mut() {
            Some((_, last)) if *step == last.saturating_add(1) => *last = *step,
            _ => parts.push((*step, *step)),
        }
    }
    let shown: Vec<String> = parts
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}–{last}") })
        .collect();
    if shown.is_empty() { "–".to_owned() } else { shown.join(", ") }
}

/// An input as `key: value` pairs.
fn input(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs: Vec<String> =
                map.iter().map(|(key, value)| format!("{key}: {}", short(value))).collect();
            pairs.join(", ")
        }
        other => other.to_string(),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => clip(text, 60),
        other => clip(&other.to_string(), 60),
    }
}

/// What was changed, and whether that is in the project.
pub(super) fn changes(report: &Report, page: &mut Page) {
    if report.changes.is_empty() {
        return;
    }
    page.heading(2, "What was changed");
    page.table(
        &["Where", "Change", "Last step", "Now"],
        report.changes.iter().map(|changed| {
            let from =
                changed.from.as_deref().map(|from| format!(" from {}", word(from))).unwrap_or_default();
            let now = if changed.status == "staged" { "staged, not in the project" } else { &changed.status };
            vec![
                word(&changed.path),
                format!("{}{from}", cell(&changed.change)),
                changed.step.to_string(),
                cell(now),
            ]
        }),
    );
}

/// What was granted to the tools that were called, and what they made of it.
fn granted(report: &Report, page: &mut Page) {
    let fence = &report.fence;
    let omitted = match fence.omitted {
        0 => String::new(),
        1 => " 1 more opening or denial didn't fit into the receipts.".to_owned(),
        more => format!(" {more} more openings or denials didn't fit into the receipts."),
    };
    let opened = plural(fence.files_opened, "different file");
    let least = if fence.omitted > 0 { "at least " } else { "" };
    if fence.folders.is_empty() {
        page.line(format!("No folder was granted to the tools that were called.{omitted}"));
    } else {
        let folders: Vec<String> = fence.folders.iter().map(|folder| inline(folder)).collect();
        page.line(format!("Granted: {}. The tools opened {least}{opened}.{omitted}", folders.join(", ")));
    }
    if !fence.hosts.is_empty() {
        let hosts: Vec<String> = fence.hosts.iter().map(|host| word(host)).collect();
        let requests = plural(fence.requests, "request");
        let secrets: Vec<String> = fence.secrets.iter().map(|name| word(name)).collect();
        let added = match secrets.as_slice() {
            [] => String::new(),
            names => format!(" The host added to them: {}.", names.join(", ")),
        };
        page.line(format!("Granted hosts: {}. The tools made {requests}.{added}", hosts.join(", ")));
    }
    if !fence.env.is_empty() {
        let names: Vec<String> = fence.env.iter().map(|name| word(name)).collect();
        page.line(format!("Variables of the environment that tools could see: {}.", names.join(", ")));
    }
    page.table(
        &["Tool", "Component"],
        fence.components.iter().map(|(tool, digest)| vec![word(tool), word(digest)]),
    );
}

/// What tool calls could touch, and what was refused.
pub(super) fn fence(report: &Report, page: &mut Page) {
    page.heading(2, "The fence");
    if report.fence.components.is_empty() {
        page.line("No tool call left a receipt.");
    } else {
        granted(report, page);
    }
    if !report.fence.granted_later.is_empty() {
        page.line("Allowed by a person during the run:");
        for granted in &report.fence.granted_later {
            page.line(format!("- {}", inline(granted)));
        }
        page.gap();
    }
    if report.denials.is_empty() {
        page.line(match report.fence.omitted {
            0 => "Nothing was refused.",
            _ => {
                "No refusal is in the receipts. Whether there was one among what didn't fit into them can't be known."
            }
        });
        return;
    }
    page.line(match report.fence.omitted {
        0 => "Refused:",
        _ => "Refused, as far as it fitted into the receipts:",
    });
    page.table(
        &["Step", "What was tried", "Why not", "What would allow it"],
        report.denials.iter().map(|denial| {
            let tried = format!("{} {}", cell(&denial.operation), word(&denial.asked));
            let allow = match (&denial.would_allow, &denial.left_out_by) {
                (Some(flags), _) => flags.clone(),
                (None, Some(section)) => format!("no flag: {section} leave it out"),
                (None, None) => "nothing".to_owned(),
            };
            vec![denial.step.to_string(), tried, cell(&denial.reason), cell(&allow)]
        }),
    );
}

/// What went wrong without ending the run.
pub(super) fn notes(report: &Report, page: &mut Page) {
    if report.notes.is_empty() {
        return;
    }
    page.heading(2, "Notes");
    for note in &report.notes {
        page.line(format!("- {}: {}", inline(&note.stage), inline(&note.text)));
    }
}

/// What the run used.
pub(super) fn spend(report: &Report, page: &mut Page) {
    let spend = report.spend;
    page.heading(2, "Spend");
    let of = |limit: Option<String>| limit.map_or_else(String::new, |limit| format!(" of {limit}"));
    let money = match (spend.money, spend.money_limit) {
        (None, _) => " · price unknown".to_owned(),
        (Some(0), None) => String::new(),
        (Some(money), limit) => format!(" · {}{}", dollars(money), of(limit.map(dollars))),
    };
    let seconds = |ms: u64| format!("{:.1} s", ms as f64 / 1000.0);
    page.line(format!(
        "{} of {} · {}, {} in ({} from a cache), {} out{}{money} · {}, {:.1} ms of processor time · {}{} in all, \
         pauses not counted.",
        spend.iterations,
        plural(u64::from(spend.iterations_limit), "iteration"),
        plural(u64::from(spend.model_calls), "model call"),
        plural(spend.input_tokens, "token"),
        spend.cached_tokens,
        spend.output_tokens,
        spend.tokens_limit.map_or_else(String::new, |limit| format!(" (of {limit} tokens)")),
        plural(u64::from(spend.tool_calls), "tool call"),
        spend.tool_cpu_us as f64 / 1000.0,
        seconds(spend.active_ms),
        of(spend.active_limit_ms.map(seconds)),
    ));
}
