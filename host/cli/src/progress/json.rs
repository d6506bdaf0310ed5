//! `--json`: one JSON object a line on standard output, the first naming the model.
//!
//! Every line has `type`; a consumer must ignore types and fields that it doesn't know.
//! `docs/json.md` describes them. A run that ended is followed by one `report` line with the whole
//! report.

use super::{Notice, Observer};
use crate::amounts::money;
use crate::driver::Halt;
use crate::lanes;
use crate::output::out;
use crate::review::answers;
use crate::terminal;
use anyhow::Result;
use ringfence_engine::{Event, Flow, ModelCall, State, TaskId, ToolCall};
use serde_json::{Map, Value, json};

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
    out(&format!("{}\n", terminal::json(&value.to_string())))
}

fn line_of(notice: Notice<'_>) -> Value {
    match notice {
        Notice::ModelChosen { identity } => json!({"type": "model", "identity": identity}),
        Notice::Opened { run, resumed } => json!({"type": "run", "id": run, "resumed": resumed}),
        Notice::ModelAsked { call, state } => asked(call, state),
        Notice::ToolCalled { call } => called(call),
        Notice::Compiling { component } => json!({"type": "compiling", "component": component}),
        Notice::Compiled { component, took } => {
            json!({"type": "compiled", "component": component, "took_ms": took.as_millis() as u64})
        }
        Notice::Happened { event, state } => happened(event, state),
        Notice::Asking { review, .. } => json!({"type": "asking", "review": review}),
        Notice::Halted { halt, state } => halted(halt, state),
    }
}

fn asked(call: &ModelCall, state: &State) -> Value {
    let (lane, own) = lanes::caller(state, call.call);
    let asking = own.stage.asking().map(|(_, asking)| asking);
    json!({
        "type": "stage",
        "stage": call.stage,
        "in": own.stage.name(),
        "call": call.call,
        "iteration": state.iterations + 1,
        "iterations": state.settings.limits.iterations,
        "task": task(own, lane),
        "delegated": lane.is_some(),
        "expert": call.expert,
        "asked_again": asking.is_some_and(|asking| asking.reask.is_some()),
        "recovers": asking.is_some_and(|asking| asking.recovers.is_some()),
    })
}

/// The task that a run works on; none where the flow has none.
fn task<'s>(own: &'s State, lane: Option<&'s TaskId>) -> Option<&'s TaskId> {
    match own.settings.flow {
        Flow::Staged => lane.or_else(|| own.stack.last().map(|task| &task.planned.id)),
        Flow::Pipeline | Flow::React => None,
    }
}

fn called(call: &ToolCall) -> Value {
    json!({
        "type": "tool",
        "tool": call.tool,
        "input": call.input,
        "step": call.step,
        "call": call.call,
        "task": call.task,
        "attempt": call.attempt,
        "timeout_ms": call.timeout_ms,
    })
}

fn happened(event: &Event, state: &State) -> Value {
    json!({
        "type": "event",
        "event": event,
        "in": state.stage.name(),
        "iterations": state.iterations,
        "spent": spent(state),
    })
}

/// What was spent; the money is null where a price isn't known.
fn spent(state: &State) -> Value {
    let mut spent = json!(state.spent);
    spent["money"] = json!(money(state));
    spent
}

fn halted(halt: &Halt, state: &State) -> Value {
    let mut line = Map::new();
    let mut put = |key: &str, value: Value| line.insert(key.to_owned(), value);
    put("type", json!("halted"));
    match halt {
        Halt::Ended(ending) => {
            put("halt", json!("ended"));
            put("ending", json!(ending));
        }
        Halt::Waiting(review) => {
            put("halt", json!("waiting"));
            put("review", json!(review));
            put("answers", json!(answers(review, state.settings.flow)));
            put("task", json!(lanes::asker(state, review.id).0));
        }
        Halt::Interrupted => {
            put("halt", json!("interrupted"));
        }
    }
    put("exit_code", json!(halt.exit().code()));
    put("run", json!(state.run));
    put("in", json!(state.stage.name()));
    put("iterations", json!(state.iterations));
    put("spent", spent(state));
    put("active_ms", json!(state.clock.active_ms));
    put("answer", json!(state.answer));
    Value::Object(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::{Rehearsal, plan, read, settings};
    use ringfence_engine::{Effect, PausePoint, Settings};

    #[test]
    fn a_call_and_a_question_name_the_delegated_task_that_they_are_about() {
        let settings = Settings { parallel: 2, ..settings(Flow::Staged, &[PausePoint::BeforeTool]) };
        let mut run = Rehearsal::of(settings);
        run.reply(plan(&["a", "b"], true)).reply(read("x"));
        let (mut stages, mut halts) = (Vec::new(), Vec::new());
        for effect in run.run.owed() {
            match effect {
                Effect::CallModel(call) => stages.push(asked(&call, run.run.state())),
                Effect::AskPerson(review) => halts.push(halted(&Halt::Waiting(review), run.run.state())),
                Effect::CallTool(_) | Effect::Finish(_) => {}
            }
        }
        assert_eq!((&stages[0]["task"], &stages[0]["delegated"]), (&json!("b"), &json!(true)));
        assert_eq!((&stages[0]["in"], &halts[0]["in"]), (&json!("deciding"), &json!("delegating")));
        assert_eq!(halts[0]["spent"]["money"], json!(null), "nobody said what the model costs");
        assert_eq!((&halts[0]["task"], &halts[0]["answers"][0]), (&json!("a"), &json!("--approve 1")));
    }
}
