//! Reasoning in the pipeline: one call, or the answer while there is still a stage for it.

use super::budget;
use super::conclusion;
use super::facts::Facts;
use super::whole;
use serde_json::{Value, json};

/// The reason stage's reply.
pub(super) fn reason(facts: &Facts) -> Value {
    if facts.tools.is_empty() && !facts.was_answered() && budget::has_room_to_ask(facts) {
        let question = "No tool is offered, so the playbook can't look at anything and has nothing to report. \
                        Start another run in which the tools for files are offered, or answer anything: the run \
                        then ends with an answer that says so.";
        return reply(
            "Without a tool nothing can be looked at.",
            "NEED_MORE_INFO",
            "low",
            json!({ "question": question }),
        );
    }
    let next = whole::ahead(facts).into_iter().next();
    match next.filter(|_| budget::turns_left(facts) > 0) {
        Some(call) => {
            let details = json!({ "tool_name": call.tool, "tool_input": call.input });
            reply(&call.why, "CALL_TOOL", "high", details)
        }
        None => {
            let details = json!({ "answer": conclusion::text(facts), "claims": conclusion::claims(facts) });
            reply(conclusion::why_now(facts), "FINAL_ANSWER", conclusion::confidence(facts), details)
        }
    }
}

fn reply(thought: &str, decision: &str, confidence: &str, details: Value) -> Value {
    json!({ "thought": thought, "decision": decision, "confidence": confidence, "details": details })
}
