//! A wish as the journal keeps it: before it is carried out, and small.
//!
//! A request to a model grows with what it is about and follows from the state, so only its
//! digest is kept: the cost of a step doesn't grow with the run.

use crate::effect::{Effect, ModelStage};
use crate::id::{CallId, PromptDigest, ReviewId, StepId};
use serde::{Deserialize, Serialize};

/// What was about to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "intent", rename_all = "snake_case")]
pub enum Intent {
    /// A model was to be asked.
    CallModel {
        /// The call.
        call: CallId,
        /// Who asks.
        stage: ModelStage,
        /// Over everything that is sent.
        prompt: PromptDigest,
        /// Cap on output tokens.
        max_tokens: u32,
    },
    /// A tool was to be called.
    CallTool {
        /// The call.
        call: CallId,
        /// The step it will be.
        step: StepId,
        /// The tool.
        tool: String,
        /// Which try.
        attempt: u32,
    },
    /// A person was to be asked.
    AskPerson {
        /// The review.
        review: ReviewId,
    },
    /// The run was over.
    Finish,
}

impl Effect {
    /// The wish as it is journaled.
    pub fn intent(&self) -> Intent {
        match self {
            Self::CallModel(call) => Intent::CallModel {
                call: call.call,
                stage: call.stage,
                prompt: call.prompt.clone(),
                max_tokens: call.max_tokens,
            },
            Self::CallTool(call) => Intent::CallTool {
                call: call.call,
                step: call.step,
                tool: call.tool.clone(),
                attempt: call.attempt,
            },
            Self::AskPerson(review) => Intent::AskPerson { review: review.id },
            Self::Finish(_) => Intent::Finish,
        }
    }
}
