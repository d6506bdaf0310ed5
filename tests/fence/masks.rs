//! What is hidden, and every way to it.

use crate::bench::Fence;
use crate::guests::Guest;
use crate::threat::threats;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

threats! {
    "A hidden file by its name: opened, looked at, listed above, with `..` on the way",
        Masks, "that it is masked, and `--mask '!/src/.env'` as what would allow it"
        => EveryLanguage a_hidden_file_by_its_name;
    "A hidden name in capitals, with invisible characters in it, or with a dot after it",
        Masks, "that it is masked"
        => EveryLanguage a_hidden_name_spelled_otherwise;
    "A link to what is hidden, to a folder above it, and a file in a hidden folder",
        Masks, "that it is masked"
        => EveryLanguage a_way_around_to_a_hidden_file;
    "Asking whether something hidden is there: missing, file, folder, pipe, link to itself, link that leads out",
        Masks, "the same answer to the letter, whatever is there"
        => EveryLanguage whether_something_hidden_is_there;
    "A listing and a search of everything",
        Masks, "nothing of what is hidden, not even a name"
        => EveryLanguage a_listing_of_everything;
}

fn a_hidden_file_by_its_name(guest: &Guest) {
    let fence = Fence::new();
    fence.file("src/id_rsa", "x").file("src/sub/server.pem", "x").file("src/.envrc", "x");
    for (path, shown) in [
        ("src/.env", "!/src/.env"),
        ("src/sub/../.env", "!/src/.env"),
        ("src/.git/config", "!/src/.git"),
        ("src/id_rsa", "!/src/id_rsa"),
        ("src/sub/server.pem", "!/src/sub/server.pem"),
        ("src/.envrc", "!/src/.envrc"),
    ] {
        for tool in ["read_text", "look_at"] {
            let called = fence.call(guest, tool, json!({ "path": path }));
            let allow = format!("`--mask '{shown}'` would allow it");
            called
                .is_denied(&["masked"], &["is masked (keys and credentials are hidden from tools)", &allow]);
        }
    }
    fence
        .call(guest, "list_folder", json!({ "path": "src/.git" }))
        .is_denied(&["masked"], &["src/.git is masked"]);
}

fn a_hidden_name_spelled_otherwise(guest: &Guest) {
    let fence = Fence::new();
    for path in ["src/.ENV", "src/.Git/config", "src/.e\u{200b}nv", "src/\u{feff}.env", "src/.git./config"] {
        fence.call(guest, "read_text", json!({ "path": path })).is_denied(&["masked"], &["is masked"]);
    }
}

fn a_way_around_to_a_hidden_file(guest: &Guest) {
    let fence = Fence::new();
    fence
        .link("src/settings", ".env")
        .link("src/history", ".git")
        .link("src/again", "settings")
        .link("src/here", ".")
        .link("src/sub/up", "../.env");
    for path in [
        "src/settings",
        "src/again",
        "src/history/config",
        "src/here/.env",
        "src/sub/up",
        "src/here/history/config",
    ] {
        fence.call(guest, "read_text", json!({ "path": path })).is_denied(&["masked"], &["is masked"]);
    }
}

fn whether_something_hidden_is_there(guest: &Guest) {
    let fence = Fence::new();
    let hidden = fence.at("src/.envrc");
    let mut answers: Vec<(Value, Value)> = Vec::new();
    for kind in ["missing", "file", "folder", "pipe", "circle", "outward"] {
        match kind {
            "file" => fs::write(&hidden, "x").unwrap(),
            "folder" => fs::create_dir(&hidden).unwrap(),
            "pipe" => assert!(Command::new("mkfifo").arg(&hidden).status().unwrap().success()),
            "circle" => drop(fence.link("src/.envrc", ".envrc")),
            "outward" => drop(fence.link("src/.envrc", "../secret.txt")),
            _ => {}
        }
        for (at, (tool, path)) in [
            ("read_text", "src/.envrc"),
            ("look_at", "src/.envrc"),
            ("look_at", "src/.envrc/x"),
            ("list_folder", "src/.envrc"),
            ("read_link", "src/.envrc"),
        ]
        .into_iter()
        .enumerate()
        {
            let called = fence.call(guest, tool, json!({ "path": path }));
            called.is_denied(&["masked"], &["is masked"]);
            let answer = (json!(called.report.outcome), json!(called.report.receipt.denials));
            match answers.get(at) {
                Some(before) => assert_eq!(*before, answer, "{kind}: {called}"),
                None => answers.push(answer),
            }
        }
        if hidden.is_dir() {
            fs::remove_dir(&hidden).unwrap();
        } else {
            let _ = fs::remove_file(&hidden);
        }
    }
}

fn a_listing_of_everything(guest: &Guest) {
    let fence = Fence::new();
    let listed = fence.call(guest, "list_folder", json!({ "path": "src" }));
    let mut names: Vec<_> =
        listed.done().as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a.txt", "sub"], "{listed}");
    let root = fence.call(guest, "list_folder", json!({ "path": "." }));
    assert_eq!(*root.done(), json!(["src"]), "{root}");
    assert!(listed.report.receipt.denials.is_empty(), "nothing hidden was asked for: {listed}");
}
