//! `tool list`, `tool inspect`, `tool call`.

use crate::program::{Home, Said};
use insta::{assert_snapshot, with_settings};
use ringfence_sandbox::standard;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A component that adds, crashes, and never ends.
pub(crate) fn component() -> Vec<u8> {
    let text = r#"(component
        (core module $m
            (func (export "spin") (loop br 0))
            (func (export "boom") unreachable)
            (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
        (core instance $i (instantiate $m))
        (func (export "spin-forever") (canon lift (core func $i "spin")))
        (func (export "boom") (canon lift (core func $i "boom")))
        (func (export "add") (param "left" u32) (param "right" u32) (result u32)
            (canon lift (core func $i "add"))))"#;
    wat::parse_str(text).expect("a component")
}

/// The standard component that reads files.
fn files() -> Vec<u8> {
    let files = standard::components().iter().find(|known| known.name() == "files");
    files.expect("it is there").bytes().expect("its bytes")
}

fn project() -> Home {
    let home = Home::new();
    home.write("project/src/main.rs", "fn main() {\n    println!(\"hi\");\n}\n");
    home.write("project/docs/guide.md", "# Guide\n");
    home.write("secret.txt", "outside\n");
    home.write("adder.wasm", component());
    home
}

fn call(home: &Home, words: &[&str]) -> Said {
    home.run(["tool", "call", "--project", "project"].iter().chain(words))
}

#[test]
fn tools_are_listed_in_one_line_each() {
    let home = project();
    assert_snapshot!(home.run(["tool", "list", "project", "--component", "adder.wasm"]));
}

#[test]
fn the_list_for_programs_has_the_schemas() {
    let home = project();
    let said = home.run(["tool", "list", "project", "--json"]);
    let tools: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let all = [
        "analyze_code",
        "detect_stack",
        "edit_file",
        "fetch_page",
        "find_problems",
        "list_files",
        "map_code",
        "read_file",
        "search_text",
        "web_search",
        "write_file",
    ];
    assert_eq!(names, all);
    let lacks = |name| match name {
        "edit_file" | "write_file" => json!("a folder granted for writing"),
        "fetch_page" | "web_search" => json!("a granted host"),
        _ => json!(null),
    };
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert_eq!(tool["lacks"], lacks(tool["name"].as_str().unwrap()));
        let asks_the_web = matches!(tool["name"].as_str(), Some("fetch_page" | "web_search"));
        assert_eq!(tool["can"]["reads"], !asks_the_web, "{tool}");
        assert_eq!((&tool["can"]["writes"], &tool["can"]["egress"]), (&false.into(), &false.into()));
    }
}

#[test]
fn a_tool_is_shown_as_a_model_sees_it_with_what_it_can_do() {
    let home = project();
    let said = home.run(["tool", "inspect", "read_file", "--project", "project", "--dir", "src"]);
    with_settings!({filters => [(r"(blake3|sha256):[0-9a-f]{64}", "[DIGEST]"), (r"size  +.*", "size       [SIZE]"), (r"made from .*\n", "")]}, {
        assert_snapshot!(said);
    });
    let said = home.run(["tool", "inspect", "./adder.wasm"]);
    with_settings!({filters => [(r"(blake3|sha256):[0-9a-f]{64}", "[DIGEST]")]}, {
        assert_snapshot!(said);
    });
    let said = home.run(["tool", "inspect", "./adder.wasm", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(shown["tools"].as_array().unwrap().len(), 3);
    assert_eq!(shown["size"], component().len());
    assert_eq!((&shown["runs_here"], &shown["obstacles"]), (&json!(true), &json!([])));
    assert!(shown["sha256"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn a_component_is_shown_whatever_the_project_around_it_says() {
    let home = project();
    home.write("project/ringfence.toml", "components = ['gone.wasm']\n");
    let said = home.run(["tool", "inspect", "adder.wasm", "--project", "project"]);
    assert!(said.code == 0 && said.out.contains("add(left: u32, right: u32)"), "{said}");
    assert!(said.err.starts_with("note: nobody has confirmed the configuration of "), "{said}");
    home.write("files.wasm", files());
    let said = home.run(["tool", "inspect", "files.wasm", "--quiet"]);
    assert!(said.code == 0 && said.out.contains("\nread_file(file_path: string"), "{said}");
}

#[test]
fn what_a_component_lacks_here_is_shown_and_no_call_of_it_is_made() {
    let home = project();
    let text = r#"(component
        (import "acme:db/store@1.0.0" (instance (export "get" (func (param "key" string) (result string)))))
        (core module $m (func (export "go")))
        (core instance $i (instantiate $m))
        (func (export "go") (canon lift (core func $i "go"))))"#;
    home.write("lacking.wasm", wat::parse_str(text).unwrap());
    let said = home.run(["tool", "inspect", "lacking.wasm"]);
    assert!(
        said.code == 0 && said.out.contains("runs here  no: it imports `acme:db/store@1.0.0`: "),
        "{said}"
    );
    for words in [&["lacking.wasm"][..], &["go", "--component", "lacking.wasm"]] {
        let said = call(&home, words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said}");
        assert!(said.err.contains("can't run here: it imports `acme:db/store@1.0.0`"), "{said}");
    }
}

#[test]
fn a_command_for_a_shell_is_shown_as_what_it_is_and_refused_as_a_tool() {
    let home = project();
    let text = r#"(component
        (core module $m (func (export "run") (result i32) i32.const 0))
        (core instance $i (instantiate $m))
        (func $run (result (result)) (canon lift (core func $i "run")))
        (instance $cli (export "run" (func $run)))
        (export "wasi:cli/run@0.2.3" (instance $cli)))"#;
    home.write("command.wasm", wat::parse_str(text).unwrap());
    let said = home.run(["tool", "inspect", "command.wasm"]);
    assert!(said.code == 0 && said.out.contains("none of its functions can be a tool"), "{said}");
    assert!(said.out.contains("is an entry point of WASI for a command"), "{said}");
    let said = home.run(["tool", "list", "project", "--component", "command.wasm"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{said}");
    assert!(
        said.err.contains("command.wasm has no function that can be a tool: `run` of `wasi:cli/run"),
        "{said}"
    );
}

#[test]
fn files_that_are_no_components_are_told_apart_with_what_to_do() {
    let home = project();
    home.write("empty.wasm", "");
    home.write("module.wasm", b"\0asm\x01\0\0\0");
    home.write("cut.wasm", &component()[..200]);
    home.write("text.wasm", "(component)");
    home.write("large.wasm", vec![0; (64 << 20) + 1]);
    for (file, wanted) in [
        ("empty.wasm", "the file is empty"),
        ("module.wasm", "ringfence tool build --module MODULE.wasm"),
        ("cut.wasm", "it ends after 200 bytes in the middle of a section"),
        ("text.wasm", "it looks like WebAssembly text"),
        ("large.wasm", "a component may have at most 67108864"),
    ] {
        for command in [["tool", "inspect"], ["tool", "call"], ["tool", "test"]] {
            let said = home.run(command.iter().chain([&file, &"--project", &"project"]));
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{said}");
            assert!(said.err.contains(wanted), "{command:?}: {said}");
        }
    }
}

#[test]
fn a_component_s_file_is_called_where_it_has_one_tool() {
    let home = project();
    let text = r#"(component
        (core module $m (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
        (core instance $i (instantiate $m))
        (func (export "add") (param "left" u32) (param "right" u32) (result u32)
            (canon lift (core func $i "add"))))"#;
    home.write("one.wasm", wat::parse_str(text).unwrap());
    let said = call(&home, &["one.wasm", "--arg", "left=40", "--arg", "right=2", "--quiet"]);
    assert_eq!((said.code, said.out.as_str()), (0, "42\n"), "{said}");
    let said = call(&home, &["./adder.wasm"]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("adder.wasm has several tools: add, boom, spin_forever"), "{said}");
    assert!(said.err.contains("ringfence tool call add --component ./adder.wasm"), "{said}");
}

#[test]
fn the_example_in_a_refusal_is_a_call_that_works() {
    let home = project();
    home.write("project/README.md", "# Hello\n");
    let said = home.run(["tool", "call", "read_file", "--project", "project"]);
    let example = said.err.lines().last().unwrap().trim().to_owned();
    assert!(example.starts_with("ringfence tool call read_file --project project --arg"), "{said}");
    let said = home.run(example.split_whitespace().skip(1));
    assert!(said.code == 0 && said.out.contains("# Hello"), "{said}");
}

#[test]
fn an_argument_can_be_in_a_file_and_in_any_script() {
    let home = project();
    home.write("project/说明.txt", "你好\n");
    home.write("path.txt", "说明.txt");
    for words in [["--arg", "file_path=说明.txt"], ["--arg-file", "file_path=path.txt"]] {
        let said = call(&home, &["read_file", words[0], words[1], "--quiet"]);
        assert!(said.code == 0 && said.out.contains("你好"), "{said}");
    }
}

#[test]
fn what_isn_t_a_component_or_a_tool_is_said() {
    let home = project();
    for (what, wanted) in [
        ("./secret.txt", "secret.txt"),
        ("nothing.wasm", "nothing.wasm"),
        ("reed_file", "there is no tool `reed_file`"),
        ("./project", "regular file"),
    ] {
        let said = home.run(["tool", "inspect", what]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{what}: {said}");
        assert!(said.err.contains(wanted), "{what}: {said}");
    }
}

#[test]
fn a_result_goes_to_standard_output_as_json() {
    let home = project();
    let said = call(&home, &["read_file", "--arg", "file_path=src/main.rs", "--arg", "max-lines=1"]);
    assert_eq!(said.code, 0, "{said}");
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(value.to_string().contains("fn main()"), "{value}");
    assert_eq!(said.out.lines().count(), 1);
    let same = call(&home, &["read_file", r#"{"file_path": "/src/../src/main.rs", "max_lines": 1}"#]);
    assert_eq!(same.code, 0, "{same}");

    let mut child = home
        .command(["tool", "call", "add", "-", "--component", "adder.wasm", "--project", "project"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"left": 40, "right": 2}"#).unwrap();
    let said = home.said(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.out.as_str()), (0, "42\n"));
}

#[test]
fn a_denial_is_one_line_that_names_what_was_asked_and_what_is_granted() {
    let home = project();
    let outside = home.path().join("secret.txt").display().to_string();
    for path in ["../secret.txt", "docs/guide.md", "/etc/passwd", "src/../../secret.txt", &outside] {
        let said = call(&home, &["read_file", "--dir", "src", "--arg", &format!("file_path={path}")]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{path}: {said}");
        let lines: Vec<_> = said.err.lines().collect();
        assert_eq!(lines.len(), 1, "{said}");
        assert!(lines[0].starts_with("error: denied: ") && lines[0].contains("src"), "{said}");
        // As it was given, though a guest's libc asks for an absolute path without its slash.
        let named = path.replace(&home.path().display().to_string(), "[HOME]");
        assert!(lines[0].contains(&named), "{said}");
    }
}

#[test]
fn a_call_that_overwrites_what_nobody_has_read_is_told_what_can_change_it() {
    let home = project();
    let input = json!({ "file_path": "docs/guide.md", "content": "x" }).to_string();
    let said = call(&home, &["write_file", &input, "--dir", "docs:write"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.err.contains("was not read first") && said.err.contains("`edit_file` reads"), "{said}");
    let input = json!({ "file_path": "docs/guide.md", "old": "Guide", "new": "More" }).to_string();
    let said = call(&home, &["edit_file", &input, "--dir", "docs:write"]);
    assert!(said.code == 0 && said.err.contains("+# More"), "{said}");
}

#[test]
fn a_receipt_is_printed_on_request() {
    let home = project();
    let said = call(&home, &["read_file", "--receipt", "--quiet", "--arg", "file_path=src/main.rs"]);
    let receipt: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(receipt["tool"], "read_file");
    assert_eq!(receipt["opened"][0]["path"], "src/main.rs");
}

#[test]
fn arguments_that_don_t_fit_exit_with_2() {
    let home = project();
    let bad: [&[&str]; 6] = [
        &["read_file"],
        &["read_file", "--arg", "file_path=a", "--arg", "first_line=x"],
        &["read_file", "--arg", "path=a"],
        &["read_file", "{"],
        &["reed_file"],
        &["read_file", "--dir", "missing", "--arg", "file_path=a"],
    ];
    let mut all = String::new();
    for words in bad {
        let said = call(&home, words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}: {said}");
        all.push_str(&format!("$ tool call {}\n{}\n", words.join(" "), said.err));
    }
    assert_snapshot!(all);
}

#[test]
fn a_crash_exits_with_1_and_a_limit_with_4() {
    let home = project();
    let crash = call(&home, &["boom", "--component", "adder.wasm"]);
    assert_eq!((crash.code, crash.out.as_str()), (1, ""), "{crash}");
    assert!(crash.err.contains("error: crashed"), "{crash}");
    let started = Instant::now();
    let stopped = call(&home, &["spin_forever", "--component", "adder.wasm", "--timeout", "300ms"]);
    assert_eq!((stopped.code, stopped.out.as_str()), (4, ""), "{stopped}");
    assert!(stopped.err.contains("error: stopped"), "{stopped}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_limit_that_a_flag_says_is_told_as_the_flag_s() {
    let home = project();
    let spin = ["spin_forever", "--component", "adder.wasm"];
    let stopped = call(&home, &[&spin[..], &["--timeout", "300ms"]].concat());
    assert!(stopped.err.contains("; a longer --timeout can allow more"), "{stopped}");
    assert!(!stopped.err.contains("[limits]"), "{stopped}");
    home.write(".config/ringfence/config.toml", "[tools.spin_forever]\ntimeout = \"200ms\"\n");
    let stopped = call(&home, &[&spin[..], &["--timeout", "300ms"]].concat());
    assert!(
        stopped.err.contains("[limits] tool_timeout or [tools.NAME] timeout can allow more"),
        "{stopped}"
    );
}

#[test]
fn ctrl_c_ends_the_guest_and_exits_with_130() {
    let home = project();
    // Compiled before, so that the signal meets the guest and not the compiler.
    call(&home, &["spin_forever", "--component", "adder.wasm", "--timeout", "1ms"]);
    let mut child = home
        .command([
            "tool",
            "call",
            "spin_forever",
            "--component",
            "adder.wasm",
            "--project",
            "project",
            "--timeout",
            "5m",
            "-v",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("calling spin_forever"), "{first}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let started = Instant::now();
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(lines.map(Result::unwrap).any(|line| line.starts_with("error: cancelled")));
}

#[test]
fn two_components_with_one_tool_name_are_refused_naming_both() {
    let home = project();
    home.write("other.wasm", component());
    let said = call(&home, &["add", "--component", "adder.wasm", "--component", "other.wasm"]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("adder.wasm") && said.err.contains("other.wasm"), "{said}");
}
