//! What a guest may use up, and that its neighbours don't notice.

use crate::built;
use crate::guests::{Bench, SHARED, WASI, exceeded, guest, join_all};
use crate::watchdog::ends;
use ringfence_sandbox::{
    CallReport, CallRequest, ComponentSource, Exceeded, LimitKind, Limits, Outcome, RequestLimits,
    SandboxConfig, Toolset,
};
use serde_json::{Value, json};

fn every_request(limit: u64) -> RequestLimits {
    RequestLimits {
        count: limit,
        header_bytes: limit,
        sent_bytes: limit,
        received_bytes: limit,
        time_ms: limit,
        connect_ms: limit,
    }
}

async fn within(tool: &str, input: Value, limits: Limits) -> CallReport {
    let report = SHARED.call_within(tool, input, limits).await;
    SHARED.goes_on().await;
    report
}

#[tokio::test]
async fn memory_stops_growing_at_the_limit() {
    let limits = Limits { memory_bytes: 32 << 20, ..Limits::default() };
    let report = within("grow_until_it_crashes", json!({}), limits).await;
    assert_eq!(exceeded(&report), LimitKind::Memory);
    let Outcome::Exceeded(over) = report.outcome else { panic!() };
    assert!(over.limit == 32 << 20 && over.used > 32 << 20 && over.used <= 36 << 20, "{over:?}");
    let peak = report.receipt.peak_memory_bytes;
    assert!(peak > 24 << 20 && peak <= 32 << 20, "{peak}");
}

#[tokio::test]
async fn a_guest_that_copes_with_a_refusal_is_done() {
    let limits = Limits { memory_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(within("grow", json!({"pages": 100}), limits.clone()).await.outcome, Outcome::Done(json!(-1)));
    assert_eq!(within("grow", json!({"pages": 2}), limits).await.outcome, Outcome::Done(json!(2)));
}

#[tokio::test]
async fn a_guest_that_starts_above_the_memory_limit_is_over_it() {
    let limits = Limits { memory_bytes: 1 << 16, ..Limits::default() };
    assert_eq!(exceeded(&within("count", json!({}), limits).await), LimitKind::Memory);
}

#[tokio::test]
async fn a_long_result_is_cut_with_a_mark() {
    let report = within("text", json!({"bytes": 5_000_000}), Limits::default()).await;
    let Outcome::Done(Value::String(text)) = &report.outcome else { panic!("{:?}", report.outcome) };
    assert!(text.ends_with(" of 5000000 bytes]") && text.contains("…[cut: "), "{}", &text[text.len() - 60..]);
    assert!(report.receipt.truncated);
    assert_eq!(report.receipt.output_bytes, 5_000_002);
    let json = serde_json::to_string(&text).unwrap().len() as u64;
    assert!(json <= Limits::default().output_bytes && json > 200 << 10, "{json}");
}

#[tokio::test]
async fn a_long_error_is_cut_as_well() {
    let limits = Limits { output_bytes: 1000, ..Limits::default() };
    let report = within("refuse", json!({"bytes": 50_000}), limits).await;
    assert!(
        matches!(&report.outcome, Outcome::Failed(Value::String(text)) if text.len() < 1000),
        "{report:?}"
    );
    assert!(report.receipt.truncated);
}

#[tokio::test]
async fn what_crosses_the_boundary_is_bounded() {
    let report = within("text", json!({"bytes": 100 << 20}), Limits::default()).await;
    assert_eq!(exceeded(&report), LimitKind::Exchange);
}

#[tokio::test]
async fn handles_of_the_host_are_bounded() {
    let report = within("poll_handles", json!({}), Limits::default()).await;
    assert_eq!(exceeded(&report), LimitKind::Resources);
}

#[tokio::test]
async fn handles_of_the_guest_are_bounded() {
    let report = within("fill", json!({}), Limits::default()).await;
    let handles = Exceeded { which: LimitKind::Handles, limit: 10_000, used: 10_001 };
    assert_eq!(report.outcome, Outcome::Exceeded(handles));
}

#[tokio::test]
async fn standard_output_is_kept_up_to_the_limit_and_counted_beyond() {
    let limits = Limits { stdio_bytes: 10_000, ..Limits::default() };
    let report = within("write", json!({"times": 1000}), limits).await;
    assert_eq!(report.outcome, Outcome::Done(json!(null)));
    assert_eq!(report.receipt.stdio_bytes, 4_096_000);
    let kept = report.stdout.trim_end_matches("[cut: 4086000 of 4096000 bytes dropped]\n");
    assert_eq!((kept.trim_end().len(), report.stderr.as_str()), (10_000, ""));
}

#[tokio::test]
async fn a_fuel_budget_ends_a_call_at_the_same_instruction_each_time() {
    let limits = |fuel| Limits { fuel: Some(fuel), ..Limits::default() };
    let report = within("forever", json!({}), limits(1_000_000)).await;
    assert_eq!(exceeded(&report), LimitKind::Fuel);
    let one = within("text", json!({"bytes": 100}), limits(1_000_000)).await;
    let two = within("text", json!({"bytes": 100}), limits(1_000_000)).await;
    assert!(matches!(one.outcome, Outcome::Done(_)), "{one:?}");
    assert!(one.receipt.fuel.is_some_and(|fuel| fuel > 10 && fuel < 1_000_000), "{:?}", one.receipt.fuel);
    assert_eq!(one.receipt.fuel, two.receipt.fuel);
}

#[tokio::test]
async fn a_fuel_budget_doesnt_lift_the_deadline() {
    let limits = Limits { fuel: Some(u64::MAX), time_ms: 50, ..Limits::default() };
    assert_eq!(exceeded(&within("forever", json!({}), limits).await), LimitKind::Time);
}

#[tokio::test]
async fn limits_beyond_all_measure_are_taken_as_none() {
    let limits = Limits {
        time_ms: u64::MAX,
        cpu_ms: Some(u64::MAX),
        memory_bytes: u64::MAX,
        output_bytes: u64::MAX,
        stdio_bytes: u64::MAX,
        open_files: u64::MAX,
        dir_entries: u64::MAX,
        read_bytes: u64::MAX,
        write_bytes: u64::MAX,
        write_entries: u64::MAX,
        fuel: None,
        requests: every_request(u64::MAX),
    };
    assert_eq!(within("count", json!({}), limits).await.outcome, Outcome::Done(json!(2)));
}

#[tokio::test]
async fn limits_of_nothing_end_a_call_at_once() {
    let nothing = Limits {
        time_ms: 0,
        cpu_ms: Some(0),
        memory_bytes: 0,
        output_bytes: 0,
        stdio_bytes: 0,
        open_files: 0,
        dir_entries: 0,
        read_bytes: 0,
        write_bytes: 0,
        write_entries: 0,
        fuel: Some(0),
        requests: every_request(0),
    };
    let report = within("forever", json!({}), nothing).await;
    assert!(matches!(report.outcome, Outcome::Exceeded(_)), "{report:?}");
    let in_no_time = Limits { time_ms: 0, ..Limits::default() };
    assert_eq!(exceeded(&within("forever", json!({}), in_no_time).await), LimitKind::Time);
}

#[tokio::test]
async fn a_guest_too_large_for_the_pool_is_called_all_the_same() {
    let wit = "package test:large; world large { export length: func(text: string) -> u32; }";
    let module = r#"(module
      (memory (export "memory") 1024)
      (table 100000 funcref)
      (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
      (func (export "length") (param i32 i32) (result i32) (local.get 1)))"#;
    let bench = Bench::new(SandboxConfig::default(), built::over(&format!("{wit}{WASI}"), "large", module));
    for _ in 0..3 {
        let report = bench.call("length", json!({"text": "abcd"})).await;
        assert_eq!(report.outcome, Outcome::Done(json!(4)), "{report:?}");
        assert_eq!(report.receipt.peak_memory_bytes, 64 << 20);
    }
}

#[tokio::test]
async fn a_guest_with_many_memories_takes_no_room_from_others() {
    let memories = "(memory 1)".repeat(15);
    let wit = "package test:many; world many { export spin: func(); }";
    let module =
        format!(r#"(module (memory (export "memory") 1) {memories} (func (export "spin") (loop (br 0))))"#);
    let many = built::over(wit, "many", &module);
    let config = SandboxConfig { max_calls: 16, ..SandboxConfig::default() };
    let bench = Bench::new(config, guest());
    let hostile = bench.sandbox.load(ComponentSource::from_bytes("many", many)).unwrap();
    let spin = Toolset::new([hostile]).unwrap().get("spin").unwrap().clone();
    let spinning = CallRequest {
        tool: spin,
        limits: Limits { time_ms: 500, ..Limits::default() },
        ..bench.request("count", json!({}))
    };
    let hostile = (0..8).map(|_| bench.sandbox.call(spinning.clone()));
    let others = async {
        for _ in 0..50 {
            bench.goes_on().await;
        }
    };
    let (reports, ()) = tokio::join!(join_all(hostile), others);
    for report in reports {
        assert_eq!(exceeded(&report.unwrap()), LimitKind::Time);
    }
}

#[tokio::test]
async fn processor_time_is_bounded_apart_from_the_time_that_passes() {
    let limits = Limits { cpu_ms: Some(20), time_ms: 3_600_000, ..Limits::default() };
    for tool in ["forever", "forever_with_calls"] {
        let report = ends(within(tool, json!({}), limits.clone())).await;
        assert_eq!(exceeded(&report), LimitKind::Cpu, "{tool}");
        assert!(report.receipt.cpu_us >= 20_000, "{tool}: {} µs", report.receipt.cpu_us);
    }
    let limits = Limits { cpu_ms: Some(1_000), ..limits };
    let report = within("sleep", json!({"nanos": 1_200_000_000_u64}), limits).await;
    assert_eq!(report.outcome, Outcome::Done(json!(null)), "waiting costs none");
}

#[tokio::test]
async fn without_a_pool_the_limits_are_the_same() {
    let bench = Bench::new(SandboxConfig::for_few_calls(), guest());
    let limits = Limits { memory_bytes: 32 << 20, time_ms: 50, ..Limits::default() };
    let report = bench.call_within("grow_until_it_crashes", json!({}), limits.clone()).await;
    assert_eq!(exceeded(&report), LimitKind::Memory);
    let report = bench.call_within("forever", json!({}), limits).await;
    assert_eq!(exceeded(&report), LimitKind::Time);
    bench.goes_on().await;
}

#[test]
fn calls_work_where_address_space_is_scarce() {
    // Runs ordinary tests of this very binary once more, with `ulimit -v` at 4 GB.
    for test in ["call::arguments_go_in_and_results_come_out", "limits::memory_stops_growing_at_the_limit"] {
        let script = format!("ulimit -v 4000000 && exec \"$0\" --exact {test}");
        let binary = std::env::current_exe().unwrap();
        let output = std::process::Command::new("sh").args(["-c", &script]).arg(binary).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{test}: {said}");
    }
}
