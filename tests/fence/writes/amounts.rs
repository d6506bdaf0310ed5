//! How much is staged, and by whom: beyond every bound, by calls that don't end well, beside the
//! stage of another run, with times and modes of its own.

use super::driven::Driven;
use crate::bench::{BENCH, Called, Fence};
use crate::guests::Guest;
use crate::threat::threats;
use ringfence_sandbox::{ApplyError, CallReport, Limits, Outcome};
use ringfence_tests::messages_api::{MessagesApi, calling};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

threats! {
    "A byte at the end of 3 GiB of nothing",
        Limits, "that it exceeded its bytes written; nothing is staged"
        => EveryLanguage a_sparse_write_of_three_gibibytes;
    "A hundred thousand new files",
        Limits, "that it exceeded the files and folders that it may change; nothing is staged"
        => EveryLanguage a_hundred_thousand_new_files;
    "Appending to a file without end",
        Limits, "that it exceeded its bytes written; nothing is staged"
        => EveryLanguage an_append_without_end;
    "Writing nothing, and emptying the same file, 5,000 times",
        Limits, "one empty file in the stage"
        => EveryLanguage the_same_file_emptied_again_and_again;
    "Setting times; overwriting a file that runs as somebody else",
        Stage, "nothing; applied, the file keeps its permissions, and runs as nobody else any more"
        => EveryLanguage times_and_modes;
    "Changing something, then crashing, looping, being cancelled, being forgotten by its caller",
        Stage, "how the call ended; nothing is staged"
        => EveryLanguage a_change_by_a_call_that_does_not_end_well;
    "Changing something in a process that is killed meanwhile",
        Stage, "a diff of nothing"
        => RustAndC a_change_in_a_process_that_is_killed;
    "Looking for what another run on the same project has staged",
        Stage, "the project's own file; what both have made is a conflict when it is applied"
        => EveryLanguage what_another_run_has_staged;
}

/// A limit of this name ended it, and nothing of it is anywhere.
fn is_stopped_without_a_trace(fence: &Fence, called: &Called, limit: &str) {
    called.is_stopped_by(limit);
    assert_eq!(called.written(), [""; 0], "{called}");
    fence.nothing_stays();
}

fn a_sparse_write_of_three_gibibytes(guest: &Guest) {
    let fence = Fence::writing();
    let before = fence.content();
    let called = fence.call(guest, "write_at", json!({ "path": "src/new", "text": "x", "at": 3_u64 << 30 }));
    is_stopped_without_a_trace(&fence, &called, "bytes written to files");
    assert_eq!(fence.content(), before);
}

fn a_hundred_thousand_new_files(guest: &Guest) {
    let fence = Fence::writing();
    let before = fence.content();
    let called = fence.call(guest, "create_many", json!({ "folder": "src", "times": 100_000 }));
    is_stopped_without_a_trace(&fence, &called, "files and folders changed");
    assert_eq!(fence.content(), before);
}

fn an_append_without_end(guest: &Guest) {
    let fence =
        Fence::writing().within(Limits { write_bytes: 8 << 20, time_ms: 60_000, ..Limits::default() });
    let before = fence.content();
    let input = json!({ "path": "src/new", "text": "x".repeat(10_000), "times": 1_u64 << 40 });
    is_stopped_without_a_trace(&fence, &fence.call(guest, "append_again", input), "bytes written to files");
    assert_eq!(fence.content(), before);
}

fn the_same_file_emptied_again_and_again(guest: &Guest) {
    let fence = Fence::writing();
    let before = fence.content();
    let called = fence.call(guest, "append_again", json!({ "path": "src/new", "text": "", "times": 5_000 }));
    assert_eq!(called.written(), ["src/new"], "{called}");
    let empty = json!({ "how": "truncate", "path": "src/new", "other": "" });
    let called = fence.call(guest, "steps", json!({ "steps": vec![empty; 5_000] }));
    assert!(called.denials().is_empty() && called.written().is_empty(), "{called}");
    assert_eq!(fence.staged(), ["src/new"]);
    assert_eq!(fs::read_dir(fence.stage().path().join("contents")).unwrap().count(), 1);
    assert_eq!(fence.content(), before);
}

fn times_and_modes(guest: &Guest) {
    let fence = Fence::writing();
    let mode =
        |path: &str, mode| fs::set_permissions(fence.at(path), fs::Permissions::from_mode(mode)).unwrap();
    mode("src/a.txt", 0o4751);
    mode("src/sub/b.txt", 0o640);
    let before = fence.content();
    let steps = [("read", "src/a.txt"), ("create", "src/a.txt"), ("touch", "src/sub/b.txt")];
    let steps = steps.map(|(how, path)| json!({ "how": how, "path": path, "other": "" }));
    let called = fence.call(guest, "steps", json!({ "steps": steps }));
    assert!(!called.done().to_string().contains("error: "), "{called}");
    assert!(called.written().contains(&"src/a.txt"), "{called}");
    assert_eq!(fence.content(), before);
    fence.apply().unwrap();
    let of = |path: &str| fs::metadata(fence.at(path)).unwrap();
    assert_eq!(of("src/a.txt").mode() & 0o7777, 0o751);
    assert_eq!((of("src/sub/b.txt").mode() & 0o7777, of("src/sub/b.txt").mtime()), (0o640, 0));
    assert_eq!(fs::read_to_string(fence.at("src/sub/b.txt")).unwrap(), "granted too");
}

fn then(how: &str) -> Value {
    let step = |how: &str, path: &str| json!({ "how": how, "path": path, "other": "" });
    json!({ "steps": [
        step("create", "src/new"), step("read", "src/a.txt"), step("append", "src/a.txt"),
        step("make-folder", "src/folder"), step(how, "over"),
    ] })
}

fn a_change_by_a_call_that_does_not_end_well(guest: &Guest) {
    let fence = Fence::writing();
    let before = fence.content();
    let called = fence.call(guest, "steps", then("crash"));
    assert!(called.report.crash.is_some() && called.message().starts_with("the tool crashed: "), "{called}");
    ended_without_a_trace(&fence, &called.report);

    let brief = Fence::writing().within(Limits { time_ms: 500, ..Limits::default() });
    let called = brief.call(guest, "steps", then("spin"));
    is_stopped_without_a_trace(&brief, &called, "time");

    let request = fence.request(guest.tools.get("steps").unwrap(), then("spin"));
    let cancel = request.cancel.clone();
    let report = std::thread::scope(|threads| {
        threads.spawn(|| {
            wait_for_a_content(fence.stage().path());
            cancel.cancel();
        });
        BENCH.block_on(BENCH.call(request)).unwrap()
    });
    assert_eq!(report.outcome, Outcome::Cancelled);
    ended_without_a_trace(&fence, &report);

    let request = fence.request(guest.tools.get("steps").unwrap(), then("spin"));
    BENCH.block_on(async {
        let call = tokio::spawn(BENCH.call(request));
        let folder = fence.stage().path().to_owned();
        tokio::task::spawn_blocking(move || wait_for_a_content(&folder)).await.unwrap();
        call.abort();
    });
    let patience = Instant::now() + Duration::from_secs(20);
    while fs::read_dir(fence.stage().path().join("contents")).unwrap().count() > 0 {
        assert!(Instant::now() < patience, "what a forgotten call has made stays");
        std::thread::sleep(Duration::from_millis(10));
    }
    fence.nothing_stays();
    let later = fence.call(guest, "look_at", json!({ "path": "src/new" }));
    later.is_failure();
    assert_eq!(fence.content(), before);
}

fn ended_without_a_trace(fence: &Fence, report: &CallReport) {
    assert_eq!(report.receipt.written, []);
    fence.nothing_stays();
}

/// Waits until a call has begun to stage something.
fn wait_for_a_content(stage: &Path) {
    let patience = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(stage.join("contents")).map_or(0, Iterator::count) < 2 {
        assert!(Instant::now() < patience, "nothing was begun");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn a_change_in_a_process_that_is_killed(guest: &Guest) {
    let driven = Driven::new();
    let server = MessagesApi::start(calling(&[("steps", then("spin"))]));
    let component = guest.file.to_str().unwrap();
    let mut child = driven.start(&server, &["--component", component]);
    let stages = driven.state().join("stages");
    let patience = Instant::now() + Duration::from_secs(120);
    let stage = loop {
        let found = fs::read_dir(&stages).into_iter().flatten().flatten().find(|it| it.path().is_dir());
        if let Some(found) = found {
            break found.path();
        }
        assert!(Instant::now() < patience, "no stage was made");
        std::thread::sleep(Duration::from_millis(10));
    };
    wait_for_a_content(&stage);
    child.kill().unwrap();
    child.wait().unwrap();
    let diff = driven.command("diff", &[]);
    assert_eq!((diff.code, diff.stdout.as_str()), (Some(0), ""), "{diff:?}");
    let applied = driven.command("apply", &[]);
    assert!(applied.code == Some(0) && applied.stderr.contains("nothing is staged"), "{applied:?}");
    assert_eq!(fs::read_dir(stage.join("contents")).unwrap().count(), 0);
    assert!(driven.is_untouched());
}

fn what_another_run_has_staged(guest: &Guest) {
    let mut fence = Fence::writing();
    let create = json!({ "how": "create", "path": "src/new", "other": "" });
    assert_eq!(fence.call(guest, "change", create.clone()).written(), ["src/new"]);
    fence.call(guest, "look_at", json!({ "path": "src/new" })).done();
    let first = fence.stage().clone();
    fence.as_another_run();
    fence.call(guest, "look_at", json!({ "path": "src/new" })).is_failure();
    let listed = fence.call(guest, "list_folder", json!({ "path": "src" }));
    assert!(!listed.done().to_string().contains("new"), "{listed}");
    assert_eq!(fence.call(guest, "change", create).written(), ["src/new"]);
    fence.apply().unwrap();
    let before = fence.content();
    let refused = first.apply(fence.tree(), None).unwrap_err();
    assert!(matches!(refused, ApplyError::Conflicts(_)), "{refused}");
    assert_eq!(fence.content(), before);
}
