//! The agent loop as a pure state machine.
//!
//! Owns: stages, router, plans, guards, prompts, the reading of replies. Doesn't own: models,
//! tools, time, storage, people; they are reached through [`Effect`]s, and what becomes of
//! them comes back as [`Event`]s. No I/O, no clock, no async.

#![forbid(unsafe_code)]

mod admit;
mod bounds;
mod canonical;
mod claims;
mod context;
mod effect;
mod event;
mod example;
mod facts;
mod flow;
mod guard;
mod id;
mod ordering;
mod plan;
mod prompts;
mod refused;
mod reply;
mod review;
mod run;
mod sample;
mod schema;
mod settings;
mod stages;
mod start;
mod state;

pub use effect::*;
pub use event::*;
pub use facts::*;
pub use id::*;
pub use ordering::TasksError;
pub use plan::*;
pub use prompts::PromptError;
pub use refused::{Refused, ReplayError};
pub use run::Run;
pub use schema::HUMAN_HELP;
pub use settings::*;
pub use state::*;
