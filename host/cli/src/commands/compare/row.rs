//! What one flow came to, in numbers.

use crate::amounts::money;
use crate::driver::Halt;
use crate::exit::Exit;
use crate::session::{Driven, ended};
use crate::terminal::one_line;
use ringfence_engine::{Ending, Flow, RunId};
use serde_json::{Value, json};
use std::time::Duration;

/// One flow's run.
pub(super) struct Row {
    pub(super) flow: Flow,
    pub(super) run: RunId,
    /// In a few words.
    pub(super) outcome: String,
    /// The same in a word or two, for the table.
    pub(super) short: &'static str,
    pub(super) exit_code: u8,
    pub(super) interrupted: bool,
    /// Stages carried out.
    pub(super) steps: u32,
    pub(super) model_calls: u32,
    pub(super) prompt_tokens: u64,
    pub(super) output_tokens: u64,
    /// Millionths of a US dollar; none where a price isn't known.
    pub(super) cost: Option<u64>,
    pub(super) tool_calls: u32,
    pub(super) wall: Duration,
    /// Of it, spent outside of model and tools.
    pub(super) own: Duration,
}

impl Row {
    pub(super) fn new(flow: Flow, driven: &Driven, wall: Duration, interrupted: bool) -> Self {
        let state = driven.run.state();
        let (short, outcome) = words(&driven.halt);
        Self {
            flow,
            run: state.run.clone(),
            outcome: one_line(&outcome, 120),
            short,
            exit_code: driven.halt.exit().code(),
            interrupted,
            steps: state.iterations,
            model_calls: state.spent.model_calls,
            prompt_tokens: state.spent.tokens.input_tokens,
            output_tokens: state.spent.tokens.output_tokens,
            cost: money(state),
            tool_calls: state.spent.tool_calls,
            wall,
            own: wall.saturating_sub(driven.awaited),
        }
    }

    /// Milliseconds with a fraction: the playbook and the tools take less than one.
    pub(super) fn json(&self) -> Value {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        json!({
            "run": self.run,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "steps": self.steps,
            "model_calls": self.model_calls,
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "cost_micro_usd": self.cost,
            "tool_calls": self.tool_calls,
            "wall_ms": ms(self.wall),
            "outside_model_and_tools_ms": ms(self.own),
        })
    }
}

/// How a run stopped: in a word or two, and in a sentence.
fn words(halt: &Halt) -> (&'static str, String) {
    match halt {
        Halt::Ended(ending) => {
            let short = match ending {
                Ending::Achieved => "finished",
                Ending::Failed { .. } => "failed",
                Ending::Limit { .. } => "limit",
                Ending::Aborted => "ended",
            };
            (short, ended(ending))
        }
        Halt::Waiting(_) if halt.exit() == Exit::Model => {
            ("no answer", "No answer from the model.".to_owned())
        }
        Halt::Waiting(_) => ("waits", "Waits for a person.".to_owned()),
        Halt::Interrupted => ("interrupted", "Interrupted.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_engine::{ModelStage, Review, ReviewId, Subject};

    #[test]
    fn a_model_without_an_answer_isn_t_a_wait_for_a_person() {
        let waiting = |subject| Halt::Waiting(Review { id: ReviewId(1), subject });
        for unreachable in [true, false] {
            let (stage, why) = (ModelStage::Plan, "no".to_owned());
            let halt = waiting(Subject::StageFailed { stage, why, unreachable });
            assert_eq!(words(&halt), ("no answer", "No answer from the model.".to_owned()));
        }
        let (question, reasoning) = ("Which?".to_owned(), String::new());
        let halt = waiting(Subject::Question { question, reasoning });
        assert_eq!(words(&halt), ("waits", "Waits for a person.".to_owned()));
    }
}
