//! What models, tools and people say in scripts.

use ringfence_engine::*;
use serde_json::{Value, json};

pub(crate) fn reply(text: &str, stop: StopReason) -> ModelReply {
    ModelReply {
        text: text.to_owned(),
        stop,
        calls: Vec::new(),
        content: None,
        usage: Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 10 },
        cost: None,
        model: "scripted".to_owned(),
    }
}

/// A turn of a conversation that asks for tools.
pub(crate) fn tools(text: &str, calls: &[(&str, &str, &str)]) -> ModelReply {
    let request = |(id, name, arguments): &(&str, &str, &str)| ToolRequest {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    ModelReply { calls: calls.iter().map(request).collect(), ..reply(text, StopReason::ToolUse) }
}

pub(crate) fn outcome(status: OutcomeStatus, value: Value) -> ToolOutcome {
    ToolOutcome {
        status,
        value,
        message: match status {
            OutcomeStatus::Done => String::new(),
            other => format!("it was {}", other.name()),
        },
        receipt: Some("receipt".into()),
        transient: false,
    }
}

/// A reasoner that calls a tool.
pub(crate) fn call_tool(tool: &str, input: Value) -> Value {
    json!({"thought": "it shows what is there", "decision": "CALL_TOOL", "confidence": "high",
        "details": {"tool_name": tool, "tool_input": input}})
}

/// A reasoner that answers.
pub(crate) fn final_answer(answer: &str) -> Value {
    json!({"thought": "all is known", "decision": "FINAL_ANSWER", "confidence": "high",
        "details": {"answer": answer}})
}

/// A reasoner that asks a person.
pub(crate) fn need_more_info(question: &str) -> Value {
    json!({"thought": "no tool can tell", "decision": "NEED_MORE_INFO", "confidence": "low",
        "details": {"question": question}})
}

/// A review of the working memory.
pub(crate) fn reflection(instruction: &str) -> Value {
    json!({"assessment": "it goes round in circles", "instruction": instruction, "confidence": "high"})
}

/// A task that waits for no other.
pub(crate) fn free(id: &str) -> Value {
    json!({"id": id, "description": format!("look at {id}"), "depends_on": []})
}

pub(crate) fn task(id: &str, description: &str) -> Value {
    json!({"id": id, "description": description})
}

pub(crate) fn plan(tasks: &[Value]) -> Value {
    json!({"reasoning": "first look, then judge", "new_sub_tasks": tasks, "is_goal_achieved": false})
}

pub(crate) fn achieved() -> Value {
    json!({"reasoning": "all is known", "new_sub_tasks": [], "is_goal_achieved": true})
}

pub(crate) fn decide(tool: &str, input: Value) -> Value {
    json!({"reasoning": "it shows what is there", "action": tool, "action_input": input,
        "query_to_human": "", "confidence": "high"})
}

pub(crate) fn ask_human(question: &str) -> Value {
    json!({"reasoning": "no tool can tell", "action": "human_help", "action_input": {},
        "query_to_human": question, "confidence": "low"})
}

pub(crate) fn judge(status: &str, summary: &str) -> Value {
    json!({"reasoning": "the result says so", "sub_task_status": status, "summary": summary,
        "suggested_next_step": "go on", "confidence": "high"})
}

pub(crate) fn planned(id: &str) -> PlannedTask {
    PlannedTask { id: id.into(), description: format!("do {id}"), kind: None, depends_on: None }
}
