//! Changes: what a tool tries to leave behind in the project. Here where nothing may be changed;
//! below, where it is staged.

pub(crate) mod amounts;
pub(crate) mod applying;
pub(crate) mod cut_off;
mod driven;
pub(crate) mod knowing;
pub(crate) mod places;

use crate::bench::Fence;
use crate::guests::Guest;
use crate::threat::threats;
use serde_json::json;

threats! {
    "Creating, appending, truncating, deleting, renaming, linking, touching in a grant for reading",
        Access, "that it can't be changed: the grant is for reading"
        => EveryLanguage a_change_in_a_grant_for_reading;
    "Creating or renaming to a place outside every grant",
        View, "what was asked and what is granted"
        => EveryLanguage a_change_outside_the_grant;
    "Renaming something hidden to a name that isn't",
        Masks, "that it is masked"
        => EveryLanguage a_hidden_file_under_a_new_name;
}

const CHANGES: &[(&str, &str, &str)] = &[
    ("create", "src/new", ""),
    ("create", "src/a.txt", ""),
    ("append", "src/a.txt", ""),
    ("truncate", "src/a.txt", ""),
    ("make-folder", "src/new", ""),
    ("remove", "src/a.txt", ""),
    ("remove-folder", "src/sub", ""),
    ("rename", "src/a.txt", "src/c.txt"),
    ("hard-link", "src/a.txt", "src/c.txt"),
    ("soft-link", "a.txt", "src/c.txt"),
    ("touch", "src/a.txt", ""),
];

fn a_change_in_a_grant_for_reading(guest: &Guest) {
    let fence = Fence::new();
    let before = fence.content();
    for (how, path, other) in CHANGES {
        let called = fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }));
        called.is_denied(&["read_only"], &["can't be changed: the grant is for reading (src, read)"]);
    }
    assert_eq!(fence.content(), before);
}

fn a_change_outside_the_grant(guest: &Guest) {
    let fence = Fence::new();
    let before = fence.content();
    for (how, path, other) in [
        ("create", "lib/new", ""),
        ("truncate", "lib/secret.txt", ""),
        ("make-folder", "../new", ""),
        ("remove", "lib/secret.txt", ""),
        ("rename", "src/a.txt", "lib/a.txt"),
        ("rename", "lib/secret.txt", "src/b"),
        ("hard-link", "lib/secret.txt", "src/b"),
        ("soft-link", "../lib/secret.txt", "lib/b"),
    ] {
        let called = fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }));
        called.is_denied(&["not_granted", "leaves_root", "read_only"], &["src, read)"]);
    }
    assert_eq!(fence.content(), before);
}

fn a_hidden_file_under_a_new_name(guest: &Guest) {
    let fence = Fence::new();
    let before = fence.content();
    for (how, path, other) in [
        ("rename", "src/.env", "src/seen.txt"),
        ("hard-link", "src/.env", "src/seen.txt"),
        ("rename", "src/.git", "src/seen"),
        ("rename", "src/a.txt", "src/.env"),
    ] {
        let called = fence.call(guest, "change", json!({ "how": how, "path": path, "other": other }));
        called.is_denied(&["masked", "read_only"], &[]);
    }
    assert_eq!(fence.content(), before);
}
