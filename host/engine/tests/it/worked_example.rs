//! The worked example: a code analysis with four sub-tasks, at most 30 iterations, a pause after
//! the plan, three reading tools.

use crate::script::*;
use ringfence_engine::*;
use serde_json::{Value, json};

fn four_tasks() -> Vec<Value> {
    vec![
        task("task_1", "list all files of ./my_project and pick the key files"),
        task("task_2", "read the manifests and find the stack and its versions"),
        task("task_3", "analyse the entry files for modules and functions"),
        task("task_4", "look for known problems in the key files"),
    ]
}

fn work_through(script: &mut Script) {
    let files = json!({"entries": [{"path": "app.py"}, {"path": "requirements.txt"}]});
    script.round(
        decide("list_files", json!({"directory": "./my_project", "recursive": true})),
        files,
        judge("completed", "two files: app.py, requirements.txt"),
    );
    script.round(
        decide("read_file", json!({"file_path": "my_project/requirements.txt"})),
        json!({"content": "flask==3.0.0", "total_lines": 1}),
        json!({"reasoning": "a manifest", "sub_task_status": "completed",
            "summary": "Flask 3.0.0", "suggested_next_step": "", "confidence": "high",
            "claims": [{"about": "stack", "text": "The project uses Flask 3.0.0.",
                "evidence": [{"step": 2, "file": "my_project/requirements.txt",
                    "first_line": 1, "last_line": 1}]}]}),
    );
    script.round(
        decide("analyze_code", json!({"file_path": "my_project/app.py"})),
        json!({"functions": [{"name": "login", "line": 4}]}),
        judge("completed", "one function: login"),
    );
    script.round(
        decide("read_file", json!({"file_path": "my_project/app.py", "max_lines": 50})),
        json!({"content": "SECRET = 'abc'"}),
        json!({"reasoning": "a secret", "sub_task_status": "completed",
            "summary": "a hard-coded secret", "suggested_next_step": "", "confidence": "medium",
            "claims": [{"about": "problem", "severity": "high", "text": "A secret is in the code.",
                "evidence": [{"step": 4, "file": "./my_project/app.py", "first_line": 1}]}]}),
    );
}

#[test]
fn the_analysis_runs_straight_through() {
    let mut script = Script::start(settings());
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    script.say(plan(&four_tasks()));

    let Subject::Plan { plan } = script.review().subject else {
        panic!("the plan waits for approval");
    };
    assert_eq!(plan.tasks.len(), 4);
    assert!(!plan.approved);
    assert!(script.state().stack.is_empty(), "nothing is on the stack before the approval");
    script.answer(Answer::Approve { plan: Some(plan.hash) });
    assert!(script.state().plans[0].approved);
    let top = script.state().stack.last().map(|task| task.planned.id.clone());
    assert_eq!(top, Some("task_1".into()), "the first planned task is on top");

    work_through(&mut script);
    assert_eq!(script.model_call().stage, ModelStage::Plan, "an empty stack asks the planner");
    script.say(achieved());

    assert_eq!(script.ending(), Ending::Achieved);
    let state = script.state();
    assert_eq!(state.iterations, 14, "one plan, four times three stages, one plan");
    let done: Vec<_> = state.done.iter().map(|t| (t.planned.id.0.as_str(), t.status)).collect();
    let completed = TaskStatus::Completed;
    assert_eq!(
        done,
        [("task_1", completed), ("task_2", completed), ("task_3", completed), ("task_4", completed)]
    );
    assert_eq!(state.history.len(), 4);
    assert_eq!(state.history[1].summary, "Flask 3.0.0");
    assert_eq!(state.done[1].steps, [StepId(2)]);
    assert_eq!(state.claims.len(), 2);
    let place = &state.claims[1].evidence[0];
    assert_eq!(place.file.as_deref(), Some("my_project/app.py"));
    assert_eq!(place.lines, Some((1, 1)));
    assert_eq!(state.spent.tool_calls, 4);
    assert_eq!(state.spent.model_calls, 10);
    assert_eq!(state.spent.tokens.input_tokens, 1_000);
    assert_eq!(state.notes, []);
}

#[test]
fn an_edited_plan_is_worked_through_as_it_was_edited() {
    let mut script = Script::start(settings());
    script.say(plan(&four_tasks()));
    script.answer(Answer::EditPlan { tasks: vec![planned("task_1"), planned("mine"), planned("task_4")] });
    let state = script.state();
    assert_eq!(state.plans.len(), 2);
    assert_eq!((state.plans[1].version, state.plans[1].author), (2, Author::Person));
    assert!(state.plans[1].approved && !state.plans[0].approved);
    for id in ["task_1", "mine", "task_4"] {
        let call = script.model_call();
        assert_eq!(call.facts["task"]["id"], id);
        script.round(decide("list_files", json!({"directory": id})), json!([]), judge("completed", "done"));
    }
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
}

#[test]
fn a_rejected_plan_is_made_anew_with_the_reason_in_view() {
    let mut script = Script::start(settings());
    script.say(plan(&four_tasks()));
    script.answer(Answer::Reject { reason: "leave the tests out".to_owned() });
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Plan);
    assert!(call.user.contains("leave the tests out"));
    assert!(call.facts["latest"].as_str().is_some_and(|l| l.contains("leave the tests out")));
    script.say(plan(&four_tasks()));
    script.approve();
    work_through(&mut script);
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(script.state().plans.len(), 2);
}

#[test]
fn a_goal_in_chinese_is_shown_as_it_was_written() {
    let mut settings = settings();
    settings.pause.clear();
    let first = Event {
        at: Timestamp(0),
        worked_ms: None,
        kind: EventKind::Started {
            run: "r".into(),
            goal: "分析项目的主要技术栈".to_owned(),
            settings: Box::new(settings),
        },
    };
    let (mut run, owed) = Run::start(first).expect("a goal in any language");
    let [Effect::CallModel(call)] = owed.as_slice() else {
        panic!("the planner is asked");
    };
    let prompt = run.prompt(call.call).expect("an owed call has a prompt");
    assert!(matches!(prompt, Prompt::Stage { user, .. } if user.contains("分析项目的主要技术栈")));
    let text = json!({"reasoning": "先看文件", "is_goal_achieved": false,
        "new_sub_tasks": [{"id": "任务一", "description": "列出所有文件"}]});
    let kind = EventKind::ModelReplied { call: call.call, reply: reply(&text.to_string(), StopReason::End) };
    run.apply(Event { at: Timestamp(1), worked_ms: None, kind }).expect("the plan fits");
    assert_eq!(run.state().stack[0].planned.id, "任务一".into());
}
