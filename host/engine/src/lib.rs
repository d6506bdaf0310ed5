//! The agent loop as a pure state machine.
//!
//! Owns: stages, router, plans, guards, prompts, the reading of replies. Doesn't own: models,
//! tools, time, storage, people; they are reached through [`Effect`]s, and what becomes of
//! them comes back as [`Event`]s. No I/O, no clock, no async.

mod effect;
mod event;
mod facts;
mod id;
mod plan;
mod settings;
mod state;

pub use effect::*;
pub use event::*;
pub use facts::*;
pub use id::*;
pub use plan::*;
pub use settings::*;
pub use state::*;
