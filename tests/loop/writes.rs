//! Changes of a run: staged, shown, applied or discarded by a person, and nothing else.

use crate::{journaled, of_kind, run_ids, sample, shown, signal};
use ringfence_tests::messages_api::{Answer, Called, MessagesApi, calling};
use ringfence_tests::product::{Ended, Product, snapshot, wait};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);
pub(crate) const FILE: &str = "notes.txt";

pub(crate) fn read() -> (&'static str, Value) {
    ("read_file", json!({ "file_path": FILE }))
}

pub(crate) fn edit(old: &str, new: &str) -> (&'static str, Value) {
    ("edit_file", json!({ "file_path": FILE, "old": old, "new": new }))
}

pub(crate) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "file_path": path, "content": content }))
}

/// A project and what becomes of it.
pub(crate) struct Writing {
    pub(crate) product: Product,
    pub(crate) project: PathBuf,
    before: Vec<(PathBuf, Vec<u8>)>,
}

impl Writing {
    pub(crate) fn new() -> Self {
        let product = sample();
        let project = product.home().join("my_project");
        fs::write(project.join(FILE), "one\r\ntwo").unwrap();
        let before = snapshot(&project);
        Self { product, project, before }
    }

    pub(crate) fn run(&self, calls: &[(&str, Value)], more: &[&str]) -> Ended {
        self.drive(&MessagesApi::start(calling(calls)), more)
    }

    pub(crate) fn drive(&self, server: &MessagesApi, more: &[&str]) -> Ended {
        let arguments = [&["run", "my_project", "change it", "--dir", ".:write"], more].concat();
        self.product.run(&arguments, &server.env())
    }

    /// The only run's id.
    pub(crate) fn id(&self) -> String {
        run_ids(&self.product).pop().expect("a run")
    }

    pub(crate) fn command(&self, name: &str, more: &[&str]) -> Ended {
        self.product.run(&[&[name, &*self.id()], more].concat(), &[])
    }

    /// Where runs keep what they have staged.
    pub(crate) fn stages(&self) -> PathBuf {
        self.product.home().join(".local/state/ringfence/stages")
    }

    fn is_untouched(&self) -> bool {
        snapshot(&self.project) == self.before
    }

    pub(crate) fn file(&self) -> String {
        fs::read_to_string(self.project.join(FILE)).unwrap()
    }
}

#[test]
fn a_run_s_changes_wait_until_they_are_applied_and_keep_what_was_not_changed() {
    let writing = Writing::new();
    let ended = writing.run(&[read(), edit("two", "three"), write("新/new.txt", "x\n")], &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(writing.is_untouched(), "nothing is in the project");
    assert!(ended.stderr.contains("1 change is staged"), "the folder 新 wasn't there: {}", ended.stderr);

    let diff = writing.command("diff", &[]);
    assert_eq!(diff.code, Some(0), "{diff:?}");
    assert!(diff.stdout.contains("-two\n") && diff.stdout.contains("+three\n"), "{}", diff.stdout);
    assert!(writing.command("diff", &["--stat"]).stdout.contains("modified  notes.txt"));
    let told: Value = serde_json::from_str(&writing.command("diff", &["--json"]).stdout).expect("JSON");
    assert_eq!((&told[0]["path"], &told[0]["change"]), (&json!(FILE), &json!("modified")));

    let applied = writing.command("apply", &[]);
    assert_eq!((applied.code, applied.stdout.as_str()), (Some(0), "applied   notes.txt\n"), "{applied:?}");
    assert_eq!(writing.file(), "one\r\nthree", "line ends and the missing last one are as they were");
    assert_eq!(writing.command("diff", &[]).stdout, "");
    let events = journaled(&writing.product);
    assert_eq!(of_kind(&events, "changes_settled")[0]["how"], "applied");
    let report = writing.command("report", &[]).stdout;
    assert!(report.contains("| `notes.txt` | modified | 2 | applied |"), "{report}");
    let again = writing.command("apply", &[]);
    assert!(again.code == Some(0) && again.stderr.contains("nothing is staged"), "{again:?}");
}

#[test]
fn changes_can_be_applied_in_part_and_the_rest_discarded() {
    let writing = Writing::new();
    let ended =
        writing.run(&[read(), edit("two", "2"), write("a.txt", "a"), write("b.txt", "b")], &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let unknown = writing.command("apply", &["c.txt"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("nothing is staged at `c.txt`"), "{}", unknown.stderr);
    assert_eq!(writing.command("apply", &["a.txt"]).stdout, "applied   a.txt\n");
    assert!(writing.project.join("a.txt").exists() && !writing.project.join("b.txt").exists());
    let discarded = writing.command("discard", &[]);
    assert_eq!(discarded.stdout, "discarded b.txt\ndiscarded notes.txt\n", "{discarded:?}");
    assert_eq!(writing.file(), "one\r\ntwo");
}

#[test]
fn a_file_that_was_changed_meanwhile_is_not_overwritten_and_both_sides_are_shown() {
    let writing = Writing::new();
    writing.run(&[read(), edit("two", "three"), write("a.txt", "a")], &["--yes"]);
    fs::write(writing.project.join(FILE), "one\r\ntwo and a half").unwrap();
    let refused = writing.command("apply", &[]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    for side in ["notes.txt has changed in the project", "+two and a half", "+three"] {
        assert!(refused.stderr.contains(side), "no `{side}` in {}", refused.stderr);
    }
    assert_eq!(writing.file(), "one\r\ntwo and a half");
    assert!(!writing.project.join("a.txt").exists(), "all or nothing");
}

#[test]
fn a_file_must_be_read_before_it_is_overwritten() {
    let writing = Writing::new();
    let ended = writing.run(&[write(FILE, "x"), read(), write(FILE, "y")], &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let events = journaled(&writing.product);
    let outcomes: Vec<_> =
        of_kind(&events, "tool_finished").iter().map(|event| event["outcome"].clone()).collect();
    assert_eq!(outcomes[0]["status"], "denied");
    let message = outcomes[0]["message"].as_str().unwrap();
    assert!(message.contains("notes.txt") && message.contains("read"), "{message}");
    assert_eq!(outcomes[2]["status"], "done", "{outcomes:?}");
}

#[test]
fn a_pause_before_writing_shows_what_would_change_and_the_answer_decides() {
    let writing = Writing::new();
    let calls = [read(), edit("two", "three")];
    let waiting = writing.run(&calls, &["--pause", "before_write"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert!(waiting.stderr.contains("│ +three"), "{}", waiting.stderr);
    assert!(writing.command("show", &[]).stdout.contains("│ +three"));
    assert!(writing.command("diff", &["--proposed"]).stdout.contains("\n+three\n"));
    assert_eq!(writing.command("diff", &[]).stdout, "", "it isn't staged");

    let server = MessagesApi::start(calling(&[]));
    let ended = writing
        .product
        .run(&["resume", shown(&writing.product)["id"].as_str().unwrap(), "--approve", "1"], &server.env());
    assert!(matches!(ended.code, Some(0 | 3)), "{ended:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+three"));
    assert!(writing.is_untouched());
}

#[test]
fn a_call_that_would_change_something_else_than_was_shown_is_not_kept() {
    let writing = Writing::new();
    let waiting = writing.run(&[edit("two", "three")], &["--pause", "before_write"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    fs::write(writing.project.join(FILE), "another one\r\ntwo").unwrap();
    let id = shown(&writing.product)["id"].as_str().unwrap().to_owned();
    let server = MessagesApi::start(calling(&[]));
    writing.product.run(&["resume", &id, "--approve", "1"], &server.env());
    let events = journaled(&writing.product);
    let outcome = &of_kind(&events, "tool_finished")[0]["outcome"];
    assert_eq!(outcome["status"], "failed", "{outcome}");
    assert!(outcome["message"].as_str().unwrap().contains("something else than what was shown"), "{outcome}");
    assert_eq!(writing.command("diff", &[]).stdout, "");
}

#[test]
fn of_several_calls_in_a_turn_each_is_shown_after_those_approved_before_it() {
    let writing = Writing::new();
    let call = |(name, input): (&str, Value)| Called::new(name, input.to_string());
    let server = MessagesApi::start(move |asked| match asked.number {
        0 => Answer::calls("r", [call(edit("two", "three")), call(edit("three", "four"))]),
        _ => Answer::text("done"),
    });
    let arguments =
        ["run", "my_project", "change it", "--flow", "react", "--dir", ".:write", "--pause", "before_write"];
    let first = writing.product.run(&arguments, &server.env());
    assert_eq!(first.code, Some(3), "{first:?}");
    assert!(first.stderr.contains("│ +three"), "{}", first.stderr);
    let id = shown(&writing.product)["id"].as_str().unwrap().to_owned();
    let second = writing.product.run(&["resume", &id, "--approve", "1"], &server.env());
    assert_eq!(second.code, Some(3), "{second:?}");
    assert!(second.stderr.contains("│ +four") && second.stderr.contains("│ -three"), "{}", second.stderr);
    assert!(!second.stderr.contains("would fail"), "{}", second.stderr);
    let ended = writing.product.run(&["resume", &id, "--approve", "2"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+four"));
}

#[test]
fn an_apply_that_can_t_come_to_its_end_is_told_and_given_up_by_discarding() {
    let writing = Writing::new();
    writing.run(&[edit("two", "three")], &["--yes"]);
    let id = shown(&writing.product)["id"].as_str().unwrap().to_owned();
    let stage = writing.product.home().join(".local/state/ringfence/stages").join(&id);
    assert!(stage.is_dir(), "{}", stage.display());
    fs::write(stage.join("apply"), "{ cut off").unwrap();
    let stuck = writing.command("apply", &[]);
    assert!(stuck.code != Some(0) && stuck.stderr.contains("discard all that is staged"), "{stuck:?}");
    let ended = writing.command("discard", &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("given up"), "{ended:?}");
    assert_eq!(writing.command("diff", &[]).stdout, "");
    assert!(writing.is_untouched());
}

#[test]
fn changes_survive_a_kill_and_a_fork_has_those_of_its_moment() {
    let writing = Writing::new();
    let mut script = calling(&[read(), edit("two", "three"), edit("three", "four")]);
    let server = MessagesApi::start(move |asked| if asked.number < 4 { script(asked) } else { Answer::Hang });
    let arguments = ["run", "my_project", "change it", "--dir", ".:write", "--yes"];
    let child = writing.product.start(&arguments, &server.env());
    assert!(server.wait_for(5, PATIENCE));
    signal(&child, "-KILL");
    wait(child);
    assert!(writing.command("diff", &[]).stdout.contains("+three"));

    let id = shown(&writing.product)["id"].as_str().unwrap().to_owned();
    let server = MessagesApi::start(calling(&[edit("three", "four")]));
    let ended = writing.product.run(&["resume", &id, "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+four"));
    assert!(writing.is_untouched());

    let changed = journaled(&writing.product).iter().position(|event| {
        event["event"] == "tool_finished" && event["outcome"]["value"].to_string().contains("+three")
    });
    let at = (changed.expect("the first change") + 1).to_string();
    let fork = writing.product.run(&["fork", &id, "--at", &at, "--no-run"], &[]);
    assert_eq!(fork.code, Some(0), "{fork:?}");
    let staged = writing.product.run(&["diff", fork.stdout.trim()], &[]).stdout;
    assert!(staged.contains("+three") && !staged.contains("+four"), "{staged}");
    let early = writing.product.run(&["fork", &id, "--at", "1", "--no-run"], &[]);
    assert_eq!(writing.product.run(&["diff", early.stdout.trim()], &[]).stdout, "");
}

#[test]
fn a_call_that_was_killed_in_the_middle_is_made_again_on_what_was_staged_before_it() {
    let writing = Writing::new();
    let script = calling(&[read(), edit("two", "two two"), edit("two two", "2")]);
    let server = MessagesApi::start(script);
    let arguments = ["run", "my_project", "change it", "--dir", ".:write", "--yes"];
    let mut command = writing.product.command(&arguments);
    // The second call's changes are in the stage, and nothing of it is in the journal.
    command.env("RINGFENCE_FAILPOINT", "tool ended:2");
    command.envs(server.env().iter().map(|(name, value)| (*name, value.clone())));
    let killed = command.output().unwrap();
    assert!(!killed.status.success(), "{killed:?}");
    assert!(writing.command("diff", &[]).stdout.contains("+two two"));

    let id = shown(&writing.product)["id"].as_str().unwrap().to_owned();
    let server = MessagesApi::start(calling(&[edit("two two", "2")]));
    let ended = writing.product.run(&["resume", &id, "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let events = journaled(&writing.product);
    let finished = of_kind(&events, "tool_finished");
    assert!(finished.iter().all(|event| event["outcome"]["status"] == "done"), "{finished:?}");
    let diff = writing.command("diff", &[]).stdout;
    assert!(diff.contains("+2\n") && !diff.contains("two two"), "{diff}");
}
