//! Links, and things that are swapped for others while they are opened.

use crate::bench::{Called, Fence};
use crate::files::while_doing;
use crate::guests::Guest;
use crate::threat::threats;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::process::Command;

threats! {
    "A link in the grant that leads out of it: to a file, to a folder, far up, by a full path",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_link_that_leaves_the_grant;
    "A link to a link to a link that leads out, some of them folders, one behind a `..`",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_chain_of_links;
    "A link that leads to itself, two that lead to each other, and a hundred in a row",
        View, "the tool's own error: too many links"
        => EveryLanguage links_in_a_circle;
    "A link that leads to nothing, in and out of the grant",
        View, "no such file, or that the link leaves the granted folders"
        => EveryLanguage a_link_that_dangles;
    "A slash after a link that leads out",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_slash_after_a_link;
    "A link to the kernel's own ways out: `/proc/self/root`, `/proc/self/fd/0`, `/proc/self/cwd`",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_link_to_the_kernel_s_own_links;
    "A link from one granted folder to another, where only one of them may be seen through it",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_link_from_one_grant_to_what_is_not_granted;
    "A folder swapped for a link that leads out, 100,000 times while it is opened",
        Walk, "the file in the grant, or a refusal; never the other"
        => EveryLanguage a_folder_swapped_for_a_link;
    "A file swapped for a link that leads out, or for a hidden name, while it is opened",
        Walk, "the file in the grant, or a refusal; never the other"
        => EveryLanguage a_file_swapped_for_a_link;
    "A file swapped for a pipe that nobody writes to while it is opened",
        Kinds, "the file, or a refusal; nothing waits"
        => EveryLanguage a_file_swapped_for_a_pipe;
}

const LEAVES: &str = "is or goes through a link that leaves the granted folders (src, read)";

fn refused(called: Called) {
    called.is_denied(&["link_leaves"], &[LEAVES]);
}

fn a_link_that_leaves_the_grant(guest: &Guest) {
    let fence = Fence::new();
    fence
        .link("src/file", "../secret.txt")
        .link("src/far", "../../secret.txt")
        .link("src/folder", "../lib")
        .link("src/absolute", fence.at("secret.txt"))
        .link("src/into", fence.at("src/a.txt"))
        .link("src/root", "/");
    for path in
        ["src/file", "src/far", "src/absolute", "src/into", "src/folder/secret.txt", "src/root/etc/passwd"]
    {
        for tool in ["read_text", "look_at"] {
            refused(fence.call(guest, tool, json!({ "path": path })));
        }
    }
    for path in ["src/folder", "src/root"] {
        refused(fence.call(guest, "list_folder", json!({ "path": path })));
    }
    let inside = Fence::new();
    inside.link("src/inside", "sub/../a.txt");
    let called = inside.call(guest, "read_text", json!({ "path": "src/inside" }));
    assert_eq!(called.done(), "granted", "a link that stays is followed: {called}");
}

fn a_chain_of_links(guest: &Guest) {
    let fence = Fence::new();
    fence
        .link("src/three", "../secret.txt")
        .link("src/two", "three")
        .link("src/one", "sub/../two")
        .link("src/here", ".")
        .link("src/up", "../lib")
        .link("src/sub/back", "../here/up");
    for path in
        ["src/one", "src/here/one", "src/here/here/two", "src/sub/back/secret.txt", "src/here/up/secret.txt"]
    {
        refused(fence.call(guest, "read_text", json!({ "path": path })));
    }
}

fn links_in_a_circle(guest: &Guest) {
    let fence = Fence::new();
    fence
        .link("src/self", "self")
        .link("src/left", "right")
        .link("src/right", "left")
        .link("src/l0", "a.txt");
    for at in 1..100 {
        fence.link(&format!("src/l{at}"), format!("l{}", at - 1));
    }
    for path in ["src/self", "src/left", "src/l99", "src/self/x"] {
        fence.call(guest, "read_text", json!({ "path": path })).is_failure();
    }
}

fn a_link_that_dangles(guest: &Guest) {
    let fence = Fence::new();
    fence.link("src/inner", "none").link("src/outer", "../none");
    fence.call(guest, "read_text", json!({ "path": "src/inner" })).is_failure();
    refused(fence.call(guest, "read_text", json!({ "path": "src/outer" })));
    let made = fence.call(guest, "change", json!({ "how": "create", "path": "src/outer", "other": "" }));
    made.is_denied(&["link_leaves", "read_only"], &["(src, read)"]);
    assert!(!fence.at("none").exists());
}

fn a_slash_after_a_link(guest: &Guest) {
    let fence = Fence::new();
    fence.link("src/folder", "../lib").link("src/file", "../secret.txt");
    for path in ["src/folder/", "src/folder/.", "src/folder//", "src/file/", "src/file/."] {
        for tool in ["look_at", "list_folder"] {
            refused(fence.call(guest, tool, json!({ "path": path })));
        }
    }
}

fn a_link_to_the_kernel_s_own_links(guest: &Guest) {
    let fence = Fence::new();
    for (name, target) in [("root", "/proc/self/root"), ("fd", "/proc/self/fd/0"), ("cwd", "/proc/self/cwd")]
    {
        let path = format!("src/{name}");
        fence.link(&path, target);
        refused(fence.call(guest, "read_text", json!({ "path": path })));
        refused(fence.call(guest, "look_at", json!({ "path": format!("{path}/etc/passwd") })));
    }
}

fn a_link_from_one_grant_to_what_is_not_granted(guest: &Guest) {
    let fence = Fence::granting(&["src", "src2"]);
    fence.link("src/over", "../lib/secret.txt").link("src2/over", "../src/../lib/secret.txt");
    for path in ["src/over", "src2/over"] {
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        called
            .is_denied(&["link_leaves"], &["a link that leaves the granted folders (src, read; src2, read)"]);
    }
}

/// Exchanges two names again and again while a guest reads.
fn swapped(fence: &Fence, guest: &Guest, one: &str, other: &str, path: &str, times: u32) -> Called {
    let (one, other) = (fence.at(one), fence.at(other));
    let again = |_| renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
    while_doing(again, || fence.call(guest, "read_again", json!({ "path": path, "times": times })))
}

/// Both were met, and neither was a secret; `call` has looked at that.
fn both_were_met(called: &Called) {
    let outcomes = called.done().as_array().unwrap();
    let texts: Vec<_> = outcomes.iter().map(|outcome| outcome.as_str().unwrap()).collect();
    assert!(texts.contains(&"granted") && texts.iter().any(|text| text.starts_with("error: ")), "{called}");
    assert!(texts.iter().all(|text| *text == "granted" || text.starts_with("error: ")), "{called}");
}

/// Times that a file is opened. Python and its library take some ten times as long for each.
fn times(guest: &Guest, most: u32) -> u32 {
    if guest.language == "python" { most / 20 } else { most }
}

fn a_folder_swapped_for_a_link(guest: &Guest) {
    let fence = Fence::new();
    fence.file("src/folder/secret.txt", "granted").link("src/other", "../lib");
    both_were_met(&swapped(
        &fence,
        guest,
        "src/folder",
        "src/other",
        "src/folder/secret.txt",
        times(guest, 100_000),
    ));
}

fn a_file_swapped_for_a_link(guest: &Guest) {
    for (name, target) in [("file", "../lib/secret.txt"), ("hidden", ".env")] {
        let fence = Fence::new();
        let path = format!("src/{name}");
        fence.file(&path, "granted").link("src/other", target);
        both_were_met(&swapped(&fence, guest, &path, "src/other", &path, times(guest, 20_000)));
    }
}

fn a_file_swapped_for_a_pipe(guest: &Guest) {
    let fence = Fence::new();
    fence.file("src/file", "granted");
    assert!(Command::new("mkfifo").arg(fence.at("src/other")).status().unwrap().success());
    both_were_met(&swapped(&fence, guest, "src/file", "src/other", "src/file", times(guest, 20_000)));
}
