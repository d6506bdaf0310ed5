//! The `ringfence` binary, as a library so that its parts can be tested.
//!
//! Owns: the command line, configuration and trust, driving runs, talking to people, reports.
//! Doesn't own: what a run does next (engine), how a tool is fenced (sandbox), how a model is
//! spoken to (models), what is kept (store).

#![forbid(unsafe_code)]

pub mod afterwards;
pub mod amounts;
pub mod args;
pub mod commands;
pub mod config;
pub mod driven_by;
pub mod driver;
pub mod executor;
pub mod exit;
pub mod failpoint;
pub mod granted;
pub mod interrupt;
pub mod kept_answers;
pub mod lanes;
pub mod left_out;
pub mod model_choice;
pub mod notify;
pub mod output;
pub mod progress;
mod proposals;
pub mod recall;
pub mod recovery;
#[cfg(test)]
mod rehearsal;
pub mod report;
pub mod review;
pub mod session;
pub mod setup;
pub mod shelf;
pub mod shell;
pub mod staging;
pub mod state_dir;
pub mod terminal;
pub mod toolset;
pub mod trace;
pub mod trust;
pub mod worked_files;
