//! Configuration files: what they can say, what they can't, how a mistake reads.

use crate::program::Home;
use insta::assert_snapshot;
use std::os::unix::fs::symlink;

/// What `tool list` says of a project with this `ringfence.toml`.
fn listed(text: &str) -> String {
    let home = Home::new();
    home.write("project/ringfence.toml", text);
    let said = home.run(["tool", "list", "project"]);
    assert_eq!(said.code, 2, "{said}");
    assert_eq!(said.out, "");
    format!("# {}\n{}\n", text.replace('\n', "\n# "), said.err)
}

#[test]
fn what_can_t_be_honoured_is_refused_with_the_line() {
    let wrong = [
        "grant = 1",
        "[grants]\ndirs = [\"src\"]\nhosts = [\"api.example.com\"]",
        "[grants]\nhosts = [{ url = \"https://*.example.com\" }]",
        "[grants]\nhosts = [\"https://bücher.example\"]",
        "[grants]\nhosts = [\"http://localhost:8080\"]",
        "[grants]\nhosts = [{ url = \"https://api.example.com\", methods = [\"get\"] }]",
        "[secrets.key]\nenv = \"KEY\"\nhost = \"https://api.example.com\"\nheader = \"x-key\"",
        "[secrets.key]\nkeyring = \"key\"\nhost = \"https://api.example.com\"\nheader = \"x-key\"",
        "[grants]\ndirs = [{ path = \"src\", masks = [\"[a\"] }]",
        "[grants]\ndirs = [{ path = \"src\", masks = [\"!.env\"] }]",
        "[grants]\ndirs = [{ path = \"src\", default_masks = false }]",
        "[tools.read_file]\ndirs = [{ path = \"src\", masks = [\"!.env\"] }]",
        "[grants]\ndirs = [\"../up\"]",
        "[grants]\nenv = [\"TOKEN=1\"]",
        "[limits]\ntime = \"30\"",
        "[limits]\nmemory = \"lots\"",
        "[limits]\niterations = 0",
        "[limits]\nmemory = \"8GiB\"",
        "[limits]\nopen_files = 100000",
        "[limits]\ntool_timeout = \"100000h\"",
        "[tools.read_file]\noutput = 0",
        "[tools.read_file]\ndeterministic = true\nentropy = true",
        "[models.default]\nprovider = \"oracle\"",
        "[models.default]\nprovider = \"openai\"\nbase_url = \"https://evil.example\"",
        "[roles.analyst]\nprompt = \"look\"",
        "pause = [\"sometimes\"]",
        "components = [\"../tool.wasm\"]",
        "components = [\"missing.wasm\"]",
        "this is no toml",
    ];
    assert_snapshot!(wrong.map(listed).concat());
}

#[test]
fn a_link_in_place_of_the_configuration_is_refused() {
    let home = Home::new();
    let outside = home.write("outside.toml", "pause = []");
    std::fs::create_dir(home.path().join("project")).unwrap();
    symlink(&outside, home.path().join("project/ringfence.toml")).unwrap();
    let said = home.run(["tool", "list", "project"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("ringfence.toml is a link"), "{said}");

    let home = Home::new();
    home.write("outside/prompts/plan.md", "x");
    std::fs::create_dir(home.path().join("project")).unwrap();
    symlink(home.path().join("outside"), home.path().join("project/.ringfence")).unwrap();
    let said = home.run(["tool", "list", "project"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("is a link or lies behind one"), "{said}");
}

#[test]
fn a_pipe_or_a_folder_in_place_of_the_configuration_is_refused_at_once() {
    let home = Home::new();
    let project = home.path().join("project");
    std::fs::create_dir_all(project.join("ringfence.toml")).unwrap();
    let said = home.run(["tool", "list", "project"]);
    assert!(said.code == 2 && said.err.contains("not an ordinary file"), "{said}");
    std::fs::remove_dir(project.join("ringfence.toml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(project.join("ringfence.toml")).status().unwrap();
    assert!(made.success());
    let said = home.run(["tool", "list", "project"]);
    assert!(said.code == 2 && said.err.contains("not an ordinary file"), "{said}");
}

#[test]
fn an_unknown_or_broken_prompt_is_refused() {
    let home = Home::new();
    home.write("project/.ringfence/prompts/plann.md", "x");
    let said = home.run(["tool", "list", "project"]);
    assert!(said.code == 2 && said.err.contains("plann.md is no prompt"), "{said}");
    assert!(said.err.contains("plan.md, decide.md, evaluate.md"), "{said}");
}

#[test]
fn the_user_s_own_file_counts_without_being_asked_for() {
    let home = Home::new();
    home.write("project/src/a.txt", "inside\n");
    home.write("project/b.txt", "outside\n");
    home.write(".config/ringfence/config.toml", "[grants]\ndirs = [\"src\"]\n");
    let read = |path: &str| {
        home.run(["tool", "call", "read_file", "--project", "project", "--arg", &format!("file_path={path}")])
    };
    assert_eq!(read("src/a.txt").code, 0);
    assert_eq!(read("b.txt").code, 1);
    home.write(".config/ringfence/config.toml", "[grant]\ndirs = [\"src\"]\n");
    let said = read("src/a.txt");
    assert!(said.code == 2 && said.err.contains("config.toml") && said.err.contains("line 1"), "{said}");
}

#[test]
fn a_tool_s_own_section_narrows_it_alone() {
    let home = Home::new();
    home.write("project/src/a.txt", "inside\n");
    home.write("project/docs/b.txt", "inside\n");
    home.write(".config/ringfence/config.toml", "[tools.read_file]\ndirs = [\"docs\"]\n");
    let call = |tool: &str, argument: &str| {
        home.run(["tool", "call", tool, "--project", "project", "--arg", argument])
    };
    assert_eq!(call("read_file", "file_path=docs/b.txt").code, 0);
    assert_eq!(call("read_file", "file_path=src/a.txt").code, 1);
    assert_eq!(call("list_files", "directory=src").code, 0);
    home.write(".config/ringfence/config.toml", "[tools.reed_file]\ndirs = [\"docs\"]\n");
    let said = call("read_file", "file_path=docs/b.txt");
    assert!(said.code == 2 && said.err.contains("there is no tool `reed_file`"), "{said}");
}
