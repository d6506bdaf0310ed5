//! What the engine wishes for. The driver carries it out and reports back with an event.

use crate::id::{CallId, ReviewId, StepId, TaskId};
use crate::plan::PlanVersion;
use crate::settings::ToolFacts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A wish of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Ask a model; answer with `ModelReplied` or `ModelFailed`.
    CallModel(ModelCall),
    /// Call a tool; answer with `ToolFinished`.
    CallTool(ToolCall),
    /// Ask a person; answer with `Answered`, at any later time.
    AskPerson(Review),
    /// The run is over; nothing is owed any more.
    Finish(Ending),
}

/// A stage's request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Names the call in the answer.
    pub call: CallId,
    /// `plan`, `decide` or `evaluate`.
    pub stage: ModelStage,
    /// The part that never changes between calls of one stage: role, rules, tools.
    pub system: String,
    /// The state, as far as the model is shown it.
    pub user: String,
    /// The JSON Schema that the reply must satisfy.
    pub schema: Value,
    /// The same content as data (`facts.rs`); what a playbook reads instead of prose. Not written
    /// anywhere, since it follows from the state and grows with it.
    #[serde(skip)]
    pub facts: Value,
    /// Cap on output tokens.
    pub max_tokens: u32,
    /// Time for the call, retries included, in milliseconds.
    pub timeout_ms: u64,
}

/// The stages that a model serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelStage {
    /// Break the goal down, or say that it is achieved.
    Plan,
    /// Choose the next action for the task on top.
    Decide,
    /// Judge what the action brought.
    Evaluate,
}

impl ModelStage {
    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Decide => "decide",
            Self::Evaluate => "evaluate",
        }
    }
}

/// A tool call that has been decided and, where asked for, approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call in the answer; a repeated call keeps it.
    pub call: CallId,
    /// The step it will be in the action history.
    pub step: StepId,
    /// The task it serves.
    pub task: TaskId,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// What the tool can do under the run's grants.
    pub can: ToolFacts,
    /// 1, or more when an earlier try ended unknown.
    pub attempt: u32,
    /// Deadline in milliseconds.
    pub timeout_ms: u64,
    /// Why it was chosen, in the model's words.
    pub reasoning: String,
    /// How sure the model said it was.
    pub confidence: Confidence,
}

/// How sure a model says it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It guesses.
    Low,
    /// In between; also where it said nothing.
    #[default]
    Medium,
    /// It has seen what it says.
    High,
}

/// A question to a person, with what is proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Names the review in the answer.
    pub id: ReviewId,
    /// What is asked.
    pub subject: Subject,
}

/// What a review is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "subject", rename_all = "snake_case")]
pub enum Subject {
    /// A plan waits for approval: approve, edit, add, reject, abort.
    Plan {
        /// The proposed version.
        plan: PlanVersion,
    },
    /// A tool call waits for approval: approve, edit, reject, abort.
    Call {
        /// The proposed call.
        call: ToolCall,
    },
    /// The model asks a person: reply, reject, abort.
    Question {
        /// Its question.
        question: String,
        /// Why it asks.
        reasoning: String,
    },
    /// The run repeats itself: approve (go on), reply (advice), reject (give the task up), abort.
    Stagnation {
        /// What was seen, in one line.
        seen: String,
    },
    /// A call that can't simply be repeated may or may not have happened:
    /// approve (call again), reject (take it as failed), abort.
    UnknownOutcome {
        /// The call.
        call: ToolCall,
    },
    /// A stage got no usable answer: approve (ask again), edit (for a plan: these tasks), abort.
    StageFailed {
        /// The stage that failed.
        stage: ModelStage,
        /// Why, in one line.
        why: String,
        /// The model could not be reached at all, as against unusable words.
        unreachable: bool,
    },
    /// Somebody interrupted: approve (go on), abort.
    Interrupted,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// The planner said that the goal is achieved.
    Achieved,
    /// The run failed.
    Failed {
        /// Why, in one line.
        why: String,
    },
    /// A limit ended it.
    Limit {
        /// Which, in one line.
        which: String,
    },
    /// A person ended it.
    Aborted,
}
