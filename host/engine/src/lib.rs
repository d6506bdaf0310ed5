//! The agent loop as a pure state machine.
//!
//! Owns: stages, router, plans, guards, prompts, the reading of replies. Doesn't own: models,
//! tools, time, storage, people; they are reached through [`Effect`]s, and what becomes of
//! them comes back as [`Event`]s. No I/O, no clock, no async.

#![forbid(unsafe_code)]

mod admit;
mod afford;
mod bounds;
mod canonical;
mod claims;
mod context;
mod effect;
mod event;
mod example;
mod facts;
mod flow;
mod fold;
mod gate;
mod granted;
mod guard;
mod id;
mod intent;
mod kept;
mod lanes;
mod message;
mod ordering;
mod plan;
mod prompt;
mod prompts;
mod rates;
mod refused;
mod reply;
mod review;
mod run;
mod sample;
mod schema;
mod scope;
mod settings;
mod settled;
mod shown;
mod stage;
mod stages;
mod stagnation;
mod start;
mod state;
mod turn;

pub use effect::*;
pub use event::*;
pub use facts::*;
pub use granted::*;
pub use id::*;
pub use intent::Intent;
pub use message::*;
pub use ordering::TasksError;
pub use plan::*;
pub use prompt::Prompt;
pub use prompts::PromptError;
pub use rates::{Rate, Rates};
pub use refused::{Refused, ReplayError};
pub use run::Run;
pub use schema::HUMAN_HELP;
pub use settings::*;
pub use settled::*;
pub use stage::{Asking, Lane, Stage, StageName};
pub use state::*;
pub use turn::{Slot, Standing, Turn};
