//! `supervise`: a run that goes on though its process hangs or is killed.

use crate::{WORKED_EXAMPLE, product, run_ids, shown, tools_called};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi};
use ringfence_tests::product::{Product, wait};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const ALL: [&str; 4] = ["list_files", "read_file", "analyze_code", "read_file"];

/// The worked example under a supervisor with little patience.
fn supervised<'a>(flags: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["supervise", "--hang-after", "3s"], flags, &["--"], WORKED_EXAMPLE, more].concat()
}

/// A server that doesn't answer request `number`, and all others well.
fn silent_once(number: usize) -> MessagesApi {
    MessagesApi::start(move |asked| if asked.number == number { Answer::Hang } else { answer(asked) })
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(status.expect("kill can be run").success());
}

/// The process that the supervisor has started.
fn child_of(supervisor: &Child) -> u32 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = Command::new("ps").args(["-o", "pid=", "--ppid", &supervisor.id().to_string()]).output();
        let found = String::from_utf8(found.expect("ps can be run").stdout).unwrap();
        if let Some(pid) = found.split_whitespace().next() {
            return pid.parse().unwrap();
        }
        assert!(Instant::now() < deadline, "the supervisor has no child");
        thread::sleep(Duration::from_millis(20));
    }
}

fn told(product: &Product) -> Vec<Value> {
    let text = fs::read_to_string(product.home().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn check_finished(product: &Product) {
    let shown = shown(product);
    assert_eq!(
        (&shown["stage"], tools_called(&shown)),
        (&"finished".into(), ALL.map(str::to_owned).to_vec())
    );
    assert_eq!(shown["receipts"].as_object().map(|all| all.len()), Some(4), "no tool was called twice");
}

#[test]
fn a_run_that_is_killed_is_taken_up_again_and_does_nothing_twice() {
    let product = product();
    product.copy_of("examples/my_project");
    let server = silent_once(4);
    let arguments = supervised(&[], &["--yes", "--json", "--notify", "cat >> told"]);
    let supervisor = product.start(&arguments, &server.env());
    assert!(server.wait_for(5, PATIENCE));
    signal(child_of(&supervisor), "-KILL");
    let ended = wait(supervisor);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    check_finished(&product);
    assert!(ended.stderr.contains("was ended by signal 9"), "{}", ended.stderr);
    assert!(ended.stderr.contains("restart 1 of 5"), "{}", ended.stderr);
    let types: Vec<_> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON lines, also after the restart"))
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(types.last().map(String::as_str), Some("report"));
    let told = told(&product);
    assert_eq!(told[0]["type"], "hung");
    assert_eq!((&told[0]["gave_up"], &told[0]["restarts"]), (&false.into(), &1.into()));
    assert_eq!(told.last().map(|message| &message["type"]), Some(&"finished".into()));
}

#[test]
fn a_run_that_is_stopped_counts_as_hanging_and_is_taken_up_again() {
    let product = product();
    product.copy_of("examples/my_project");
    let server = silent_once(2);
    let supervisor = product.start(&supervised(&[], &["--yes"]), &server.env());
    assert!(server.wait_for(3, PATIENCE));
    signal(child_of(&supervisor), "-STOP");
    let ended = wait(supervisor);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    check_finished(&product);
    assert!(ended.stderr.contains("gave no sign of life for"), "{}", ended.stderr);
}

#[test]
fn a_run_that_waits_for_a_model_is_not_hanging() {
    let product = product();
    product.copy_of("examples/my_project");
    let server = silent_once(1);
    let arguments = supervised(&[], &["--yes", "--model-timeout", "8s"]);
    let ended = product.run(&arguments, &server.env());
    assert!(!ended.stderr.contains("sign of life"), "{}", ended.stderr);
}

#[test]
fn a_run_that_dies_each_time_is_given_up_with_what_happened_and_the_command_to_go_on() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let arguments = supervised(&["--max-restarts", "2"], &["--yes", "--notify", "cat >> told"]);
    let dying = ("RINGFENCE_FAILPOINT", "model asked:1".to_owned());
    let [url, key] = server.env();
    let ended = product.run(&arguments, &[url.clone(), key.clone(), dying]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let report = ended.stderr.split("was given up").nth(1).expect("a report");
    assert_eq!(report.matches("was ended by signal 9").count(), 3, "{report}");
    let told: Vec<_> = told(&product).iter().map(|message| message["gave_up"].clone()).collect();
    assert_eq!(told, [false, false, true]);
    let command = ended.printed_command("resume").to_owned();
    let ended = product.run_printed(&format!("{command} --yes"), &[url, key]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    check_finished(&product);
}

#[test]
fn a_command_that_dies_before_its_run_begins_is_begun_again() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let [url, key] = server.env();
    let dying = ("RINGFENCE_FAILPOINT", "append:1".to_owned());
    let arguments = supervised(&["--max-restarts", "1"], &["--yes"]);
    let ended = product.run(&arguments, &[url, key, dying]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("No run was begun"), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("signal 9").count(), 3, "a restart and two lines: {}", ended.stderr);
    assert!(run_ids(&product).is_empty());
}

#[test]
fn an_answer_that_wasn_t_taken_before_the_process_died_is_given_again() {
    let (product, server) = (product(), MessagesApi::start(script()));
    crate::planned(&product, &server);
    let id = run_ids(&product).remove(0);
    let arguments = ["supervise", "--max-restarts", "1", "--", "resume", &id, "--approve"];
    let [url, key] = server.env();
    let dying = ("RINGFENCE_FAILPOINT", "append:1".to_owned());
    let ended = product.run(&arguments, &[url, key, dying]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(!ended.stderr.contains("waits for no answer"), "{}", ended.stderr);
    assert_eq!(shown(&product)["stage"], "paused_for_review");
}

#[test]
fn what_the_run_ends_with_is_passed_on() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let waiting = product.run(&supervised(&[], &[]), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let id = run_ids(&product).remove(0);
    let aborted = product.run(&["supervise", "--", "resume", &id, "--abort"], &server.env());
    assert_eq!(aborted.code, Some(1), "{aborted:?}");
    for usage in [&["supervise", "--", "run", "nowhere"][..], &["supervise", "--", "run", "--nonsense"]] {
        assert_eq!(product.run(usage, &[]).code, Some(2), "{usage:?}");
    }
    let refused = product.run(&["supervise", "--", "runs"], &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(product.run(&["supervise", "--hang-after", "1s", "--", "run"], &[]).code, Some(2));
}

#[test]
fn a_signal_to_stop_is_passed_on_and_the_run_pauses_once() {
    for name in ["-INT", "-TERM"] {
        let product = product();
        product.copy_of("examples/my_project");
        let server = silent_once(3);
        let supervisor = product.start(&supervised(&[], &["--yes"]), &server.env());
        assert!(server.wait_for(4, PATIENCE));
        signal(supervisor.id(), name);
        let ended = wait(supervisor);
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(!ended.stderr.contains("restart"), "{}", ended.stderr);
        assert_eq!(shown(&product)["stage"], "paused_for_review", "it was let pause");
        let command = format!("{} --yes", ended.printed_command("resume"));
        assert_eq!(product.run_printed(&command, &server.env()).code, Some(0));
        check_finished(&product);
    }
}
