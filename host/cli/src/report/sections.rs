//! The parts of a report that say what the run did: outcome, tasks, steps, plans, denials, spend.

use super::{
    Denial, Fence, Journal, Judgement, Note, Outcome, Plan, Reflection, Said, Spend, Status, Step, Task,
};
use crate::amounts::money;
use crate::granted::granted_lines;
use crate::lanes;
use ringfence_engine::{
    Action, Author, Confidence, Deed, Ending, Progress, Stage, State, SubTask, Subject, TaskStatus,
    Timestamp, Verdict,
};
use ringfence_models::playbook::analyst::plural;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How the run ended, or where it stands.
pub(super) fn outcome(state: &State) -> Outcome {
    let (status, text) = match &state.stage {
        Stage::Finished if state.answer.is_some() => {
            (Status::Finished, "Finished with an answer.".to_owned())
        }
        Stage::Finished => (Status::Finished, "Finished: the planner found the goal achieved.".to_owned()),
        Stage::Failed { ending } => match ending {
            Ending::Achieved => (Status::Finished, "Finished.".to_owned()),
            Ending::Failed { why } => (Status::Failed, format!("Failed: {why}")),
            Ending::Limit { which } => (Status::Limit, format!("Ended by a limit: {which}")),
            Ending::Aborted => (Status::Aborted, "Ended by a person before it was finished.".to_owned()),
        },
        Stage::PausedForReview { review, .. } => {
            (Status::Waiting, format!("Not finished: it waits for a person, {}.", waits_for(&review.subject)))
        }
        Stage::Delegating { .. } => match waiting_lane(state) {
            Some(subject) => {
                (Status::Waiting, format!("Not finished: it waits for a person, {}.", waits_for(subject)))
            }
            None => (
                Status::Unfinished,
                "Not finished: tasks are being worked on at the same time, each by a run of its own."
                    .to_owned(),
            ),
        },
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Reflecting { .. } => {
            (Status::Unfinished, format!("Not finished: it stands at the stage `{}`.", state.stage.name()))
        }
    };
    Outcome { status, text: with_failed(text, state) }
}

/// What the first of the delegated runs waits for, where none can go on without a person.
fn waiting_lane(state: &State) -> Option<&Subject> {
    let open = lanes::lanes(state).iter().filter(|lane| lane.state.stage.ending().is_none());
    let subjects: Option<Vec<&Subject>> =
        open.map(|lane| lane.state.stage.review().map(|(review, _)| &review.subject)).collect();
    subjects?.into_iter().next()
}

/// A run that ended well although tasks failed doesn't read as plain success.
fn with_failed(text: String, state: &State) -> String {
    let failed = || state.done.iter().filter(|task| task.status == TaskStatus::Failed);
    let ids: Vec<&str> = failed().map(|task| task.planned.id.0.as_str()).collect();
    if ids.is_empty() {
        return text;
    }
    let total = plural((state.done.len() + state.stack.len()) as u64, "task");
    format!("{}; {} of {total} failed: {}.", text.trim_end_matches('.'), ids.len(), ids.join(", "))
}

fn waits_for(subject: &Subject) -> String {
    match subject {
        Subject::Plan { .. } => "who is asked to approve the plan".to_owned(),
        Subject::Call { call, .. } => format!("who is asked to allow a call of `{}`", call.tool),
        Subject::Judgement { task, .. } => format!("who is asked to approve the judgement on `{task}`"),
        Subject::Finish { .. } => "who is asked whether it may end".to_owned(),
        Subject::Question { question, .. } => format!("who is asked: {question}"),
        Subject::Stagnation { seen } => format!("because it repeats itself ({seen})"),
        Subject::UnknownOutcome { call } => {
            format!("because it isn't known whether a call of `{}` happened", call.tool)
        }
        Subject::StageFailed { stage, why, .. } => {
            format!("because the stage `{}` got no usable answer ({why})", stage.name())
        }
        Subject::Interrupted => "because it was interrupted".to_owned(),
    }
}

/// A moment in RFC 3339, in UTC; as a number where no calendar has it.
pub(super) fn time(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| at.0.to_string(), |time| time.to_string())
}

/// Tasks done with, then open ones, then those that wait to be approved.
pub(super) fn tasks(state: &State) -> Vec<Task> {
    let below: BTreeSet<_> = lanes::lanes(state).iter().map(|lane| &lane.task).collect();
    let all = state.done.iter().chain(state.stack.iter().rev());
    let mut tasks: Vec<Task> =
        all.map(|task| Task { delegated: below.contains(&task.planned.id), ..self::task(task) }).collect();
    if let Stage::PausedForReview { review, .. } = &state.stage
        && let Subject::Plan { plan } = &review.subject
    {
        let known: BTreeSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
        tasks.extend(plan.tasks.iter().filter(|planned| !known.contains(&planned.id.0)).map(|planned| {
            Task {
                id: planned.id.to_string(),
                description: planned.description.clone(),
                status: "proposed".to_owned(),
                summary: String::new(),
                steps: Vec::new(),
                delegated: false,
            }
        }));
    }
    tasks
}

fn task(task: &SubTask) -> Task {
    let status = match task.status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in_progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Failed => "failed",
    };
    Task {
        id: task.planned.id.to_string(),
        description: task.planned.description.clone(),
        status: status.to_owned(),
        summary: task.summary.clone(),
        steps: task.steps.iter().map(|step| step.0).collect(),
        delegated: false,
    }
}

pub(super) fn steps(state: &State) -> Vec<Step> {
    state.history.iter().map(step).collect()
}

fn step(action: &Action) -> Step {
    let (name, input, outcome, message, receipt) = match &action.deed {
        Deed::Tool { tool, input, status, value: _, message, receipt } => (
            tool.clone(),
            input.clone(),
            status.name(),
            message.clone(),
            receipt.as_ref().map(ToString::to_string),
        ),
        Deed::Human { question, answer } => {
            ("human_help".to_owned(), json!({ "question": question }), "answered", answer.clone(), None)
        }
        Deed::Rejected { tool, input, reason } => {
            ("rejected".to_owned(), json!({ "tool": tool, "input": input }), "rejected", reason.clone(), None)
        }
    };
    Step {
        step: action.step.0,
        task: action.task.to_string(),
        action: name,
        input,
        outcome: outcome.to_owned(),
        message,
        receipt,
        reasoning: action.reasoning.clone(),
        confidence: sure(action.confidence).to_owned(),
        summary: action.summary.clone(),
        judgement: action.verdict.as_ref().map(judgement),
    }
}

fn judgement(verdict: &Verdict) -> Judgement {
    let status = match verdict.status {
        Progress::Completed => "completed",
        Progress::Failed => "failed",
        Progress::NeedsMoreWork => "needs_more_work",
    };
    Judgement {
        status: status.to_owned(),
        confidence: sure(verdict.confidence).to_owned(),
        suggestion: verdict.suggestion.clone(),
    }
}

fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// The last review of the whole work.
pub(super) fn reflection(state: &State) -> Option<Reflection> {
    state.instruction.as_ref().map(|instruction| Reflection {
        why: instruction.why.clone(),
        assessment: instruction.assessment.clone(),
        instruction: instruction.text.clone(),
    })
}

/// What a person told the run, oldest first.
pub(super) fn said(state: &State) -> Vec<Said> {
    let said = |said: &ringfence_engine::Said| Said { to: said.to.clone(), text: said.text.clone() };
    state.said.iter().map(said).collect()
}

pub(super) fn plans(state: &State) -> Vec<Plan> {
    let author = |author: Author| match author {
        Author::Model => "model",
        Author::Person => "person",
    };
    state
        .plans
        .iter()
        .map(|plan| Plan {
            version: plan.version,
            hash: plan.hash.to_string(),
            author: author(plan.author).to_owned(),
            approved: plan.approved,
            reasoning: plan.reasoning.clone(),
            tasks: plan.tasks.iter().map(|task| (task.id.to_string(), task.description.clone())).collect(),
        })
        .collect()
}

pub(super) fn notes(state: &State) -> Vec<Note> {
    let note =
        |note: &ringfence_engine::Note| Note { stage: note.stage.name().to_owned(), text: note.text.clone() };
    state.notes.iter().map(note).collect()
}

/// Each receipt with the step and the tool of its call.
pub(super) fn receipts<'a>(journal: &'a Journal<'_>) -> impl Iterator<Item = (u64, &'a str, &'a Value)> {
    journal.state.history.iter().filter_map(|action| match &action.deed {
        Deed::Tool { tool, receipt: Some(id), .. } => {
            Some((action.step.0, tool.as_str(), journal.receipts.get(id)?))
        }
        Deed::Tool { .. } | Deed::Human { .. } | Deed::Rejected { .. } => None,
    })
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn denials(journal: &Journal<'_>) -> Vec<Denial> {
    let mut denials = Vec::new();
    for (step, _, receipt) in receipts(journal) {
        denials.extend(list(receipt, "denials").map(|denial| Denial {
            step,
            operation: text(denial, "operation"),
            asked: text(denial, "asked"),
            reason: text(denial, "reason").replace('_', " "),
            would_allow: denial.get("would_allow").and_then(Value::as_str).map(str::to_owned),
            left_out_by: denial.get("left_out_by").and_then(Value::as_str).map(str::to_owned),
        }));
    }
    denials
}

pub(super) fn fence(journal: &Journal<'_>) -> Fence {
    let mut fence = Fence { granted_later: granted_lines(journal.state), ..Fence::default() };
    let mut opened = BTreeSet::new();
    for (_, tool, receipt) in receipts(journal) {
        for folder in list(receipt, "dirs") {
            let folder = format!("{} ({})", text(folder, "path"), text(folder, "access"));
            if !fence.folders.contains(&folder) {
                fence.folders.push(folder);
            }
        }
        for host in list(receipt, "hosts") {
            let methods: Vec<_> = list(host, "methods").filter_map(Value::as_str).collect();
            let host = match methods.as_slice() {
                [] => text(host, "url"),
                methods => format!("{} ({})", text(host, "url"), methods.join(", ")),
            };
            if !fence.hosts.contains(&host) {
                fence.hosts.push(host);
            }
        }
        fence.env.extend(list(receipt, "env").filter_map(Value::as_str).map(str::to_owned));
        for request in list(receipt, "requests") {
            fence.requests += 1;
            fence.secrets.extend(list(request, "secrets").filter_map(Value::as_str).map(str::to_owned));
        }
        fence.components.insert(tool.to_owned(), text(receipt, "component"));
        fence.omitted += receipt.get("omitted").and_then(Value::as_u64).unwrap_or(0);
        opened.extend(list(receipt, "opened").map(|file| text(file, "path")));
    }
    fence.files_opened = opened.len() as u64;
    fence
}

pub(super) fn spend(journal: &Journal<'_>) -> Spend {
    let state = journal.state;
    let cpu = receipts(journal).filter_map(|(_, _, receipt)| receipt.get("cpu_us")?.as_u64()).sum();
    Spend {
        iterations: state.iterations,
        iterations_limit: state.settings.limits.iterations,
        model_calls: state.spent.model_calls,
        tool_calls: state.spent.tool_calls,
        input_tokens: state.spent.tokens.input_tokens,
        cached_tokens: state.spent.tokens.cached_tokens,
        output_tokens: state.spent.tokens.output_tokens,
        tokens_limit: state.settings.limits.tokens,
        money: money(state),
        money_limit: state.settings.limits.money,
        active_ms: state.clock.active_ms,
        active_limit_ms: state.settings.limits.wall_clock_ms,
        tool_cpu_us: cpu,
    }
}
