//! Reviews of the whole working memory.

use super::{ALL, answer};
use serde_json::{Value, json};

fn review(facts: Value) -> Value {
    let tools: Vec<Value> = ALL.iter().map(|name| json!({ "name": name })).collect();
    let mut all = json!({
        "flow": "pipeline", "stage": "reflect", "tools": tools, "iterations": { "used": 4, "limit": 15 },
        "why": "the same error 5 times in a row, the last: read_file",
    });
    all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let reply = answer(all).unwrap();
    for part in ["assessment", "instruction", "confidence"] {
        assert!(reply[part].as_str().is_some_and(|text| !text.is_empty()), "{reply}");
    }
    reply
}

fn detected() -> Value {
    json!({
        "step": 1, "task": "goal", "tool": "detect_stack", "status": "done", "message": "",
        "input": { "directory": "." }, "value": { "directory": ".", "files": 1, "next": null },
    })
}

fn refused(step: u64) -> Value {
    json!({
        "step": step, "task": "goal", "tool": "find_problems", "status": "denied", "value": null,
        "input": { "pattern": step.to_string() }, "message": "not granted",
    })
}

#[test]
fn a_review_says_what_stands_still_and_names_a_call_that_was_not_tried() {
    let reply = review(json!({ "observations": [detected(), refused(2), refused(3)] }));
    let assessment = reply["assessment"].as_str().unwrap();
    for said in ["the same error 5 times", "1 call gave a result", "2 calls gave none", "not granted"] {
        assert!(assessment.contains(said), "no {said} in {assessment}");
    }
    assert!(reply["instruction"].as_str().unwrap().starts_with("Call map_code on `.`"), "{reply}");
}

#[test]
fn a_review_at_the_end_of_the_iterations_says_to_answer() {
    let at = |used: u32| {
        let reply =
            review(json!({ "observations": [detected()], "iterations": { "used": used, "limit": 15 } }));
        reply["instruction"].as_str().unwrap().to_owned()
    };
    assert!(at(10).starts_with("Call find_problems"), "{}", at(10));
    assert!(at(11).starts_with("Answer with what there is"), "the review itself takes a stage: {}", at(11));
}

#[test]
fn a_review_of_a_task_names_its_next_call_or_its_end() {
    let task = json!({ "id": "stack", "kind": "stack" });
    let facts = |seen: Vec<Value>| {
        json!({ "flow": "staged", "task": task, "open": [task], "observations": seen,
                "iterations": { "used": 4, "limit": 50 } })
    };
    let begun = review(facts(vec![]));
    assert!(begun["assessment"].as_str().unwrap().contains("No call has given a result yet."), "{begun}");
    assert!(begun["instruction"].as_str().unwrap().starts_with("Call detect_stack on `.`"), "{begun}");
    let seen = review(facts(vec![detected()]));
    assert!(seen["instruction"].as_str().unwrap().starts_with("End the task \"stack\""), "{seen}");
    let planner = review(json!({ "flow": "staged", "task": null }));
    assert!(planner["instruction"].as_str().unwrap().starts_with("Say whether the goal is achieved"));
}
