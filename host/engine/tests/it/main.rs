//! The loop as a whole, driven by scripts: every event is followed by a replay from the journal
//! and a round trip of the state through JSON.
#![allow(missing_docs, reason = "tests")]

mod budgets;
mod decisions;
mod egress;
mod experts;
mod forks;
mod gates;
mod granted;
mod graph;
mod growth;
mod guards;
mod interruptions;
mod kept;
mod lanes;
mod malformed;
mod pipeline;
mod plans;
mod prompts;
mod random;
mod react;
mod recover;
mod reflect;
mod refusals;
mod replies;
mod script;
mod settings;
mod sound;
mod stagnation;
mod turns;
mod words;
mod worked_example;
