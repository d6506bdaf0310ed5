//! How the standard tools read files and folders through the fence.

use crate::standard::{STANDARD, call_within, done, tree};
use ringfence_sandbox::{Limits, Outcome};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

#[tokio::test]
async fn a_walk_keeps_nothing_open_behind_it() {
    let project = tempfile::tempdir().unwrap();
    for folder in 0..20 {
        let folder = project.path().join(format!("a/b/c/d{folder}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("x"), "needle\n").unwrap();
    }
    let tree = tree(project.path(), &["."]);
    // The root; a folder, and what reads it.
    let limits = Limits { open_files: 3, time_ms: 60_000, ..Limits::default() };
    for (tool, input, field, count) in [
        ("list_files", json!({ "recursive": true }), "total", 43),
        ("search_text", json!({ "pattern": "needle" }), "total", 20),
    ] {
        let tool = STANDARD.tools.get(tool).unwrap().clone();
        let report = call_within(&tree, tool, input, limits.clone()).await;
        let Outcome::Done(value) = report.outcome else { panic!("{:?}", report.outcome) };
        assert_eq!(value[field], json!(count));
    }
}

#[tokio::test]
async fn a_name_that_is_no_utf_8_is_listed_in_a_spelling_that_can_be_read_and_searched() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"\xff.txt")), "needle\n").unwrap();
    let tree = tree(project.path(), &["."]);
    let spelled = "caf\u{f7e9}/\u{f7ff}.txt";

    let listed = done(&tree, "list_files", json!({ "recursive": true })).await;
    assert_eq!((&listed["entries"][1]["path"], &listed["entries"][1]["size"]), (&json!(spelled), &json!(7)));
    let read = done(&tree, "read_file", json!({ "file_path": spelled })).await;
    assert_eq!(read["text"], "needle\n");
    let found = done(&tree, "search_text", json!({ "pattern": "needle", "directory": "caf\u{f7e9}" })).await;
    assert_eq!(found["matches"][0]["path"], spelled);
}

#[tokio::test]
async fn a_file_longer_than_one_read_is_read_whole() {
    let project = tempfile::tempdir().unwrap();
    let line = "x".repeat(99);
    let text = format!("{line}\n").repeat(10_000) + "needle\n";
    fs::write(project.path().join("long"), &text).unwrap();
    let tree = tree(project.path(), &["."]);
    let found = done(&tree, "search_text", json!({ "pattern": "needle" })).await;
    assert_eq!(found["matches"][0]["line"], json!(10_001));
    let read = done(&tree, "read_file", json!({ "file_path": "long", "first_line": 10_001 })).await;
    assert_eq!((&read["text"], &read["total_lines"]), (&json!("needle\n"), &json!(10_001)));
}
