//! Choosing a tool: from a name and an input, as a model wrote them, to a call that can be made.
//!
//! Shared by every flow. What can't become a call isn't an error of the reply: it is said to the
//! model, which chooses again.

use super::note;
use crate::bounds;
use crate::effect::{Confidence, ModelStage, ToolCall};
use crate::id::{CallId, TaskId};
use crate::plan::TaskStatus;
use crate::reply::{self, Unusable};
use crate::schema::HUMAN_HELP;
use crate::settings::ToolSpec;
use crate::stagnation::{self, Class};
use crate::state::State;
use serde_json::Value;

/// The task of actions in a flow that has no plan.
const WHOLE: &str = "goal";

/// A choice as a model made it.
pub(super) struct Choice<'c> {
    /// The model call that made it.
    pub(super) call: CallId,
    /// Its stage.
    pub(super) stage: ModelStage,
    /// The tool's name.
    pub(super) tool: &'c str,
    /// Where the input stands in the reply, for messages.
    pub(super) root: &'c str,
    pub(super) reasoning: String,
    pub(super) confidence: Confidence,
}

/// The call, or what to tell the model instead of making it.
pub(super) fn call(state: &mut State, choice: Choice<'_>, mut input: Value) -> Result<ToolCall, String> {
    let Some(spec) = tool(&state.settings.tools, choice.tool).cloned() else {
        let seen = unknown_tool(state, choice.tool);
        return Err(unfit(state, &choice, choice.tool, &input, seen));
    };
    let mut repairs = Vec::new();
    reply::coerce(&mut input, &spec.input_schema, &mut repairs);
    for repair in repairs {
        let root = choice.root.trim_start_matches("$.");
        note(state, choice.call, choice.stage, &format!("repaired: {root}: {repair}"));
    }
    if let Some(why) = reply::mismatch(&input, &spec.input_schema, choice.root) {
        let seen = format!(
            "The input doesn't fit {}: {why}. The call was not made. {}",
            spec.name,
            known_tools(state)
        );
        return Err(unfit(state, &choice, &spec.name, &input, seen));
    }
    let usual = state.settings.limits.tool_call_ms;
    Ok(ToolCall {
        call: state.next.call(),
        step: state.next.step(),
        task: task(state),
        tool: spec.name,
        input,
        can: spec.can,
        attempt: 1,
        timeout_ms: spec.timeout_ms.unwrap_or(usual).min(usual),
        reasoning: choice.reasoning,
        confidence: choice.confidence,
        asked_as: None,
    })
}

/// The task that an action is for.
pub(crate) fn task(state: &State) -> TaskId {
    state.stack.last().map_or_else(|| WHOLE.into(), |task| task.planned.id.clone())
}

/// The task on top has been begun.
pub(super) fn begin(state: &mut State) {
    if let Some(task) = state.stack.last_mut() {
        task.status = TaskStatus::InProgress;
    }
}

/// The tool of that name; in another letter case where only one can be meant.
fn tool<'t>(tools: &'t [ToolSpec], name: &str) -> Option<&'t ToolSpec> {
    if let Some(exact) = tools.iter().find(|tool| tool.name == name) {
        return Some(exact);
    }
    let mut folded = tools.iter().filter(|tool| tool.name.eq_ignore_ascii_case(name));
    match (folded.next(), folded.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

fn unknown_tool(state: &State, name: &str) -> String {
    let together = state.settings.tools.iter().filter(|tool| name.contains(&tool.name)).count();
    let hint = if together > 1 { " It looks like several names in one; choose one tool." } else { "" };
    format!("There is no tool of the chosen name.{hint} {}", known_tools(state))
}

/// Every name that may be chosen, in one line.
pub(super) fn known_tools(state: &State) -> String {
    let names = state.settings.tools.iter().map(|tool| tool.name.as_str());
    let names: Vec<&str> = names.chain([HUMAN_HELP]).collect();
    bounds::cut(&format!("Known actions: {}.", names.join(", ")), bounds::LINE)
}

/// A choice that can't be carried out, noted and remembered.
fn unfit(state: &mut State, choice: &Choice<'_>, tool: &str, input: &Value, seen: String) -> String {
    note(state, choice.call, choice.stage, &seen);
    stagnation::remember(state, &bounds::one_line(tool, bounds::TASK_ID), input, Class::Unfit);
    seen
}

/// An input under a name that isn't the input's: said, noted and remembered.
pub(super) fn misnamed(state: &mut State, choice: &Choice<'_>, key: &str, right: &str) -> String {
    let seen = format!(
        "`{key}` isn't a key of the reply; the tool's input goes into `{right}`. {}",
        known_tools(state)
    );
    unfit(state, choice, choice.tool, &Value::Null, seen)
}

/// An input that can't be read: said, noted and remembered. Nothing takes its place.
pub(super) fn unreadable(state: &mut State, choice: &Choice<'_>, why: &Unusable) -> String {
    let seen = format!("The input can't be read, so the call was not made: {why}");
    unfit(state, choice, choice.tool, &Value::Null, seen)
}

/// Keys that models write in place of the input's.
pub(super) const MISNAMED: [&str; 6] =
    ["parameters", "arguments", "args", "input", "tool_input", "action_input"];
