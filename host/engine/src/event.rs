//! Facts that happen to a run. The journal is the list of them; the state is their fold.

use crate::granted::Granted;
use crate::id::{CallId, PlanHash, ReceiptId, ReviewId, RunId, Timestamp};
use crate::plan::PlannedTask;
use crate::rates::Rates;
use crate::settings::Settings;
use crate::settled::Settled;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One fact and when it was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When the driver learnt it.
    pub at: Timestamp,
    /// Milliseconds of work since the event before, by a clock that stands still while the machine
    /// sleeps. For a run that is taken up: how long the driver before is known to have worked. None:
    /// the time between the two is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked_ms: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Everything that can happen to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// The run began; always the first event and never another.
    Started {
        /// The run's name.
        run: RunId,
        /// What it is to achieve, in a person's words.
        goal: String,
        /// How.
        settings: Box<Settings>,
    },
    /// A model answered a stage.
    ModelReplied {
        /// The call it answers.
        call: CallId,
        /// Its words and what they cost.
        reply: ModelReply,
    },
    /// A model could not be reached or gave no answer, the provider's retries included.
    ModelFailed {
        /// The call that failed.
        call: CallId,
        /// Why.
        failure: ModelFailure,
    },
    /// A model call was given up in the middle, by a stop, a crash or because nobody needs its answer
    /// any more: what it had used until then counts. Changes nothing else, and is taken after the end
    /// too.
    ModelDropped {
        /// The call that was given up.
        call: CallId,
        /// What it had used, as far as it is known or can be estimated.
        usage: Usage,
        /// What that cost, in millionths of a US dollar, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<u64>,
    },
    /// A tool call came to an end.
    ToolFinished {
        /// The call that ended.
        call: CallId,
        /// How.
        outcome: ToolOutcome,
    },
    /// A call that was approved is put to a person again before it is made: what it would change
    /// wasn't shown as it is now, or nobody knows any more what was. Only where a person sees such
    /// calls at all.
    ProposedAgain {
        /// The call, which was due.
        call: CallId,
    },
    /// A person answered what the run had asked.
    Answered {
        /// The question.
        review: ReviewId,
        /// The answer.
        answer: Answer,
    },
    /// A person or the system asked the run to stop where it is; it can be resumed. A review that
    /// is open stays open. An answer that was on its way is still taken.
    Interrupted,
    /// A driver took the run up again: whatever was under way has an unknown outcome. A model is
    /// asked again; a tool call is made again under its own id if it can neither write nor send,
    /// and is in doubt otherwise. Ends an interruption, and the wait for a model that was out of
    /// reach; leaves every other review to a person; after the end, shows the end again.
    Resumed {
        /// What the models cost now, where others were chosen. Refused where a limit of money
        /// couldn't be kept with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rates: Option<Rates>,
    },
    /// A person set the open tasks without having been asked, as a fork with its own plan does.
    /// Whatever was under way is dropped; what delegated runs have done stays in the record.
    Replanned {
        /// The whole new list of open tasks, first to be done first.
        tasks: Vec<PlannedTask>,
    },
    /// A person allowed more than the run was started with, from the next call on. Answers nothing.
    Granted(Granted),
    /// A person put staged changes into the project, or threw them away. Taken at any time, after
    /// the end too.
    ChangesSettled(Settled),
}

/// A model's reply to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The raw text.
    pub text: String,
    /// The tools it asks for, in a conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolRequest>,
    /// The turn as the provider sent it, which a conversation sends back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it used.
    pub usage: Usage,
    /// What it cost, in millionths of a US dollar, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// A tool that a model asks for in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// The provider's name for it; the result carries it too.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The input as JSON text, possibly unreadable.
    pub arguments: String,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    End,
    /// The output cap cut it off.
    Length,
    /// The model refused.
    Refusal,
    /// It wants tools called.
    ToolUse,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input_tokens: u64,
    /// Of them, read from the provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Output tokens, thinking included.
    pub output_tokens: u64,
}

impl Usage {
    /// Whether nothing was used.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Prompt and output together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why no reply came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// What went wrong, without secrets, fit for a person.
    pub message: String,
    /// Whether the same call might work later without anything being changed.
    pub transient: bool,
    /// What was used all the same, as far as it is known or can be estimated.
    #[serde(default, skip_serializing_if = "Usage::is_none")]
    pub usage: Usage,
    /// What that cost, in millionths of a US dollar, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
}

impl ModelFailure {
    /// A failure that used nothing.
    pub fn unpaid(message: impl Into<String>, transient: bool) -> Self {
        Self { message: message.into(), transient, usage: Usage::default(), cost: None }
    }
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The class of the outcome.
    pub status: OutcomeStatus,
    /// The value, or the tool's own error; null where there is neither.
    pub value: Value,
    /// One line that a person and a model understand; empty for `Done`.
    pub message: String,
    /// The receipt, where the call got as far as having one.
    pub receipt: Option<ReceiptId>,
    /// Whether the same call may well work at once, as with a full pool or a broken connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
}

/// Classes of outcomes; the sandbox's outcomes and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeStatus {
    /// The tool returned a value.
    Done,
    /// The tool returned an error, or its input was refused before it ran.
    Failed,
    /// The guest crashed.
    Trapped,
    /// The fence refused something and the call failed for it.
    Denied,
    /// A limit ended it.
    Exceeded,
    /// It was cancelled.
    Cancelled,
}

impl OutcomeStatus {
    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Trapped => "trapped",
            Self::Denied => "denied",
            Self::Exceeded => "exceeded",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What a person can answer to a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// Go on as proposed. For a plan: the hash that was approved; none means the current one.
    Approve {
        /// The plan version meant.
        plan: Option<PlanHash>,
    },
    /// These tasks instead of the proposed ones (also how tasks are removed); approved with it.
    EditPlan {
        /// The whole new list of open tasks, first to be done first.
        tasks: Vec<PlannedTask>,
    },
    /// These tasks after the proposed ones; approved with it.
    AddTasks {
        /// What to add.
        tasks: Vec<PlannedTask>,
    },
    /// This input instead of the proposed one; approved with it.
    EditCall {
        /// The tool's input.
        input: Value,
    },
    /// No, and why; the reason becomes an observation and the run goes on.
    Reject {
        /// The reason.
        reason: String,
    },
    /// This text in place of the proposed final answer.
    EditAnswer {
        /// The answer.
        text: String,
    },
    /// The answer to a question; to anything else, words to think again with.
    Reply {
        /// In a person's words.
        text: String,
    },
    /// End the run.
    Abort,
}
