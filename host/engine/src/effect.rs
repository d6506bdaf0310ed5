//! What the engine wishes for. The driver carries it out and reports back with an event.

use crate::id::{CallId, PromptDigest, ReviewId, StepId, TaskId};
use crate::plan::PlanVersion;
use crate::settings::{PausePoint, ToolFacts};
use crate::state::Verdict;
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

/// A stage's request to a model. What it says is made from the state when it is wanted
/// (`Run::prompt`), since it follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Names the call in the answer.
    pub call: CallId,
    /// Who asks.
    pub stage: ModelStage,
    /// The expert that serves the task's kind, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert: Option<String>,
    /// Over everything that is sent.
    pub prompt: PromptDigest,
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
    /// The pipeline's one question: answer, call a tool, or ask.
    Reason,
    /// The next turn of a conversation.
    Converse,
    /// Review the whole working memory and give one instruction.
    Reflect,
}

impl ModelStage {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Plan, Self::Decide, Self::Evaluate, Self::Reason, Self::Converse, Self::Reflect];

    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Decide => "decide",
            Self::Evaluate => "evaluate",
            Self::Reason => "reason",
            Self::Converse => "converse",
            Self::Reflect => "reflect",
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
    /// 1, or more when an earlier try ended unknown or failed in passing.
    pub attempt: u32,
    /// Deadline in milliseconds.
    pub timeout_ms: u64,
    /// Why it was chosen, in the model's words.
    pub reasoning: String,
    /// How sure the model said it was.
    pub confidence: Confidence,
    /// The provider's own name for the request, in a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_as: Option<String>,
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

/// What a review is about. Every one can be aborted; what else it takes stands beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "subject", rename_all = "snake_case")]
pub enum Subject {
    /// A plan waits for approval: approve, edit, add, reject, reply (plan again with these words).
    Plan {
        /// The proposed version.
        plan: PlanVersion,
    },
    /// A tool call waits for approval: approve, edit its input, add tasks (and approve), reject,
    /// reply (decide again with these words).
    Call {
        /// The proposed call.
        call: ToolCall,
        /// Why a person sees it first.
        #[serde(default)]
        why: Cause,
    },
    /// A judgement waits for approval: approve, edit the open tasks, add tasks, reject (the task
    /// needs more work), reply (judge again with these words).
    Judgement {
        /// The step that was judged.
        step: StepId,
        /// The task that it was for.
        task: TaskId,
        /// The judgement.
        verdict: Verdict,
        /// The same in words.
        summary: String,
        /// Why a person sees it first.
        why: Cause,
    },
    /// The run is about to end: approve, edit (the open tasks, or the answer), add tasks, reject,
    /// reply (the planner or the reasoner goes on with these words).
    Finish {
        /// The answer, in a flow that gives one.
        answer: Option<String>,
        /// Why it ends, in the model's words.
        reasoning: String,
    },
    /// The model asks a person: reply, reject.
    Question {
        /// Its question.
        question: String,
        /// Why it asks.
        reasoning: String,
    },
    /// The run repeats itself: approve (go on), edit or add tasks, reply (advice), reject (give the
    /// task up).
    Stagnation {
        /// What was seen, in one line.
        seen: String,
    },
    /// A call that can't simply be repeated may or may not have happened: approve (call again),
    /// edit (call again with this input), reply (it happened, and this came of it), reject (take it
    /// as failed).
    UnknownOutcome {
        /// The call.
        call: ToolCall,
    },
    /// A stage got no usable answer: approve (ask again), edit or add tasks, reply (ask again with
    /// these words), reject (give the task up).
    StageFailed {
        /// The stage that failed.
        stage: ModelStage,
        /// Why, in one line.
        why: String,
        /// The model could not be reached at all, as against unusable words.
        unreachable: bool,
    },
    /// Somebody interrupted: approve (go on).
    Interrupted,
}

/// Why a person sees something before it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Every call is shown.
    #[default]
    BeforeTool,
    /// It can change files.
    BeforeWrite,
    /// It can send something off the machine.
    BeforeEgress,
    /// Every judgement is shown.
    AfterEvaluate,
    /// The model isn't sure.
    OnLowConfidence,
    /// It can send something off the machine, and the run has read files and received content
    /// from the network, or the call can do both by itself: whatever was received may have told
    /// what to send. No setting and no blanket approval takes this review away.
    ReadAndReceived,
}

impl Cause {
    /// The pause point that asks for it; none for a review that is always held.
    pub fn pause_point(self) -> Option<PausePoint> {
        match self {
            Self::BeforeTool => Some(PausePoint::BeforeTool),
            Self::BeforeWrite => Some(PausePoint::BeforeWrite),
            Self::BeforeEgress => Some(PausePoint::BeforeEgress),
            Self::AfterEvaluate => Some(PausePoint::AfterEvaluate),
            Self::OnLowConfidence => Some(PausePoint::OnLowConfidence),
            Self::ReadAndReceived => None,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// The goal is achieved, or its question answered.
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
