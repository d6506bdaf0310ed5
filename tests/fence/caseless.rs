//! Projects on file systems that take names for one that differ in case: exFAT and NTFS.

use crate::bench::{Called, Fence};
use crate::guests::Guest;
use crate::mounted::Mounted;
use crate::threat::threats;
use serde_json::{Value, json};
use std::fs;

threats! {
    "A hidden file, in every spelling that the file system takes for its name, as it is and as it is stored",
        Masks, "that it is masked; it isn't listed"
        => Caseless a_hidden_file_in_another_case;
    "A file outside the grant, by the granted folder's name in another case",
        View, "what was asked and what is granted"
        => Caseless a_granted_folder_in_another_case;
    "Changing a folder that is granted for reading within one for writing, by its name in another case",
        View, "what was asked, what is granted, and which grant it is spelled like"
        => Caseless a_grant_for_reading_in_another_case;
    "What a grant hides that lies within another one, by that grant's name in another case",
        View, "what was asked, what is granted, and which grant it is spelled like"
        => Caseless what_a_deeper_grant_hides_in_another_case;
    "Changing one file under two spellings of its name",
        Knowledge, "that it is changed already under another spelling"
        => Caseless a_file_under_two_spellings;
    "Overwriting and deleting a file that was never read, by its name in another case",
        Knowledge, "that it was not read first"
        => Caseless an_unread_file_in_another_case;
    "Renaming a file to its own name in another case",
        Stage, "the tool's own error: there is such a file"
        => Caseless a_file_renamed_to_itself;
    "Two new files whose names the file system takes for one",
        Stage, "what it asked for; applied, one is set aside, and the person is told where"
        => Caseless two_new_files_of_one_name;
}

fn each(attack: impl Fn(&Fence, &Guest), granted: &[&str], guest: &Guest) {
    for mounted in Mounted::each() {
        attack(&Fence::granting_in(mounted.path(), granted), guest);
    }
}

fn change(fence: &Fence, guest: &Guest, how: &str, path: &str, other: &str) -> Called {
    fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }))
}

fn a_hidden_file_in_another_case(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        fence.file("src/ID_RSA", "x").file("src/Key.PEM", "x");
        for path in ["src/.ENV", "src/.Env", "src/.GIT/config", "src/id_rsa", "src/ID_rsa", "src/key.pem"] {
            for tool in ["read_text", "look_at"] {
                fence.call(guest, tool, json!({ "path": path })).is_denied(&["masked"], &["is masked"]);
            }
        }
        let listed = fence.call(guest, "list_folder", json!({ "path": "src" }));
        let mut names: Vec<_> = listed.done().as_array().unwrap().iter().filter_map(Value::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["a.txt", "sub"], "{listed}");
    };
    each(attack, &["src"], guest);
}

fn a_granted_folder_in_another_case(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        for path in ["SRC/a.txt", "LIB/secret.txt", "src/../Lib/secret.txt", "SRC2/secret.txt"] {
            let called = fence.call(guest, "read_text", json!({ "path": path }));
            called.is_denied(&["not_granted"], &["is outside the granted folders (src, read)"]);
        }
    };
    each(attack, &["src"], guest);
}

fn a_grant_for_reading_in_another_case(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        let before = fence.content();
        let like =
            ["is outside the granted folders (., write; lib, read)", "spelled like lib, and not the same"];
        for path in ["LIB/a.txt", "Lib/a.txt", "src/../LIB/new", "LIB/sub/new"] {
            for how in ["create", "append", "truncate", "remove", "make-folder"] {
                change(fence, guest, how, path, "").is_denied(&["not_granted"], &like);
            }
            fence.call(guest, "read_text", json!({ "path": path })).is_denied(&["not_granted"], &like);
        }
        for (from, to) in [("LIB", "other"), ("src/a.txt", "LIB/a.txt"), ("LIB/a.txt", "src/a.txt")] {
            fence.call(guest, "read_text", json!({ "path": "src/a.txt" })).done();
            change(fence, guest, "rename", from, to).is_denied(&["not_granted"], &like);
        }
        change(fence, guest, "remove-folder", "LIB", "").is_denied(&["not_granted"], &like);
        fence.nothing_stays();
        assert_eq!(fence.content(), before);
    };
    each(|fence, guest| attack(fence.file("lib/a.txt", "theirs"), guest), &[".:write", "lib"], guest);
}

fn what_a_deeper_grant_hides_in_another_case(guest: &Guest) {
    for mounted in Mounted::each() {
        let fence = Fence::masking_in(mounted.path(), &[".", "lib"], &["secret.*"]);
        let before = fence.content();
        for path in ["LIB/secret.txt", "lib/../Lib/secret.txt", "LIB/SECRET.TXT"] {
            let called = fence.call(guest, "read_text", json!({ "path": path }));
            called.is_denied(&["not_granted"], &["spelled like lib, and not the same"]);
        }
        for path in ["lib/secret.txt", "lib/SECRET.TXT"] {
            let called = fence.call(guest, "read_text", json!({ "path": path }));
            called.is_denied(&["masked"], &["is masked"]);
        }
        assert_eq!(fence.content(), before);
    }
}

fn a_file_under_two_spellings(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        for path in ["src/a.txt", "src/A.TXT", "SRC/a.txt"] {
            let called = fence.call(guest, "read_text", json!({ "path": path }));
            assert_eq!(called.report.receipt.denials.is_empty(), path.starts_with("src"), "{called}");
        }
        change(fence, guest, "append", "src/a.txt", "").done();
        let written = json!({ "path": "src/a.txt", "text": "mine", "at": 0 });
        fence.call(guest, "write_at", written).done();
        for how in ["create", "append", "truncate", "remove"] {
            let called = change(fence, guest, how, "src/A.TXT", "");
            called.is_denied(&["other_spelling"], &["under another spelling of its name"]);
        }
        for (from, to) in [("src/A.TXT", "src/b.txt"), ("src/sub/b.txt", "src/A.TXT")] {
            let called = change(fence, guest, "rename", from, to);
            called.is_denied(&["other_spelling"], &["under another spelling of its name"]);
        }
        assert_eq!(fence.staged(), ["src/a.txt"]);
        assert_eq!(fence.apply().unwrap().set_aside, []);
        assert!(fs::read_to_string(fence.at("src/a.txt")).unwrap().starts_with("mine"));
    };
    each(attack, &["src:write"], guest);
}

fn an_unread_file_in_another_case(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        let before = fence.content();
        for how in ["create", "append", "truncate", "remove"] {
            change(fence, guest, how, "src/A.TXT", "").is_denied(&["not_read"], &["it was not read first"]);
        }
        fence.nothing_stays();
        assert_eq!(fence.content(), before);
    };
    each(attack, &["src:write"], guest);
}

fn a_file_renamed_to_itself(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        for read in ["src/a.txt", "src/A.TXT"] {
            fence.call(guest, "read_text", json!({ "path": read })).done();
            for (from, to) in [("src/a.txt", "src/A.TXT"), ("src/A.TXT", "src/a.txt"), ("src/sub", "src/Sub")]
            {
                change(fence, guest, "rename", from, to).is_failure();
            }
        }
        fence.nothing_stays();
    };
    each(attack, &["src:write"], guest);
}

fn two_new_files_of_one_name(guest: &Guest) {
    let attack = |fence: &Fence, guest: &Guest| {
        for path in ["src/NEW.txt", "src/new.txt"] {
            fence.call(guest, "write_at", json!({ "path": path, "text": path, "at": 0 })).done();
        }
        let applied = fence.apply().unwrap();
        let [aside] = &applied.set_aside[..] else { panic!("{applied:?}") };
        assert_eq!(fs::read_to_string(fence.at(&aside.now_at.to_string())).unwrap(), "src/NEW.txt");
        assert_eq!(fs::read_to_string(fence.at("src/new.txt")).unwrap(), "src/new.txt");
    };
    each(attack, &["src:write"], guest);
}
