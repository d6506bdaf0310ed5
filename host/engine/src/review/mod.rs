//! Reviews: what a person may answer to which question, and what the answer comes to.
//!
//! [`resolve`] only reads: whatever doesn't fit is refused there, with the state untouched.
//! [`settle`] folds what it made of the answer into the state and can't fail.

mod resolve;
mod settle;

pub(crate) use resolve::resolve;
pub(crate) use settle::{settle, take_up};

use crate::effect::ToolCall;
use crate::plan::{PlanVersion, PlannedTask};

/// An answer that fits, with everything that it needs.
#[derive(Debug)]
pub(crate) enum Resolution {
    /// Go on as proposed.
    GoOn,
    /// This version of the plan is approved.
    ApprovePlan(PlanVersion),
    /// These are the open tasks now, in this order.
    SetTasks(Vec<PlannedTask>),
    /// The plan is rejected.
    RejectPlan { reason: String },
    /// This call instead of the proposed one.
    SetCall(ToolCall),
    /// The call isn't made.
    RejectCall { call: ToolCall, reason: String },
    /// The question's answer, or the reason why there is none.
    AnswerQuestion { question: String, reasoning: String, answer: String, declined: bool },
    /// The repetition is fine; the guard counts afresh.
    GoOnAfresh,
    /// Advice against the repetition.
    Advise { seen: String, advice: String },
    /// The task on top is given up.
    GiveUpTask { reason: String },
    /// The call whose outcome is unknown counts as failed.
    TakeAsFailed { call: ToolCall, reason: String },
    /// The interrupted run goes on.
    TakeUp,
    /// The run ends.
    Abort,
}
