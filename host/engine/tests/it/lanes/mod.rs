//! Delegation: independent tasks at the same time, each in a run of its own, joined in plan order.

mod joining;
mod people;

use crate::script::*;
use crate::sound::lanes;
use ringfence_engine::*;
use serde_json::json;

pub(super) fn parallel(settings: Settings) -> Settings {
    Settings { parallel: 3, ..settings }
}

/// A run that works on `a`, `b` and `c` at the same time, with `last` after them.
pub(super) fn delegating(settings: Settings) -> Script {
    let mut script = Script::start(parallel(settings));
    let last = json!({"id": "last", "description": "sum up", "depends_on": ["a", "b", "c"]});
    script.say(plan(&[free("a"), free("b"), free("c"), last]));
    assert_eq!(script.stage(), StageName::Delegating);
    script
}

/// The model call of the lane that works on this task.
pub(super) fn asked(script: &Script, task: &str) -> Asked {
    let calls = script.model_calls();
    let own = calls.into_iter().find(|call| call.facts["task"]["id"] == task);
    own.unwrap_or_else(|| panic!("{task} asks no model"))
}

pub(super) fn stage(script: &Script, task: &str) -> StageName {
    let lane = lanes(&script.state().stage).iter().find(|lane| lane.task == task.into());
    lane.map(|lane| lane.state.stage.name()).unwrap_or_else(|| panic!("{task} is a lane"))
}

pub(super) fn says(script: &mut Script, task: &str, value: serde_json::Value) {
    let call = asked(script, task).call;
    script.say_to(call, value);
}

pub(super) fn reads(script: &mut Script, task: &str) -> ToolCall {
    says(script, task, decide("read_file", json!({"file_path": format!("{task}.py")})));
    let calls = script.tool_calls();
    calls.into_iter().find(|call| call.task == task.into()).expect("its tool is called")
}

/// The whole work on one task.
pub(super) fn works(script: &mut Script, task: &str, verdict: &str) {
    let call = reads(script, task).call;
    script.tool_ends(call, OutcomeStatus::Done, json!(format!("text of {task}.py")));
    says(script, task, judge(verdict, &format!("{task} shows it")));
}

pub(super) fn done(script: &Script) -> Vec<(&str, TaskStatus)> {
    script.state().done.iter().map(|task| (task.planned.id.0.as_str(), task.status)).collect()
}
