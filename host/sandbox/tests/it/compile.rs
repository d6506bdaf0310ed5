//! Components whose compilation takes far longer than anybody wants to wait.

use crate::guests::Bench;
use ringfence_sandbox::{CallError, LoadError, LoadedComponent, Outcome, SandboxConfig};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Many locals that live through many loops: small, valid, and slow to compile.
fn slow() -> Vec<u8> {
    let locals = "i64 ".repeat(40_000);
    let loops = "(loop (br_if 0 (local.get 0)))".repeat(8_000);
    let text = format!(
        r#"(component
            (core module $m (func (export "f") (param i32) (local {locals}) {loops}))
            (core instance $i (instantiate $m))
            (func (export "slow") (param "n" u32) (canon lift (core func $i "f"))))"#
    );
    wat::parse_str(text).unwrap()
}

fn bench(compile_ms: u64) -> Bench {
    Bench::new(SandboxConfig { compile_ms, ..SandboxConfig::for_few_calls() }, slow())
}

/// Whether some thread is still making the component's code: it holds the component until then.
fn is_compiling(component: &Arc<LoadedComponent>) -> bool {
    Arc::strong_count(component) > 1
}

#[tokio::test]
async fn cancelling_ends_the_wait_for_the_compiler() {
    let bench = bench(600_000);
    let request = bench.request("slow", json!({"n": 0}));
    let cancel = request.cancel.clone();
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    };
    let (report, ()) = tokio::join!(bench.sandbox.call(request), cancelling);
    let report = report.unwrap();
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!((report.receipt.tool.as_str(), report.receipt.peak_memory_bytes), ("slow", 0));
    let component = bench.component().clone();
    drop(bench);
    assert!(is_compiling(&component), "neither cancelling nor dropping waited for it");
}

#[tokio::test]
async fn a_call_that_is_dropped_while_it_compiles_is_gone_at_once() {
    let bench = bench(600_000);
    let call = bench.sandbox.call(bench.request("slow", json!({"n": 0})));
    assert!(timeout(Duration::from_millis(200), call).await.is_err());
    assert!(timeout(Duration::from_millis(200), bench.sandbox.prepare(bench.component())).await.is_err());
    let component = bench.component().clone();
    drop(bench);
    assert!(is_compiling(&component), "dropping didn't wait for it");
}

#[tokio::test]
async fn compiling_has_a_time_limit_for_all_who_wait_together_or_come_later() {
    let bench = bench(400);
    let calls = (0..4).map(|_| bench.sandbox.call(bench.request("slow", json!({"n": 0}))));
    for outcome in crate::guests::join_all(calls).await {
        let Err(CallError::Load(error @ LoadError::Compile { .. })) = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.to_string(), "guest can't be compiled: it took longer than 0.4 s");
    }
    let error = bench.sandbox.prepare(bench.component()).await.unwrap_err();
    assert!(matches!(error, LoadError::Compile { .. }), "{error}");
    let component = bench.component().clone();
    drop(bench);
    assert!(is_compiling(&component), "nobody waited for its end");
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_its_work_to_the_next() {
    let bench = Bench::new(SandboxConfig::for_few_calls(), crate::guests::guest());
    for _ in 0..3 {
        let call = bench.sandbox.call(bench.request("count", json!({})));
        let _ = timeout(Duration::from_millis(1), call).await;
    }
    bench.goes_on().await;
    assert!(!bench.sandbox.would_compile(bench.component()).unwrap());
}

#[tokio::test]
async fn a_component_that_is_slow_to_compile_keeps_no_other_one_waiting() {
    let hostile = bench(600_000);
    let innocent = Bench::new(SandboxConfig::for_few_calls(), crate::guests::guest());
    let wait = hostile.sandbox.prepare(hostile.component());
    assert!(timeout(Duration::from_millis(500), wait).await.is_err());
    innocent.goes_on().await;
    let component = hostile.component().clone();
    drop(hostile);
    assert!(is_compiling(&component), "it is still at it");
}
