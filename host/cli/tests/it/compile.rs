//! Compiling a component: it can be interrupted, and code that was changed in the cache is told.

use crate::program::Home;
use crate::tool::component;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Small, valid, and slow to compile: many locals that live through many loops.
fn slow() -> Vec<u8> {
    let locals = "i64 ".repeat(40_000);
    let loops = "(loop (br_if 0 (local.get 0)))".repeat(8_000);
    let text = format!(
        r#"(component
            (core module $m (func (export "f") (param i32) (local {locals}) {loops}))
            (core instance $i (instantiate $m))
            (func (export "slow") (param "n" u32) (canon lift (core func $i "f"))))"#
    );
    wat::parse_str(text).expect("a component")
}

#[test]
fn ctrl_c_while_a_component_is_compiled_ends_the_program_at_once() {
    let home = Home::new();
    home.write("project/a", "a\n");
    home.write("slow.wasm", slow());
    let call = ["tool", "call", "slow", "--component", "slow.wasm", "--project", "project", "--arg", "n=0"];
    let mut child = home
        .command(call.iter().chain(&["-v"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("compiling slow.wasm")));
    assert!(lines.any(|line| line.starts_with("calling slow")));
    std::thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let started = Instant::now();
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert!(lines.any(|line| line.starts_with("error: cancelled")));
}

#[test]
fn cached_code_that_was_changed_is_told_and_compiled_again() {
    let home = Home::new();
    home.write("project/a", "a\n");
    home.write("adder.wasm", component());
    let call = || {
        let words = "tool call add --component adder.wasm --project project --arg left=2 --arg right=3";
        let command =
            home.command(words.split(' ')).env("XDG_CACHE_HOME", home.path().join("cache")).output();
        let said = home.said(command.unwrap());
        assert_eq!((said.code, said.out.as_str()), (0, "5\n"), "{said}");
        said.err
    };
    call();
    assert_eq!(call(), "");
    let folder = home.path().join("cache/ringfence/code");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let code: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == "code")).collect();
    assert_eq!(code.len(), 1, "{code:?}");
    let mut bytes = std::fs::read(&code[0]).unwrap();
    bytes[5_000] ^= 1;
    std::fs::write(&code[0], bytes).unwrap();
    let warned = call();
    assert!(
        warned.contains("WARN cached code for adder.wasm was not what was written; compiling it again"),
        "{warned}"
    );
    assert!(warned.contains("its content has changed"), "{warned}");
    assert_eq!(call(), "");
}
