//! `show` and `runs` on a run that waits.

use crate::program::{Home, Said};
use insta::assert_snapshot;
use serde_json::Value;

fn waiting() -> (Home, String) {
    let home = Home::new();
    home.write("project/app.py", "print('hello')\n");
    let said =
        home.run(["run", "project", "--model", "playbook", "--max-tokens", "5000", "--quiet", "--json"]);
    assert_eq!(said.code, 3, "{said}");
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let run = last["run"].as_str().expect("a run").to_owned();
    (home, run)
}

/// What was said without what differs from run to run.
fn stable(said: Said, run: &str) -> String {
    said.to_string().replace(run, "[RUN]").replace(env!("CARGO_BIN_EXE_ringfence"), "ringfence")
}

fn with_filters(assert: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "[TIME]");
    settings.add_filter(r"for \d[\d.]* \w( \d+ \w)?", "for [SPAN]");
    settings.add_filter(r"worked  \d[\d.]* \w( \d+ \w)?", "worked  [SPAN]");
    // What the playbook plans is its own business.
    settings.add_filter(r"(?s)The plan for .*?\nTo go on", "[PLAN]\nTo go on");
    settings.add_filter(r"--approve [0-9a-f]+", "--approve [HASH]");
    settings.bind(assert);
}

#[test]
fn a_run_that_waits_is_shown_with_the_commands_that_answer_it() {
    let (home, run) = waiting();
    let shown = stable(home.run(["show", &run]), &run);
    let events = stable(home.run(["show", &run, "--events"]), &run);
    let list = stable(home.run(["runs"]), &run);
    with_filters(|| {
        assert_snapshot!("show", shown);
        assert_snapshot!("show_events", events);
        assert_snapshot!("runs", list);
    });
    let whole: Value = serde_json::from_str(&home.run(["show", &run, "--json"]).out).unwrap();
    assert_eq!(whole["flow"], "staged");
    assert_eq!(whole["log"].as_array().map(Vec::len), whole["events"].as_u64().map(|count| count as usize));
    let commands = whole["waits_for"][0]["commands"].as_array().unwrap();
    assert!(commands[0].as_str().unwrap().contains("--approve "), "{commands:?}");
}

#[test]
fn an_answer_file_of_another_kind_is_a_usage_error_that_changes_nothing() {
    let (home, run) = waiting();
    home.write("input.json", "{\"path\": \".\"}");
    let said = home.run(["resume", &run, "--edit", "input.json"]);
    assert!(said.code == 2 && said.err.contains("input.json isn't a plan"), "{said}");
    assert!(home.run(["show", &run]).out.contains("stage    paused_for_review"));
}
