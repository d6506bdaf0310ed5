//! `tool build`. Most of it is told with a compiler that is a shell script: what matters here is what
//! becomes of a compiler's words and of what it leaves. Real ones are asked where they are installed.

use crate::program::{Home, Said};
use insta::{assert_snapshot, with_settings};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wit_component::dummy_module;
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

const WIT: &str = "package my:tools;\n\ninterface words {\n  /// Counts the words of a file.\n  \
                   count-words: func(path: string, top: option<u32>) -> result<u32, string>;\n}\n\n\
                   world tool {\n  export words;\n}\n";

/// A core module that exports what the world of this WIT exports.
fn module(wit: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("tool.wit", wit).expect("WIT");
    let world = resolve.select_world(&[package], None).expect("a world");
    dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync))
}

/// A Rust tool in `word_count`, and a toolchain whose `cargo build` is this shell script.
fn rust_tool(build: &str) -> Home {
    let home = Home::new();
    home.write("word_count/Cargo.toml", "[package]\nname = \"word_count\"\nversion = \"0.1.0\"\n");
    home.write("word_count/wit/tool.wit", WIT);
    home.write("made.wasm", module(WIT));
    home.write("sysroot/lib/rustlib/wasm32-wasip2/lib/libstd.rlib", "");
    program(&home, "rustup", "exit 1");
    program(&home, "rustc", "[ \"$1\" = --version ] && echo 'rustc 9.9.9' || echo \"$HOME/sysroot\"");
    let cases = "case $1 in\n  locate-project) echo \"$PWD/Cargo.toml\"; exit;;\n  tree) exit 1;;\nesac\n";
    program(&home, "cargo", &format!("{cases}{build}"));
    home
}

/// What a build script of the fake cargo says last: which file it made.
const MADE: &str = r#"echo "{\"reason\":\"compiler-artifact\",\"manifest_path\":\"$PWD/Cargo.toml\",\"filenames\":[\"$HOME/made.wasm\"]}""#;

fn program(home: &Home, name: &str, script: &str) {
    let path = home.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// `tool build` with the programs of `bin`.
fn command(home: &Home, words: &[&str]) -> Command {
    let mut command = home.command(["tool", "build"].iter().chain(words));
    command.env("PATH", format!("{}/bin:/usr/bin:/bin", home.path().display()));
    command.env("XDG_CACHE_HOME", home.path().join("cache"));
    command
}

fn build(home: &Home, words: &[&str]) -> Said {
    home.said(command(home, words).output().expect("the binary runs"))
}

#[test]
fn a_built_tool_is_told_with_its_digest_and_what_to_try_next() {
    let home = rust_tool(&format!("echo '   Compiling word_count' >&2\n{MADE}"));
    let said = build(&home, &["word_count"]);
    with_settings!({filters => vec![(r"blake3:[0-9a-f]{64}, \d+ bytes", "[DIGEST], [SIZE] bytes")]}, {
        assert_snapshot!(said);
    });
    let inspected = home.run(["tool", "inspect", "word_count/word_count.wasm"]);
    assert!(inspected.out.contains("Counts the words of a file."), "the docs arrive: {inspected}");
}

#[test]
fn the_result_for_programs_says_what_was_built_and_by_what() {
    let home = rust_tool(MADE);
    let said = build(&home, &["word_count", "--json", "--quiet", "--out", "built"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said}");
    let built: Value = serde_json::from_str(&said.out).unwrap();
    let file = fs::read(home.path().join("built/word_count.wasm")).unwrap();
    assert_eq!(built["built"][0]["size"], file.len());
    assert_eq!(built["built"][0]["digest"], format!("blake3:{}", blake3::hash(&file).to_hex()));
    with_settings!({filters => vec![(r"blake3:[0-9a-f]{64}", "[DIGEST]"), (r#""size": \d+"#, r#""size": [SIZE]"#)]}, {
        assert_snapshot!(said.out);
    });
}

#[test]
fn a_compiler_that_fails_exits_with_1_after_its_own_words() {
    let home = rust_tool("printf '\\033[31merror\\033[0m: no such type\\n' >&2\nexit 101");
    let said = build(&home, &["word_count"]);
    assert_snapshot!(said);
    assert!(!home.path().join("word_count/word_count.wasm").exists());
    let quiet = build(&home, &["word_count", "--quiet"]);
    assert!(quiet.err.contains("failed (exit status: 101)") && quiet.err.contains("no such type"), "{quiet}");
}

#[test]
fn a_source_that_lacks_an_export_is_told_which() {
    let home = rust_tool(MADE);
    let less = "package my:tools; interface words { other: func(); } world tool { export words; }";
    home.write("made.wasm", module(less));
    let said = build(&home, &["word_count"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.err.contains("my:tools/words"), "{said}");
    let home = rust_tool("exit 0");
    let said = build(&home, &["word_count"]);
    assert!(said.err.contains("makes no WebAssembly file") && said.err.contains("cdylib"), "{said}");
}

#[test]
fn keys_in_the_environment_do_not_reach_a_compiler() {
    let home = rust_tool(&format!("env > $HOME/seen\n{MADE}"));
    let mut command = command(&home, &["word_count"]);
    let said = home.said(command.env("ANTHROPIC_API_KEY", "sk-secret").output().unwrap());
    assert_eq!(said.code, 0, "{said}");
    let seen = fs::read_to_string(home.path().join("seen")).unwrap();
    assert!(seen.contains("CARGO_TARGET_DIR=") && !seen.contains("sk-secret"), "{seen}");
}

#[test]
fn ctrl_c_stops_the_compiler_and_exits_with_130() {
    let home = rust_tool("sleep 1000 &\necho \"waiting for $!\" >&2\nwait");
    let mut child = command(&home, &["word_count"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.starts_with("waiting for ")).unwrap();
    let sleeper = Pid::from_raw(line["waiting for ".len()..].parse().unwrap()).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(lines.any(|line| line == "error: cancelled"));
    let asked = Instant::now();
    while test_kill_process(sleeper).is_ok() && !is_dead(sleeper) {
        assert!(asked.elapsed() < Duration::from_secs(60), "what the compiler started goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn sigterm_stops_a_program_that_is_asked_and_never_answers() {
    let home = rust_tool(MADE);
    program(&home, "rustc", "echo $$ > \"$HOME/part\"; mv \"$HOME/part\" \"$HOME/asked\"; exec sleep 1000");
    let mut child = command(&home, &["word_count"]).stderr(Stdio::piped()).spawn().unwrap();
    let asked = home.path().join("asked");
    while !asked.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let asleep = Pid::from_raw(fs::read_to_string(asked).unwrap().trim().parse().unwrap()).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(is_dead(asleep));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "error: cancelled"));
    assert!(!home.path().join("word_count/word_count.wasm").exists());
}

/// Ended, and nobody has asked how.
fn is_dead(process: Pid) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    state.map_or(true, |state| state.contains(") Z "))
}

#[test]
fn what_is_wrong_with_a_project_is_told_with_what_to_do() {
    let home = Home::new();
    home.write("empty/notes.md", "");
    home.write("key/tool.toml", "langauge = \"c\"\n");
    home.write("language/tool.toml", "language = \"pyhton\"\n");
    home.write("two/Cargo.toml", "");
    home.write("two/shim.c", "");
    home.write("no_wit/tool.c", "");
    home.write("mistake/tool.c", "");
    home.write("mistake/wit/tool.wit", "package a:b;\n\nworld tool {\n  export f: func() -> strin;\n}\n");
    home.write("nothing/tool.c", "");
    home.write("nothing/wit/tool.wit", "package a:b;\n\nworld tool {\n}\n");
    home.write("字数/tool.c", "");
    let mut all = String::new();
    for project in ["none", "empty", "key", "language", "two", "no_wit", "mistake", "nothing", "字数"] {
        let said = build(&home, &[project]);
        assert_eq!(said.out, "", "{project}: {said}");
        all.push_str(&format!("$ tool build {project}\nexit {}\n{}\n", said.code, said.err));
    }
    for words in [&["--check"][..], &["--wit", "x"], &["--check", "--out", "x", "--install"]] {
        let said = build(&home, words);
        assert_eq!(said.code, 2, "{words:?}: {said}");
    }
    assert_snapshot!(all);
}

#[test]
fn every_missing_toolchain_is_named_at_once_and_nothing_is_built() {
    let home = rust_tool(MADE);
    home.write("word_count/Cargo.lock", "[[package]]\nname = \"cc\"\n");
    let mut command = command(&home, &["word_count"]);
    let said = home.said(command.env("PATH", "").output().unwrap());
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.starts_with("error: what builds the tool is missing:\n"), "{said}");
    for wanted in [
        "Rust with its library for WebAssembly",
        "https://rustup.rs",
        "a C compiler for WebAssembly",
        "wasi-sdk",
    ] {
        assert!(said.err.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn what_is_missing_is_installed_where_that_is_asked_for_and_not_otherwise() {
    let home = rust_tool(MADE);
    fs::remove_dir_all(home.path().join("sysroot")).unwrap();
    program(&home, "dpkg-query", "exit 1");
    program(&home, "apt-get", "exit 1");
    program(
        &home,
        "rustup",
        "echo \"$*\" >> $HOME/asked\nmkdir -p $HOME/sysroot/lib/rustlib/wasm32-wasip2/lib",
    );
    let said = build(&home, &["word_count"]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("    rustup target add wasm32-wasip2\n"), "{said}");
    let hint = "hint: to let it be installed: ringfence tool build word_count --install";
    assert!(said.err.contains(hint), "{said}");
    assert!(!home.path().join("asked").exists(), "nothing is installed unasked");
    let said = build(&home, &["word_count", "--install"]);
    assert_eq!(said.code, 0, "{said}");
    assert!(said.err.starts_with("installing: rustup target add wasm32-wasip2\n"), "{said}");
    assert_eq!(fs::read_to_string(home.path().join("asked")).unwrap(), "target add wasm32-wasip2\n");
}

#[test]
fn an_installer_that_fails_is_told_with_its_own_words() {
    let home = rust_tool(MADE);
    fs::remove_dir_all(home.path().join("sysroot")).unwrap();
    program(&home, "dpkg-query", "exit 1");
    program(&home, "apt-get", "echo 'no such package' >&2; exit 100");
    program(&home, "rustup", "echo 'no such target' >&2; exit 1");
    let said = build(&home, &["word_count", "--install"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.err.contains("no such target\n") && said.err.contains("its own words are above"), "{said}");
}

#[test]
fn a_compiled_module_of_any_language_becomes_a_component_with_its_docs() {
    let home = Home::new();
    home.write("count.wasm", module(WIT));
    home.write("wit/tool.wit", WIT);
    let said = build(&home, &["--module", "count.wasm"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.err.contains("would take the place of the module"), "{said}");
    let said = build(&home, &["--module", "count.wasm", "--out", "built"]);
    assert_eq!(said.code, 0, "{said}");
    let inspected = home.run(["tool", "inspect", "built/count.wasm"]);
    assert!(inspected.out.contains("Counts the words of a file."), "{inspected}");
    // What some compilers make at once: a component.
    let again = build(&home, &["--module", "built/count.wasm", "--out", "again"]);
    assert_eq!(again.code, 0, "{again}");
    assert_eq!(ringfence_toolchain::WIT_SECTION, ringfence_sandbox::reflect::WIT_SECTION);
    home.write("count.wasm", "no module");
    let said = build(&home, &["--module", "count.wasm", "--out", "built"]);
    assert!(said.code == 1 && said.err.contains("what was built is no component"), "{said}");
}

#[test]
fn a_compressed_set_is_checked_against_its_sources() {
    let home = rust_tool(MADE);
    home.write("tool.toml", "members = [\"word_count\"]\n");
    let built = build(&home, &[".", "--compress", "--out", "built"]);
    assert_eq!(built.code, 0, "{built}");
    let check = || build(&home, &[".", "--check", "--out", "built"]);
    assert_eq!(check().out, "word_count: up to date\n", "{}", check());
    home.write("word_count/src/lib.rs", "// changed\n");
    assert_eq!(check().code, 1);
    assert!(check().err.contains("word_count.wasm.zst is older than its sources"), "{}", check());
}

#[test]
#[ignore = "needs Rust for WebAssembly (rustup's wasm32-wasip2, or Debian's packages) and crates.io"]
fn a_tool_in_rust_is_built_and_called() {
    let home = Home::new();
    home.write("words/wit/tool.wit", WIT);
    home.write(
        "words/Cargo.toml",
        "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\n[dependencies]\n\
         wit-bindgen = { version = \"=0.61.1\", default-features = false, features = [\"macros\", \"realloc\"] }\n",
    );
    home.write(
        "words/src/lib.rs",
        "wit_bindgen::generate!();\nstruct Tool;\nimpl exports::my::tools::words::Guest for Tool {\n    \
         fn count_words(path: String, _top: Option<u32>) -> Result<u32, String> {\n        \
         let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;\n        \
         Ok(text.split_whitespace().count() as u32)\n    }\n}\nexport!(Tool);\n",
    );
    home.write("project/poem.txt", "two words\nand three more\n");
    // The real user's toolchain, and what was compiled for it before.
    let real = |name: &str| std::env::var_os(name);
    let user = std::path::PathBuf::from(real("HOME").expect("a home"));
    let mut command = home.command(["tool", "build", "words"]);
    command.env("PATH", real("PATH").unwrap_or_default());
    command.env("CARGO_HOME", real("CARGO_HOME").unwrap_or_else(|| user.join(".cargo").into()));
    command.env("RUSTUP_HOME", real("RUSTUP_HOME").unwrap_or_else(|| user.join(".rustup").into()));
    command.env(
        "RINGFENCE_GUEST_TARGET",
        real("RINGFENCE_GUEST_TARGET").unwrap_or_else(|| user.join(".cache/ringfence/guest-target").into()),
    );
    let said = home.said(command.output().unwrap());
    assert_eq!(said.code, 0, "{said}");
    let call = ["tool", "call", "count_words", "--component", "words/words.wasm", "--project", "project"];
    let called = home.run(call.iter().chain(&["--arg", "path=poem.txt"]));
    assert_eq!(called.out, "5\n", "{called}");
}
