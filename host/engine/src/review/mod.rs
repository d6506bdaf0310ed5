//! Reviews: what a person may answer to which question, and what the answer comes to.
//!
//! [`resolve`] only reads: whatever doesn't fit is refused there, with the state untouched.
//! [`settle`] folds what it made of the answer into the state and can't fail.

mod resolve;
mod settle;
mod takes;

pub(crate) use resolve::{replanned, resolve};
pub(crate) use settle::{settle, take_up};

use crate::effect::{ModelStage, ToolCall};
use crate::id::TaskId;
use crate::plan::{PlanVersion, PlannedTask};
use crate::turn::Turn;

/// An answer that fits, with everything that it needs.
#[derive(Debug)]
pub(crate) enum Resolution {
    /// Go on as proposed.
    GoOn,
    /// This version of the plan is approved.
    ApprovePlan(PlanVersion),
    /// These are the open tasks now, in this order.
    SetTasks(Vec<PlannedTask>),
    /// In a flow without a plan: more that is wanted, in words.
    Want(Vec<PlannedTask>),
    /// Plan again with these words.
    PlanAgain { to: &'static str, words: String },
    /// The call is to be made, with this input and after the tasks were added.
    ClearCall { call: ToolCall, turn: Turn, tasks: Option<Vec<PlannedTask>> },
    /// The call isn't made.
    RejectCall { call: ToolCall, turn: Turn, reason: String },
    /// The judgement doesn't hold: the task needs more work, or is to be judged again.
    RejectJudgement { task: TaskId, words: String, judge_again: bool },
    /// Not yet the end.
    RejectFinish { words: String },
    /// Another final answer.
    SetAnswer { text: String },
    /// The question's answer, or the reason why there is none.
    AnswerQuestion { question: String, reasoning: String, answer: String, declined: bool },
    /// The repetition is fine; the guard counts afresh.
    GoOnAfresh,
    /// Advice against the repetition.
    Advise { seen: String, advice: String },
    /// The task on top is given up.
    GiveUpTask { reason: String },
    /// Ask the failed stage again with these words.
    AskWith { stage: ModelStage, words: String },
    /// The call whose outcome is unknown is made again.
    CallAgain { call: ToolCall, turn: Turn },
    /// It counts as failed, for this reason; or as done, with this result.
    TakeAs { call: ToolCall, turn: Turn, words: String, done: bool },
    /// The interrupted run goes on, with these words if there are any.
    TakeUp { words: Option<String> },
    /// The run ends.
    Abort,
}
