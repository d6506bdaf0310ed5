//! The JSON Schemas of the stages' replies: one of each for sending and one for checking.
//!
//! What is sent uses only what vendors accept: `additionalProperties: false` everywhere, required
//! keys first, no bounds on numbers or lengths. What is checked is looser where a reply without
//! the key still says enough.

use crate::effect::ModelStage;
use crate::settings::{ToolFacts, ToolSpec};
use serde_json::{Value, json};

/// The action that asks a person.
pub const HUMAN_HELP: &str = "human_help";

/// The schema that is sent with a request.
pub(crate) fn sent(stage: ModelStage, tools: &[ToolSpec]) -> Value {
    match stage {
        ModelStage::Plan => plan(),
        ModelStage::Decide => {
            let names = tools.iter().map(|tool| tool.name.as_str());
            let actions: Vec<&str> = names.chain([HUMAN_HELP]).collect();
            decide(
                json!({
                    "type": "string",
                    "enum": actions,
                    "description": "the tool to call, or human_help",
                }),
                sent_input(tools),
            )
        }
        ModelStage::Evaluate => evaluate(claims()),
        ModelStage::Reason => reason(details(tools)),
        ModelStage::Reflect => reflect(),
        // Its turns are no JSON; its tools have schemas of their own.
        ModelStage::Converse => json!({}),
    }
}

/// The tools of a conversation: those of the run, and asking a person.
pub(crate) fn conversation_tools(tools: &[ToolSpec]) -> Vec<ToolSpec> {
    let mut all = tools.to_vec();
    all.push(ToolSpec {
        name: HUMAN_HELP.to_owned(),
        description: "Asks the person a question. Ask it alone, only if no tool can answer.".to_owned(),
        input_schema: json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {"question": text("one clear question")},
            "required": ["question"],
        }),
        can: ToolFacts { reads: false, writes: false, staged: false, egress: false, deterministic: false },
        timeout_ms: None,
        polling: false,
    });
    all
}

/// The schema that a reply is checked against.
pub(crate) fn checked(stage: ModelStage) -> Value {
    match stage {
        ModelStage::Plan => plan(),
        // Unknown tools and unfit inputs get an observation instead of a re-ask.
        ModelStage::Decide => {
            let mut schema = decide(json!({"type": "string"}), json!({"type": "object"}));
            require(&mut schema, &["reasoning", "action"]);
            schema
        }
        // A claim that doesn't fit is dropped by itself and takes nothing else with it.
        ModelStage::Evaluate => {
            let mut schema = evaluate(json!({}));
            require(&mut schema, &["reasoning", "sub_task_status", "summary"]);
            schema
        }
        // What `details` must hold depends on the decision.
        ModelStage::Reason => {
            let mut schema = reason(json!({"type": "object"}));
            require(&mut schema, &["thought", "decision"]);
            schema
        }
        ModelStage::Reflect => {
            let mut schema = reflect();
            require(&mut schema, &["assessment", "instruction"]);
            schema
        }
        ModelStage::Converse => json!({}),
    }
}

fn require(schema: &mut Value, names: &[&str]) {
    if let Some(object) = schema.as_object_mut() {
        object.insert("required".to_owned(), json!(names));
    }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn plan() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "reasoning": text("what the situation is and why these tasks come next"),
            "new_sub_tasks": {
                "type": "array",
                "description": "first to be done first; empty if nothing is to be added",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "id": text("a short new name, e.g. task_1"),
                        "description": text("what to do, concretely"),
                        "kind": text("one word for the kind of work"),
                        "depends_on": {
                            "type": "array",
                            "description": "ids that must be done before; left out: the task \
                                            before; empty: none",
                            "items": {"type": "string"},
                        },
                    },
                    "required": ["id", "description"],
                },
            },
            "is_goal_achieved": {
                "type": "boolean",
                "description": "true only if the results show that nothing is left to do",
            },
            "answer": text("with is_goal_achieved: the whole answer for the person"),
        },
        "required": ["reasoning", "new_sub_tasks", "is_goal_achieved"],
    })
}

fn confidence() -> Value {
    json!({"type": "string", "enum": ["low", "medium", "high"]})
}

fn decide(action: Value, input: Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "reasoning": text("why this action"),
            "action": action,
            "confidence": confidence(),
            "action_input": input,
            "query_to_human": text("the question to the person; only with human_help"),
        },
        "required": ["reasoning", "action", "confidence"],
    })
}

/// The tools' inputs, each in its own shape. Vendors' limits are the provider's to keep.
fn sent_input(tools: &[ToolSpec]) -> Value {
    let mut shapes: Vec<&Value> = Vec::new();
    for tool in tools {
        if !shapes.contains(&&tool.input_schema) {
            shapes.push(&tool.input_schema);
        }
    }
    let description = "the tool's input; only with a tool";
    match shapes.as_slice() {
        [] => json!({
            "type": "object",
            "description": description,
            "additionalProperties": false,
            "properties": {},
        }),
        shapes => json!({"description": description, "anyOf": shapes}),
    }
}

fn evaluate(claims: Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "reasoning": text("what the result shows and what it doesn't"),
            "sub_task_status": {
                "type": "string",
                "enum": ["completed", "failed", "needs_more_work"],
            },
            "summary": text("what came of the action, with the facts that later tasks need"),
            "suggested_next_step": text("what should be done next"),
            "confidence": confidence(),
            "claims": claims,
        },
        "required": [
            "reasoning",
            "sub_task_status",
            "summary",
            "suggested_next_step",
            "confidence",
        ],
    })
}

fn reason(details: Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "thought": text("what the last step showed, and why this comes next"),
            "decision": {"type": "string", "enum": ["FINAL_ANSWER", "CALL_TOOL", "NEED_MORE_INFO"]},
            "confidence": confidence(),
            "details": details,
        },
        "required": ["thought", "decision", "confidence", "details"],
    })
}

/// What a decision is about, in the shape of each.
fn details(tools: &[ToolSpec]) -> Value {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let shape = |properties: Value, required: Value| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
            "required": required,
        })
    };
    let answer = shape(
        json!({"answer": text("the whole answer for the person"), "claims": claims()}),
        json!(["answer"]),
    );
    let question = shape(json!({"question": text("the question to the person")}), json!(["question"]));
    let mut shapes = vec![answer, question];
    if !names.is_empty() {
        let properties = json!({
            "tool_name": {"type": "string", "enum": names},
            "tool_input": sent_input(tools),
        });
        shapes.push(shape(properties, json!(["tool_name", "tool_input"])));
    }
    json!({"description": "what the decision needs", "anyOf": shapes})
}

fn reflect() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "assessment": text("what the record shows: what was achieved, what stands still and why"),
            "instruction": text("one instruction: what to do differently from here on"),
            "confidence": confidence(),
        },
        "required": ["assessment", "instruction", "confidence"],
    })
}

fn claims() -> Value {
    json!({
        "type": "array",
        "description": "findings for the report, each with the places that show it",
        "items": claim(),
    })
}

/// The schema of one claim, sent and checked.
pub(crate) fn claim() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "about": {"type": "string", "enum": ["stack", "module", "problem"]},
            "text": text("one or two sentences"),
            "evidence": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "step": {"type": "integer", "description": "the number of the step"},
                        "file": text("path of the file, relative to the project"),
                        "first_line": {"type": "integer"},
                        "last_line": {"type": "integer"},
                    },
                    "required": ["step"],
                },
            },
            "severity": {
                "type": "string",
                "enum": ["info", "low", "medium", "high"],
                "description": "for problems",
            },
        },
        "required": ["about", "text", "evidence"],
    })
}
