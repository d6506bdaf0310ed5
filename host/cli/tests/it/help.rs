//! Help texts, usage errors, completions.

use crate::program::Home;
use insta::assert_snapshot;

#[test]
fn every_command_has_a_help_text() {
    let home = Home::new();
    assert_snapshot!("help", home.run(["--help"]));
    for command in [
        "run",
        "resume",
        "fork",
        "replay",
        "supervise",
        "runs",
        "show",
        "report",
        "analyze",
        "grant",
        "policy",
        "tool",
        "doctor",
        "completions",
    ] {
        assert_snapshot!(format!("help_{command}"), home.run([command, "--help"]));
    }
    for command in ["init", "check", "show", "explain", "schema"] {
        assert_snapshot!(format!("help_policy_{command}"), home.run(["policy", command, "--help"]));
    }
    let tool =
        ["list", "inspect", "call", "new", "build", "test", "add", "remove", "update", "fetch", "push"];
    for command in tool {
        assert_snapshot!(format!("help_tool_{command}"), home.run(["tool", command, "--help"]));
    }
}

#[test]
fn usage_errors_exit_with_2_and_say_what_is_wanted() {
    let home = Home::new();
    let bad: [&[&str]; 10] = [
        &[],
        &["runn"],
        &["run", ".", "goal", "--model", "gpt"],
        &["run", ".", "goal", "--max-time", "30"],
        &["run", ".", "goal", "--pause", "sometimes"],
        &["run", ".", "goal", "--dir", "../up"],
        &["run", ".", " "],
        &["resume", "x", "--approve", "--abort"],
        &["report", "x", "--format", "pdf"],
        &["grant", "x"],
    ];
    let mut said = String::new();
    for arguments in bad {
        let ended = home.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}");
        assert_eq!(ended.out, "", "{arguments:?}");
        said.push_str(&format!("$ ringfence {}\n{ended}\n", arguments.join(" ")));
    }
    assert_snapshot!(said);
}

#[test]
fn completions_are_printed_for_every_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = home.run(["completions", shell]);
        assert_eq!(said.code, 0, "{shell}");
        assert!(said.out.contains("ringfence") && said.out.contains("inspect"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    let mut child = home
        .command(["completions", "zsh"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let said = home.said(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}
