//! Bytes by the typed path: the same as by the dynamic one, and much faster.

use crate::built::over;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::json::{Returned, arguments, input_to_vals, result_to_json};
use ringfence_sandbox::reflect::{ReflectLimits, ToolDefinition, reflect};
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use wasmtime::component::{Component, Func, Linker, Val};
use wasmtime::{Engine, Store};

const WIT: &str = r#"
    package test:bytes;
    world bytes {
        export same: func(x: list<u8>) -> list<u8>;
        export to-bytes: func(x: string) -> list<u8>;
        export length: func(x: list<u8>) -> u32;
        export swallow: func(x: list<u8>);
        export put: func(path: string, x: list<u8>) -> result<list<u8>, string>;
        export fail: func(path: string, x: list<u8>) -> result<_, string>;
        export two: func(x: list<u8>, y: list<u8>) -> list<u8>;
        export constant: func() -> list<u8>;
        export text: func(x: string) -> string;
    }
"#;

/// Each function keeps what it is given where it lies, and returns a block that points there.
const MODULE: &str = r#"(module
  (memory (export "memory") 100)
  (global $free (mut i32) (i32.const 1024))
  (data (i32.const 100) "constant")
  (func $block (param i32 i32 i32 i32) (result i32)
    (i32.store (i32.const 16) (local.get 0)) (i32.store (i32.const 20) (local.get 1))
    (i32.store (i32.const 24) (local.get 2)) (i32.store (i32.const 28) (local.get 3)) (i32.const 16))
  (func $same (export "same") (param i32 i32) (result i32)
    (call $block (local.get 0) (local.get 1) (i32.const 0) (i32.const 0)))
  (export "to-bytes" (func $same))
  (export "text" (func $same))
  (func (export "length") (param i32 i32) (result i32) local.get 1)
  (func (export "swallow") (param i32 i32))
  (func (export "put") (param i32 i32 i32 i32) (result i32)
    (call $block (i32.const 0) (local.get 2) (local.get 3) (i32.const 0)))
  (func (export "fail") (param i32 i32 i32 i32) (result i32)
    (call $block (i32.const 1) (local.get 0) (local.get 1) (i32.const 0)))
  (func (export "two") (param i32 i32 i32 i32) (result i32)
    (call $block (local.get 2) (local.get 3) (i32.const 0) (i32.const 0)))
  (func (export "constant") (result i32)
    (call $block (i32.const 100) (i32.const 8) (i32.const 0) (i32.const 0)))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (global.get $free)
    (global.set $free (i32.add (global.get $free) (i32.and (i32.add (local.get 3) (i32.const 7)) (i32.const -8))))))"#;

static BUILT: LazyLock<(Engine, Component, Vec<ToolDefinition>)> = LazyLock::new(|| {
    let bytes = over(WIT, "bytes", MODULE);
    let engine = Engine::default();
    let tools = reflect(&bytes, &ReflectLimits::default()).unwrap().tools;
    (engine.clone(), Component::new(&engine, bytes).unwrap(), tools)
});

fn instance(function: &str) -> (ToolDefinition, Store<()>, Func) {
    let (engine, component, tools) = &*BUILT;
    let tool = tools.iter().find(|tool| tool.export.function == function).unwrap().clone();
    let mut store = Store::new(engine, ());
    let instance = Linker::new(engine).instantiate(&mut store, component).unwrap();
    let function = instance.get_func(&mut store, function).unwrap();
    (tool, store, function)
}

async fn as_chosen(function: &str, input: &Value) -> (bool, Returned) {
    let (tool, mut store, func) = instance(function);
    let arguments = arguments(&tool.signature, input).unwrap();
    let typed = arguments.is_typed();
    let results = arguments.call(&func, &mut store).await.unwrap();
    (typed, results.into_json(&tool.signature).unwrap())
}

fn dynamic(function: &str, input: &Value) -> Returned {
    let (tool, mut store, func) = instance(function);
    let params = input_to_vals(&tool.signature, input).unwrap();
    let mut results = vec![Val::Bool(false); tool.signature.result_count()];
    func.call(&mut store, &params, &mut results).unwrap();
    result_to_json(&tool.signature, results).unwrap()
}

#[tokio::test]
async fn the_typed_path_gives_what_the_dynamic_one_gives() {
    let bytes = json!(STANDARD.encode(b"\0\xff some bytes"));
    for (function, input, typed) in [
        ("same", json!({"x": bytes}), true),
        ("same", json!({"x": ""}), true),
        ("to-bytes", json!({"x": "漢字"}), true),
        ("swallow", json!({"x": bytes}), true),
        ("put", json!({"path": "a/b", "x": bytes}), true),
        ("fail", json!({"path": "a/b", "x": bytes}), true),
        ("constant", json!({}), true),
        ("length", json!({"x": bytes}), false),
        ("two", json!({"x": bytes, "y": bytes}), false),
        ("text", json!({"x": "plain"}), false),
    ] {
        let (was_typed, returned) = as_chosen(function, &input).await;
        assert_eq!(returned, dynamic(function, &input), "{function}");
        assert_eq!(was_typed, typed, "{function}");
    }
    assert_eq!(as_chosen("fail", &json!({"path": "p", "x": ""})).await.1, Returned::Err(json!("p")));
}

#[test]
fn the_typed_path_refuses_what_the_dynamic_one_refuses_in_the_same_words() {
    for (function, input) in [
        ("same", json!({"x": "not base64!"})),
        ("same", json!({"x": "YQ"})),
        ("same", json!({"x": 7})),
        ("same", json!({})),
        ("same", json!({"x": "", "z": 1})),
        ("same", json!([])),
        ("put", json!({"path": 1, "x": ""})),
        ("put", json!({"x": ""})),
        ("to-bytes", json!({"x": null})),
        ("constant", json!({"x": 1})),
        ("constant", json!(null)),
    ] {
        let (tool, ..) = instance(function);
        let typed = arguments(&tool.signature, &input).unwrap_err();
        assert_eq!(typed, input_to_vals(&tool.signature, &input).unwrap_err(), "{function} {input}");
    }
}

#[test]
fn base64_that_is_not_strict_is_refused_with_the_reason() {
    let (tool, ..) = instance("same");
    for bad in ["YQ", "YQ=", "YR==", "YQ==\n", "_-8=", "Y Q=="] {
        let error = arguments(&tool.signature, &json!({"x": bad})).unwrap_err().to_string();
        assert!(
            error.starts_with("$.x: expected a string of base64 (standard alphabet, padded); this isn't: "),
            "{error}"
        );
    }
}

/// Time that this thread has worked.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// In work, not in time; and far from the measured factor of hundreds.
#[tokio::test]
async fn a_megabyte_of_bytes_is_many_times_faster_by_the_typed_path() {
    let input = json!({"x": STANDARD.encode(vec![7u8; 1 << 20])});
    let mut typed = Duration::MAX;
    let mut slow = Duration::MAX;
    for _ in 0..3 {
        let start = worked();
        as_chosen("same", &input).await;
        typed = typed.min(worked() - start);
        let start = worked();
        dynamic("same", &input);
        slow = slow.min(worked() - start);
    }
    println!("typed {typed:?}, dynamic {slow:?}");
    assert!(typed * 4 < slow, "typed {typed:?}, dynamic {slow:?}");
}
