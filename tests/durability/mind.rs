//! A model without memory: what it answers follows from the request and the scenario alone.

use crate::rig;
use crate::scenario::{Call, Scenario};
use async_trait::async_trait;
use ringfence_engine::EventKind;
use ringfence_models::{Ask, Model, ModelError, Price, Reply, Request, Stop, ToolUse, Turn, Usage};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Mind {
    pub(crate) scenario: &'static Scenario,
    /// Where the journal lies.
    pub(crate) folder: PathBuf,
}

#[async_trait]
impl Model for Mind {
    fn identity(&self) -> String {
        "script".to_owned()
    }

    fn price(&self, _: &str, _: Option<&str>) -> Option<Price> {
        None
    }

    fn reads_facts(&self) -> bool {
        true
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let failed = |kind: &EventKind| matches!(kind, EventKind::ModelFailed { .. });
        if self.scenario.away
            && request.stage == "decide"
            && !rig::recorded(&self.folder).iter().any(|recorded| failed(&recorded.event.kind))
        {
            let (provider, why) = ("the script".to_owned(), "it is away".to_owned());
            return Err(ModelError::Unreachable { provider, why });
        }
        Ok(answer(self.scenario, &request))
    }
}

/// The reply to one request.
pub(crate) fn answer(scenario: &Scenario, request: &Request) -> Reply {
    let facts = &request.facts;
    match (&request.ask, request.stage.as_str()) {
        (Ask::Conversation { turns, .. }, _) => converse(scenario, turns),
        (Ask::Stage { .. }, "plan") => said(plan(scenario, facts)),
        (Ask::Stage { .. }, "decide") => said(decide(scenario, facts)),
        (Ask::Stage { .. }, "evaluate") => said(evaluate(scenario, facts)),
        (Ask::Stage { .. }, "reason") => said(reason(scenario, facts)),
        (Ask::Stage { .. }, "reflect") => said(json!({
            "assessment": "the same again", "instruction": "go on to what is left", "confidence": "high",
        })),
        (Ask::Stage { .. }, other) => panic!("no such stage: {other}"),
    }
}

fn said(value: Value) -> Reply {
    reply(value.to_string(), Vec::new())
}

fn reply(text: String, calls: Vec<ToolUse>) -> Reply {
    Reply {
        text,
        stop: if calls.is_empty() { Stop::End } else { Stop::ToolUse },
        calls,
        content: None,
        usage: Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() },
        cost: None,
        model: "script".to_owned(),
        request_id: None,
    }
}

/// How many calls of this task, or of all, have come to an end.
fn made(facts: &Value, task: Option<&str>) -> usize {
    let all = facts["observations"].as_array().expect("observations");
    all.iter().filter(|one| task.is_none_or(|task| one["task"] == task)).count()
}

fn plan(scenario: &Scenario, facts: &Value) -> Value {
    let done = facts["done"].as_array().is_some_and(|done| !done.is_empty());
    let tasks: Vec<_> = scenario
        .tasks
        .iter()
        .enumerate()
        .map(|(number, task)| {
            let mut planned = json!({"id": task.id, "description": format!("carry out {}", task.id)});
            if scenario.independent {
                // The last one waits for all that may be worked on at the same time.
                let first = &scenario.tasks[..scenario.parallel as usize];
                let waits = if number < first.len() { &[] } else { first };
                planned["depends_on"] = waits.iter().map(|task| task.id).collect();
            }
            planned
        })
        .collect();
    json!({
        "reasoning": "as the script says",
        "new_sub_tasks": if done { Vec::new() } else { tasks },
        "is_goal_achieved": done,
    })
}

fn decide(scenario: &Scenario, facts: &Value) -> Value {
    let task = facts["task"]["id"].as_str().expect("a task on top");
    let (tool, at) = scenario.calls_of(task)[made(facts, Some(task))];
    json!({
        "reasoning": "the next of the script", "action": tool.name(), "action_input": {"at": at},
        "confidence": "high",
    })
}

fn evaluate(scenario: &Scenario, facts: &Value) -> Value {
    let task = facts["task"]["id"].as_str().expect("a task on top");
    let over = made(facts, Some(task)) == scenario.calls_of(task).len();
    json!({
        "reasoning": "as the script says",
        "sub_task_status": if over { "completed" } else { "needs_more_work" },
        "summary": if over { format!("{task} is over") } else { format!("{task} goes on") },
        "suggested_next_step": "", "confidence": "high",
    })
}

fn reason(scenario: &Scenario, facts: &Value) -> Value {
    let calls = scenario.calls_of("goal");
    let asked = facts["said"].as_array().is_some_and(|said| !said.is_empty());
    let (decision, details) = match calls.get(made(facts, None)) {
        _ if scenario.asks && !asked => ("NEED_MORE_INFO", json!({"question": "May I?"})),
        Some((tool, at)) => ("CALL_TOOL", json!({"tool_name": tool.name(), "tool_input": {"at": at}})),
        None => ("FINAL_ANSWER", json!({"answer": "All of the script is done."})),
    };
    json!({"thought": "the next of the script", "decision": decision, "confidence": "high", "details": details})
}

fn converse(scenario: &Scenario, turns: &[Turn]) -> Reply {
    let spoken = turns.iter().filter(|turn| matches!(turn, Turn::Model { .. })).count();
    match scenario.tasks[0].turns.get(spoken) {
        None => reply("All of the script is done.".to_owned(), Vec::new()),
        Some(calls) => {
            let asked = |(number, (tool, at)): (usize, &Call)| ToolUse {
                id: format!("t{spoken}_{number}"),
                name: tool.name().to_owned(),
                arguments: json!({"at": at}).to_string(),
            };
            reply("the next of the script".to_owned(), calls.iter().enumerate().map(asked).collect())
        }
    }
}
