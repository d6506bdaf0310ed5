//! `replay`: a run made again from its journal, without a model, and held against what is recorded.

use crate::{WORKED_EXAMPLE, product, run_ids};
use ringfence_engine::{Event, EventKind, Intent, PromptDigest, Run, RunId};
use ringfence_store::{Entry, NewRun, Store};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

fn done(product: &Product, server: &MessagesApi, more: &[&str]) -> String {
    product.copy_of("examples/my_project");
    let ended = product.run(&[WORKED_EXAMPLE, &["--yes"], more].concat(), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    run_ids(product).remove(0)
}

/// `replay --json`; with another exit code than the one wanted, what it said.
fn replayed(product: &Product, id: &str, flags: &[&str], code: i32) -> Value {
    let ended = product.run(&[&["replay", id, "--json"], flags].concat(), &[]);
    assert_eq!(ended.code, Some(code), "{ended:?}");
    serde_json::from_str(&ended.stdout).expect("one JSON object")
}

fn in_words(product: &Product, id: &str, flags: &[&str]) -> Ended {
    product.run(&[&["replay", id], flags].concat(), &[])
}

/// Enters the run once more under another name, with something changed in its journal.
fn changed_copy(
    product: &Product,
    id: &str,
    name: &str,
    mut change: impl FnMut(&mut Event, &mut Vec<Intent>),
) {
    let store = Store::open(&product.home().join(".local/state/ringfence/runs.db")).unwrap();
    let journal = store.journal(&RunId::from(id)).unwrap();
    let mut run: Option<Run> = None;
    let mut lease = None;
    for recorded in journal.events {
        let (mut event, mut intents) = (recorded.event, recorded.intents);
        if let EventKind::Started { run, .. } = &mut event.kind {
            *run = name.into();
        }
        change(&mut event, &mut intents);
        match &mut run {
            None => run = Some(Run::replay([event.clone()]).unwrap().0),
            Some(run) => drop(run.apply(event.clone()).unwrap()),
        }
        let receipts: Vec<_> = journal.receipts.iter().filter(|stored| stored.seq == recorded.seq).collect();
        let receipts: Vec<_> =
            receipts.into_iter().map(|stored| (stored.id.clone(), stored.receipt.clone())).collect();
        let stage = &run.as_ref().unwrap().state().stage;
        let entry = Entry { event: &event, intents: &intents, receipts: &receipts, stage };
        match &mut lease {
            None => {
                let entered = NewRun {
                    id: name.into(),
                    project: journal.run.project.clone(),
                    goal: journal.run.goal.clone(),
                    model: journal.run.model.clone(),
                    created: event.at,
                    parent: None,
                };
                lease = Some(store.create_run(&entered, &entry).unwrap());
            }
            Some(lease) => drop(lease.append(&entry).unwrap()),
        }
    }
}

/// The run as it would be if its tools were known to give equal answers.
fn deterministic(event: &mut Event) {
    if let EventKind::Started { settings, .. } = &mut event.kind {
        settings.tools.iter_mut().for_each(|tool| tool.can.deterministic = true);
    }
}

#[test]
fn an_unchanged_run_comes_out_equal_with_no_model_and_no_network() {
    let product = product();
    let id = {
        let server = MessagesApi::start(script());
        done(&product, &server, &[])
    };
    let found = replayed(&product, &id, &["--all"], 0);
    assert_eq!((&found["same"], &found["differences"]), (&json!(true), &json!([])));
    assert_eq!((&found["events"], &found["model_calls"]), (&json!(16), &json!(10)));
    let calls = json!({
        "total": 4, "re_executed": 4, "equal": 4, "inputs_changed": 0, "different": 0, "skipped": 0,
    });
    assert_eq!(found["tool_calls"], calls);
}

#[test]
fn a_call_that_need_not_give_equal_answers_is_made_again_only_where_that_is_asked_for() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let id = done(&product, &server, &[]);
    changed_copy(&product, &id, "known", |event, _| deterministic(event));
    assert_eq!(replayed(&product, "known", &[], 0)["tool_calls"]["equal"], 4);
    changed_copy(&product, &id, "unknown", |event, _| {
        if let EventKind::Started { settings, .. } = &mut event.kind {
            settings.tools.iter_mut().for_each(|tool| tool.can.deterministic = false);
        }
    });
    let found = replayed(&product, "unknown", &[], 0);
    assert_eq!(found["tool_calls"]["skipped"], 4);
    let said = in_words(&product, "unknown", &[]);
    assert!(said.stdout.contains("--all") && said.stdout.contains("step 1, 2, 3, 4"), "{}", said.stdout);
    changed_copy(&product, &id, "writing", |event, _| {
        if let EventKind::Started { settings, .. } = &mut event.kind {
            settings.tools.iter_mut().for_each(|tool| tool.can.writes = true);
        }
    });
    let found = replayed(&product, "writing", &["--all"], 0);
    assert_eq!(found["tool_calls"]["skipped"], 4, "{found}");
}

#[test]
fn inputs_that_have_changed_since_are_told_apart_and_are_no_failure() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let id = done(&product, &server, &[]);
    let file = product.home().join("my_project/shop/settings.py");
    let text = fs::read_to_string(&file).unwrap();
    // Of the same length, so that only its content tells.
    fs::write(&file, text.replacen("def load_settings", "def load_setting5", 1)).unwrap();
    let found = replayed(&product, &id, &["--all"], 0);
    assert_eq!((&found["same"], &found["tool_calls"]["different"]), (&json!(true), &json!(0)));
    let changed: Vec<_> = found["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|call| call["verdict"] == "inputs_changed")
        .map(|call| (call["step"].clone(), call["inputs"].clone()))
        .collect();
    assert_eq!(changed, [(json!(4), json!(["shop/settings.py"]))]);
    fs::write(product.home().join("my_project/new.py"), "x = 1\n").unwrap();
    fs::remove_file(&file).unwrap();
    let said = in_words(&product, &id, &["--all"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("step 1 (list_files): inputs changed"), "{}", said.stdout);
    assert!(said.stdout.contains("step 4 (read_file): inputs changed: shop/settings.py"), "{}", said.stdout);
    assert!(said.stdout.contains("2 with changed inputs"), "{}", said.stdout);
}

#[test]
fn a_project_that_is_gone_leaves_the_journal_to_be_compared() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let id = done(&product, &server, &[]);
    fs::remove_dir_all(product.home().join("my_project")).unwrap();
    let found = replayed(&product, &id, &["--all"], 0);
    assert_eq!(found["tool_calls"]["skipped"], 4);
}

/// A component that reads no file and gives another answer each time: the clock.
fn clock() -> Vec<u8> {
    let text = r#"(component
        (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock (export "now" (func (result u64)))))
        (core func $now (canon lower (func $clock "now")))
        (core module $m
            (import "clock" "now" (func $now (result i64)))
            (func (export "ticks") (result i64) call $now))
        (core instance $i (instantiate $m (with "clock" (instance (export "now" (func $now))))))
        (func (export "ticks") (result u64) (canon lift (core func $i "ticks"))))"#;
    wat::parse_str(text).expect("a component")
}

#[test]
fn an_answer_that_differs_on_equal_inputs_is_reported_with_both_values_and_exits_with_1() {
    let (product, server) = (
        product(),
        MessagesApi::start(|asked| match asked.stage {
            Some(Stage::Plan) if asked.section("Tasks done with").is_none() => Answer::Json(json!({
                "reasoning": "one thing", "is_goal_achieved": false,
                "new_sub_tasks": [{"id": "tick", "description": "Look at the clock"}],
            })),
            Some(Stage::Decide) => Answer::Json(json!({
                "reasoning": "now", "action": "ticks", "action_input": {}, "confidence": "high",
            })),
            _ => answer(asked),
        }),
    );
    product.copy_of("examples/my_project");
    fs::write(product.home().join("clock.wasm"), clock()).unwrap();
    let arguments = ["run", "my_project", "what time is it?", "--yes", "--component", "clock.wasm"];
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let id = run_ids(&product).remove(0);
    // The file isn't needed any more: the run has kept the component.
    fs::remove_file(product.home().join("clock.wasm")).unwrap();
    let found = replayed(&product, &id, &["--all"], 1);
    assert_eq!((&found["same"], &found["tool_calls"]["different"]), (&json!(false), &json!(1)));
    let call = &found["calls"][0];
    assert_eq!((&call["tool"], &call["path"]), (&json!("ticks"), &json!("$")));
    assert_ne!(call["recorded"], call["now"]);
    let said = in_words(&product, &id, &["--all"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.contains("step 1 (ticks): $ was "), "{}", said.stdout);
    assert!(said.stdout.contains("1 different"), "{}", said.stdout);

    fs::remove_dir_all(product.home().join(".local/state/ringfence/components")).unwrap();
    let cold = [("XDG_CACHE_HOME", product.home().join("cold").display().to_string())];
    let said = product.run(&["replay", &id, "--all"], &cold);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("1 skipped") && said.stdout.contains("clock.wasm"), "{}", said.stdout);
}

#[test]
fn a_recorded_result_that_the_tool_never_gave_is_found_with_its_place() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let id = done(&product, &server, &[]);
    changed_copy(&product, &id, "forged", |event, _| {
        deterministic(event);
        if let EventKind::ToolFinished { call, outcome } = &mut event.kind
            && call.0 == 3
        {
            let entries = outcome.value["entries"].as_array_mut().expect("entries");
            entries[0]["name"] = json!("nothing\u{1b}[2J here");
        }
    });
    let said = in_words(&product, "forged", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.contains("step 1 (list_files): $.entries[0].name was "), "{}", said.stdout);
    assert!(!said.stdout.contains('\u{1b}'), "{}", said.stdout);
    assert!(said.stdout.contains("is made differently by this version"), "the prompts show it as well");
}

#[test]
fn a_prompt_that_is_made_differently_now_is_a_difference() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let id = done(&product, &server, &[]);
    changed_copy(&product, &id, "drifted", |_, intents| {
        for intent in intents {
            if let Intent::CallModel { call, prompt, .. } = intent
                && call.0 == 2
            {
                *prompt = PromptDigest("0".repeat(64));
            }
        }
    });
    let said = in_words(&product, "drifted", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let wanted = "event 3: the prompt of call 2 (decide) is made differently by this version";
    assert!(said.stdout.contains(wanted), "{}", said.stdout);
    let found = replayed(&product, "drifted", &[], 1);
    let event = json!([{"difference": "prompt", "event": 3, "call": 2, "stage": "decide"}]);
    assert_eq!(found["differences"], event);
}

#[test]
fn tasks_that_were_worked_on_at_the_same_time_are_compared_too() {
    let independent = |asked: &ringfence_tests::messages_api::Asked| match answer(asked) {
        Answer::Json(mut reply) => {
            for task in reply.get_mut("new_sub_tasks").and_then(Value::as_array_mut).into_iter().flatten() {
                task["depends_on"] = json!([]);
            }
            Answer::Json(reply)
        }
        other => other,
    };
    let (product, server) = (product(), MessagesApi::start(move |asked| independent(asked)));
    let id = done(&product, &server, &["--parallel", "4"]);
    let found = replayed(&product, &id, &["--all"], 0);
    assert_eq!(found["tool_calls"]["equal"], 4, "{found}");
}

#[test]
fn a_paused_run_can_be_replayed_and_a_missing_one_is_a_usage_error() {
    let (product, server) = (product(), MessagesApi::start(script()));
    crate::planned(&product, &server);
    let found = replayed(&product, &run_ids(&product)[0], &[], 0);
    assert_eq!((&found["events"], &found["model_calls"]), (&json!(2), &json!(1)));
    assert_eq!(in_words(&product, "nothing", &[]).code, Some(2));
}
