//! Work on many files by the host: what was made of a file is kept between commands.

use crate::program::{Home, Said};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const FILES: &str = ".local/state/ringfence/files.db";
const HOST: &str = include_str!("../../../../wit/host.wit");
const WORLD: &str = "
package test:many;
world many {
    use ringfence:host/fan-out@0.1.0.{outcome};
    export ringfence:host/each-file@0.1.0;
    /// Says what is in files.
    export contents: func(task: list<u8>, paths: list<string>) -> list<outcome>;
}
";
/// Gives each file's content back.
const MODULE: &str = r#"(module
  (import "ringfence:host/fan-out@0.1.0" "run" (func $run (param i32 i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (global $free (mut i32) (i32.const 1024))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (local.get $at))
  (func (export "contents") (param i32 i32 i32 i32) (result i32)
    (call $run (local.get 0) (local.get 1) (local.get 2) (local.get 3) (i32.const 16))
    (i32.const 16))
  (func (export "ringfence:host/each-file@0.1.0#work") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i32.store (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get 4))
    (i32.store (i32.const 72) (local.get 5))
    (i32.const 64)))"#;

fn component() -> Vec<u8> {
    let (head, body) = HOST.split_once(';').unwrap();
    let mut resolve = Resolve::default();
    let package = resolve.push_source("test.wit", &format!("{WORLD}{head} {{{body}}}")).unwrap();
    let world = resolve.select_world(&[package], Some("many")).unwrap();
    let mut module = wat::parse_str(MODULE).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

fn home() -> Home {
    let home = Home::new();
    home.write("project/a.txt", "one of them");
    home.write("project/b.txt", "another");
    home.write("many.wasm", component());
    home
}

/// Has both files worked on; says what was said, and `files_worked`.
fn call(home: &Home, more: &[&str]) -> (Said, Value) {
    let input = r#"{"task": "", "paths": ["a.txt", "b.txt"]}"#;
    let words = ["tool", "call", "contents", input, "--component", "many.wasm", "--project", "project"];
    let said = home.run(words.iter().chain(&["--receipt"]).chain(more));
    let begin = said.err.find('{').unwrap_or_else(|| panic!("no receipt in\n{said}"));
    let receipt: Value = serde_json::from_str(&said.err[begin..]).unwrap();
    let files = receipt["files_worked"].clone();
    (said, files)
}

#[test]
fn what_was_made_of_a_file_is_kept_for_the_next_command_until_it_changes() {
    let home = home();
    let (first, files) = call(&home, &[]);
    assert_eq!(files, json!({"worked": 2, "remembered": 0}), "{first}");
    let (second, files) = call(&home, &[]);
    assert_eq!((files, second.out), (json!({"worked": 0, "remembered": 2}), first.out));
    home.write("project/b.txt", "changed");
    assert_eq!(call(&home, &[]).1, json!({"worked": 1, "remembered": 1}));
    assert_eq!(call(&home, &["--no-cache"]).1, json!({"worked": 2, "remembered": 0}));
    let path = home.path().join(FILES);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(&path).unwrap();
    assert_eq!(call(&home, &[]).1, json!({"worked": 2, "remembered": 0}), "nothing but time is lost");
}

#[test]
fn a_file_that_can_t_be_used_is_no_obstacle() {
    let home = home();
    home.write(FILES, "something else entirely, and long enough to be a file of its own\n");
    let (said, files) = call(&home, &[]);
    assert!(said.code == 0, "{said}");
    assert_eq!(files, json!({"worked": 2, "remembered": 0}));
}
