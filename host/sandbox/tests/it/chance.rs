//! Time and chance: made up and the same for equal calls, unless real ones are granted.

use crate::built;
use crate::guests::{Bench, WASI};
use ringfence_sandbox::{GrantedTree, Grants, Outcome, ProjectDir, SandboxConfig};
use serde_json::{Value, json};

const WIT: &str = r#"
package test:chance;
world chance {
    import wasi:clocks/monotonic-clock@0.2.6;
    import wasi:clocks/wall-clock@0.2.6;
    import wasi:io/poll@0.2.6;
    import wasi:random/random@0.2.6;
    import wasi:random/insecure@0.2.6;
    import wasi:random/insecure-seed@0.2.6;
    export number: func(salt: u32, pepper: u32) -> u64;
    export insecure-number: func() -> u64;
    export seed: func() -> u64;
    export wall: func() -> u64;
    export passing: func() -> u64;
    export wait-until: func(nanos: u64) -> u32;
}
package wasi:random@0.2.6 {
    interface random { get-random-u64: func() -> u64; }
    interface insecure { get-insecure-random-u64: func() -> u64; }
    interface insecure-seed { insecure-seed: func() -> tuple<u64, u64>; }
}
"#;

const WALL: &str = r#"package wasi:clocks@0.2.6 {
    interface wall-clock {
        record datetime { seconds: u64, nanoseconds: u32 }
        now: func() -> datetime;
    }"#;

const MODULE: &str = r#"(module
  (import "wasi:random/random@0.2.6" "get-random-u64" (func $number (result i64)))
  (import "wasi:random/insecure@0.2.6" "get-insecure-random-u64" (func $insecure (result i64)))
  (import "wasi:random/insecure-seed@0.2.6" "insecure-seed" (func $seed (param i32)))
  (import "wasi:clocks/wall-clock@0.2.6" "now" (func $wall (param i32)))
  (import "wasi:clocks/monotonic-clock@0.2.6" "now" (func $now (result i64)))
  (import "wasi:clocks/monotonic-clock@0.2.6" "subscribe-duration" (func $after (param i64) (result i32)))
  (import "wasi:io/poll@0.2.6" "[method]pollable.block" (func $block (param i32)))
  (memory (export "memory") 1)
  (func (export "number") (param i32 i32) (result i64) (call $number))
  (func (export "insecure-number") (result i64) (call $insecure))
  (func (export "seed") (result i64) (call $seed (i32.const 16)) (i64.load (i32.const 16)))
  (func (export "wall") (result i64) (call $wall (i32.const 16)) (i64.load (i32.const 16)))
  (func (export "passing") (result i64) (local $from i64)
    (local.set $from (call $now))
    (i64.sub (call $now) (local.get $from)))
  ;; Waits as an event loop does: for what is left, until the clock says that nothing is.
  (func (export "wait-until") (param $nanos i64) (result i32) (local $end i64) (local $turns i32)
    (local.set $end (i64.add (call $now) (local.get $nanos)))
    (loop $again
      (local.set $turns (i32.add (local.get $turns) (i32.const 1)))
      (call $block (call $after (i64.sub (local.get $end) (call $now))))
      (br_if $again (i64.lt_u (call $now) (local.get $end))))
    (local.get $turns))
)"#;

fn chance(entropy: bool) -> Bench {
    under(&Grants { entropy, ..Grants::whole_project() })
}

fn under(grants: &Grants) -> Bench {
    let wasi = WASI.replace("package wasi:clocks@0.2.6 {", WALL);
    let component = built::over(&format!("{WIT}{wasi}"), "chance", MODULE);
    let mut bench = Bench::new(SandboxConfig::for_few_calls(), component);
    let project = ProjectDir::open(bench.project()).unwrap();
    bench.tree = GrantedTree::open(&project, grants).unwrap();
    bench
}

async fn value(bench: &Bench, tool: &str, input: Value) -> Value {
    match bench.call(tool, input).await.outcome {
        Outcome::Done(value) => value,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn equal_calls_get_equal_time_and_chance() {
    let bench = chance(false);
    for tool in ["insecure_number", "seed", "wall", "passing"] {
        let first = value(&bench, tool, json!({})).await;
        assert_eq!(first, value(&bench, tool, json!({})).await, "{tool}");
    }
    let first = value(&bench, "number", json!({"salt": 1, "pepper": 0})).await;
    assert_eq!(first, value(&bench, "number", json!({"salt": 1, "pepper": 0})).await);
    assert_ne!(
        first,
        value(&bench, "number", json!({"salt": 2, "pepper": 0})).await,
        "another call, another chance"
    );
    assert!(bench.tree.grants().facts().deterministic);
}

#[tokio::test]
async fn made_up_time_lets_a_wait_come_to_its_end() {
    let turns = value(&chance(false), "wait_until", json!({"nanos": 2_000_000})).await;
    assert_eq!(turns, json!(1), "the wait itself moved the clock");
}

#[tokio::test]
async fn real_time_and_chance_have_to_be_granted() {
    let bench = chance(true);
    for tool in ["insecure_number", "seed"] {
        let first = value(&bench, tool, json!({})).await;
        assert_ne!(first, value(&bench, tool, json!({})).await, "{tool}");
    }
    // Later than the year 2020, in seconds; large numbers are texts.
    assert!(value(&bench, "wall", json!({})).await.as_u64().is_some_and(|now| now > 1_577_836_800));
    assert!(!bench.tree.grants().facts().deterministic);
    value(&bench, "wait_until", json!({"nanos": 2_000_000})).await;
}

#[tokio::test]
async fn a_deterministic_call_has_none_whatever_else_is_granted() {
    let bench = under(&Grants { entropy: true, deterministic: true, ..Grants::whole_project() });
    for tool in ["insecure_number", "seed", "wall", "passing"] {
        let first = value(&bench, tool, json!({})).await;
        assert_eq!(first, value(&bench, tool, json!({})).await, "{tool}");
    }
    let first = value(&bench, "number", json!({"salt": 1, "pepper": 2})).await;
    assert_eq!(first, value(&bench, "number", json!({"pepper": 2, "salt": 1})).await, "an equal call");
    assert_ne!(first, value(&bench, "number", json!({"salt": 2, "pepper": 1})).await);
    assert!(bench.tree.grants().facts().deterministic);
}
