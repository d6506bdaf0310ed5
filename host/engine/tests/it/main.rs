//! The loop as a whole, driven by scripts: every event is followed by a replay from the journal
//! and a round trip of the state through JSON.
#![allow(missing_docs, reason = "tests")]

mod decisions;
mod graph;
mod guards;
mod interruptions;
mod plans;
mod prompts;
mod random;
mod refusals;
mod replies;
mod script;
mod sound;
mod worked_example;
