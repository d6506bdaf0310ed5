//! The lock is one of the project's files: it counts once somebody has confirmed it.

use super::{add, adder, digest, lock, project, sum, tool};

#[test]
fn a_stranger_s_lock_is_shown_and_not_trusted() {
    let (home, other) = (project(), project());
    assert_eq!(add(&home, "project/tools/a.wasm", &adder("add", ""), &[]).code, 0);
    other.write("project/tools/a.wasm", adder("add", ""));
    other.write("project/ringfence.lock", lock(&home).unwrap());
    let said = sum(&other, "add");
    assert!(said.code == 2 && said.err.contains("ringfence.lock)") && said.err.contains("--trust"), "{said}");
}

#[test]
fn a_lock_that_was_edited_by_hand_must_be_confirmed_again() {
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &["--dir", "src"]).code, 0);
    let edited =
        lock(&home).unwrap().replace("path = \"src\", access = \"read\"", "path = \".\", access = \"write\"");
    home.write("project/ringfence.lock", &edited);
    for words in [&["call", "add", "{}"][..], &["update"], &["remove", "a"]] {
        let said = tool(&home, words);
        assert!(said.code == 2 && said.err.contains("--trust"), "{said}");
    }
    assert_eq!(lock(&home).unwrap(), edited);
}

#[test]
fn adding_to_a_project_that_nobody_has_confirmed_asks_for_that_first() {
    let home = project();
    home.write("project/ringfence.toml", "grants.dirs = ['src']\n");
    let bytes = adder("add", "");
    let said = add(&home, "a.wasm", &bytes, &[]);
    assert!(said.code == 2 && said.err.contains("--trust"), "{said}");
    assert_eq!(lock(&home), None);
    let hash: String = said.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    let said = tool(&home, &["add", "a.wasm", "--approve", &digest(&bytes), "--trust", &hash]);
    assert_eq!(said.code, 0, "{said}");
    assert_eq!(sum(&home, "add").out, "42\n", "whoever approved the component has confirmed the lock");
    home.write("project/ringfence.toml", "grants.dirs = ['src', 'docs']\n");
    assert_eq!(sum(&home, "add").code, 2);
}

#[test]
fn a_project_can_t_say_which_keys_are_trusted_nor_lead_out_of_itself() {
    let home = project();
    home.write("project/ringfence.toml", "[[trusted_keys]]\nsource = 'oci://r.example/'\nkey = 'k.pub'\n");
    let said = home.run(["policy", "check", "project"]);
    assert!(said.code == 2 && said.err.contains("it would vouch for itself"), "{said}");
    let home = project();
    home.write("outside.wasm", adder("add", ""));
    std::os::unix::fs::symlink(home.path().join("outside.wasm"), home.path().join("project/link.wasm"))
        .unwrap();
    let said = tool(&home, &["add", "project/link.wasm", "--approve", &digest(&adder("add", ""))]);
    assert!(said.code == 2 && said.err.contains("link"), "{said}");
}
