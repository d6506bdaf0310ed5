//! `--notify`: a command that is told what becomes of a run.

use crate::{WORKED_EXAMPLE, product, shown};
use ringfence_tests::messages_api::worked_example::{GOAL, answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi};
use ringfence_tests::product::{Product, wait};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const TELL: &[&str] = &["--notify", "cat >> told"];

fn told(product: &Product) -> Vec<Value> {
    let text = fs::read_to_string(product.home().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn a_pause_is_told_with_the_commands_that_answer_and_the_end_by_whoever_drove_to_it() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let project = product.copy_of("examples/my_project");
    let waiting = product.run(&[WORKED_EXAMPLE, TELL].concat(), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let told_first = told(&product);
    assert_eq!(told_first.len(), 1, "{told_first:?}");
    let message = &told_first[0];
    assert_eq!((&message["type"], &message["goal"]), (&json!("paused"), &json!(GOAL)));
    assert_eq!(message["run"], shown(&product)["id"]);
    assert_eq!(message["stage"], "paused_for_review");
    assert_eq!(message["project"], project.canonicalize().unwrap().to_str().unwrap());
    assert_eq!(message["review"]["subject"], "plan");
    let command = message["review"]["commands"][0].as_str().expect("a command");
    assert!(command.contains("--approve"), "{command}");

    let ended = product.run_printed(&format!("{command} --notify 'cat >> told'"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let types: Vec<_> = told(&product).iter().map(|message| message["type"].clone()).collect();
    assert_eq!(types, ["paused", "finished"]);
}

#[test]
fn a_limit_is_told_as_a_failure_with_its_ending() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let mut arguments = [WORKED_EXAMPLE, TELL, &["--yes"]].concat();
    arguments[4] = "5";
    assert_eq!(product.run(&arguments, &server.env()).code, Some(4));
    let told = told(&product);
    assert_eq!((told.len(), &told[0]["type"]), (1, &json!("failed")), "{told:?}");
    assert_eq!(told[0]["ending"]["ending"], "limit");
}

#[test]
fn an_interruption_is_told() {
    let product = product();
    product.copy_of("examples/my_project");
    let silent = MessagesApi::start(|asked| if asked.number < 1 { answer(asked) } else { Answer::Hang });
    let child = product.start(&[WORKED_EXAMPLE, TELL, &["--yes"]].concat(), &silent.env());
    assert!(silent.wait_for(2, Duration::from_secs(120)));
    let status = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
    assert_eq!(wait(child).code, Some(130));
    let told = told(&product);
    assert_eq!((told.len(), &told[0]["interrupted"]), (1, &json!(true)), "{told:?}");
}

#[test]
fn a_resumed_run_tells_the_command_of_the_user_s_configuration_and_the_flag_comes_first() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let folder = product.home().join(".config/ringfence");
    fs::create_dir_all(&folder).unwrap();
    product.copy_of("examples/my_project");
    let waiting = product.run(WORKED_EXAMPLE, &server.env());
    fs::write(folder.join("config.toml"), "notify = \"cat >> told\"\n").unwrap();
    let again = waiting.printed_command("--reject").replace("WHY", "no");
    assert_eq!(product.run_printed(&again, &server.env()).code, Some(3));
    assert_eq!(told(&product).len(), 1);
    let elsewhere = format!("{again} --notify 'cat >> elsewhere'");
    assert_eq!(product.run_printed(&elsewhere, &server.env()).code, Some(3));
    assert_eq!(told(&product).len(), 1);
    assert!(product.home().join("elsewhere").exists());
}

#[test]
fn a_command_that_fails_changes_nothing_but_a_warning() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let arguments = [WORKED_EXAMPLE, &["--yes", "--notify", "echo to-nobody; exit 7"]].concat();
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("notification command failed"), "{}", ended.stderr);
    assert!(!format!("{ended:?}").contains("to-nobody"));
}
