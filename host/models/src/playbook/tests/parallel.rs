//! The staged flow with tasks that run at the same time: each sees what was done before, and
//! nothing of the others.

use super::folder::{Folder, sample};
use super::{ALL, answer};
use serde_json::{Value, json};

/// One run of one task.
struct Below<'a> {
    folder: &'a Folder,
    limit: u32,
    first_step: usize,
}

impl Below<'_> {
    /// Works on one task as the only open one until it ends: its observations, the task, and the
    /// stages carried out.
    fn work(&self, task: &Value) -> (Vec<Value>, Value, u32) {
        let (mut own, mut used): (Vec<Value>, u32) = (Vec::new(), 0);
        loop {
            let facts = |stage: &str, own: &[Value], used: u32| {
                json!({ "flow": "staged", "stage": stage, "task": task, "open": [task], "done": [],
                        "tools": tools(), "observations": own, "iterations": { "used": used, "limit": self.limit } })
            };
            assert!(used + 3 <= self.limit, "{} ran into its cap of {}", task["id"], self.limit);
            let choice = answer(facts("decide", &own, used)).unwrap();
            let (tool, input) = (choice["action"].as_str().unwrap(), &choice["action_input"]);
            let (status, value, message) = self.folder.call(tool, input);
            own.push(
                json!({ "step": self.first_step + own.len(), "task": task["id"], "tool": tool, "input": input,
                             "status": status, "value": value, "message": message }),
            );
            let verdict = answer(facts("evaluate", &own, used + 2)).unwrap();
            used += 3;
            if verdict["sub_task_status"] != "needs_more_work" {
                let mut task = task.clone();
                task["status"] = verdict["sub_task_status"].clone();
                task["summary"] = verdict["summary"].clone();
                return (own, task, used);
            }
        }
    }
}

fn tools() -> Vec<Value> {
    ALL.iter().map(|name| json!({ "name": name })).collect()
}

fn plan(limit: u32) -> Vec<Value> {
    let facts = json!({ "flow": "staged", "stage": "plan", "tools": tools(),
                        "iterations": { "used": 0, "limit": limit } });
    answer(facts).unwrap()["new_sub_tasks"].as_array().unwrap().clone()
}

#[test]
fn no_task_waits_for_another_where_the_tools_for_code_are_offered() {
    for limit in [6, 10, 12, 50] {
        let plan = plan(limit);
        assert!(plan.iter().all(|task| task["depends_on"] == json!([])), "{plan:#?}");
    }
}

#[test]
fn tasks_that_see_nothing_of_each_other_are_completed_within_their_shares() {
    let folder = sample();
    for limit in [12, 15, 20, 30, 50, 100] {
        let tasks = plan(limit);
        let share = (limit - 1) / tasks.len() as u32;
        let (mut done, mut all) = (vec![], 1);
        for (place, task) in tasks.iter().enumerate() {
            let below = Below { folder: &folder, limit: share, first_step: 100 * place + 1 };
            let (_, task, used) = below.work(task);
            assert_eq!(task["status"], "completed", "{limit}: {task:#?}");
            done.push(task);
            all += used;
        }
        assert!(all < limit, "no stage is left to say that the goal is achieved: {all} of {limit}");
        let closing = json!({ "flow": "staged", "stage": "plan", "done": done, "tools": tools(),
                              "iterations": { "used": all, "limit": limit } });
        assert_eq!(answer(closing).unwrap()["is_goal_achieved"], true);
    }
}
