//! The pipeline flow: context, reasoning, action.
//!
//! ```text
//!  Initial                    CALL_TOOL
//!     └────────▶ Thinking ──────────────▶ Acting
//!                 ▲ │ ▲ unfit choice,      │  ▲ again
//!                 │ └─┘ re-ask             └──┤
//!       answered  │                           │ outcome
//!                 │          CALL_TOOL        ▼
//!           AwaitingUser ◀── NEED_MORE  ── Observing ──▶ Acting, Thinking
//!                            INFO           │  ▲ re-ask
//!                                           └──┘
//!  Thinking, Observing ── FINAL_ANSWER ──▶ Final
//!  any of them ──▶ Reflecting ──▶ where it was going            (detour)
//!  any of them ──▶ PausedForReview ──▶ any of them, and Final
//!  any of them ──▶ Failed
//! ```
//!
//! The states as they are stored: Initial is `Initializing`, Acting `Executing`, AwaitingUser
//! `PausedForReview` with a question, Final `Finished`. Thinking and Observing are the reasoning
//! stage, without and with a new outcome at hand. The context stage is a function of the state
//! (`context.rs`): it owns what the reasoner is shown and never lets it grow with the run.
//!
//! A reply that can't be used, and then again, becomes a question to a person.

use super::common;
use super::{Outcome, Step, Work};
use crate::state::State;

/// The router.
pub(super) fn next(state: &State, outcome: Outcome) -> Step {
    match outcome {
        Outcome::TurnEnded => Step::Ask(Work::Observe),
        other => common::next(state, other, Work::Think, Step::Ask(Work::Think)),
    }
}
