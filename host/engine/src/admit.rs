//! Which event fits which state. Only reads: what is refused here leaves the run as it was.

use crate::effect::{ModelStage, Subject, ToolCall};
use crate::event::{EventKind, ModelFailure, ModelReply, ToolOutcome};
use crate::id::CallId;
use crate::refused::Refused;
use crate::review::{Resolution, resolve};
use crate::state::{Asking, Stage, State};

/// An event that fits, with what it is about.
pub(crate) enum Admitted {
    /// It changes nothing.
    Nothing,
    /// An answer by a model.
    Replied { stage: ModelStage, asking: Asking, reply: ModelReply },
    /// A model that gave none.
    Unanswered { stage: ModelStage, asking: Asking, failure: ModelFailure },
    /// A tool call that ended.
    ToolEnded { call: ToolCall, outcome: ToolOutcome },
    /// A person's answer.
    Answered(Resolution),
    /// A stop.
    Interrupted,
    /// A new driver.
    Resumed,
}

/// Whether the event fits.
pub(crate) fn admit(state: &State, event: EventKind) -> Result<Admitted, Refused> {
    let over = state.stage.ending().is_some();
    match event {
        EventKind::Started { .. } => Err(Refused::StartedAgain),
        // The driver of a run that is over only wants to see its end again.
        EventKind::Resumed if over => Ok(Admitted::Nothing),
        EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::Answered { .. }
        | EventKind::Interrupted
            if over =>
        {
            Err(Refused::Ended)
        }
        EventKind::ModelReplied { call, reply } => {
            let (stage, asking) = asked(&state.stage, call)?;
            Ok(Admitted::Replied { stage, asking, reply })
        }
        EventKind::ModelFailed { call, failure } => {
            let (stage, asking) = asked(&state.stage, call)?;
            Ok(Admitted::Unanswered { stage, asking, failure })
        }
        EventKind::ToolFinished { call, outcome } => {
            let call = called(&state.stage, call)?;
            Ok(Admitted::ToolEnded { call, outcome })
        }
        EventKind::Answered { review, answer } => match &state.stage {
            Stage::PausedForReview { review: open, .. } => {
                resolve(state, open, review, answer).map(Admitted::Answered)
            }
            Stage::Initializing
            | Stage::Planning(_)
            | Stage::Deciding(_)
            | Stage::Executing { .. }
            | Stage::Evaluating(_)
            | Stage::Finished
            | Stage::Failed { .. } => Err(Refused::NothingAsked { review }),
        },
        EventKind::Interrupted => match &state.stage {
            Stage::PausedForReview { .. } => Ok(Admitted::Nothing),
            Stage::Initializing
            | Stage::Planning(_)
            | Stage::Deciding(_)
            | Stage::Executing { .. }
            | Stage::Evaluating(_)
            | Stage::Finished
            | Stage::Failed { .. } => Ok(Admitted::Interrupted),
        },
        EventKind::Resumed => Ok(Admitted::Resumed),
    }
}

/// The stage that is worked on: also the one that an interruption put aside, since its answer may
/// have been on its way.
pub(crate) fn worked_on(stage: &Stage) -> &Stage {
    match stage {
        Stage::PausedForReview { review, then } if review.subject == Subject::Interrupted => then,
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. } => stage,
    }
}

fn asked(stage: &Stage, call: CallId) -> Result<(ModelStage, Asking), Refused> {
    let (stage, asking) = match worked_on(stage) {
        Stage::Planning(asking) => (ModelStage::Plan, asking),
        Stage::Deciding(asking) => (ModelStage::Decide, asking),
        Stage::Evaluating(asking) => (ModelStage::Evaluate, asking),
        Stage::Initializing
        | Stage::Executing { .. }
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. } => return Err(Refused::NotPending { call }),
    };
    if asking.call == call { Ok((stage, asking.clone())) } else { Err(Refused::NotPending { call }) }
}

fn called(stage: &Stage, id: CallId) -> Result<ToolCall, Refused> {
    match worked_on(stage) {
        Stage::Executing { call } if call.call == id => Ok(call.clone()),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. } => Err(Refused::NotPending { call: id }),
    }
}
