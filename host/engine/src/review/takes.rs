//! Which answers a question takes: said to somebody who gave another.

use crate::effect::{ModelStage, Subject};
use crate::event::Answer;
use crate::refused::Refused;
use crate::settings::Flow;

/// The refusal of an answer that doesn't fit.
pub(super) fn unfit(flow: Flow, subject: &Subject, answer: &Answer) -> Refused {
    let planned = flow == Flow::Staged;
    let (subject, takes) = match subject {
        Subject::Plan { .. } => ("a plan", "approve, edit, add, reject, answer or abort"),
        Subject::Call { .. } => ("a proposed call", "approve, edit, add, reject, answer or abort"),
        Subject::Judgement { .. } => ("a judgement", "approve, edit, add, reject, answer or abort"),
        Subject::Finish { .. } => ("the end of a run", "approve, edit, add, reject, answer or abort"),
        Subject::Question { .. } => ("a question", "answer, reject or abort"),
        Subject::Stagnation { .. } if planned => {
            ("a run that repeats itself", "approve, edit, add, reject, answer or abort")
        }
        Subject::Stagnation { .. } => ("a run that repeats itself", "approve, add, reject, answer or abort"),
        Subject::UnknownOutcome { .. } => {
            ("a call whose outcome is unknown", "approve, edit, reject, answer or abort")
        }
        Subject::StageFailed { stage, .. } => match stage {
            ModelStage::Plan => ("a failed planning stage", "approve, edit, add, answer or abort"),
            ModelStage::Decide | ModelStage::Evaluate => {
                ("a failed stage", "approve, edit, add, reject, answer or abort")
            }
            ModelStage::Reflect if planned => ("a failed review", "approve, edit, add, answer or abort"),
            ModelStage::Reason | ModelStage::Converse | ModelStage::Reflect => {
                ("a failed stage", "approve, answer or abort")
            }
        },
        Subject::Interrupted => ("an interrupted run", "approve, answer or abort"),
    };
    let answer = match answer {
        Answer::Approve { plan: None } => "approve",
        Answer::Approve { plan: Some(_) } => "approve with a plan's hash",
        Answer::EditPlan { .. } | Answer::EditCall { .. } | Answer::EditAnswer { .. } => "edit",
        Answer::AddTasks { .. } => "add",
        Answer::Reject { .. } => "reject",
        Answer::Reply { .. } => "answer",
        Answer::Abort => "abort",
    };
    Refused::UnfitAnswer { subject, answer, takes }
}
