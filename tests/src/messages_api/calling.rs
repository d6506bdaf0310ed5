//! A model that makes the calls it is told to make.

use super::{Answer, Asked, Stage};
use serde_json::{Value, json};

/// A script that makes these calls, one task for all of them, and is done then.
pub fn calling(calls: &[(&str, Value)]) -> impl FnMut(&Asked) -> Answer + Send + use<> {
    let mut calls: Vec<(String, Value)> =
        calls.iter().rev().map(|(tool, input)| ((*tool).to_owned(), input.clone())).collect();
    move |asked| match asked.stage {
        Some(Stage::Plan) => {
            let done = calls.is_empty();
            let tasks = if done { json!([]) } else { json!([{ "id": "t", "description": "change it" }]) };
            Answer::Json(json!({ "reasoning": "r", "new_sub_tasks": tasks, "is_goal_achieved": done }))
        }
        Some(Stage::Decide) => {
            let (tool, input) = calls.pop().expect("a call that is planned");
            Answer::Json(json!({
                "reasoning": "r", "action": tool, "action_input": input, "query_to_human": null,
                "confidence": "high",
            }))
        }
        _ => {
            let status = if calls.is_empty() { "completed" } else { "needs_more_work" };
            Answer::Json(json!({
                "reasoning": "r", "sub_task_status": status, "summary": "s", "suggested_next_step": "",
                "confidence": "high",
            }))
        }
    }
}
