//! `tool test`: good components pass, bad ones don't, and what is wrong can be tried again.

use crate::program::{Home, Said};
use insta::{assert_snapshot, with_settings};
use ringfence_sandbox::reflect::{WIT_SECTION, append_custom_section};
use ringfence_sandbox::standard;
use serde_json::Value;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// What the components here import of WASI.
const WASI: &str = r#"
package wasi:io@0.2.6 {
    interface error { resource error; }
    interface streams {
        use error.{error};
        variant stream-error { last-operation-failed(error), closed }
        resource output-stream {
            blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
        }
    }
}
package wasi:cli@0.2.6 {
    interface stdout {
        use wasi:io/streams@0.2.6.{output-stream};
        get-stdout: func() -> output-stream;
    }
}
package wasi:random@0.2.6 {
    interface random { get-random-u64: func() -> u64; }
}
"#;

/// Memory, and the function that the canonical ABI allocates with.
const MEMORY: &str = r#"
    (memory (export "memory") 64)
    (global $free (mut i32) (i32.const 65536))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
        (global.set $free (i32.add (local.get $at) (local.get 3)))
        (loop $more
            (if (i32.gt_u (global.get $free) (i32.shl (memory.size) (i32.const 16)))
                (then (drop (memory.grow (i32.const 16))) (br $more))))
        (local.get $at))"#;

/// A component with this world, with its documentation, over the functions of a core module.
fn made(world: &str, functions: &str) -> Vec<u8> {
    let wit = format!("package test:tools;\nworld tools {{ {world} }}\n{WASI}");
    let mut resolve = Resolve::default();
    let package = resolve.push_source("tools.wit", &wit).expect("WIT");
    let chosen = resolve.select_world(&[package], None).expect("a world");
    let mut module = wat::parse_str(format!("(module {functions})")).expect("a module");
    embed_component_metadata(&mut module, &resolve, chosen, StringEncoding::UTF8).expect("metadata");
    let mut component = ComponentEncoder::default().module(&module).unwrap().encode().expect("a component");
    append_custom_section(&mut component, WIT_SECTION, &wit_component::encode(&resolve, package).unwrap());
    component
}

fn home(component: Vec<u8>) -> Home {
    let home = Home::new();
    home.write("tool.wasm", component);
    home
}

fn tested(home: &Home, more: &[&str]) -> Said {
    home.run(["tool", "test", "tool.wasm"].iter().chain(more))
}

fn good() -> Vec<u8> {
    made(
        "/// Counts the bytes of a `text`, and how often it was asked before.
         export count: func(text: string, twice: option<bool>) -> result<u32, string>;
         /// A number that nobody foresees.
         export chance: func() -> u64;
         import wasi:random/random@0.2.6;",
        &format!(
            r#"(import "wasi:random/random@0.2.6" "get-random-u64" (func $random (result i64)))
            {MEMORY}
            (global $asked (mut i32) (i32.const 0))
            (func (export "chance") (result i64) call $random)
            (func (export "count") (param i32 i32 i32 i32) (result i32)
                (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
                (i32.store (i32.const 16) (i32.const 0))
                (i32.store (i32.const 20) (i32.add (local.get 1) (i32.sub (global.get $asked) (i32.const 1))))
                (i32.const 16))"#
        ),
    )
}

#[test]
fn a_good_component_passes_whatever_it_keeps_in_memory_and_whatever_chance_says() {
    let home = home(good());
    let said = tested(&home, &["--quiet"]);
    with_settings!({filters => [(r"blake3:[0-9a-f]{64}", "[DIGEST]")]}, { assert_snapshot!(said); });
    assert_eq!(tested(&home, &["--quiet"]).out, said.out, "the same words every time");
}

#[test]
fn a_crash_is_told_with_its_input_and_how_to_try_it_again() {
    let home = home(made(
        "/// Counts the bytes of a `text`.
         export count: func(text: string) -> u32;",
        &format!(
            r#"{MEMORY} (func (export "count") (param i32 i32) (result i32)
                (if (i32.eqz (local.get 1)) (then unreachable))
                (local.get 1))"#
        ),
    ));
    let said = tested(&home, &["--quiet"]);
    with_settings!({filters => [(r"blake3:[0-9a-f]{64}", "[DIGEST]")]}, { assert_snapshot!(said); });
    let again = said.out.lines().find_map(|line| line.trim().strip_prefix("again")).expect("a command");
    let again = home.run(again.split_whitespace().skip(1).chain(["--quiet"]));
    assert_eq!(again.code, 1, "{again}");
    assert!(again.err.contains(r#"arguments: {"text":""}"#) && again.err.contains("unreachable"), "{again}");
    assert!(again.out.ends_with("4 passed, 1 failed; 2 calls\n"), "{again}");
}

#[test]
fn a_tool_that_never_ends_is_stopped_once_and_not_tried_with_everything() {
    let home = home(made(
        "/// Spins until `turns` are done.
         export spin: func(turns: u32);",
        r#"(func (export "spin") (param i32) (loop br 0))"#,
    ));
    let said = tested(&home, &["--quiet", "--timeout", "300ms"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.out.contains("✗ spin: 1 of 1 input went over a bound; 2 more weren't tried"), "{said}");
    assert!(said.out.contains("--timeout 300ms --only 1"), "{said}");
}

#[test]
fn a_long_answer_and_a_flood_of_words_are_over_a_bound() {
    let home = home(made(
        "/// Gives a MiB for nothing.
         export shout: func() -> string;
         /// Prints a MiB.
         export print: func();
         import wasi:io/streams@0.2.6;
         import wasi:cli/stdout@0.2.6;",
        &format!(
            r#"(import "wasi:cli/stdout@0.2.6" "get-stdout" (func $stdout (result i32)))
            (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-and-flush"
                (func $write (param i32 i32 i32 i32)))
            {MEMORY}
            (func (export "shout") (result i32)
                (memory.fill (i32.const 65536) (i32.const 97) (i32.const 1048576))
                (i32.store (i32.const 16) (i32.const 65536))
                (i32.store (i32.const 20) (i32.const 1048576))
                (i32.const 16))
            (func (export "print") (local $turn i32) (local $to i32)
                (memory.fill (i32.const 65536) (i32.const 97) (i32.const 4096))
                (local.set $to (call $stdout))
                (loop $more
                    (call $write (local.get $to) (i32.const 65536) (i32.const 4096) (i32.const 32))
                    (local.set $turn (i32.add (local.get $turn) (i32.const 1)))
                    (br_if $more (i32.lt_u (local.get $turn) (i32.const 256)))))"#
        ),
    ));
    let said = tested(&home, &["--quiet"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.out.contains("its result has 1.0 MiB, of which 256 KiB are kept"), "{said}");
    assert!(said.out.contains("it wrote 1 MiB to standard output and standard error"), "{said}");
    assert!(said.out.contains("2 failed"), "{said}");
}

#[test]
fn a_long_answer_to_a_long_question_is_no_fault() {
    let home = home(made(
        "/// Gives the `text` back.
         export echo: func(text: string) -> string;",
        &format!(
            r#"{MEMORY} (func (export "echo") (param i32 i32) (result i32)
                (i32.store (i32.const 16) (local.get 0))
                (i32.store (i32.const 20) (local.get 1))
                (i32.const 16))"#
        ),
    ));
    let said = tested(&home, &["--quiet"]);
    assert_eq!(said.code, 0, "{said}");
}

#[test]
fn a_function_that_nobody_described_and_a_parameter_that_nobody_explained_are_told_apart() {
    let world = |docs: &str| format!("{docs}\nexport add: func(left: u32, right-side: u32) -> u32;");
    let add = r#"(func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)"#;
    for (docs, code, wanted) in [
        ("", 1, "✗ add: it has no documentation"),
        (
            "/// Adds two numbers, of which `left` is the first.",
            0,
            "– add: says what it does; not what `right_side` means",
        ),
        ("/// Adds left and right-side.", 0, "✓ add: says what it does and what its parameters mean"),
    ] {
        let said = tested(&home(made(&world(docs), add)), &["--quiet"]);
        assert_eq!(said.code, code, "{said}");
        assert!(said.out.contains(wanted), "{said}");
    }
}

#[test]
fn programs_get_every_finding_with_its_command() {
    let home = home(made(
        "/// Crashes, whatever the `text`.
         export crash: func(text: string);",
        &format!(r#"{MEMORY} (func (export "crash") (param i32 i32) unreachable)"#),
    ));
    let said = tested(&home, &["--json", "--quiet"]);
    assert_eq!(said.code, 1, "{said}");
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&told["passed"], &told["failed"], &told["noted"]), (&4.into(), &1.into(), &1.into()));
    let crashed = told["checks"].as_array().unwrap().iter().find(|it| it["check"] == "survives").unwrap();
    assert_eq!((&crashed["tool"], &crashed["status"]), (&"crash".into(), &"failed".into()));
    let findings = crashed["findings"].as_array().unwrap();
    assert!(findings.len() > 20, "{crashed}");
    for finding in findings {
        let arguments = finding["arguments"].as_str().unwrap();
        assert!(arguments.len() < 5_000, "{finding}");
        let again = format!("ringfence tool test tool.wasm --only {}", finding["input"]);
        assert_eq!(finding["again"], again.as_str());
    }
}

/// A tool project with the component that reads files, and these cases.
fn project(cases: &str) -> Home {
    let home = Home::new();
    let files = standard::components().iter().find(|known| known.name() == "files").unwrap();
    home.write("reader/my-reader.wasm", files.bytes().unwrap());
    home.write("reader/tool.toml", "name = \"my-reader\"\nlanguage = \"rust\"\n");
    home.write("reader/tests/cases.toml", cases);
    home.write("reader/tests/project/poem.txt", "a\nb\nc\n");
    home
}

const CASES: &str = r#"
project = "project"

[[case]]
name = "finds a line"
tool = "search_text"
input = { pattern = "^b$", paths = ["poem.txt"] }
failed = "none"

[[case]]
name = "says that there is no such file"
tool = "read_file"
input = { file_path = "prose.txt" }
failed = "not_found"

[[case]]
name = "is kept inside"
tool = "read_file"
input = { file_path = "../cases.toml" }
denied = true

[[case]]
name = "wants a path"
tool = "read_file"
done = "x"
"#;

#[test]
fn a_tool_s_own_cases_are_run_on_their_own_folder() {
    let home = project(CASES);
    let said = home.said(
        home.command(["tool", "test", "--quiet"]).current_dir(home.path().join("reader")).output().unwrap(),
    );
    assert_eq!(said.code, 1, "{said}");
    let cases: Vec<_> = said.out.lines().rev().skip(1).take(4).collect();
    assert!(cases[3].starts_with("✗ search_text: finds a line: "), "{said}");
    assert_eq!(cases[2], "✓ read_file: says that there is no such file");
    assert_eq!(cases[1], "✓ read_file: is kept inside");
    assert!(
        cases[0].contains("wants a path: the arguments for `read_file` don't fit: $.file_path: expected"),
        "{said}"
    );
    assert!(said.out.starts_with("./my-reader.wasm  blake3:"), "{said}");
}

#[test]
fn an_exact_result_is_compared_with_what_toml_can_say() {
    let home = home(good());
    home.write(
        "tests/cases.toml",
        "[[case]]\nname = 'counts'\ntool = 'count'\ninput = { text = '四' }\ndone = 3\n\
         [[case]]\nname = 'counts wrongly'\ntool = 'count'\ninput = { text = 'four' }\ndone = 3\n",
    );
    let said = tested(&home, &["--quiet"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.out.contains("✓ count: counts\n"), "{said}");
    assert!(said.out.contains("✗ count: counts wrongly: wanted 3, got 4\n"), "{said}");
}

#[test]
fn a_mistake_on_the_way_to_a_test_exits_with_2() {
    let home = project("[[case]]\nname = \"x\"\ntool = \"reed_file\"\ndone = 1\n");
    home.write("text.wasm", "no component");
    home.write("empty/tool.toml", "name = \"gone\"");
    for (words, wanted) in [
        (&["reader"][..], "did you mean `read_file`?"),
        (&["text.wasm"], "this is no WebAssembly file"),
        (&["nothing.wasm"], "nothing.wasm"),
        (&["empty"], "there is no component empty/gone.wasm"),
        (&["reader", "--cases", "none.toml"], "none.toml isn't there"),
        (&["reader", "--project", "nowhere"], "nowhere"),
        (&["reader", "--only", "100000"], "there is no input 100000"),
        (&["reader", "--project", ".", "--state", "state"], "state"),
    ] {
        let said = home.run(["tool", "test", "--quiet"].iter().chain(words));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}: {said}");
        assert!(said.err.contains(wanted), "{words:?}: {said}");
    }
}

#[test]
fn what_can_t_run_here_fails_with_the_reason() {
    let text = r#"(component
        (import "acme:db/store@1.0.0" (instance (export "get" (func (param "key" string) (result string)))))
        (core module $m (func (export "go")))
        (core instance $i (instantiate $m))
        (func (export "go") (canon lift (core func $i "go"))))"#;
    let said = tested(&home(wat::parse_str(text).unwrap()), &["--quiet"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.out.contains("✗ tool.wasm can't run here: it imports `acme:db/store@1.0.0`"), "{said}");
    let said = tested(&home(b"\0asm\x0d\0\x01\0".to_vec()), &["--quiet"]);
    assert!(said.code == 1 && said.out.contains("none of its functions can be a tool"), "{said}");
}

#[test]
fn cases_whose_project_is_a_link_are_refused_before_anything_reads_it() {
    let home = project(
        "project = \"lnk\"\n\n[[case]]\nname = \"reads\"\ntool = \"read_file\"\ninput = { file_path = \"key.txt\" }\ndone = \"x\"\n",
    );
    home.write("private/key.txt", "hidden-words");
    std::os::unix::fs::symlink(home.path().join("private"), home.path().join("reader/tests/lnk")).unwrap();
    let said = home.run(["tool", "test", "--quiet", "reader"]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("it is a link or lies behind one"), "{said}");
    assert!(!said.to_string().contains("hidden-words"), "{said}");
}
