//! Deciding: the next call for a task. The calls that would serve a task stand in a fixed order;
//! the first that was neither made nor rejected is next, as long as the budget lasts.

use super::budget;
use super::calls::{self, Call};
use super::facts::{Facts, Task};
use super::parting;
use serde_json::{Value, json};

/// The decide stage's reply.
pub(super) fn decide(facts: &Facts, task: &Task) -> Value {
    let calls = calls::for_task(facts, task);
    let fresh = calls.iter().find(|call| !facts.tried(call.tool, &call.input));
    if let Some(call) = fresh {
        return act(call, "high");
    }
    // Everything that serves this task has been seen already, for another one: it is looked at
    // again, so that this task ends with its result.
    if let Some(call) = calls.iter().find(|call| !facts.is_rejected(call.tool, &call.input)) {
        return act(call, "medium");
    }
    // A person is asked once; what they say in words can't be followed, so that it would be asked
    // for ever.
    if facts.was_answered()
        && let Some(call) = parting::call(facts, task)
    {
        return act(&call, "low");
    }
    let question = format!(
        "The playbook has no other call to propose for the task \"{}\". It can't follow an answer in words: after \
         any answer it makes one small call, ends the task as failed and goes on. To have the task done, end the run \
         and start another in which one of the rejected calls is allowed, or use a model.",
        task.id
    );
    json!({
        "reasoning": "Every call that would serve this task was rejected, or its tool isn't offered.",
        "action": "human_help",
        "action_input": {},
        "query_to_human": question,
        "confidence": "low",
    })
}

fn act(call: &Call, confidence: &str) -> Value {
    json!({
        "reasoning": call.why,
        "action": call.tool,
        "action_input": call.input,
        "query_to_human": "",
        "confidence": confidence,
    })
}

/// The call that is still worth making for a task, if the budget has room for it.
pub(super) fn next(facts: &Facts, task: &Task) -> Option<Call> {
    if budget::share(facts, task) == 0 {
        return None;
    }
    calls::for_task(facts, task).into_iter().find(|call| !facts.tried(call.tool, &call.input))
}
