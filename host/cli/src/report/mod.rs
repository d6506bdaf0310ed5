//! Reports: what a run found out and did, from its journal alone.
//!
//! Owns the report's shape (JSON), its Markdown, HTML and SARIF, and making text from guests and models harmless
//! in all. Doesn't own what tool results mean: that is the analyst's, in the models crate. Never
//! looks at the project.

mod below;
mod build;
mod changes;
mod claims;
mod html;
mod markdown;
mod picture;
mod safe;
mod sarif;
mod sections;
mod severe;

use ringfence_engine::{ReceiptId, State};
use ringfence_models::playbook::analyst::{Card, Concern, Evidence, Graph, Item, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub use html::html;
pub use markdown::{brief, markdown};
pub use sarif::sarif;

/// The name and version of the JSON form. Fields are added under the same number; one that
/// changes its meaning gets a new number.
pub const FORMAT: &str = "ringfence-report/1";

/// What a report is made of.
#[derive(Debug, Clone, Copy)]
pub struct Journal<'a> {
    /// The run, as its events leave it.
    pub state: &'a State,
    /// The receipts of its tool calls, as the sandbox made them.
    pub receipts: &'a BTreeMap<ReceiptId, Value>,
    /// The project's folder as it was given; shown, never opened.
    pub project: &'a str,
    /// The model that served the run, as a person would name it.
    pub model: &'a str,
}

/// A run's report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// The run.
    pub run: String,
    /// What it was to achieve.
    pub goal: String,
    /// The project's folder as it was given.
    pub project: String,
    /// The model that served it.
    pub model: String,
    /// Its loop: `staged`, `pipeline` or `react`.
    #[serde(default)]
    pub flow: String,
    /// How it ended, or where it stands.
    pub outcome: Outcome,
    /// When its first event happened: RFC 3339, UTC.
    pub started: String,
    /// When its latest event happened: RFC 3339, UTC.
    pub latest: String,
    /// The final answer, in a flow that gives one, in the model's words or a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How many kinds of findings there are of each severity.
    pub counts: Counts,
    /// Languages, packages, frameworks, dependencies, builds.
    pub stack: Vec<Statement>,
    /// Folders, entry points, what files define.
    pub modules: Vec<Statement>,
    /// The packages and who imports whom; none where no map was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
    /// Possible problems, the worst first; one entry for each kind, with its places.
    pub findings: Vec<Statement>,
    /// What was looked for, and what was left out.
    pub coverage: Vec<Statement>,
    /// The tasks, in the order in which they were or will be worked on.
    pub tasks: Vec<Task>,
    /// The audit record: every action, in order.
    pub steps: Vec<Step>,
    /// Every version of the plan.
    pub plans: Vec<Plan>,
    /// The last review of the whole work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Reflection>,
    /// What a person told the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
    /// What the run changed: staged until a person applies or discards it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changed>,
    /// What the fence refused.
    pub denials: Vec<Denial>,
    /// Repairs, questions asked again, degraded results.
    pub notes: Vec<Note>,
    /// What tool calls could touch, and with which components.
    pub fence: Fence,
    /// What the run used.
    pub spend: Spend,
}

/// A file or folder that the run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Where, seen from the project folder.
    pub path: String,
    /// `created`, `modified`, `deleted` or `renamed`, by the last call that changed it.
    pub change: String,
    /// Where it was before, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The hash of what was there before the run; none for nothing.
    pub before: Option<String>,
    /// The hash of what is there after it; none for nothing.
    pub after: Option<String>,
    /// The last step that changed it.
    pub step: u64,
    /// `staged`, `applied` or `discarded`.
    pub status: String,
}

/// How a run ended, or where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The class.
    pub status: Status,
    /// The same in a sentence.
    pub text: String,
}

/// Classes of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The goal was achieved.
    Finished,
    /// The run failed.
    Failed,
    /// A limit ended it.
    Limit,
    /// A person ended it.
    Aborted,
    /// It waits for a person.
    Waiting,
    /// It is under way, or its driver is gone.
    Unfinished,
}

/// Kinds of findings by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Likely to hurt.
    pub high: u32,
    /// Should be looked at.
    pub medium: u32,
    /// Unlikely to hurt.
    pub low: u32,
    /// Worth knowing.
    pub info: u32,
}

/// A statement about the project with the places that support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Who says so.
    pub source: Source,
    /// What it is about, a stable word; for a finding the id of its rule, or `model`.
    pub topic: String,
    /// The statement.
    pub text: String,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How bad it is; for findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What it endangers; for findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concern: Option<Concern>,
    /// The rule that found it; for findings of a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Card>,
    /// Where it doesn't hold for the whole project: for which part, or why. For the coverage of
    /// problems: what wasn't searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Where it can be seen: step, file, first and last line. Never empty.
    pub evidence: Vec<Evidence>,
    /// Its parts, each with its own place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// How many more parts there are.
    #[serde(default)]
    pub omitted: u32,
    /// What the model said of the same places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Who makes a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Derived from tool results by fixed rules.
    Analyst,
    /// The model's words; the places that it names were checked against the journal.
    Model,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What was to be done.
    pub description: String,
    /// `proposed`, `pending`, `in_progress`, `completed` or `failed`.
    pub status: String,
    /// What came of it, in the words of whoever evaluated it.
    pub summary: String,
    /// The steps taken for it.
    pub steps: Vec<u64>,
    /// Whether it is being worked on at the same time as others, by a run of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delegated: bool,
}

/// An action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What claims cite.
    pub step: u64,
    /// The task it was for.
    pub task: String,
    /// A tool's name, `human_help`, or `rejected` for a call that a person didn't allow.
    pub action: String,
    /// The tool's input, or the question.
    pub input: Value,
    /// `done`, `failed`, `trapped`, `denied`, `exceeded`, `cancelled`; `answered`; `rejected`.
    pub outcome: String,
    /// One line on what went wrong, the person's answer or reason; may be empty.
    pub message: String,
    /// The receipt of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// Why it was chosen, in the model's words.
    pub reasoning: String,
    /// How sure the model said it was when it chose this: `low`, `medium` or `high`.
    #[serde(default)]
    pub confidence: String,
    /// What the evaluation said of it, in the model's words.
    pub summary: String,
    /// How the task was judged after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
}

/// How a task was judged after a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// `completed`, `failed` or `needs_more_work`.
    pub status: String,
    /// How sure the model said it was.
    pub confidence: String,
    /// What it would do next, in its words; may be empty.
    pub suggestion: String,
}

/// A review of the whole work, in the model's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflection {
    /// Why there was one.
    pub why: String,
    /// What it saw.
    pub assessment: String,
    /// What it told the run to do differently.
    pub instruction: String,
}

/// Something that a person told the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What it was said to.
    pub to: String,
    /// Their words.
    pub text: String,
}

/// A version of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Counted from 1.
    pub version: u32,
    /// Over its tasks.
    pub hash: String,
    /// `model` or `person`.
    pub author: String,
    /// Whether it was approved, by a person or by `--yes` in their name.
    pub approved: bool,
    /// The planner's reasons, in the model's words; empty for a person's edit.
    #[serde(default)]
    pub reasoning: String,
    /// Its tasks: id and description.
    pub tasks: Vec<(String, String)>,
}

/// Something that the fence refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// The step.
    pub step: u64,
    /// What was tried.
    pub operation: String,
    /// What was asked for.
    pub asked: String,
    /// Why not.
    pub reason: String,
    /// The flags that would allow it, if any can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_allow: Option<String>,
    /// What leaves it out whatever is granted, if something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_by: Option<String>,
}

/// Something that went wrong without ending the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// `plan`, `decide`, `evaluate`, `reason`, `converse` or `reflect`.
    pub stage: String,
    /// What happened.
    pub text: String,
}

/// What tool calls could touch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Granted folders with their access, as receipts have them.
    pub folders: Vec<String>,
    /// Granted hosts, with their methods where these aren't the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Requests that were made, as far as receipts list them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests: u64,
    /// The names of the secrets that the host added to them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub secrets: BTreeSet<String>,
    /// The variables of the environment that tools could see.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<String>,
    /// What a person allowed during the run, and who and when; oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub granted_later: Vec<String>,
    /// The component of each tool that was called, by digest.
    pub components: BTreeMap<String, String>,
    /// How many different files the tools opened, as far as receipts list them.
    pub files_opened: u64,
    /// Openings and denials that didn't fit into the receipts' bounded lists.
    pub omitted: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Stages carried out.
    pub iterations: u32,
    /// The cap on them.
    pub iterations_limit: u32,
    /// Model calls answered.
    pub model_calls: u32,
    /// Tool calls ended.
    pub tool_calls: u32,
    /// Prompt tokens.
    pub input_tokens: u64,
    /// Of them, from a cache.
    pub cached_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The cap on tokens, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_limit: Option<u64>,
    /// Millionths of a US dollar; none where what a model costs isn't known.
    #[serde(default)]
    pub money: Option<u64>,
    /// The cap on them, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money_limit: Option<u64>,
    /// Time outside pauses, in milliseconds.
    pub active_ms: u64,
    /// The cap on it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_limit_ms: Option<u64>,
    /// Processor time of all tool calls, in microseconds.
    pub tool_cpu_us: u64,
}

#[cfg(test)]
mod tests;
