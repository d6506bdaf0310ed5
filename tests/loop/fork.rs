//! `fork`: a new run from the first events of another.

use crate::{WORKED_EXAMPLE, independent, planned, product, run_ids, shown, shown_of, tools_called};
use ringfence_tests::messages_api::worked_example::{TASKS, answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use ringfence_tests::product::{Product, wait};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const ALL: [&str; 4] = ["list_files", "read_file", "analyze_code", "read_file"];

/// The worked example, driven to its end: plan, answer, then three events for each task, then
/// that the goal is achieved: 16 in all.
fn finished(product: &Product, server: &MessagesApi) -> String {
    let waiting = planned(product, server);
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = shown(product);
    assert_eq!(shown["events"], 16);
    shown["id"].as_str().expect("an id").to_owned()
}

fn plan(product: &Product, tasks: &[(&str, &str)]) {
    let text: Vec<_> = tasks
        .iter()
        .map(|(id, description)| format!("[[tasks]]\nid = \"{id}\"\ndescription = \"{description}\"\n"))
        .collect();
    fs::write(product.home().join("plan.toml"), text.join("\n")).unwrap();
}

fn forked(product: &Product, parent: &str) -> Value {
    let id = run_ids(product).into_iter().find(|id| id != parent).expect("a new run");
    shown_of(product, &id)
}

#[test]
fn a_fork_goes_on_from_every_event_before_the_end_and_makes_no_earlier_call_again() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let parent = finished(&product, &server);
    let before = shown_of(&product, &parent);
    // In the middle of planning, deciding, executing, evaluating, and right before the end.
    for (at, kept) in [(1, 0), (3, 0), (4, 0), (5, 1), (9, 2), (15, 4)] {
        let asked = server.asked().len();
        let at = at.to_string();
        let ended = product.run(&["fork", &parent, "--at", &at, "--yes", "--json"], &server.env());
        assert_eq!(ended.code, Some(0), "{at}: {ended:?}");
        let first: Value = serde_json::from_str(ended.stdout.lines().next().unwrap()).unwrap();
        assert_eq!(first["type"], "model");
        let id = run_ids(&product).remove(0);
        let fork = shown_of(&product, &id);
        assert_eq!(tools_called(&fork), ALL, "at {at}");
        let receipts = |of: &Value| of["receipts"].as_object().cloned().expect("receipts");
        let same = receipts(&fork)
            .iter()
            .filter(|(id, receipt)| receipts(&before).get(*id) == Some(receipt))
            .count();
        assert_eq!((receipts(&fork).len(), same), (4, kept), "at {at}: copied receipts and new ones");
        let replayed = product.run(&["replay", &id], &[]);
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        assert!(server.asked().len() > asked, "at {at}: the model is asked for the rest");
    }
    assert_eq!(shown_of(&product, &parent), before, "the other run is as it was");
}

#[test]
fn a_run_can_t_be_forked_where_it_had_ended_and_it_is_said_where_it_can() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let parent = finished(&product, &server);
    for at in ["16", "17", "4000000000"] {
        let refused = product.run(&["fork", &parent, "--at", at], &server.env());
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("--at 1 to 15"), "{}", refused.stderr);
    }
    assert_eq!(product.run(&["fork", &parent, "--at", "0"], &[]).code, Some(2));
    assert_eq!(product.run(&["fork", "nothing", "--at", "1"], &[]).code, Some(2));
    assert_eq!(run_ids(&product).len(), 1, "a refused fork leaves nothing");
}

#[test]
fn a_fork_with_a_plan_of_its_own_works_on_that() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let parent = finished(&product, &server);
    plan(&product, &[("entry", TASKS[2].description), ("mine", "Say what README.md says")]);
    let ended = product.run(&["fork", &parent, "--at", "6", "--plan", "plan.toml"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let fork = forked(&product, &parent);
    assert_eq!(tools_called(&fork), ["list_files", "analyze_code", "read_file"]);
    let plans = fork["state"]["plans"].as_array().expect("plans");
    assert_eq!(plans.last().map(|plan| &plan["author"]), Some(&json!("person")));
}

#[test]
fn a_plan_for_a_fork_at_the_plan_s_review_is_the_answer_to_it() {
    let (product, server) = (product(), MessagesApi::start(script()));
    planned(&product, &server);
    let parent = run_ids(&product).remove(0);
    plan(&product, &[("mine", "Say what README.md says")]);
    let ended = product.run(&["fork", &parent, "--at", "2", "--plan", "plan.toml"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let fork = forked(&product, &parent);
    assert_eq!(tools_called(&fork), ["read_file"]);
    assert_eq!(shown_of(&product, &parent)["stage"], "paused_for_review", "the other run still waits");
}

#[test]
fn a_fork_of_a_paused_run_waits_as_that_one_does() {
    let (product, server) = (product(), MessagesApi::start(script()));
    planned(&product, &server);
    let parent = run_ids(&product).remove(0);
    let waiting = product.run(&["fork", &parent, "--at", "2"], &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let command = waiting.printed_command("--approve");
    assert!(!command.contains(&parent), "the new run is answered: {command}");
    let ended = product.run_printed(command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_fork_can_be_made_without_driving_it() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let parent = finished(&product, &server);
    let asked = server.asked().len();
    let made = product.run(&["fork", &parent, "--at", "7", "--no-run"], &[]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let id = made.stdout.trim();
    assert!(run_ids(&product).iter().any(|known| known == id));
    assert_eq!(server.asked().len(), asked, "no model was asked");
    let ended = product.run_printed(made.printed_command(id), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown_of(&product, id)), ALL);

    let made = product.run(&["fork", &parent, "--at", "2", "--no-run", "--json"], &[]);
    let line: Value = serde_json::from_str(&made.stdout).expect("one JSON object");
    assert_eq!((&line["parent"], &line["at"]), (&json!(parent), &json!(2)));
    assert_eq!(line["stage"], "paused_for_review");
}

#[test]
fn a_plan_that_can_t_be_used_leaves_no_run() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let parent = finished(&product, &server);
    for text in
        ["[[tasks]]\nid = \"a\"\n", "", "[[tasks]]\nid = \"a\"\ndescription = \"b\"\ndepends_on = [\"z\"]\n"]
    {
        fs::write(product.home().join("plan.toml"), text).unwrap();
        let refused = product.run(&["fork", &parent, "--at", "3", "--plan", "plan.toml"], &server.env());
        assert_eq!(refused.code, Some(2), "{text:?}: {refused:?}");
    }
    let refused = product.run(&["fork", &parent, "--at", "3", "--plan", "none.toml"], &server.env());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(run_ids(&product).len(), 1);
}

#[test]
fn a_plan_is_refused_by_a_flow_that_has_none() {
    let product = product();
    product.copy_of("examples/my_project");
    let server = MessagesApi::start(|_| Answer::text("nothing of use"));
    let mut arguments = WORKED_EXAMPLE.to_vec();
    arguments.extend(["--flow", "pipeline", "--max-iterations", "2"]);
    arguments.drain(3..5);
    product.run(&arguments, &server.env());
    let parent = run_ids(&product).remove(0);
    plan(&product, &[("mine", "Say what README.md says")]);
    let refused = product.run(&["fork", &parent, "--at", "1", "--plan", "plan.toml"], &server.env());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`pipeline` has no plan"), "{}", refused.stderr);
    assert_eq!(run_ids(&product).len(), 1);
}

#[test]
fn a_run_can_be_forked_while_it_works_on_several_tasks() {
    let (product, server) = (product(), MessagesApi::start(independent));
    product.copy_of("examples/my_project");
    let ended = product.run(&[WORKED_EXAMPLE, &["--yes", "--parallel", "4"]].concat(), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let parent = run_ids(&product).remove(0);
    plan(&product, &[("mine", "Say what README.md says")]);
    for at in ["4", "8", "12"] {
        let ended = product.run(&["fork", &parent, "--at", at, "--yes"], &server.env());
        assert_eq!(ended.code, Some(0), "at {at}: {ended:?}");
        let fork = run_ids(&product).remove(0);
        let mut called = tools_called(&shown_of(&product, &fork));
        called.sort();
        assert_eq!(called, ["analyze_code", "list_files", "read_file", "read_file"], "at {at}");
        let replayed = product.run(&["replay", &fork], &[]);
        assert_eq!(replayed.code, Some(0), "at {at}: {replayed:?}");
    }
    let ended = product.run(&["fork", &parent, "--at", "6", "--plan", "plan.toml", "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_run_that_is_being_driven_can_be_forked() {
    let product = product();
    product.copy_of("examples/my_project");
    let silent = MessagesApi::start(|asked| match asked.stage {
        Some(Stage::Evaluate) => Answer::Hang,
        _ => answer(asked),
    });
    let mut child = product.start(&[WORKED_EXAMPLE, &["--yes"]].concat(), &silent.env());
    assert!(silent.wait_for(3, Duration::from_secs(120)));
    let parent = run_ids(&product).remove(0);
    let server = MessagesApi::start(script());
    let ended = product.run(&["fork", &parent, "--at", "4", "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&forked(&product, &parent)), ALL);
    child.kill().unwrap();
    wait(child);
}

#[test]
fn a_run_that_a_limit_ended_goes_on_by_the_printed_command_and_does_nothing_again() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let mut arguments = [WORKED_EXAMPLE, &["--yes"]].concat();
    arguments[4] = "8";
    let stopped = product.run(&arguments, &server.env());
    assert_eq!(stopped.code, Some(4), "{stopped:?}");
    let parent = run_ids(&product).remove(0);
    let asked = server.asked().len();
    let command = stopped.stderr.lines().find(|line| line.contains(" fork ")).expect("a command").trim();
    assert!(command.contains("--max-iterations 16"), "{command}");
    let ended = product.run_printed(&format!("{command} --yes"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&forked(&product, &parent)), ALL);
    // Plan, then a decision and a judgement for each task, then the end: none of them twice.
    assert_eq!((asked, server.asked().len()), (6, 10));
    let replayed = product.run(&["replay", &run_ids(&product).remove(0)], &[]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}
