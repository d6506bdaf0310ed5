//! A person at a terminal who is asked.

use super::{adder, lock, project, sum};
use crate::program::Home;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Gives a command on a terminal of its own, and types an answer to each question; all that was seen.
fn at_a_terminal(home: &Home, words: &[&str], answers: &[&str]) -> (Option<i32>, String) {
    let command = home.command(words);
    let line: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line: Vec<_> = line.iter().map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--echo", "never", "--command", &line.join(" "), "/dev/null"]);
    script.env_clear().env("SHELL", "/bin/sh").env("TERM", "xterm").current_dir(home.path());
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("util-linux's script");
    let (mut keyboard, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut seen, mut answers, mut chunk) = (String::new(), answers.iter(), [0; 4096]);
    let mut asked = 0;
    loop {
        let count = screen.read(&mut chunk).unwrap();
        if count == 0 {
            break;
        }
        seen.push_str(&String::from_utf8_lossy(&chunk[..count]));
        while seen.matches("[y/N] ").count() > asked {
            asked += 1;
            if let Some(answer) = answers.next() {
                keyboard.write_all(answer.as_bytes()).unwrap();
            }
        }
    }
    (child.wait().unwrap().code(), seen)
}

#[test]
fn a_component_is_added_only_by_a_yes() {
    let home = project();
    home.write("project/ringfence.toml", "grants.dirs = ['src']\n");
    home.write("a.wasm", adder("add", ""));
    let words = ["tool", "add", "a.wasm", "--project", "project"];
    let (code, seen) = at_a_terminal(&home, &words, &["n\n"]);
    assert!(code == Some(2) && seen.contains("Trust this configuration?"), "{seen}");
    for no in ["\n", "no\n"] {
        let answers = if no == "\n" { &["y\n", no][..] } else { &[no] };
        let (code, seen) = at_a_terminal(&home, &words, answers);
        assert!(
            code == Some(2) && seen.contains("Add `a` to ") && seen.contains("nothing was changed"),
            "{seen}"
        );
        assert_eq!(lock(&home), None);
    }
    let (code, seen) = at_a_terminal(&home, &words, &["y\n"]);
    assert!(code == Some(0) && seen.contains("pinned in ringfence.lock"), "{seen}");
    assert_eq!(sum(&home, "add").out, "42\n");
    home.write("a.wasm", adder("sum", ""));
    let (code, seen) = at_a_terminal(&home, &["tool", "update", "--project", "project"], &["n\n"]);
    assert!(code == Some(2) && seen.contains("it stays as it was pinned"), "{seen}");
    assert_eq!(sum(&home, "add").out, "42\n");
    let (code, seen) = at_a_terminal(&home, &["tool", "update", "--project", "project"], &["y\n"]);
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(sum(&home, "sum").out, "42\n");
}
