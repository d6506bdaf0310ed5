//! The react flow: one growing conversation with native tool use. The classic loop, and the
//! baseline that the others are measured against.
//!
//! ```text
//!  Initializing ──▶ Conversing ── tools ──▶ Executing
//!                    ▲ │ ▲ ▲ unfit choice,   │  ▲ more of the turn,
//!                    │ │ │ └ re-ask          └──┤ or again
//!                    │ │ └────── results ───────┘
//!                    │ │ no tools
//!                    │ └──────────▶ Finished
//!  any of them ──▶ Reflecting ──▶ where it was going            (detour)
//!  any of them ──▶ PausedForReview ──▶ any of them, and Finished
//!  any of them ──▶ Failed
//! ```
//!
//! What was said is never changed: the prompt grows with every turn. A turn may ask for several
//! tools; those that can neither write nor send are called together.

use super::common;
use super::{Outcome, Step, Work};
use crate::state::State;

/// The router.
pub(super) fn next(state: &State, outcome: Outcome) -> Step {
    common::next(state, outcome, Work::Converse, Step::Ask(Work::Converse))
}
