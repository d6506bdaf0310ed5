//! The playbook driven as the loop would drive it, over small projects.

mod code_tools;
mod edits;
mod folder;
mod limits;
mod parallel;
mod pipeline;
mod react;
mod reviews;
mod runs;
mod taskless;

use super::facts::Facts;
use super::stage;
use crate::ModelError;
use folder::Folder;
use serde_json::{Value, json};

/// The reply to these facts.
pub(super) fn answer(facts: Value) -> Result<Value, ModelError> {
    let facts: Facts = serde_json::from_value(facts).expect("facts");
    stage(&facts)
}

/// What a run of the playbook came to.
pub(super) struct Run {
    pub(super) observations: Vec<Value>,
    pub(super) done: Vec<Value>,
    pub(super) iterations: u32,
    pub(super) achieved: bool,
    /// The questions it asked people.
    pub(super) questions: Vec<String>,
}

/// How a run is to go.
pub(super) struct Way<'a> {
    pub(super) tools: &'a [&'a str],
    pub(super) limit: u32,
    /// Changes the plan before it is carried out.
    pub(super) edit: &'a dyn Fn(Vec<Value>) -> Vec<Value>,
    /// Whether a person rejects a proposed call.
    pub(super) rejects: &'a dyn Fn(&str, &Value) -> bool,
}

pub(super) const ALL: &[&str] =
    &["read_file", "list_files", "search_text", "analyze_code", "map_code", "find_problems", "detect_stack"];
/// The tools without those that look at the whole code.
pub(super) const PLAIN: &[&str] = &["read_file", "list_files", "search_text", "analyze_code"];

impl Default for Way<'_> {
    fn default() -> Self {
        Self { tools: ALL, limit: 50, edit: &|tasks| tasks, rejects: &|_, _| false }
    }
}

/// The staged loop, without anything that isn't the playbook's concern.
pub(super) fn drive(folder: &Folder, way: &Way<'_>) -> Run {
    let mut run =
        Run { observations: vec![], done: vec![], iterations: 0, achieved: false, questions: vec![] };
    let mut rejected: Vec<Value> = Vec::new();
    // Whatever is asked, the person says the same.
    let said = |run: &Run| -> Vec<Value> {
        run.questions
            .iter()
            .map(|asked| json!({ "to": format!("the question {asked:?}"), "text": "go on" }))
            .collect()
    };
    let facts = |run: &Run, stage: &str, open: &[Value], rejected: &[Value]| {
        json!({
            "flow": "staged", "stage": stage, "goal": "分析这个项目", "task": open.first(), "open": open,
            "done": run.done, "tools": way.tools.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
            "observations": run.observations, "rejected": rejected, "said": said(run), "latest": null,
            "iterations": { "used": run.iterations, "limit": way.limit },
        })
    };
    let ask = |run: &mut Run, stage: &str, open: &[Value], rejected: &[Value]| {
        let reply = answer(facts(run, stage, open, rejected)).expect("the playbook answers");
        assert_eq!(
            reply,
            answer(facts(run, stage, open, rejected)).unwrap(),
            "an answer follows from the facts alone"
        );
        run.iterations += 1;
        reply
    };
    let plan = ask(&mut run, "plan", &[], &[]);
    let mut open = (way.edit)(plan["new_sub_tasks"].as_array().cloned().unwrap_or_default());
    while run.iterations < way.limit {
        if open.is_empty() {
            run.achieved = ask(&mut run, "plan", &[], &rejected)["is_goal_achieved"] == true;
            return run;
        }
        let choice = ask(&mut run, "decide", &open, &rejected);
        let (tool, input) = (choice["action"].as_str().unwrap().to_owned(), choice["action_input"].clone());
        if tool == "human_help" {
            run.questions.push(choice["query_to_human"].as_str().unwrap().to_owned());
            continue;
        }
        assert!(way.tools.contains(&tool.as_str()), "{tool} isn't offered");
        if (way.rejects)(&tool, &input) {
            let no = json!({ "task": open[0]["id"], "tool": tool, "input": input, "reason": "no" });
            assert!(!rejected.contains(&no), "proposed again: {no}");
            rejected.push(no);
            continue;
        }
        run.iterations += 1;
        let (status, value, message) = folder.call(&tool, &input);
        run.observations.push(json!({
            "step": run.observations.len() + 1, "task": open[0]["id"], "tool": tool, "input": input,
            "status": status, "value": value, "message": message,
        }));
        let verdict = ask(&mut run, "evaluate", &open, &rejected);
        let summary = verdict["summary"].as_str().unwrap().to_owned();
        match verdict["sub_task_status"].as_str().unwrap() {
            "needs_more_work" => {}
            status => finish(&mut run, open.remove(0), status, &summary),
        }
    }
    run
}

fn finish(run: &mut Run, mut task: Value, status: &str, summary: &str) {
    task["status"] = status.into();
    task["summary"] = summary.into();
    run.done.push(task);
}

impl Run {
    /// The claims that the run's observations give.
    pub(super) fn claims(&self) -> Vec<super::analyst::Claim> {
        let seen: Vec<super::analyst::Observation> =
            self.observations.iter().map(|seen| serde_json::from_value(seen.clone()).unwrap()).collect();
        super::analyst::claims(&seen)
    }

    /// A task that ended.
    pub(super) fn task(&self, id: &str) -> &Value {
        self.done.iter().find(|task| task["id"] == id).unwrap_or_else(|| panic!("no task {id} ended"))
    }

    /// The tools that were called, in order.
    pub(super) fn tools(&self) -> Vec<&str> {
        self.observations.iter().filter_map(|seen| seen["tool"].as_str()).collect()
    }
}
