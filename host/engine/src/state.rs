//! The state of a run: the fold of its events. Complete, self-contained, serializable.

use crate::effect::{Confidence, Ending, ModelStage, Review, ToolCall};
use crate::event::{OutcomeStatus, Usage};
use crate::id::{CallId, ReceiptId, RunId, StepId, TaskId, Timestamp};
use crate::plan::{PlanVersion, SubTask};
use crate::settings::Settings;
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
    /// Claims that evaluations made, each with the steps that support it.
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

/// Where a run is. A pending call lives inside the variant, so the state says what is owed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    /// Before the first request; only within the handling of `Started`.
    Initializing,
    /// The planner is asked.
    Planning(Asking),
    /// The next action is asked for.
    Deciding(Asking),
    /// A tool call is under way.
    Executing {
        /// The call.
        call: ToolCall,
    },
    /// The last action is being judged.
    Evaluating(Asking),
    /// A person is asked; no process needs to wait for it.
    PausedForReview {
        /// The question.
        review: Review,
        /// Where the run goes on.
        then: Box<Stage>,
    },
    /// Ended as hoped.
    Finished,
    /// Ended otherwise.
    Failed {
        /// How.
        ending: Ending,
    },
}

/// The names of the stages, without what is owed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// [`Stage::Initializing`]
    Initializing,
    /// [`Stage::Planning`]
    Planning,
    /// [`Stage::Deciding`]
    Deciding,
    /// [`Stage::Executing`]
    Executing,
    /// [`Stage::Evaluating`]
    Evaluating,
    /// [`Stage::PausedForReview`]
    PausedForReview,
    /// [`Stage::Finished`]
    Finished,
    /// [`Stage::Failed`]
    Failed,
}

impl StageName {
    /// As it is written in JSON and shown to people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initializing => "initializing",
            Self::Planning => "planning",
            Self::Deciding => "deciding",
            Self::Executing => "executing",
            Self::Evaluating => "evaluating",
            Self::PausedForReview => "paused_for_review",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

impl std::fmt::Display for StageName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Stage {
    /// Its name.
    pub fn name(&self) -> StageName {
        match self {
            Self::Initializing => StageName::Initializing,
            Self::Planning(_) => StageName::Planning,
            Self::Deciding(_) => StageName::Deciding,
            Self::Executing { .. } => StageName::Executing,
            Self::Evaluating(_) => StageName::Evaluating,
            Self::PausedForReview { .. } => StageName::PausedForReview,
            Self::Finished => StageName::Finished,
            Self::Failed { .. } => StageName::Failed,
        }
    }

    /// How the run ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Self::Finished => Some(Ending::Achieved),
            Self::Failed { ending } => Some(ending.clone()),
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Executing { .. }
            | Self::Evaluating(_)
            | Self::PausedForReview { .. } => None,
        }
    }
}

/// A model call that is owed an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// The call.
    pub call: CallId,
    /// What was wrong with the first reply, if this is the one re-ask.
    pub reask: Option<String>,
    /// Output cap of this call.
    pub max_tokens: u32,
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
    /// Tokens of all answered model calls.
    pub tokens: Usage,
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
    /// The last choices of action, oldest first; emptied when a person says to go on. Never
    /// longer than `limits.stagnation`.
    pub trail: Vec<Seen>,
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
    /// The same in words, for a person.
    pub words: String,
}
