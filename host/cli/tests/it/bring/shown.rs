//! What a person sees before deciding, and what comes of it.

use super::{add, adder, digest, follow, lock, project, reader, sum, tool};
use insta::{assert_snapshot, with_settings};
use serde_json::Value;

#[test]
fn a_component_is_shown_and_added_only_by_its_digest() {
    let home = project();
    home.write("project/tools/reader.wasm", reader());
    let renames = ["--rename", "read_file=peek", "--rename", "list_files=ls", "--rename", "search_text=grep"];
    let said = tool(&home, &[&["add", "project/tools/reader.wasm"], &renames[..]].concat());
    with_settings!({filters => [
        (r"blake3:[0-9a-f]{64}", "[DIGEST]"),
        (r"size +.*", "size       [SIZE]"),
        (regex_of_binary().as_str(), "ringfence"),
    ]}, { assert_snapshot!(said) });
    assert_eq!(lock(&home), None);
    let added = follow(&home, &said);
    assert_eq!(added.code, 0, "{added}");
    let lock = lock(&home).unwrap();
    assert!(
        lock.contains("source = \"tools/reader.wasm\"") && lock.contains("list_files = \"ls\""),
        "{lock}"
    );
    let said = tool(&home, &["call", "peek", "--arg", "file_path=src/main.rs"]);
    assert!(said.code == 0 && said.out.contains("fn main"), "{said}");
}

fn regex_of_binary() -> String {
    env!("CARGO_BIN_EXE_ringfence").replace('.', r"\.")
}

#[test]
fn another_digest_than_the_approved_one_is_not_added() {
    let home = project();
    let said = add(&home, "a.wasm", &adder("add", ""), &[]);
    assert_eq!(said.code, 0, "{said}");
    home.write("b.wasm", adder("sum", ""));
    let said = tool(&home, &["add", "b.wasm", "--approve", &digest(b"what it was yesterday")]);
    assert!(said.code == 2 && said.err.contains("nothing was changed"), "{said}");
    assert!(!lock(&home).unwrap().contains("sum"));
}

#[test]
fn a_name_that_is_taken_is_refused_with_the_command_that_gives_another() {
    let home = project();
    assert_eq!(add(&home, "one.wasm", &adder("add", ""), &[]).code, 0);
    let said = add(&home, "two-b.wasm", &adder("add", "(core module)"), &[]);
    assert!(said.code == 2 && said.err.contains("two components have a tool named `add`"), "{said}");
    let said = follow(&home, &said);
    assert_eq!(said.code, 0, "{said}");
    assert_eq!((sum(&home, "add").out.as_str(), sum(&home, "two_b_add").out.as_str()), ("42\n", "42\n"));
    let said = add(&home, "one.wasm", &adder("sum", ""), &[]);
    assert!(said.code == 2 && said.err.contains("has a component `one` already"), "{said}");
    let said = add(&home, "three.wasm", &adder("sum", ""), &["--rename", "other=x"]);
    assert!(said.code == 2 && said.err.contains("no tool `other` to rename"), "{said}");
}

/// A component that imports what isn't offered here.
const FOREIGN: &str = r#"(component
    (import "acme:db/query@1.0.0" (instance (export "ask" (func))))
    (core module $m (func (export "add") (result i32) i32.const 1))
    (core instance $i (instantiate $m))
    (func (export "one") (result u32) (canon lift (core func $i "add"))))"#;

#[test]
fn what_can_t_be_a_tool_is_not_added() {
    let home = project();
    for (bytes, why) in [
        (b"hello".to_vec(), "isn't WebAssembly"),
        (wat::parse_str("(module)").unwrap(), "core module"),
        (wat::parse_str("(component)").unwrap(), "has no tool: it exports no function"),
        (wat::parse_str(FOREIGN).unwrap(), "acme:db/query@1.0.0"),
    ] {
        let said = add(&home, "x.wasm", &bytes, &[]);
        assert!(said.code == 2 && said.err.contains(why), "{why}: {said}");
    }
    for (source, why) in [
        ("nothing.wasm", "No such file"),
        ("http://example.com/x.wasm", "http is for this machine itself only"),
        ("oci://example.com/X", "is no source"),
        ("r.example.com/team/x:1", "for a registry, write oci://r.example.com/team/x:1"),
    ] {
        let said = tool(&home, &["add", source]);
        assert!(said.code == 2 && said.err.contains(why), "{source}: {said}");
    }
    assert_eq!(lock(&home), None);
}

#[test]
fn programs_are_told_what_is_added() {
    let home = project();
    let bytes = adder("add", "");
    home.write("a.wasm", &bytes);
    let said = tool(&home, &["add", "a.wasm", "--json"]);
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (said.code, &told["state"], &told["digest"]),
        (2, &"needs_approval".into(), &digest(&bytes).into())
    );
    let said = tool(&home, &["add", "a.wasm", "--json", "--approve", &digest(&bytes)]);
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &told["state"], &told["tools"][0]["name"]), (0, &"added".into(), &"add".into()));
    let said = home.run(["tool", "list", "project", "--json"]);
    let tools: Value = serde_json::from_str(&said.out).unwrap();
    let find = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!((&find("add")["pinned"], &find("read_file")["pinned"]), (&true.into(), &false.into()));
    let source = "[HOME]/a.wasm";
    assert_eq!((&find("add")["source"], &find("read_file")["source"]), (&source.into(), &Value::Null));
}

#[test]
fn a_removed_component_is_gone_and_the_last_one_takes_the_lock_along() {
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    let said = tool(&home, &["remove", "b"]);
    assert!(said.code == 2 && said.err.contains("there are: a"), "{said}");
    assert_eq!(tool(&home, &["remove", "a"]).code, 0);
    assert_eq!(lock(&home), None);
    assert!(sum(&home, "add").err.contains("there is no tool `add`"));
}
