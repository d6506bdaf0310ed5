//! The state folder is the user's alone, and the project is never written to.

use crate::program::Home;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Every entry below a folder with its mode, size and time of change.
fn entries(folder: &Path) -> BTreeMap<PathBuf, (u32, u64, i64)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        found.insert(path.clone(), (meta.mode(), meta.len(), meta.ctime_nsec()));
        if meta.is_dir() {
            found.extend(entries(&path));
        }
    }
    found
}

#[test]
fn nothing_is_written_into_the_project() {
    let home = Home::new();
    home.write("project/src/a.txt", "a\n");
    let project = home.path().join("project");
    let before = entries(&project);
    assert_eq!(home.run(["tool", "list", "project"]).code, 0);
    assert_eq!(
        home.run(["tool", "call", "read_file", "--project", "project", "--arg", "file_path=src/a.txt"]).code,
        0
    );
    assert_eq!(entries(&project), before);
}

#[test]
fn a_given_state_folder_holds_everything() {
    let home = Home::new();
    home.write("project/src/a.txt", "a\n");
    let state = home.path().join("st");
    let call = [
        "tool",
        "call",
        "read_file",
        "--project",
        "project",
        "--arg",
        "file_path=src/a.txt",
        "--state",
        "st",
    ];
    assert_eq!(home.run(call).code, 0);
    assert!(state.join("code").is_dir());
    assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
    assert!(!home.path().join(".local").exists());
}

#[test]
fn a_state_folder_that_isn_t_the_user_s_alone_is_refused() {
    let home = Home::new();
    fs::create_dir(home.path().join("project")).unwrap();
    let state = home.path().join("st");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    let list = |state: &str| home.run(["tool", "list", "project", "--state", state]);
    let said = list("st");
    assert!(said.code == 2 && said.err.contains("chmod 700 [HOME]/st"), "{said}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&state, home.path().join("link")).unwrap();
    let said = list("link");
    assert!(said.code == 2 && said.err.contains("is a link"), "{said}");
    assert_eq!(list("st").code, 0);
}

#[test]
fn a_state_folder_that_tools_could_read_is_refused() {
    let home = Home::new();
    home.write("project/src/a.txt", "a\n");
    let call = |state: &str, dir: &str| {
        let words = ["tool", "call", "read_file", "--project", "project", "--arg", "file_path=src/a.txt"];
        home.run(words.iter().chain(&["--state", state, "--dir", dir]))
    };
    let said = call("project/st", ".");
    assert!(said.code == 2 && said.err.contains("tools could read it"), "{said}");
    assert!(!home.path().join("project/st").exists());
    assert_eq!(call("project/st", "src").code, 0);
    assert_eq!(call("project/.ringfence/st", ".").code, 0);
    assert_eq!(home.run(["tool", "list", "project", "--state", "project/st"]).code, 0);
}

#[test]
fn a_missing_home_is_an_error_that_names_the_way_out() {
    let home = Home::new();
    let output = home.command(["doctor"]).env("HOME", "").output().unwrap();
    let said = home.said(output);
    assert!(!said.err.contains("panicked"), "{said}");
    assert!(said.code != 101, "{said}");
}
