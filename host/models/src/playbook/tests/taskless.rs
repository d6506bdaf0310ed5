//! The flows without tasks, without anything that isn't the playbook's concern. A run panics where
//! it repeats a call, uses an id twice or is still at work when its iterations are used up.

use super::folder::Folder;
use super::{ALL, answer};
use crate::playbook::facts::Facts;
use crate::playbook::turn;
use serde_json::{Value, json};

/// How a run is to go.
pub(super) struct Road<'a> {
    pub(super) tools: &'a [&'a str],
    pub(super) limit: u32,
    /// Whether a person rejects a proposed call.
    pub(super) rejects: &'a dyn Fn(&str, &Value) -> bool,
    /// How often a person rejects the proposed end.
    pub(super) again: usize,
}

impl Default for Road<'_> {
    fn default() -> Self {
        Self { tools: ALL, limit: 15, rejects: &|_, _| false, again: 0 }
    }
}

/// What a run came to.
#[derive(Default)]
pub(super) struct Walk {
    flow: &'static str,
    pub(super) observations: Vec<Value>,
    pub(super) rejected: Vec<Value>,
    said: Vec<Value>,
    pub(super) iterations: u32,
    /// How many calls each turn made.
    pub(super) turns: Vec<usize>,
    ids: Vec<String>,
    /// The answers it gave, the rejected ones first.
    pub(super) answers: Vec<String>,
    /// What it claimed with the last answer.
    pub(super) claims: Vec<Value>,
    pub(super) questions: Vec<String>,
}

pub(super) fn pipeline(folder: &Folder, road: &Road<'_>) -> Walk {
    let mut walk = Walk { flow: "pipeline", ..Walk::default() };
    loop {
        let facts = walk.facts("reason", road);
        let reply = answer(facts.clone()).expect("the playbook answers");
        assert_eq!(reply, answer(facts).unwrap(), "an answer follows from the facts alone");
        walk.stage(road);
        let details = &reply["details"];
        match reply["decision"].as_str().unwrap() {
            "CALL_TOOL" => {
                let (tool, input) = (details["tool_name"].as_str().unwrap(), &details["tool_input"]);
                if walk.call(folder, road, tool, input) {
                    walk.stage(road);
                }
                walk.turns.push(1);
            }
            "NEED_MORE_INFO" => {
                let question = details["question"].as_str().unwrap();
                walk.said.push(json!({ "to": format!("the question {question:?}"), "text": "go on" }));
                walk.questions.push(question.to_owned());
            }
            "FINAL_ANSWER" => {
                walk.claims = details["claims"].as_array().unwrap().clone();
                if walk.ends(details["answer"].as_str().unwrap(), road) {
                    return walk;
                }
            }
            other => panic!("no decision {other}"),
        }
    }
}

pub(super) fn react(folder: &Folder, road: &Road<'_>) -> Walk {
    let mut walk = Walk { flow: "react", ..Walk::default() };
    loop {
        let facts: Facts = serde_json::from_value(walk.facts("converse", road)).unwrap();
        let said = turn(&facts).expect("the playbook answers");
        assert_eq!(said, turn(&facts).unwrap(), "a turn follows from the facts alone");
        walk.stage(road);
        if said.calls.is_empty() {
            if walk.ends(&said.text, road) {
                return walk;
            }
            continue;
        }
        assert!(!said.text.is_empty(), "it says why");
        for call in &said.calls {
            assert!(!walk.ids.contains(&call.id), "{} twice", call.id);
            walk.ids.push(call.id.clone());
            let input: Value = serde_json::from_str(&call.arguments).expect("JSON");
            walk.call(folder, road, &call.name, &input);
        }
        walk.turns.push(said.calls.len());
    }
}

impl Walk {
    fn facts(&self, stage: &str, road: &Road<'_>) -> Value {
        json!({
            "flow": self.flow, "stage": stage, "goal": "分析这个项目", "task": null, "open": [], "done": [],
            "tools": road.tools.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
            "observations": self.observations, "rejected": self.rejected, "said": self.said, "latest": null,
            "instruction": null, "why": null,
            "iterations": { "used": self.iterations, "limit": road.limit },
        })
    }

    /// A stage was carried out. One more may come after it, or this was the answer.
    fn stage(&mut self, road: &Road<'_>) {
        self.iterations += 1;
        assert!(self.iterations <= road.limit, "ran into the cap of {}", road.limit);
    }

    /// Makes a call; false where a person rejected it.
    fn call(&mut self, folder: &Folder, road: &Road<'_>, tool: &str, input: &Value) -> bool {
        assert!(road.tools.contains(&tool), "{tool} isn't offered");
        let same = |seen: &Value| seen["tool"] == tool && &seen["input"] == input;
        assert!(!self.observations.iter().chain(&self.rejected).any(same), "again: {tool} {input}");
        if (road.rejects)(tool, input) {
            self.rejected.push(json!({ "task": "goal", "tool": tool, "input": input, "reason": "not here" }));
            self.said.push(json!({ "to": format!("the proposed call of {tool}"), "text": "not here" }));
            return false;
        }
        let (status, value, message) = folder.call(tool, input);
        self.observations.push(json!({
            "step": self.observations.len() + 1, "task": "goal", "tool": tool, "input": input,
            "status": status, "value": value, "message": message,
        }));
        true
    }

    /// Takes an answer; false where a person rejected it and a stage is left.
    fn ends(&mut self, answer: &str, road: &Road<'_>) -> bool {
        assert!(!answer.trim().is_empty());
        self.answers.push(answer.to_owned());
        if self.answers.len() > road.again || self.iterations == road.limit {
            return true;
        }
        self.said.push(json!({ "to": "the proposed end", "text": "look at the tests too" }));
        false
    }

    pub(super) fn answer(&self) -> &str {
        self.answers.last().expect("an answer")
    }

    /// The tools that were called, in order.
    pub(super) fn tools(&self) -> Vec<&str> {
        self.observations.iter().filter_map(|seen| seen["tool"].as_str()).collect()
    }
}
