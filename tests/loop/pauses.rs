//! Each pause point with each of its answers, given by the commands that were printed.

mod editor;

use crate::{
    configure, journaled, of_kind, planned, product, run_of, sample, shown, tools_called, trusting, words_in,
};
use ringfence_tests::messages_api::worked_example::{TASKS, answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

/// What is there for the printed commands that name a file.
const FILES: [(&str, &str); 4] = [
    ("PLAN.toml", "[[tasks]]\nid = \"mine\"\ndescription = \"Read README.md\"\n"),
    ("TASKS.toml", "[[tasks]]\nid = \"more\"\ndescription = \"Read README.md too\"\n"),
    ("INPUT.json", "{\"directory\": \"shop\"}"),
    ("ANSWER.txt", "A shop, says a person.\n"),
];

/// A run that waits at these pause points, with the files that its commands name.
fn paused(flow: &str, points: &str, server: &MessagesApi) -> (Product, Ended) {
    let product = sample();
    for (name, text) in FILES {
        fs::write(product.home().join(name), text).unwrap();
    }
    let mut arguments = run_of(&["--flow", flow, "--pause", points]);
    arguments.retain(|word| *word != "--yes");
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    (product, ended)
}

/// Gives an answer with the printed command, exactly as printed.
fn answered(product: &Product, waiting: &Ended, flag: &str, server: &MessagesApi) -> Ended {
    product.run_printed(waiting.printed_command(flag), &server.env())
}

/// Whether the words of the printed command are in the last prompt.
fn was_told(server: &MessagesApi, waiting: &Ended, flag: &str) {
    let (words, user) = (words_in(waiting.printed_command(flag)), last_user(server));
    assert!(user.contains(words), "{flag}: no `{words}` in\n{user}");
}

fn answers(product: &Product) -> Vec<Value> {
    let events = journaled(product);
    of_kind(&events, "answered").iter().map(|event| event["answer"]["answer"].clone()).collect()
}

fn last_user(server: &MessagesApi) -> String {
    server.asked().pop().map(|asked| asked.user).unwrap_or_default()
}

#[test]
fn every_answer_to_a_plan_leads_where_it_says() {
    for (flag, code, kind) in [
        ("--approve", 0, "approve"),
        ("--edit", 0, "edit_plan"),
        ("--add", 0, "add_tasks"),
        ("--reject", 3, "reject"),
        ("--answer", 3, "reply"),
        ("--abort", 1, "abort"),
    ] {
        let server = MessagesApi::start(script());
        let (product, waiting) = paused("staged", "after_plan", &server);
        let ended = answered(&product, &waiting, flag, &server);
        assert_eq!(ended.code, Some(code), "{flag}: {ended:?}");
        assert_eq!(answers(&product), [kind]);
        let shown = shown(&product);
        let plans = shown["state"]["plans"].as_array().expect("plans").len();
        let tools = tools_called(&shown).len();
        let expected = match flag {
            "--approve" => (1, 4),
            "--edit" => (2, 1),
            "--add" => (2, 5),
            "--reject" | "--answer" => (2, 0),
            _ => (1, 0),
        };
        assert_eq!((plans, tools), expected, "{flag}");
        match flag {
            "--reject" | "--answer" => was_told(&server, &waiting, flag),
            _ => {}
        }
    }
}

#[test]
fn every_answer_to_a_call_leads_where_it_says() {
    for (flag, kind) in [
        ("--approve", "approve"),
        ("--edit", "edit_call"),
        ("--add", "add_tasks"),
        ("--reject", "reject"),
        ("--answer", "reply"),
        ("--abort", "abort"),
    ] {
        let server = MessagesApi::start(script());
        let (product, waiting) = paused("staged", "before_tool", &server);
        assert!(waiting.stderr.contains("list_files {"), "{}", waiting.stderr);
        let ended = answered(&product, &waiting, flag, &server);
        let aborted = flag == "--abort";
        assert_eq!(ended.code, Some(if aborted { 1 } else { 3 }), "{flag}: {ended:?}");
        assert_eq!(answers(&product), [kind]);
        let shown = shown(&product);
        let first = &shown["state"]["history"][0]["deed"];
        match flag {
            "--approve" | "--add" => assert_eq!(first["input"]["directory"], "."),
            "--edit" => assert_eq!(first["input"], json!({ "directory": "shop" })),
            "--reject" | "--answer" => {
                assert_eq!(first["deed"], "rejected", "a call that isn't approved isn't made: {first}");
                // The same is proposed again, and the words stand in the prompt.
                was_told(&server, &waiting, flag);
                assert!(ended.stderr.contains("list_files {"), "{}", ended.stderr);
            }
            _ => assert_eq!(shown["stage"], "failed"),
        }
        if flag == "--add" {
            let open = shown["state"]["stack"].as_array().expect("a stack");
            assert_eq!(open.first().map(|task| &task["id"]), Some(&json!("more")), "at the bottom");
        }
    }
}

#[test]
fn every_answer_to_a_judgement_leads_where_it_says() {
    for (flag, kind) in [
        ("--approve", "approve"),
        ("--edit", "edit_plan"),
        ("--add", "add_tasks"),
        ("--reject", "reject"),
        ("--answer", "reply"),
        ("--abort", "abort"),
    ] {
        let server = MessagesApi::start(script());
        let (product, waiting) = paused("staged", "after_evaluate", &server);
        assert!(waiting.stderr.contains("A judgement waits for approval"), "{}", waiting.stderr);
        assert!(waiting.stderr.contains(TASKS[0].summary), "{}", waiting.stderr);
        let ended = answered(&product, &waiting, flag, &server);
        let aborted = flag == "--abort";
        assert_eq!(ended.code, Some(if aborted { 1 } else { 3 }), "{flag}: {ended:?}");
        assert_eq!(answers(&product), [kind]);
        let last = server.asked().pop().expect("a request");
        match flag {
            "--approve" => assert!(ended.stderr.contains(TASKS[1].summary), "{}", ended.stderr),
            "--edit" => assert!(ended.stderr.contains("mine"), "{}", ended.stderr),
            "--add" => {
                let shown = shown(&product);
                assert_eq!(shown["state"]["stack"][0]["id"], "more");
            }
            "--reject" => {
                assert_eq!(server.asked_for(Stage::Decide).len(), 2, "the task is decided again");
                let tasks: Vec<_> =
                    server.asked_for(Stage::Decide).iter().map(|one| one.top_task()).collect();
                assert_eq!(tasks[0], tasks[1]);
                was_told(&server, &waiting, flag);
            }
            "--answer" => {
                assert_eq!(last.stage, Some(Stage::Evaluate), "it is judged again, without another call");
                assert_eq!(tools_called(&shown(&product)).len(), 1);
                was_told(&server, &waiting, flag);
            }
            _ => assert_eq!(shown(&product)["stage"], "failed"),
        }
    }
}

#[test]
fn every_answer_to_the_end_leads_where_it_says() {
    for (flow, flag, code) in [
        ("staged", "--approve", 0),
        ("staged", "--edit", 3),
        ("staged", "--add", 3),
        ("staged", "--reject", 3),
        ("staged", "--abort", 1),
        ("pipeline", "--approve", 0),
        ("pipeline", "--edit", 0),
        ("pipeline", "--add", 3),
        ("pipeline", "--reject", 3),
        ("pipeline", "--abort", 1),
        ("react", "--edit", 0),
        ("react", "--add", 3),
    ] {
        let server = MessagesApi::start(script());
        let (product, waiting) = paused(flow, "before_finish", &server);
        assert!(waiting.stderr.contains("The run is about to end"), "{}", waiting.stderr);
        let ended = answered(&product, &waiting, flag, &server);
        assert_eq!(ended.code, Some(code), "{flow} {flag}: {ended:?}");
        let shown = shown(&product);
        let tools = tools_called(&shown).len();
        match (flow, flag) {
            (_, "--approve" | "--abort") => assert_eq!(tools, 4),
            ("staged", "--edit" | "--add") => assert_eq!(tools, 5, "the new task is worked on"),
            (_, "--edit") => assert_eq!(shown["state"]["answer"], json!(FILES[3].1.trim()), "{flow}"),
            (_, "--add") => assert!(last_user(&server).contains("Read README.md too"), "{flow}"),
            (_, _) => was_told(&server, &waiting, flag),
        }
        assert_eq!(server.refused(), Vec::<String>::new());
    }
}

#[test]
fn only_what_the_model_isn_t_sure_of_is_shown_where_that_is_asked_for() {
    let server = MessagesApi::start(|asked| {
        let second = asked.top_task().is_some_and(|task| task.starts_with(TASKS[1].description));
        match answer(asked) {
            Answer::Json(mut reply) if second => {
                reply["confidence"] = json!("low");
                Answer::Json(reply)
            }
            other => other,
        }
    });
    let (product, waiting) = paused("staged", "on_low_confidence", &server);
    assert!(waiting.stderr.contains("since the model isn't sure"), "{}", waiting.stderr);
    assert!(waiting.stderr.contains("read_file {\"file_path\":\"pyproject.toml\"}"), "{}", waiting.stderr);
    assert_eq!(tools_called(&shown(&product)).len(), 1, "what it was sure of wasn't shown");
    let judged = answered(&product, &waiting, "--approve", &server);
    assert_eq!(judged.code, Some(3), "{judged:?}");
    assert!(judged.stderr.contains("A judgement waits for approval, since the model isn't sure"));
    let ended = answered(&product, &judged, "--approve", &server);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}

#[test]
fn configured_pause_points_add_up_and_a_flag_says_otherwise() {
    let server = MessagesApi::start(script());
    let product = product();
    let folder = product.copy_of("examples/my_project");
    configure(&product, "config.toml", "pause = [\"before_tool\"]\n");
    fs::write(folder.join("ringfence.toml"), "pause = [\"before_finish\"]\n").unwrap();
    let mut arguments = run_of(&[]);
    arguments.retain(|word| *word != "--yes");
    let refused = product.run(&arguments, &server.env());
    let waiting = product.run_printed(trusting(&refused), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert_eq!(shown(&product)["state"]["settings"]["pause"], json!(["before_tool", "before_finish"]));
    assert!(
        waiting.stderr.contains("A tool call waits for approval"),
        "the plan isn't shown: {}",
        waiting.stderr
    );

    let other = sample();
    configure(&other, "config.toml", "pause = [\"before_tool\"]\n");
    let ended = other.run(&[&arguments[..], &["--pause", "none"]].concat(), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn yes_stands_for_every_plan_and_call_of_a_run() {
    let server = MessagesApi::start(script());
    let product = sample();
    let points = "after_plan,before_tool,before_write,before_egress";
    let ended = product.run(&run_of(&["--pause", points]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // The plan and four calls.
    assert_eq!(answers(&product), vec!["approve"; 5]);
}

#[test]
fn yes_never_stands_for_a_judgement_or_the_end() {
    for point in ["after_evaluate", "before_finish"] {
        let server = MessagesApi::start(script());
        let product = sample();
        let waiting = product.run(&run_of(&["--pause", point]), &server.env());
        assert_eq!(waiting.code, Some(3), "{point}: {waiting:?}");
        let id = waiting.run_id().to_owned();
        let again = product.run(&["resume", &id, "--yes"], &server.env());
        assert_eq!(again.code, Some(3), "{point}: {again:?}");
        assert_eq!(answers(&product), Vec::<Value>::new(), "{point}");
    }
}

#[test]
fn an_answer_that_doesn_t_fit_is_refused_with_those_that_do_and_nothing_changes() {
    let server = MessagesApi::start(script());
    let (product, waiting) = paused("staged", "before_tool", &server);
    let id = waiting.run_id().to_owned();
    for (arguments, said) in [
        (&["--approve", "0123456789ab"][..], "is for review `0123456789ab`, and the open one is review 1"),
        (&["--reject", " "], "is empty"),
        (&["--edit", "PLAN.toml"], "isn't JSON"),
        (&["--edit", "nowhere.json"], "can't be opened"),
    ] {
        let refused = product.run(&[&["resume", &id], arguments].concat(), &server.env());
        assert_eq!(refused.code, Some(2), "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains(said), "{arguments:?}: {}", refused.stderr);
    }
    fs::write(product.home().join("INPUT.json"), r#"{"file_path": "shop"}"#).unwrap();
    let refused = answered(&product, &waiting, "--edit", &server);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("$.file_path"), "{}", refused.stderr);
    assert_eq!(answers(&product), Vec::<Value>::new());
    assert_eq!(shown(&product)["stage"], "paused_for_review");
}

#[test]
fn an_approval_names_the_plan_that_it_is_for() {
    let server = MessagesApi::start(script());
    let product = product_with_plan(&server);
    let plans = &shown(&product)["state"]["plans"];
    let (old, new) = (hash(&plans[0]), hash(&plans[1]));
    assert_ne!(old, new);
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    for stale in [old.as_str(), &old[..12], &new[..7], "ffffffffffff"] {
        let refused = product.run(&["resume", &id, "--approve", stale], &server.env());
        assert_eq!(refused.code, Some(2), "{stale}: {refused:?}");
        assert_eq!(shown(&product)["stage"], "paused_for_review", "{stale}");
    }
    let ended = product.run(&["resume", &id, "--approve", &new], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// A run whose first plan was sent back: the second waits.
fn product_with_plan(server: &MessagesApi) -> Product {
    let product = product();
    let waiting = planned(&product, server);
    let again = answered(&product, &waiting, "--reject", server);
    assert_eq!(again.code, Some(3), "{again:?}");
    product
}

fn hash(plan: &Value) -> String {
    plan["hash"].as_str().expect("a hash").to_owned()
}
