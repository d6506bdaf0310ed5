//! Where a tool that may change one folder tries to change something else: outside, through
//! links, in what is hidden, from one grant into another, in place of what is no file.

use crate::bench::{Called, Fence};
use crate::files::while_doing;
use crate::guests::Guest;
use crate::standing::Standing;
use crate::threat::threats;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Command;

threats! {
    "Creating, overwriting, deleting, renaming outside of the folder that may be changed",
        View, "what was asked and what is granted"
        => EveryLanguage a_change_outside_of_the_grant;
    "The same through a link that leads out, a chain of them, a link to nothing, a link to `/`",
        View, "that it is or goes through a link that leaves the granted folders"
        => EveryLanguage a_change_through_a_link;
    "Making a link or a hard link, inward or outward, and opening it",
        View, "that links can't be made or moved; there is none then"
        => EveryLanguage a_link_that_a_tool_makes;
    "Changing a file in the grant that is a hard link to one outside",
        Stage, "nothing; when it is applied, the name in the grant gets a file of its own"
        => EveryLanguage a_hard_link_to_a_file_outside;
    "Renaming from one grant into another, from and to one for reading, a grant itself, a folder that holds one",
        Access, "that it can't be moved from one grant into another, is granted itself, or is for reading"
        => EveryLanguage a_rename_across_grants;
    "Renaming or removing a folder that something hidden lies in",
        Masks, "that something in it is hidden"
        => EveryLanguage a_folder_that_holds_something_hidden;
    "Making, overwriting, deleting a hidden name, in capitals, with a dot or nothing visible after it; renaming to and from it",
        Masks, "that it is masked"
        => EveryLanguage a_hidden_name;
    "The same with `.ringfence`",
        Masks, "that it is hidden from all tools"
        => EveryLanguage the_state_folder_of_the_project;
    "Opening, emptying, deleting, renaming a pipe, a socket, a device; renaming over it, and with its folder",
        Kinds, "that it is a pipe, socket or device"
        => EveryLanguage a_pipe_a_socket_a_device;
    "A folder swapped for a link that leads out, again and again while files are created in it",
        Walk, "that a file was made, or a refusal; what is staged lies in the grant"
        => EveryLanguage a_folder_swapped_while_files_are_made;
}

fn change(fence: &Fence, guest: &Guest, (how, path, other): (&str, &str, &str)) -> Called {
    let called = fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }));
    assert_eq!(called.written(), [""; 0], "{called}");
    called
}

/// Each is refused for one of these reasons, and changes nothing.
fn refused(fence: &Fence, guest: &Guest, changes: &[(&str, &str, &str)], reasons: &[&str], word: &str) {
    let before = fence.content();
    for asked in changes {
        change(fence, guest, *asked).is_denied(reasons, &[word]);
    }
    assert_eq!(fence.content(), before);
    fence.nothing_stays();
}

fn a_change_outside_of_the_grant(guest: &Guest) {
    let fence = Fence::writing();
    let changes = [
        ("create", "lib/new", ""),
        ("create", "lib/secret.txt", ""),
        ("append", "secret.txt", ""),
        ("truncate", "src/../lib/secret.txt", ""),
        ("make-folder", "../new", ""),
        ("make-folder", "/tmp/new", ""),
        ("remove", "lib/secret.txt", ""),
        ("remove-folder", "lib", ""),
        ("rename", "src/a.txt", "lib/a.txt"),
        ("rename", "lib/secret.txt", "src/b"),
        ("touch", "lib/secret.txt", ""),
    ];
    refused(&fence, guest, &changes, &["not_granted", "leaves_root"], "src, write)");
}

fn a_change_through_a_link(guest: &Guest) {
    let fence = Fence::writing();
    fence
        .link("src/file", "../secret.txt")
        .link("src/folder", "../lib")
        .link("src/again", "folder")
        .link("src/nothing", "../new")
        .link("src/root", "/")
        .link("src/into", fence.at("src/a.txt"));
    let changes = [
        ("create", "src/file", ""),
        ("append", "src/file", ""),
        ("truncate", "src/file", ""),
        ("create", "src/nothing", ""),
        ("create", "src/into", ""),
        ("create", "src/folder/new", ""),
        ("make-folder", "src/again/new", ""),
        ("remove", "src/folder/secret.txt", ""),
        ("remove", "src/again/secret.txt", ""),
        ("rename", "src/a.txt", "src/folder/a.txt"),
        ("rename", "src/again/secret.txt", "src/b"),
        ("create", "src/root/tmp/new", ""),
    ];
    refused(&fence, guest, &changes, &["link_leaves"], "goes through a link that leaves the granted folders");
    assert!(!fence.at("new").exists());
    // A link that is there can be taken away, not moved.
    refused(&fence, guest, &[("rename", "src/file", "src/b")], &["no_links"], "links can't be made or moved");
    let removed = fence.call(guest, "change", json!({ "how": "remove", "path": "src/file", "other": "" }));
    assert_eq!(removed.written(), ["src/file"], "{removed}");
    fence.apply().unwrap();
    assert!(fence.at("secret.txt").exists() && fs::symlink_metadata(fence.at("src/file")).is_err());
}

fn a_link_that_a_tool_makes(guest: &Guest) {
    let fence = Fence::writing();
    for (how, target, name) in [
        ("soft-link", "a.txt", "src/c"),
        ("soft-link", "../secret.txt", "src/c"),
        ("soft-link", "../../../../etc/passwd", "src/c"),
        ("hard-link", "src/a.txt", "src/c"),
        ("hard-link", "lib/secret.txt", "src/c"),
        ("hard-link", "src/.env", "src/c"),
    ] {
        refused(&fence, guest, &[(how, target, name)], &["no_links"], "links can't be made or moved");
        fence.call(guest, "read_text", json!({ "path": name })).is_failure();
    }
    let outward = [("hard-link", "src/a.txt", "lib/c"), ("soft-link", "../src/a.txt", "lib/c")];
    refused(&fence, guest, &outward, &["not_granted"], "src, write)");
}

fn a_hard_link_to_a_file_outside(guest: &Guest) {
    let fence = Fence::writing();
    fence.file("lib/other", "a person's own");
    fs::hard_link(fence.at("lib/other"), fence.at("src/hard")).unwrap();
    let before = fence.content();
    fence.call(guest, "read_text", json!({ "path": "src/hard" })).done();
    for how in ["append", "truncate", "create"] {
        let called = fence.call(guest, "change", json!({ "how": how, "path": "src/hard", "other": "" }));
        assert_eq!(called.written(), ["src/hard"], "{called}");
    }
    assert_eq!(fence.content(), before);
    fence.apply().unwrap();
    assert_eq!(fs::read_to_string(fence.at("src/hard")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(fence.at("lib/other")).unwrap(), "a person's own");
}

fn a_rename_across_grants(guest: &Guest) {
    let fence = Fence::granting(&["src:write", "src2:write", "lib", "src/sub"]);
    let changes = [
        ("rename", "src/a.txt", "src2/a.txt"),
        ("rename", "src2/secret.txt", "src/b"),
        ("rename", "src2", "src/b"),
        ("rename", "src", "src2/b"),
    ];
    refused(&fence, guest, &changes, &["crosses_grants", "grant_itself"], "grant");
    let changes = [
        ("rename", "src/a.txt", "lib/a.txt"),
        ("rename", "lib/secret.txt", "src/b"),
        ("rename", "src/a.txt", "src/sub/a.txt"),
        ("rename", "src/sub/b.txt", "src/b"),
        ("rename", "src/sub", "src/b"),
        ("remove-folder", "src/sub", ""),
    ];
    refused(&fence, guest, &changes, &["read_only"], "the grant is for reading");
    let fence = Fence::granting(&["src:write", "src/sub:write"]);
    let changes =
        [("remove-folder", "src/sub", ""), ("remove-folder", "src", ""), ("rename", "src/sub", "src/sub2")];
    refused(&fence, guest, &changes, &["grant_itself", "crosses_grants"], "grant");
}

fn a_folder_that_holds_something_hidden(guest: &Guest) {
    let fence = Fence::writing();
    fence.file("src/keys/deep/.env", "x");
    fs::create_dir(fence.at("src/empty")).unwrap();
    let changes = [
        ("remove-folder", "src/keys/deep", ""),
        ("rename", "src/keys/deep", "src/b"),
        ("rename", "src/keys", "src/b"),
        ("rename", "src/empty", "src/keys/deep"),
    ];
    refused(&fence, guest, &changes, &["holds_hidden"], "something in it is hidden from tools");
}

fn a_hidden_name(guest: &Guest) {
    let fence = Fence::writing();
    for name in
        [".env", ".ENV", ".e\u{200b}nv", ".env.", "id_rsa", "ID_RSA", "sub/server.PEM", ".git", ".Git."]
    {
        let path = &format!("src/{name}");
        let changes = [
            ("create", path.as_str(), ""),
            ("make-folder", path, ""),
            ("remove", path, ""),
            ("rename", path, "src/seen"),
            ("rename", "src/a.txt", path),
            ("rename", "src/sub", path),
        ];
        refused(&fence, guest, &changes, &["masked"], "is masked");
    }
}

fn the_state_folder_of_the_project(guest: &Guest) {
    let fence = Fence::granting(&[".:write"]);
    for name in [".ringfence", ".RingFence", ".ringfence.", "src/../.ringfence", ".ring\u{200b}fence"] {
        let inside = &format!("{name}/state");
        let changes = [
            ("create", inside.as_str(), ""),
            ("make-folder", name, ""),
            ("remove", inside, ""),
            ("rename", name, "seen"),
            ("rename", inside, "seen"),
            ("rename", "src/a.txt", inside),
        ];
        refused(&fence, guest, &changes, &["masked"], "is hidden from all tools");
    }
}

fn a_pipe_a_socket_a_device(guest: &Guest) {
    let fence = Fence::writing();
    fs::create_dir(fence.at("src/odd")).unwrap();
    assert!(Command::new("mkfifo").arg(fence.at("src/odd/pipe")).status().unwrap().success());
    let _socket = UnixListener::bind(fence.at("src/odd/socket")).unwrap();
    let device =
        Command::new("mknod").arg(fence.at("src/odd/device")).args(["c", "1", "3"]).output().unwrap();
    let mut names = vec!["src/odd/pipe", "src/odd/socket"];
    if device.status.success() {
        names.push("src/odd/device");
    } else {
        eprintln!("SKIPPED: no device can be made here: {}", String::from_utf8_lossy(&device.stderr));
    }
    // What it would take the content of is known.
    fence.call(guest, "read_text", json!({ "path": "src/a.txt" })).done();
    for path in names {
        let changes = [
            ("create", path, ""),
            ("append", path, ""),
            ("truncate", path, ""),
            ("remove", path, ""),
            ("rename", path, "src/b"),
            ("rename", "src/a.txt", path),
            ("rename", "src/odd", "src/b"),
        ];
        refused(&fence, guest, &changes, &["special_file"], "is a pipe, socket or device");
    }
}

fn a_folder_swapped_while_files_are_made(guest: &Guest) {
    let fence = Fence::writing();
    fence.file("src/folder/there", "granted").link("src/other", "../lib");
    let lib = Standing::of(&fence.at("lib"));
    let (one, other) = (fence.at("src/folder"), fence.at("src/other"));
    let again = |_| renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
    let called = while_doing(again, || {
        fence.call(guest, "create_many", json!({ "folder": "src/folder", "times": 2_000 }))
    });
    let outcomes = called.done().to_string();
    assert!(outcomes.contains("\"made\"") && outcomes.contains("error: "), "{outcomes}");
    assert!(called.denials().iter().all(|reason| reason == "link_leaves"), "{called}");
    assert!(fence.staged().iter().all(|place| place.starts_with("src/folder/made")), "{called}");
    if fs::symlink_metadata(&one).unwrap().is_symlink() {
        again(0);
    }
    assert_eq!(fs::read_dir(&one).unwrap().count(), 1);
    fence.apply().unwrap();
    assert_eq!(Standing::of(&fence.at("lib")), lib);
    assert!(fs::read_dir(&one).unwrap().count() > 1);
}
