//! The state of a run: the fold of its events. Complete, self-contained, serializable.

use crate::effect::{Confidence, ModelStage};
use crate::event::{OutcomeStatus, Usage};
use crate::granted::GrantedLater;
use crate::id::{CallId, ReceiptId, RunId, StepId, TaskId, Timestamp};
use crate::message::Conversation;
use crate::plan::{PlanVersion, SubTask};
use crate::settings::Settings;
use crate::settled::SettledAt;
use crate::stage::Stage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The run.
    pub run: RunId,
    /// What it is to achieve.
    pub goal: String,
    /// How it was started.
    pub settings: Settings,
    /// Where it is, and what is owed there.
    pub stage: Stage,
    /// Every version of the plan, oldest first.
    pub plans: Vec<PlanVersion>,
    /// Open tasks; the last one is on top and the only one worked on.
    pub stack: Vec<SubTask>,
    /// Tasks done with or given up, in that order of time.
    pub done: Vec<SubTask>,
    /// The audit record: every action carried out, in order.
    pub history: Vec<Action>,
    /// What the next stage is told about the last thing that happened.
    pub observation: Option<String>,
    /// What a person told the run, oldest first; shown to every later stage.
    pub said: Vec<Said>,
    /// What the last review of the whole working memory told the run to do.
    #[serde(default)]
    pub instruction: Option<Instruction>,
    /// What was said, in the flow that is one conversation.
    #[serde(default)]
    pub conversation: Option<Conversation>,
    /// The final answer, in a flow that gives one.
    #[serde(default)]
    pub answer: Option<String>,
    /// What the run has come to know, as far as that restricts what it may send.
    #[serde(default)]
    pub exposure: Exposure,
    /// What a person allowed since the run began, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub granted: Vec<GrantedLater>,
    /// What a person did with staged changes, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<SettledAt>,
    /// Whether it works on one task of another run's plan and ends with it.
    #[serde(default)]
    pub delegated: bool,
    /// Claims that the run made, each with the steps that support it.
    pub claims: Vec<Claim>,
    /// Things that went wrong without ending the run: repairs, re-asks, degraded results.
    pub notes: Vec<Note>,
    /// Stages carried out.
    pub iterations: u32,
    /// What the run has used.
    pub spent: Spent,
    /// When it began and when something last happened.
    pub clock: Clock,
    /// Counters for ids.
    pub next: Counters,
    /// What the guards remember.
    pub watch: Watch,
}

/// One action carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// What reports cite.
    pub step: StepId,
    /// The task it was for.
    pub task: TaskId,
    /// Why it was chosen, in the model's words.
    pub reasoning: String,
    /// What was done.
    pub deed: Deed,
    /// How sure the model said it was when it chose this.
    pub confidence: Confidence,
    /// What the evaluation said of it; empty until then.
    pub summary: String,
    /// The evaluation's judgement; none before it, and for what isn't a tool call.
    pub verdict: Option<Verdict>,
}

/// What an evaluation concluded about the task after one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Where the task stands.
    pub status: Progress,
    /// What should be done next, in the evaluator's words; may be empty.
    pub suggestion: String,
    /// How sure the evaluator said it was.
    pub confidence: Confidence,
}

/// Where a task stands after an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Done.
    Completed,
    /// Can't be done.
    Failed,
    /// Another action is needed.
    NeedsMoreWork,
}

/// Kinds of actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
pub enum Deed {
    /// A tool was called.
    Tool {
        /// Its name.
        tool: String,
        /// Its input.
        input: Value,
        /// How the call ended.
        status: OutcomeStatus,
        /// What it gave: its value, or its error.
        value: Value,
        /// One line on a call that wasn't `Done`.
        message: String,
        /// The receipt.
        receipt: Option<ReceiptId>,
    },
    /// A person was asked.
    Human {
        /// The question.
        question: String,
        /// The answer.
        answer: String,
    },
    /// A proposed call was rejected by a person and never made.
    Rejected {
        /// The tool.
        tool: String,
        /// The proposed input.
        input: Value,
        /// Why.
        reason: String,
    },
}

/// Something that a person told the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What it was said to, in a few words.
    pub to: String,
    /// Their words.
    pub text: String,
}

/// A correction by the review of the whole working memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// What to do differently, shown to every later stage until the next review.
    pub text: String,
    /// What the review saw.
    pub assessment: String,
    /// Why there was one.
    pub why: String,
}

/// What a run has come to know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exposure {
    /// A tool that can read files has returned something.
    pub read: bool,
    /// A tool that can reach the network has returned something.
    pub received: bool,
}

/// A statement about the project with the places that support it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Which part of a report it belongs to.
    pub about: ClaimKind,
    /// The statement, one or two sentences.
    pub text: String,
    /// `high`, `medium`, `low` or `info`; for problems.
    pub severity: Option<Severity>,
    /// Where it can be seen; never empty.
    pub evidence: Vec<Evidence>,
}

/// Parts of a report that claims belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Languages, frameworks, build tools, dependencies.
    Stack,
    /// Modules and their structure.
    Module,
    /// Possible problems.
    Problem,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Unlikely to hurt.
    Low,
    /// Should be looked at.
    Medium,
    /// Likely to hurt.
    High,
}

/// A place that supports a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The step whose result showed it.
    pub step: StepId,
    /// The file, relative to the project; absent where the whole result supports the claim.
    pub file: Option<String>,
    /// First and last line, from 1.
    pub lines: Option<(u32, u32)>,
}

/// Something that went wrong without ending the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The call it is about.
    pub call: CallId,
    /// The stage.
    pub stage: ModelStage,
    /// What happened, in one line.
    pub text: String,
}

/// What a run has used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Model calls answered.
    pub model_calls: u32,
    /// Tool calls ended.
    pub tool_calls: u32,
    /// Tokens of all model calls, those that failed included.
    pub tokens: Usage,
    /// What they cost, in millionths of a US dollar, as far as prices are known.
    #[serde(default)]
    pub money: u64,
}

/// Times of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// The first event.
    pub started: Timestamp,
    /// The latest event.
    pub latest: Timestamp,
    /// Milliseconds spent outside pauses, up to the latest event.
    pub active_ms: u64,
}

/// The next free numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// For model and tool calls.
    pub call: u64,
    /// For reviews.
    pub review: u64,
    /// For steps.
    pub step: u64,
}

/// What the guards remember between events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The last choices of action, oldest first, as many as any pattern needs; emptied by a
    /// completed task, by a review of the working memory and when a person says to go on.
    pub trail: Vec<Seen>,
    /// Equal calls within one turn, in words, where there were too many.
    #[serde(default)]
    pub crowd: Option<String>,
    /// Actions since the last one that brought the run forward.
    #[serde(default)]
    pub idle: u32,
    /// Whether the working memory was reviewed since the run last came forward: the next
    /// repetition is a person's to judge.
    #[serde(default)]
    pub reflected: bool,
    /// Evaluations in a row, for one task, that gave no usable answer.
    pub weak_evaluations: u32,
    /// Plans in a row without a task while nothing was left to do.
    pub empty_plans: u32,
}

/// A choice of action, as the guard against stagnation compares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Over the tool, the canonical input and the outcome class.
    pub hash: String,
    /// Over the tool and the outcome class, where that is an error.
    #[serde(default)]
    pub error: Option<String>,
    /// The same in words, for a person.
    pub words: String,
}
