//! Which event fits which state. Only reads: what is refused here leaves the run as it was.

use crate::effect::{ModelStage, ToolCall};
use crate::event::{EventKind, ModelFailure, ModelReply, ToolOutcome, Usage};
use crate::granted::Granted;
use crate::id::CallId;
use crate::plan::PlannedTask;
use crate::rates::Rates;
use crate::refused::Refused;
use crate::review::{Resolution, replanned, resolve};
use crate::scope::Scope;
use crate::settled::Settled;
use crate::stage::{Asking, Stage};
use crate::start::check_rates;
use crate::turn::Turn;

/// An event that fits, with what it is about.
pub(crate) enum Admitted {
    /// It changes nothing.
    Nothing,
    /// An answer by a model.
    Replied { stage: ModelStage, asking: Asking, reply: ModelReply },
    /// A model that gave none.
    Unanswered { stage: ModelStage, asking: Asking, failure: ModelFailure },
    /// A model call that was given up.
    Dropped { usage: Usage, cost: Option<u64> },
    /// A tool call that ended.
    ToolEnded { turn: Turn, call: ToolCall, outcome: ToolOutcome },
    /// A due call that a person is to see once more.
    ProposedAgain { turn: Turn, call: CallId },
    /// A person's answer.
    Answered(Resolution),
    /// A person's own plan.
    Replanned(Vec<PlannedTask>),
    /// More that a person allows.
    Granted(Granted),
    /// What became of staged changes.
    Settled(Settled),
    /// A stop.
    Interrupted,
    /// A new driver.
    Resumed(Option<Rates>),
}

/// Whether the event fits.
pub(crate) fn admit(scope: Scope<'_>, event: EventKind) -> Result<Admitted, Refused> {
    let stage = &scope.state.stage;
    let over = stage.ending().is_some();
    match event {
        EventKind::Started { .. } => Err(Refused::StartedAgain),
        // The driver of a run that is over only wants to see its end again.
        EventKind::Resumed { .. } if over => Ok(Admitted::Nothing),
        EventKind::ModelDropped { call, usage, cost } => {
            let known = call.0 < scope.state.next.call;
            if known { Ok(Admitted::Dropped { usage, cost }) } else { Err(Refused::NotPending { call }) }
        }
        EventKind::ChangesSettled(settled) => {
            settled.check(scope.state)?;
            Ok(Admitted::Settled(settled))
        }
        EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::ProposedAgain { .. }
        | EventKind::Answered { .. }
        | EventKind::Replanned { .. }
        | EventKind::Granted(_)
        | EventKind::Interrupted
            if over =>
        {
            Err(Refused::Ended)
        }
        EventKind::ModelReplied { call, reply } => {
            let (stage, asking) = asked(stage, call)?;
            Ok(Admitted::Replied { stage, asking, reply })
        }
        EventKind::ModelFailed { call, failure } => {
            let (stage, asking) = asked(stage, call)?;
            Ok(Admitted::Unanswered { stage, asking, failure })
        }
        EventKind::ToolFinished { call, outcome } => {
            let (turn, call) = called(stage, call)?;
            Ok(Admitted::ToolEnded { turn, call, outcome })
        }
        EventKind::ProposedAgain { call } => {
            let (turn, due) = called(stage, call)?;
            match scope.state.pauses_before(&due) {
                Some(_) => Ok(Admitted::ProposedAgain { turn, call }),
                None => Err(Refused::NotPending { call }),
            }
        }
        EventKind::Answered { review, answer } => match stage.review() {
            Some((open, then)) => resolve(scope, open, then, review, answer).map(Admitted::Answered),
            None => Err(Refused::NothingAsked { review }),
        },
        EventKind::Replanned { tasks } => replanned(scope, tasks).map(Admitted::Replanned),
        EventKind::Granted(granted) => {
            granted.check(scope.state)?;
            Ok(Admitted::Granted(granted))
        }
        EventKind::Interrupted if stage.review().is_some() => Ok(Admitted::Nothing),
        EventKind::Interrupted => Ok(Admitted::Interrupted),
        EventKind::Resumed { rates } => {
            if let Some(rates) = &rates {
                check_rates(&scope.state.settings, rates)?;
            }
            Ok(Admitted::Resumed(rates))
        }
    }
}

fn asked(stage: &Stage, call: CallId) -> Result<(ModelStage, Asking), Refused> {
    match stage.worked_on().asking() {
        Some((stage, asking)) if asking.call == call => Ok((stage, asking.clone())),
        Some(_) | None => Err(Refused::NotPending { call }),
    }
}

fn called(stage: &Stage, id: CallId) -> Result<(Turn, ToolCall), Refused> {
    let turn = stage.worked_on().turn().ok_or(Refused::NotPending { call: id })?;
    let call = turn.due_call(id).cloned().ok_or(Refused::NotPending { call: id })?;
    Ok((turn.clone(), call))
}
