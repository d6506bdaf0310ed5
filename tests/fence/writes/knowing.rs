//! Changes of what the run doesn't know: never read, or not what was read any more.

use crate::bench::Fence;
use crate::files::while_doing;
use crate::guests::Guest;
use crate::threat::threats;
use ringfence_sandbox::Digest;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fs;

threats! {
    "Overwriting, appending to, emptying, deleting, renaming over a file that was never read, by any spelling",
        Knowledge, "that it was not read first"
        => EveryLanguage a_file_that_was_never_read;
    "Moving a file that was never read away, to overwrite or delete it where it comes to",
        Knowledge, "that it was not read first; its content is in the project after an apply, too"
        => EveryLanguage a_file_moved_away_to_be_lost;
    "Overwriting, appending to, emptying, deleting, renaming over a file that has changed since it was read",
        Knowledge, "that it has changed since it was read"
        => EveryLanguage a_file_that_changed_since_it_was_read;
    "A file of which another run, or a file of another name, is known",
        Knowledge, "that it was not read first"
        => EveryLanguage a_file_that_somebody_else_has_read;
    "A file swapped for another, again and again while it is read and overwritten",
        Knowledge, "that it was written over what was read, or that it has changed; never over the other"
        => EveryLanguage a_file_swapped_between_reading_and_writing;
}

/// What takes `src/a.txt` its content.
const LOSSES: &[(&str, &str, &str)] = &[
    ("create", "src/a.txt", ""),
    ("append", "src/a.txt", ""),
    ("truncate", "src/a.txt", ""),
    ("remove", "src/a.txt", ""),
    ("rename", "src/sub/b.txt", "src/a.txt"),
    ("create", "src/sub/../a.txt", ""),
    ("truncate", "src/link", ""),
];

fn each_is_refused(fence: &Fence, guest: &Guest, losses: &[(&str, &str, &str)], reason: &str, word: &str) {
    let before = fence.content();
    for (how, path, other) in losses {
        let called = fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }));
        called.is_denied(&[reason], &["can't be changed: ", word]);
        assert_eq!(called.written(), [""; 0], "{called}");
    }
    assert_eq!(fence.content(), before);
    fence.nothing_stays();
}

fn a_file_that_was_never_read(guest: &Guest) {
    let fence = Fence::writing();
    fence.link("src/link", "a.txt");
    each_is_refused(&fence, guest, LOSSES, "not_read", "it was not read first; read it whole, then write");
}

fn a_file_moved_away_to_be_lost(guest: &Guest) {
    let fence = Fence::writing();
    let before = fence.content();
    let called = fence.call(
        guest,
        "steps",
        json!({ "steps": [
            { "how": "rename", "path": "src/a.txt", "other": "src/moved" },
            { "how": "create", "path": "src/moved", "other": "" },
            { "how": "remove", "path": "src/moved", "other": "" },
            { "how": "rename", "path": "src/sub/b.txt", "other": "src/moved" },
        ] }),
    );
    assert_eq!(called.done()[0], "rename", "{called}");
    assert_eq!(called.denials(), ["not_read"; 3], "{called}");
    let [gone, moved] = &called.report.receipt.written[..] else { panic!("{called}") };
    assert_eq!((&*gone.path, &*moved.path, gone.before), ("src/a.txt", "src/moved", moved.after), "{called}");
    assert_eq!(fence.content(), before);
    fence.apply().unwrap();
    assert_eq!(fs::read_to_string(fence.at("src/moved")).unwrap(), "granted");
}

fn a_file_that_changed_since_it_was_read(guest: &Guest) {
    let fence = Fence::writing();
    fence.link("src/link", "a.txt");
    fence.call(guest, "read_text", json!({ "path": "src/a.txt" })).done();
    fence.file("src/a.txt", "a person's own");
    each_is_refused(&fence, guest, LOSSES, "changed_since_read", "it has changed since it was read");
}

fn a_file_that_somebody_else_has_read(guest: &Guest) {
    let mut fence = Fence::writing();
    fence.file("src/same", "granted");
    fence.call(guest, "read_text", json!({ "path": "src/a.txt" })).done();
    let same = [("create", "src/same", ""), ("rename", "src/a.txt", "src/same")];
    each_is_refused(&fence, guest, &same, "not_read", "it was not read first");
    fence.as_another_run();
    each_is_refused(&fence, guest, &LOSSES[..5], "not_read", "it was not read first");
}

fn a_file_swapped_between_reading_and_writing(guest: &Guest) {
    let step = |how: &str| json!({ "how": how, "path": "src/a.txt", "other": "" });
    let steps = json!({ "steps": [step("read"), step("create")] });
    let (mut written, mut refused) = (0, 0);
    for _ in 0..60 {
        let fence = Fence::writing();
        fence.file("src/other", "a person's own");
        let (one, other) = (fence.at("src/a.txt"), fence.at("src/other"));
        let swap = |_| renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
        let called = while_doing(swap, || fence.call(guest, "steps", steps.clone()));
        let read = called.done()[0].as_str().unwrap();
        match &called.report.receipt.written[..] {
            [change] => {
                assert_eq!(change.before, Some(Digest::of(read.as_bytes())), "{called}");
                written += 1;
            }
            _ => {
                assert_eq!(called.denials(), ["changed_since_read"], "{called}");
                refused += 1;
            }
        }
    }
    assert!(written > 0 && refused > 0, "{written} were written, {refused} were refused");
}
