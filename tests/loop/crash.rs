//! `kill -9`, Ctrl-C, two processes at once: nothing is lost and nothing runs twice.

use crate::{WORKED_EXAMPLE, product, shown, signal, tools_called};
use ringfence_store::Store;
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi};
use ringfence_tests::product::wait;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// A server that stops answering at the given request.
fn silent_from(number: usize) -> MessagesApi {
    MessagesApi::start(move |asked| if asked.number < number { answer(asked) } else { Answer::Hang })
}

#[test]
fn a_run_that_was_killed_at_any_stage_goes_on_without_doing_anything_twice() {
    // Plan, decide, evaluate, and in the middle.
    for killed_at in [0, 1, 2, 6] {
        let product = product();
        product.copy_of("examples/my_project");
        let silent = silent_from(killed_at);
        let arguments = [WORKED_EXAMPLE, &["--yes"]].concat();
        let child = product.start(&arguments, &silent.env());
        assert!(silent.wait_for(killed_at + 1, PATIENCE));
        signal(&child, "-KILL");
        let killed = wait(child);
        assert_eq!(killed.code, None);

        let before = tools_called(&shown(&product));
        let server = MessagesApi::start(script());
        let id = shown(&product)["id"].as_str().expect("an id").to_owned();
        let ended = product.run(&["resume", &id, "--yes"], &server.env());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let shown = shown(&product);
        let called = tools_called(&shown);
        assert_eq!(called, ["list_files", "read_file", "analyze_code", "read_file"], "killed at {killed_at}");
        assert!(called.starts_with(&before));
        assert_eq!(shown["receipts"].as_object().map(|all| all.len()), Some(4));
    }
}

#[test]
fn time_that_was_worked_before_a_kill_counts() {
    let product = product();
    product.copy_of("examples/my_project");
    let silent = silent_from(0);
    let child = product.start(&[WORKED_EXAMPLE, &["--yes"]].concat(), &silent.env());
    assert!(silent.wait_for(1, PATIENCE));
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let begun = shown(&product)["state"]["clock"]["latest"].as_i64().expect("a time");
    let path = product.home().join(".local/state/ringfence/runs.db");
    let worked = loop {
        let sign = Store::open_read_only(&path).unwrap().heartbeat(&id.as_str().into()).unwrap();
        let worked = sign.expect("it is driven").at.0 - begun;
        if worked > 1_500 {
            break worked;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    signal(&child, "-KILL");
    wait(child);
    let ended = product.run(&["resume", &id, "--yes", "--model", "playbook"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let active = shown(&product)["state"]["clock"]["active_ms"].as_i64().expect("a time");
    assert!(active >= worked, "{active} of {worked}");
}

#[test]
fn ctrl_c_pauses_and_the_printed_command_goes_on() {
    let product = product();
    product.copy_of("examples/my_project");
    let silent = silent_from(3);
    let child = product.start(&[WORKED_EXAMPLE, &["--yes"]].concat(), &silent.env());
    assert!(silent.wait_for(4, PATIENCE));
    signal(&child, "-INT");
    let interrupted = wait(child);
    assert_eq!(interrupted.code, Some(130), "{interrupted:?}");

    let server = MessagesApi::start(script());
    let command = format!("{} --yes", interrupted.printed_command("resume"));
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}

#[test]
fn a_run_that_is_being_driven_can_t_be_driven_by_another_process() {
    let product = product();
    product.copy_of("examples/my_project");
    let silent = silent_from(0);
    let child = product.start(WORKED_EXAMPLE, &silent.env());
    assert!(silent.wait_for(1, PATIENCE));
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let refused = product.run(&["resume", &id], &silent.env());
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains(&child.id().to_string()), "{}", refused.stderr);
    let page = product.run(&["show", &id], &[]).stdout;
    assert!(page.contains(&format!("Being driven by process {} on ", child.id())), "{page}");
    assert!(!page.contains("To go on"), "{page}");
    assert_eq!(shown(&product)["driven_by"]["pid"], child.id());
    assert!(product.run(&["runs"], &[]).stdout.contains(" *planning"));
    signal(&child, "-KILL");
    wait(child);
    assert!(shown(&product)["driven_by"].is_null());
    assert!(product.run(&["show", &id], &[]).stdout.contains("Not driven to an end. To go on:"));
}
