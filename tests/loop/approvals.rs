//! An approved call is what was shown: each call of a turn, edited ones, those of forks; and nothing
//! that was only shown stays.

use crate::writes::{Writing, edit, write};
use crate::{journaled, of_kind};
use ringfence_tests::messages_api::{Answer, Called, MessagesApi, calling};
use ringfence_tests::product::Ended;
use serde_json::Value;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// What the file is to become while nobody looks; the edit fits it still.
const OTHER: &str = "rm -rf / # two\r\n";

const PAUSING: &[&str] = &["--flow", "react", "--pause", "before_write"];

/// A model that asks for these calls, turn by turn, and is done then.
fn turns(turns: Vec<Vec<(&'static str, Value)>>) -> MessagesApi {
    let call = |(name, input): (&str, Value)| Called::new(name, input.to_string());
    let turns: Vec<Vec<_>> = turns.into_iter().map(|calls| calls.into_iter().map(call).collect()).collect();
    MessagesApi::start(move |asked| match turns.get(asked.number) {
        Some(calls) => Answer::calls("r", calls.clone()),
        None => Answer::text("done"),
    })
}

impl Writing {
    /// A run with these calls in one turn, up to the first question.
    fn asked_about(&self, calls: Vec<(&'static str, Value)>) -> MessagesApi {
        let server = turns(vec![calls]);
        let waiting = self.drive(&server, PAUSING);
        assert_eq!(waiting.code, Some(3), "{waiting:?}");
        server
    }

    fn resume(&self, server: &MessagesApi, answer: &[&str]) -> Ended {
        self.product.run(&[&["resume", &self.id()], answer].concat(), &server.env())
    }

    fn approve(&self, server: &MessagesApi, review: u32) -> Ended {
        self.resume(server, &["--approve", &review.to_string()])
    }

    fn becomes_another(&self) {
        fs::write(self.project.join("notes.txt"), OTHER).unwrap();
    }

    fn outcomes(&self) -> Vec<Value> {
        of_kind(&journaled(&self.product), "tool_finished").iter().map(|it| it["outcome"].clone()).collect()
    }
}

#[test]
fn each_of_several_approved_calls_is_held_to_what_was_shown_of_it() {
    let writing = Writing::new();
    let server = writing.asked_about(vec![edit("two", "three"), write("other.txt", "x\n")]);
    let second = writing.approve(&server, 1);
    assert_eq!(second.code, Some(3), "{second:?}");
    writing.becomes_another();
    let ended = writing.approve(&server, 2);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let outcomes = writing.outcomes();
    assert_eq!((&outcomes[0]["status"], &outcomes[1]["status"]), (&"failed".into(), &"done".into()));
    assert_eq!(writing.command("diff", &["--stat"]).stdout, "created   other.txt\n");
}

#[test]
fn a_fork_asks_again_about_an_approved_call_of_which_nobody_knows_what_was_shown() {
    let writing = Writing::new();
    let server = writing.asked_about(vec![edit("two", "three")]);
    let id = writing.id();
    let mut command = writing.product.command(&["resume", &id, "--approve", "1"]);
    command.env("RINGFENCE_FAILPOINT", "tool called:1");
    command.envs(server.env().iter().map(|(name, value)| (*name, value.clone())));
    assert!(!command.output().unwrap().status.success());
    writing.becomes_another();
    let at = journaled(&writing.product).len().to_string();
    let fork = writing.product.run(&["fork", &id, "--at", &at, "--no-run"], &[]).stdout.trim().to_owned();

    let asked = writing.product.run(&["resume", &fork], &server.env());
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stderr.contains("│ +rm -rf / # three"), "{}", asked.stderr);
    assert_eq!(writing.product.run(&["diff", &fork], &[]).stdout, "");
    let rejected = writing.product.run(&["resume", &fork, "--reject", "no"], &server.env());
    assert_eq!(rejected.code, Some(0), "{rejected:?}");
    assert_eq!(writing.product.run(&["diff", &fork], &[]).stdout, "");
}

#[test]
fn an_approved_call_is_shown_again_where_what_was_shown_of_it_is_lost() {
    let writing = Writing::new();
    let server = writing.asked_about(vec![edit("two", "three")]);
    fs::remove_dir_all(writing.stages().join(format!("{}.proposed", writing.id()))).unwrap();
    let asked = writing.approve(&server, 1);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stderr.contains("│ +three"), "{}", asked.stderr);
    assert_eq!(writing.command("diff", &[]).stdout, "");
    let ended = writing.approve(&server, 2);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+three"));
}

#[test]
fn while_a_call_waits_with_changes_the_commands_for_staged_ones_say_so() {
    let writing = Writing::new();
    writing.asked_about(vec![edit("two", "three")]);
    for name in ["diff", "apply", "discard"] {
        let said = writing.command(name, &[]);
        assert!(said.stdout.is_empty() && said.stderr.contains("--proposed"), "{name}: {said:?}");
    }
    assert!(writing.command("diff", &["--proposed"]).stdout.contains("+three"));
}

#[test]
fn an_edited_call_is_shown_before_it_is_made_and_held_to_that() {
    for changes_meanwhile in [false, true] {
        let writing = Writing::new();
        let server = writing.asked_about(vec![edit("two", "three")]);
        let file = writing.product.home().join("edited.json");
        fs::write(&file, edit("two", "drei").1.to_string()).unwrap();
        let asked = writing.resume(&server, &["--edit", file.to_str().unwrap()]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
        assert!(asked.stderr.contains("│ +drei"), "{}", asked.stderr);
        assert_eq!(writing.command("diff", &[]).stdout, "");
        if changes_meanwhile {
            writing.becomes_another();
        }
        let ended = writing.approve(&server, 2);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let diff = writing.command("diff", &[]).stdout;
        assert_eq!(diff.contains("+drei"), !changes_meanwhile, "{diff}");
        assert_eq!(diff.is_empty(), changes_meanwhile, "{diff}");
    }
}

#[test]
fn a_long_turn_of_proposed_calls_leaves_nothing_behind_and_every_way_on_open() {
    // As many as a turn can have.
    const CALLS: u32 = 16;
    let writing = Writing::new();
    let many = (0..CALLS).map(|at| write(&format!("new{at:02}.txt"), "x\n")).collect();
    let server = turns(vec![vec![write("valuable.txt", "x\n")], many]);
    let waiting = writing.drive(&server, PAUSING);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    for review in 1..=CALLS {
        let asked = writing.approve(&server, review);
        assert_eq!(asked.code, Some(3), "review {review}: {asked:?}");
        if review % 6 == 0 {
            assert_eq!(writing.command("diff", &["--stat"]).stdout, "created   valuable.txt\n", "{review}");
            assert_eq!(writing.command("diff", &["--proposed"]).code, Some(0), "{review}");
        }
    }
    let applied = writing.command("apply", &["valuable.txt"]);
    assert_eq!(applied.stdout, "applied   valuable.txt\n", "{applied:?}");
    let rejected = writing.resume(&server, &["--reject", "not that one"]);
    assert_eq!(rejected.code, Some(0), "{rejected:?}");
    let staged = writing.command("diff", &["--stat"]).stdout;
    assert_eq!(staged.lines().count(), CALLS as usize - 1, "{staged}");
    assert!(!staged.contains("new15.txt"), "{staged}");
}

#[test]
fn nobody_is_asked_about_a_call_and_none_is_made_where_what_it_would_change_cannot_be_kept() {
    let writing = Writing::new();
    let server = writing.asked_about(vec![edit("two", "three")]);
    let proposed = writing.stages().join(format!("{}.proposed", writing.id()));
    fs::remove_dir_all(&proposed).unwrap();
    fs::write(&proposed, "").unwrap();
    for answer in [&[][..], &["--approve", "1"], &[]] {
        let refused = writing.resume(&server, answer);
        assert_eq!(refused.code, Some(1), "{answer:?}: {refused:?}");
        assert!(refused.stderr.contains(".proposed"), "{refused:?}");
        assert!(!refused.stderr.contains("waits for an answer"), "{refused:?}");
        assert_eq!(writing.command("diff", &[]).stdout, "");
    }
    fs::remove_file(&proposed).unwrap();
    let asked = writing.resume(&server, &[]);
    assert!(asked.code == Some(3) && asked.stderr.contains("│ +three"), "{asked:?}");
    let ended = writing.approve(&server, 2);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+three"));
}

#[test]
fn a_run_can_be_aborted_whatever_state_its_stage_is_in() {
    let writing = Writing::new();
    let server = turns(vec![vec![write("valuable.txt", "x\n")], vec![write("more.txt", "x\n")]]);
    assert_eq!(writing.drive(&server, PAUSING).code, Some(3));
    assert_eq!(writing.approve(&server, 1).code, Some(3));
    // A call that nobody saw the end of, on a state that is gone.
    let pending = writing.stages().join(format!("{}.call.json", writing.id()));
    fs::write(pending, r#"{"call":99,"mark":77}"#).unwrap();
    let stuck = writing.resume(&server, &["--reject", "no"]);
    assert!(stuck.code == Some(1) && stuck.stderr.contains("can't be taken back"), "{stuck:?}");
    let aborted = writing.resume(&server, &["--abort"]);
    assert_eq!(aborted.code, Some(1), "{aborted:?}");
    assert!(aborted.stderr.contains("Ended by a person"), "{aborted:?}");
    assert_eq!(writing.command("diff", &["--stat"]).stdout, "created   valuable.txt\n");
    assert_eq!(writing.command("discard", &[]).stdout, "discarded valuable.txt\n");
}

#[test]
fn looking_at_what_is_staged_disturbs_no_call() {
    let writing = Writing::new();
    let calls: Vec<_> = (0..20).map(|at| write(&format!("new{at:02}.txt"), "x\n")).collect();
    let server = MessagesApi::start(calling(&calls));
    let arguments =
        ["run", "my_project", "change it", "--dir", ".:write", "--yes", "--max-iterations", "200"];
    let mut child = writing.product.start(&arguments, &server.env());
    assert!(server.wait_for(4, PATIENCE));
    let id = writing.id();
    let over = AtomicBool::new(false);
    let looks = [&["diff", &id, "--stat"][..], &["diff", &id], &["show", &id]];
    std::thread::scope(|scope| {
        for look in looks {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let looked = writing.product.run(look, &[]);
                    assert_eq!(looked.code, Some(0), "{looked:?}");
                }
            });
        }
        let _ = child.wait();
        over.store(true, Ordering::Relaxed);
    });
    let outcomes = writing.outcomes();
    assert_eq!(outcomes.len(), calls.len());
    let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome["status"] != "done").collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
