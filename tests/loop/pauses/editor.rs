//! A person at a terminal who edits the plan in `$EDITOR`.

use crate::{WORKED_EXAMPLE, product, shown, tools_called};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::messages_api::worked_example::{TASKS, script};
use ringfence_tests::product::Product;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

/// Types these lines at the command, on a terminal of its own: each once the menu is seen again.
fn at_a_terminal(product: &Product, arguments: &[&str], server: &MessagesApi, typed: &[&str]) -> Output {
    let command = product.command(arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted: Vec<_> =
        words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))).collect();
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--echo", "never", "--command", &quoted.join(" "), "/dev/null"]);
    script.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            script.env(name, value);
        }
    }
    let editor = product.home().join("editor.sh");
    script.env("EDITOR", &editor).env("SHELL", "/bin/sh").env("TERM", "xterm").envs(server.env());
    let mut child = script
        .current_dir(product.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("util-linux's script is there");
    let (mut keyboard, mut screen) =
        (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (mut seen, mut typed) = (Vec::new(), typed.iter());
    let mut chunk = [0; 4096];
    let mut read_to = 0;
    loop {
        let count = screen.read(&mut chunk).expect("it can be read");
        if count == 0 {
            break;
        }
        seen.extend_from_slice(&chunk[..count]);
        while let Some(at) = find(&seen[read_to..], b"[q] quit, resume later: ") {
            read_to += at + 1;
            if let Some(line) = typed.next() {
                keyboard.write_all(line.as_bytes()).expect("it can be typed");
            }
        }
    }
    let ended = child.wait_with_output().expect("it ends");
    Output { stdout: seen, ..ended }
}

fn find(within: &[u8], words: &[u8]) -> Option<usize> {
    within.windows(words.len()).position(|window| window == words)
}

/// An editor that does this to the file it is given.
fn editor(product: &Product, script: &str) {
    let path = product.home().join("editor.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_plan_that_was_edited_is_what_runs_as_a_new_version() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    // Keeps what it was given, then leaves one task of its own and one of the plan's.
    let plan = format!(
        "[[tasks]]\nid = \"entry\"\ndescription = \"{}\"\n\n[[tasks]]\nid = \"mine\"\ndescription = \"Say what README.md says\"\n",
        TASKS[2].description
    );
    fs::write(product.home().join("wanted.toml"), plan).unwrap();
    editor(&product, "cp \"$1\" given.toml; cp wanted.toml \"$1\"");
    let ended = at_a_terminal(&product, WORKED_EXAMPLE, &server, &["e\n", "y\n"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    let given = fs::read_to_string(product.home().join("given.toml")).expect("the editor was started");
    for task in TASKS {
        assert!(given.contains(task.id) && given.contains(task.description), "{given}");
    }
    assert!(said.contains("The plan as edited:"), "{said}");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), ["analyze_code", "read_file"]);
    let plans = &shown["state"]["plans"];
    assert_eq!((&plans[0]["author"], &plans[1]["author"]), (&"model".into(), &"person".into()), "{plans}");
    assert_eq!((&plans[0]["version"], &plans[1]["version"]), (&1.into(), &2.into()));
    assert_ne!(plans[0]["hash"], plans[1]["hash"]);
    assert_eq!((&plans[0]["approved"], &plans[1]["approved"]), (&false.into(), &true.into()));
}

#[test]
fn an_edit_that_can_t_be_read_changes_nothing_and_can_be_mended() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    // First a slip; the second time the same text comes back and is mended.
    editor(
        &product,
        "if grep -q slip \"$1\"; then sed -i '/slip/d' \"$1\"; else echo 'slip = [' >> \"$1\"; fi",
    );
    let ended = at_a_terminal(&product, WORKED_EXAMPLE, &server, &["e\n", "e\n", "y\n"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    assert!(said.contains("[e] opens your text again"), "{said}");
    let plans = shown(&product)["state"]["plans"].clone();
    assert_eq!(plans.as_array().map(Vec::len), Some(1), "the plan is as it was: {plans}");
}
