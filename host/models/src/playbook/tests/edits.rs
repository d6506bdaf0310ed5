use super::folder::Folder;
use super::{PLAIN, Way, drive};
use serde_json::json;

fn project() -> Folder {
    Folder::of(&[
        ("pyproject.toml", "[project]\nname = \"a\"\nversion = \"1.0\"\ndependencies = [\"flask>=3\"]\n"),
        (
            "a/__init__.py",
            "from .app import make\n\n__all__ = [\"make\"]\n# something to make the file large enough\n",
        ),
        (
            "a/app.py",
            "import os\n\n\nclass App:\n    def run(self):\n        os.system(\"ls\")\n\n\ndef make():\n    return App()\n",
        ),
        (
            "b/other.py",
            "def slow(x):\n    return eval(x)  # and some more text so that it counts\n\n\ndef more():\n    pass\n",
        ),
    ])
}

#[test]
fn tasks_that_a_person_removed_are_not_done() {
    let edit = |tasks: Vec<_>| {
        tasks.into_iter().filter(|task: &serde_json::Value| task["id"] == "problems").collect()
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved);
    assert_eq!(run.done.len(), 1);
    assert_eq!(run.tools(), ["find_problems"]);
    assert!(run.claims().iter().any(|claim| claim.topic == "python-eval"));
}

#[test]
fn tasks_in_another_order_work() {
    let edit = |mut tasks: Vec<_>| {
        tasks.reverse();
        tasks
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved);
    assert!(run.done.iter().all(|task| task["status"] == "completed"), "{:#?}", run.done);
}

#[test]
fn tasks_in_a_persons_words_are_understood_also_in_chinese() {
    let edit = |_| {
        vec![
            json!({ "id": "t1", "description": "使用 list_files 列出所有文件" }),
            json!({ "id": "t2", "description": "读取依赖管理文件，确定主要技术栈和版本" }),
            json!({ "id": "t3", "description": "对核心入口文件进行分析，理解模块结构" }),
            json!({ "id": "t4", "description": "寻找常见的安全漏洞和性能问题" }),
        ]
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved);
    assert!(run.done.iter().all(|task| task["status"] == "completed"), "{:#?}", run.done);
    assert!(run.tools().contains(&"list_files") && run.tools().contains(&"detect_stack"));
}

#[test]
fn a_task_that_names_a_folder_is_kept_to_it() {
    let edit = |_| vec![json!({ "id": "x", "description": "Look for security problems in b/ only" })];
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert_eq!(run.observations[0]["input"]["directory"], "b");
    let topics: Vec<_> = run.claims().into_iter().filter(|c| c.severity.is_some()).map(|c| c.topic).collect();
    assert_eq!(topics, ["python-eval"]);
}

#[test]
fn a_task_that_names_a_file_is_kept_to_it() {
    let edit = |_| vec![json!({ "id": "x", "description": "Outline the structure of a/app.py" })];
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert_eq!(run.tools(), ["map_code", "analyze_code"]);
    assert_eq!(run.observations[0]["input"]["directory"], ".");
    assert_eq!(run.observations[1]["input"]["file_path"], "a/app.py");
}

#[test]
fn an_unknown_task_is_answered_honestly_and_once() {
    let edit = |mut tasks: Vec<serde_json::Value>| {
        tasks.insert(0, json!({ "id": "poem", "description": "Write a poem about `App`" }));
        tasks
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved);
    assert_eq!(run.task("poem")["status"], "failed");
    assert!(run.task("poem")["summary"].as_str().unwrap().contains("A model can."));
    assert!(run.observations.iter().filter(|seen| seen["task"] == "poem").count() == 1);
    assert_eq!(run.task("problems")["status"], "completed");
}

#[test]
fn the_same_work_twice_ends() {
    let edit = |mut tasks: Vec<serde_json::Value>| {
        tasks.push(json!({ "id": "again", "description": "Look for problems again", "kind": "problems" }));
        tasks.push(json!({ "id": "and-again", "description": "List files", "kind": "inventory" }));
        tasks
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved, "{:#?}", run.done);
    assert_eq!(run.task("again")["status"], "completed");
    assert_eq!(run.task("and-again")["status"], "completed");
}

#[test]
fn a_rejected_call_is_never_proposed_again() {
    let rejects = |tool: &str, _: &serde_json::Value| tool == "analyze_code";
    let run = drive(&project(), &Way { rejects: &rejects, ..Way::default() });
    assert!(run.achieved, "{:#?}", run.done);
    assert!(!run.tools().contains(&"analyze_code"));
}

#[test]
fn when_everything_is_rejected_a_person_is_asked_once_and_the_run_ends() {
    let rejects = |_: &str, input: &serde_json::Value| {
        input["max_entries"].as_u64() > Some(100) || input["max_entries"].is_null()
    };
    let run = drive(&project(), &Way { rejects: &rejects, limit: 50, ..Way::default() });
    assert_eq!(run.questions.len(), 1, "{:#?}", run.questions);
    assert!(!run.achieved, "{:#?} {:#?}", run.done, run.observations);
    assert_eq!(run.done.len(), 3);
    for task in &run.done {
        let summary = task["summary"].as_str().unwrap();
        assert_eq!(task["status"], "failed");
        assert!(
            summary.contains("a person rejected") && summary.contains("The latest reason: no"),
            "{summary}"
        );
    }
}

#[test]
fn a_person_who_rejects_even_the_last_call_is_offered_another_one_until_the_iterations_end() {
    let run = drive(&project(), &Way { rejects: &|_, _| true, limit: 30, ..Way::default() });
    assert_eq!(run.questions.len(), 1);
    assert!(!run.achieved && run.observations.is_empty());
}

#[test]
fn a_task_that_had_results_before_the_rest_was_rejected_is_completed() {
    let rejects =
        |tool: &str, input: &serde_json::Value| tool == "analyze_code" && input["file_path"] != "a/app.py";
    let run = drive(&project(), &Way { rejects: &rejects, ..Way::default() });
    assert!(run.achieved && run.questions.is_empty());
    assert_eq!(run.task("structure")["status"], "completed");
}

#[test]
fn tasks_of_plans_that_were_made_for_listing_and_manifests_are_understood() {
    let edit = |_| {
        vec![
            json!({ "id": "inventory", "description": "", "kind": "inventory" }),
            json!({ "id": "manifests", "description": "", "kind": "manifests" }),
        ]
    };
    let run = drive(&project(), &Way { edit: &edit, ..Way::default() });
    assert!(run.achieved);
    assert_eq!(run.tools(), ["list_files", "detect_stack"]);
}

#[test]
fn problems_that_a_person_plans_without_the_tool_for_them_are_said_not_to_be_searched_for() {
    let edit = |_| vec![json!({ "id": "x", "description": "Find security problems" })];
    let run = drive(&project(), &Way { tools: PLAIN, edit: &edit, ..Way::default() });
    assert!(!run.achieved && run.questions.is_empty());
    let summary = run.task("x")["summary"].as_str().unwrap();
    assert!(summary.starts_with("Not done: problems needs find_problems, which isn't offered."), "{summary}");
}
