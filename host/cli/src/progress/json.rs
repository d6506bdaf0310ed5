//! `--json`: one JSON object a line on standard output, the first naming the model.
//!
//! Every line has `type`; a consumer must ignore types and fields that it doesn't know.
//! `model`: `identity` · `run`: `id`, `resumed` · `compiling`, `compiled`: `component` (and `took_ms`) ·
//! `stage`: `stage`, `call`, `iteration` · `tool`: `tool`, `input`, `step`, `call`, `attempt` ·
//! `event`: `event`, as journaled · `asking`: `review` · `halted`: `halt` (`ended`, `waiting`, `interrupted`), `ending` or
//! `review`, `exit_code`. A run that ended is followed by one `report` line with the whole report.

use super::{Notice, Observer};
use crate::driver::Halt;
use crate::output::out;
use anyhow::Result;
use serde_json::{Value, json};

/// Writes JSON lines to standard output.
pub struct JsonLines;

impl Observer for JsonLines {
    fn notice(&mut self, notice: Notice<'_>) {
        // What can't be told isn't lost: it is in the journal, and the result is printed again.
        if let Err(error) = print_line(&line_of(notice)) {
            tracing::warn!(%error, "progress can't be printed");
        }
    }
}

/// One line to standard output; a reader who went away is no error.
pub fn print_line(value: &Value) -> Result<()> {
    out(&format!("{value}\n"))
}

fn line_of(notice: Notice<'_>) -> Value {
    match notice {
        Notice::ModelChosen { identity } => json!({"type": "model", "identity": identity}),
        Notice::Opened { run, resumed } => json!({"type": "run", "id": run, "resumed": resumed}),
        Notice::ModelAsked { call, state } => {
            json!({"type": "stage", "stage": call.stage, "call": call.call, "iteration": state.iterations + 1})
        }
        Notice::ToolCalled { call } => json!({
            "type": "tool", "tool": call.tool, "input": call.input, "step": call.step, "call": call.call,
            "attempt": call.attempt,
        }),
        Notice::Compiling { component } => json!({"type": "compiling", "component": component}),
        Notice::Compiled { component, took } => {
            json!({"type": "compiled", "component": component, "took_ms": took.as_millis() as u64})
        }
        Notice::Happened { event, .. } => json!({"type": "event", "event": event}),
        Notice::Asking { review, .. } => json!({"type": "asking", "review": review}),
        Notice::Halted { halt, .. } => {
            let exit_code = halt.exit().code();
            match halt {
                Halt::Ended(ending) => {
                    json!({"type": "halted", "halt": "ended", "ending": ending, "exit_code": exit_code})
                }
                Halt::Waiting(review) => {
                    json!({"type": "halted", "halt": "waiting", "review": review, "exit_code": exit_code})
                }
                Halt::Interrupted => json!({"type": "halted", "halt": "interrupted", "exit_code": exit_code}),
            }
        }
    }
}
