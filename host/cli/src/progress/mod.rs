//! Telling whoever watches what a run does.
//!
//! Owns: what is worth telling, and its three forms: a live line on a terminal, plain lines in a
//! log, JSON lines with `--json`. All but JSON goes to standard error.

mod json;
mod lines;
mod replies;
mod screen;
mod telling;

pub use json::{JsonLines, print_line};
pub use lines::Lines;
pub(crate) use telling::Telling;

use crate::driver::Halt;
use ringfence_engine::{Event, ModelCall, Review, RunId, State, ToolCall};
use std::time::Duration;

/// Something worth telling.
#[derive(Debug)]
pub enum Notice<'a> {
    /// Which model the run uses; always first.
    ModelChosen {
        /// Provider and model.
        identity: &'a str,
    },
    /// The run is in the journal.
    Opened {
        /// Its name.
        run: &'a RunId,
        /// Whether it was there before.
        resumed: bool,
    },
    /// A stage's request goes out.
    ModelAsked {
        /// The request.
        call: &'a ModelCall,
        /// The state it is made from.
        state: &'a State,
    },
    /// A tool call begins.
    ToolCalled {
        /// The call.
        call: &'a ToolCall,
    },
    /// A tool's code is compiled, which happens once per user and engine version.
    Compiling {
        /// The component.
        component: &'a str,
    },
    /// That compilation is over.
    Compiled {
        /// The component.
        component: &'a str,
        /// How long it took.
        took: Duration,
    },
    /// A fact was journaled.
    Happened {
        /// The fact.
        event: &'a Event,
        /// The state after it.
        state: &'a State,
    },
    /// Somebody at the terminal is about to be asked.
    Asking {
        /// The question.
        review: &'a Review,
        /// The state that it is asked in.
        state: &'a State,
    },
    /// The driver stopped.
    Halted {
        /// Why.
        halt: &'a Halt,
        /// The state then.
        state: &'a State,
    },
}

/// Someone who watches a run.
pub trait Observer: Send {
    /// Takes one notice.
    fn notice(&mut self, notice: Notice<'_>);
}

/// Watches nothing.
pub struct Silent;

impl Observer for Silent {
    fn notice(&mut self, _: Notice<'_>) {}
}
