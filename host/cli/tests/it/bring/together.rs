//! Several commands on one project at the same time.

use super::{adder, digest, lock, project, sum};
use std::process::{Child, Stdio};

#[test]
fn of_commands_at_the_same_time_each_one_s_change_stays() {
    let home = project();
    let functions = ["one", "two", "three", "four"];
    let begin = |function: &&str| -> Child {
        let (path, bytes) = (format!("{function}.wasm"), adder(function, ""));
        home.write(&path, &bytes);
        let words = ["tool", "add", &path, "--approve", &digest(&bytes), "--project", "project"];
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = functions.iter().map(begin).collect();
    for child in children {
        let said = home.said(child.wait_with_output().unwrap());
        assert_eq!(said.code, 0, "{said}");
    }
    let text = lock(&home).unwrap();
    for function in functions {
        assert!(text.contains(&format!("name = \"{function}\"")), "{text}");
        assert_eq!(sum(&home, function).out, "42\n");
    }
}

#[test]
fn what_a_killed_command_has_left_is_removed_by_the_next_one() {
    let home = project();
    home.write("project/.ringfence.lock.aB3dE6", "half of it");
    assert_eq!(super::add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    let names = std::fs::read_dir(home.path().join("project")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["docs", "ringfence.lock", "src"]);
}
