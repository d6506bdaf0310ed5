//! Applying that was cut off, and what a person sees of changes.

use crate::writes::{FILE, Writing, edit, read, write};
use crate::{journaled, of_kind, shown, signal};
use ringfence_tests::messages_api::{Answer, MessagesApi, calling};
use ringfence_tests::product::{Ended, wait};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const MINE: &str = "my own work of today\n";

/// Applies in a process that is killed at a step; whether it came to its end before.
fn apply_killed_at(writing: &Writing, step: u32) -> bool {
    let id = shown(&writing.product)["id"].as_str().expect("an id").to_owned();
    let mut command = writing.product.command(&["apply", &id]);
    command.env("RINGFENCE_APPLY_FAILPOINT", step.to_string()).output().unwrap().status.success()
}

/// What was set aside in the project.
fn kept(writing: &Writing) -> Option<String> {
    let names = fs::read_dir(&writing.project).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.filter_map(|name| name.into_string().ok());
    names.find(|name| name.contains(".kept-"))
}

fn staged() -> Writing {
    let writing = Writing::new();
    let ended = writing.run(&[read(), edit("two", "three"), write("zz.txt", "z\n")], &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    writing
}

#[test]
fn what_a_recovered_apply_sets_aside_is_told_and_what_it_had_done_stays_as_a_person_left_it() {
    let (mut aside, mut left) = (0, 0);
    let next: [(&str, &[&str]); 4] =
        [("apply", &[]), ("apply", &["--json"]), ("discard", &["--json"]), ("discard", &["--quiet"])];
    for (step, (name, more)) in (1..).flat_map(|step| next.map(|next| (step, next))) {
        let writing = staged();
        if apply_killed_at(&writing, step) {
            break;
        }
        let was_done = writing.file().contains("three");
        // The person goes on with the file.
        fs::write(writing.project.join(FILE), MINE).unwrap();
        let ended = writing.command(name, more);
        let context = format!("step {step}, {name} {more:?}: {ended:?}");
        match kept(&writing) {
            Some(kept) => {
                assert!(!was_done, "{context}");
                assert_eq!(fs::read_to_string(writing.project.join(&kept)).unwrap(), MINE, "{context}");
                assert_eq!(writing.file(), "one\r\nthree", "{context}");
                assert!(ended.stderr.contains(&kept), "{context}");
                if more == ["--json"] {
                    let told: Value = serde_json::from_str(&ended.stdout).expect("JSON");
                    let told = &told["recovered"];
                    assert_eq!(told["set_aside"], json!([{ "path": FILE, "now_at": kept }]), "{context}");
                    assert_eq!(told["applied"], json!([FILE, "zz.txt"]), "{context}");
                }
                aside += 1;
            }
            None => {
                assert_eq!(writing.file(), MINE, "{context}");
                left += usize::from(was_done);
            }
        }
    }
    assert!(aside >= 4 && left >= 4, "{aside} {left}");
}

#[test]
fn a_run_that_is_taken_up_tells_what_a_recovered_apply_sets_aside() {
    for more in [&[][..], &["--json"]] {
        let told = (1..).find_map(|step| {
            let writing = Writing::new();
            let mut script = calling(&[read(), edit("two", "three")]);
            let server =
                MessagesApi::start(move |asked| if asked.number < 4 { script(asked) } else { Answer::Hang });
            let arguments = ["run", "my_project", "change it", "--dir", ".:write", "--yes"];
            let child = writing.product.start(&arguments, &server.env());
            assert!(server.wait_for(5, Duration::from_secs(120)));
            signal(&child, "-KILL");
            wait(child);
            assert!(!apply_killed_at(&writing, step), "no step sets anything aside");
            fs::write(writing.project.join(FILE), MINE).unwrap();
            let id = shown(&writing.product)["id"].as_str().expect("an id").to_owned();
            let server = MessagesApi::start(calling(&[]));
            let ended = writing.product.run(&[&["resume", &*id, "--yes"], more].concat(), &server.env());
            kept(&writing).map(|kept| (kept, ended))
        });
        let (kept, ended): (String, Ended) = told.unwrap();
        assert!(ended.stderr.contains(&kept), "{ended:?}");
        let lines: Vec<Value> =
            ended.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let line = lines.iter().find(|line| line["type"] == "recovered");
        let aside = line.map(|line| line["recovered"]["set_aside"][0]["now_at"].clone());
        assert_eq!(aside, (!more.is_empty()).then(|| json!(kept)), "{ended:?}");
    }
}

/// What the run's journal says of staged changes.
fn settled(writing: &Writing) -> Vec<Value> {
    of_kind(&journaled(&writing.product), "changes_settled").into_iter().cloned().collect()
}

#[test]
fn an_apply_that_is_killed_once_it_is_done_is_journaled_once_by_the_next_command() {
    let mut when_killed = Vec::new();
    for step in 1.. {
        let writing = staged();
        if apply_killed_at(&writing, step) {
            break;
        }
        when_killed.push(settled(&writing).len());
        let next = writing.command("apply", &[]);
        assert_eq!((next.code, settled(&writing).len()), (Some(0), 1), "{step}: {next:?}");
        let again = writing.command("apply", &[]);
        assert!(again.stderr.starts_with("nothing is staged"), "{step}: {again:?}");
        assert_eq!(settled(&writing).len(), 1, "{step}");
    }
    // The last one was killed between the journal and the stage.
    assert_eq!(when_killed.pop(), Some(1));
    assert!(when_killed.len() > 6 && when_killed.iter().all(|settled| *settled == 0), "{when_killed:?}");
}

#[test]
fn an_apply_that_cant_be_journaled_says_what_it_did_and_the_next_command_journals_it() {
    for more in [&[][..], &["--json"]] {
        let writing = staged();
        let path = writing.product.home().join(".local/state/ringfence/runs.db");
        let database = rusqlite::Connection::open(path).unwrap();
        let refuse =
            "CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END";
        database.execute_batch(refuse).unwrap();
        for name in ["apply", "discard"] {
            let failed = writing.command(name, more);
            assert_ne!(failed.code, Some(0), "{failed:?}");
            assert!(failed.stderr.contains("the changes are in the project, but"), "{failed:?}");
            assert_eq!(failed.stdout.contains("zz.txt"), name == "apply", "{failed:?}");
            assert_eq!(writing.file(), "one\r\nthree");
        }
        database.execute_batch("DROP TRIGGER refuse").unwrap();
        assert_eq!(settled(&writing), Vec::<Value>::new());
        let next = writing.command("apply", more);
        assert_eq!(next.code, Some(0), "{next:?}");
        assert_eq!(settled(&writing).len(), 1);
        assert_eq!(settled(&writing)[0]["how"], "applied");
        let report = writing.command("report", &[]).stdout;
        assert!(!report.contains("staged, not in the project"), "{report}");
    }
}

#[test]
fn names_that_differ_are_listed_differently_wherever_they_are_listed() {
    let writing = Writing::new();
    let names = ["one two.txt", "one  two.txt", "one\u{a0}two.txt", "one two.txt ", "one\\u{a0}two.txt"];
    let ended = writing.run(&names.map(|name| write(name, "1\n")), &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let all_differ = |text: &str, begins: &str| {
        let mut lines: Vec<_> =
            text.lines().filter(|line| line.starts_with(begins)).map(str::trim_end).collect();
        assert_eq!(lines.len(), names.len(), "{text}");
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), names.len(), "{text}");
    };
    all_differ(&writing.command("diff", &["--stat"]).stdout, "created ");
    all_differ(&writing.command("diff", &[]).stdout, "diff --git ");
    all_differ(&writing.command("diff", &[]).stdout, "+++ ");
    all_differ(&writing.command("apply", &[]).stdout, "applied ");
}

#[test]
fn an_end_of_line_and_a_space_that_change_are_seen_in_a_diff() {
    let writing = Writing::new();
    fs::write(writing.project.join("run.sh"), "#!/bin/sh\necho one\n").unwrap();
    let read = ("read_file", json!({ "file_path": "run.sh" }));
    let over = ("write_file", json!({ "file_path": "run.sh", "content": "#!/bin/sh\r\necho\u{a0}one\n" }));
    let waiting = writing.run(&[read.clone(), over.clone()], &["--pause", "before_write"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let seen = |text: &str| {
        for line in ["-#!/bin/sh\n", "+#!/bin/sh\\u{d}\n", "-echo one\n", "+echo\\u{a0}one\n"] {
            assert!(text.contains(line), "no {line:?} in {text}");
        }
    };
    assert!(waiting.stderr.contains("│ +#!/bin/sh\\u{d}\n"), "{}", waiting.stderr);
    seen(&writing.command("diff", &["--proposed"]).stdout);
    let writing = Writing::new();
    fs::write(writing.project.join("run.sh"), "#!/bin/sh\necho one\n").unwrap();
    writing.run(&[read, over], &["--yes"]);
    seen(&writing.command("diff", &[]).stdout);
    fs::write(writing.project.join("run.sh"), "other\n").unwrap();
    let refused = writing.command("apply", &[]);
    assert!(refused.stderr.contains("+#!/bin/sh\\u{d}\n"), "{}", refused.stderr);
}
