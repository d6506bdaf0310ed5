//! Time, memory, handles, output: what a tool uses up, and that its neighbours don't notice.

use crate::bench::{BENCH, Fence, tools_of};
use crate::guests::Guest;
use crate::made;
use crate::threat::threats;
use ringfence_sandbox::{CallRequest, CancellationToken, LimitKind, Limits, Outcome};
use serde_json::{Value, json};
use std::time::Duration;

threats! {
    "An endless loop that never calls the host",
        Limits, "that the limit of time was exceeded"
        => EveryLanguage an_endless_loop;
    "An endless loop that calls the host each time",
        Limits, "that the limit of time was exceeded"
        => EveryLanguage an_endless_loop_with_calls;
    "An hour of sleep, where time is real and where it is made up",
        Limits, "that the limit of time was exceeded, or an answer at once"
        => EveryLanguage an_hour_of_sleep;
    "Recursion without end",
        Trap, "that the tool crashed, and why; or that the limit of memory or stack was exceeded"
        => EveryLanguage recursion_without_end;
    "Memory taken until there is none",
        Limits, "that the limit of memory was exceeded"
        => EveryLanguage memory_without_end;
    "Files opened and never closed",
        Limits, "that the limit of open files was exceeded"
        => EveryLanguage files_that_are_never_closed;
    "A result of 5 MB",
        Cut, "a bounded result with a mark of what was cut"
        => EveryLanguage a_result_of_five_megabytes;
    "A result of 100 MB",
        Limits, "that the limit of data handed over at once was exceeded"
        => EveryLanguage a_result_of_a_hundred_megabytes;
    "An error of 5 MB",
        Cut, "a bounded error with a mark of what was cut"
        => EveryLanguage an_error_of_five_megabytes;
    "5 MB to standard output and to standard error",
        Cut, "the beginning, and how much was dropped"
        => EveryLanguage five_megabytes_of_output;
    "Output without end",
        Limits, "that the limit of time was exceeded; what was kept of it is bounded"
        => EveryLanguage output_without_end;
    "An argument of 10 MB",
        Limits, "an answer, or the tool's end for want of memory"
        => EveryLanguage an_argument_of_ten_megabytes;
    "64 calls at once, of which one never ends",
        Limits, "63 answers, and that one exceeded its time"
        => EveryLanguage sixty_four_calls_at_once;
    "Cancelling a call that never ends, twice, before its start and after its end",
        Limits, "that the call was cancelled, once; the one that had ended keeps its answer"
        => EveryLanguage a_call_that_is_cancelled;
    "A loop that a count of instructions bounds",
        Limits, "that the limit of instructions was exceeded"
        => RustAndC more_instructions_than_were_given;
    "A table of a hundred million entries, and one that grows without end",
        Limits, "that it can't be had, or a refused growth"
        => Made huge_tables;
    "Twenty memories in one component",
        Limits, "that it can't be had"
        => Made many_memories;
    "A million handles of the tool's own",
        Limits, "that the limit of handles was exceeded"
        => Made a_million_handles;
}

fn short() -> Limits {
    Limits { time_ms: 300, ..Limits::default() }
}

fn an_endless_loop(guest: &Guest) {
    Fence::new().within(short()).call(guest, "spin", json!({})).is_stopped_by("time");
}

fn an_endless_loop_with_calls(guest: &Guest) {
    Fence::new().within(short()).call(guest, "spin_with_calls", json!({})).is_stopped_by("time");
}

fn an_hour_of_sleep(guest: &Guest) {
    let real = Fence::with_real_time().within(short());
    real.call(guest, "sleep", json!({ "millis": 3_600_000 })).is_stopped_by("time");
    let made_up = Fence::new().within(short()).call(guest, "sleep", json!({ "millis": 3_600_000 }));
    if !matches!(made_up.report.outcome, Outcome::Done(Value::Null)) {
        made_up.is_stopped_by("time");
    }
}

fn recursion_without_end(guest: &Guest) {
    let called = Fence::new().call(guest, "recurse", json!({ "depth": 1_000_000_000_u32 }));
    // Python's frames fill its memory; taking them down again can need more stack than there is.
    if guest.language == "python" {
        let Outcome::Exceeded(exceeded) = called.report.outcome else { panic!("{called}") };
        assert!(matches!(exceeded.which, LimitKind::Memory | LimitKind::Stack), "{called}");
    } else {
        called.is_crash();
    }
}

fn memory_without_end(guest: &Guest) {
    let fence = Fence::new().within(Limits { memory_bytes: 64 << 20, ..Limits::default() });
    let called = fence.call(guest, "grow", json!({ "mebibytes": 3_000 }));
    called.is_stopped_by("memory");
    let peak = called.report.receipt.peak_memory_bytes;
    assert!(peak <= 64 << 20, "{peak}");
}

fn files_that_are_never_closed(guest: &Guest) {
    let fence = Fence::new().within(Limits { open_files: 100, ..Limits::default() });
    fence.call(guest, "hold", json!({ "path": "src/a.txt", "times": 1_000_000 })).is_stopped_by("open files");
}

const LINE: &str = "0123456789";

fn a_result_of_five_megabytes(guest: &Guest) {
    let called = Fence::new().call(guest, "say", json!({ "text": LINE, "times": 500_000 }));
    let kept = called.done().as_str().unwrap();
    assert!(kept.len() < 300_000 && kept.ends_with(" of 5000000 bytes]"), "{}", kept.len());
}

fn a_result_of_a_hundred_megabytes(guest: &Guest) {
    let fence = Fence::new().within(Limits { memory_bytes: 1 << 30, time_ms: 60_000, ..Limits::default() });
    fence
        .call(guest, "say", json!({ "text": LINE, "times": 10_000_000 }))
        .is_stopped_by("data handed over at once");
}

fn an_error_of_five_megabytes(guest: &Guest) {
    let called = Fence::new().call(guest, "fail", json!({ "text": LINE, "times": 500_000 }));
    called.is_failure();
    assert!(called.message().len() < 2_000 && called.report.receipt.truncated, "{called}");
}

fn five_megabytes_of_output(guest: &Guest) {
    for to_error in [false, true] {
        let input = json!({ "text": LINE.repeat(100), "times": 5_000, "to_error": to_error });
        let called = Fence::new().call(guest, "print", input);
        assert_eq!(*called.done(), Value::Null, "{called}");
        let kept = if to_error { &called.report.stderr } else { &called.report.stdout };
        assert!(kept.len() < 70_000 && kept.ends_with(" of 5000000 bytes dropped]\n"), "{called}");
        assert_eq!(called.report.receipt.stdio_bytes, 5_000_000, "{called}");
    }
}

fn output_without_end(guest: &Guest) {
    let input = json!({ "text": LINE.repeat(1_000), "times": u64::MAX >> 12, "to_error": true });
    let called = Fence::new().within(short()).call(guest, "print", input);
    called.is_stopped_by("time");
    assert!(called.report.stderr.len() < 70_000, "{called}");
}

fn an_argument_of_ten_megabytes(guest: &Guest) {
    let text = LINE.repeat(1_000_000);
    let called = Fence::new().call(guest, "say", json!({ "text": text, "times": 1 }));
    assert!(called.done().as_str().unwrap().ends_with(" of 10000000 bytes]"), "{called}");
    let small = Fence::new().within(Limits { memory_bytes: 24 << 20, ..Limits::default() });
    let called = small.call(guest, "say", json!({ "text": text, "times": 4 }));
    called.is_stopped_by("memory");
}

fn sixty_four_calls_at_once(guest: &Guest) {
    let fence = Fence::new();
    let endless =
        CallRequest { limits: short(), ..fence.request(guest.tools.get("spin").unwrap(), json!({})) };
    let read = guest.tools.get("read_text").unwrap();
    let outcomes = BENCH.block_on(async {
        let endless = tokio::spawn(BENCH.call(endless));
        let others: Vec<_> = (0..63)
            .map(|_| tokio::spawn(BENCH.call(fence.request(read, json!({ "path": "src/a.txt" })))))
            .collect();
        for other in others {
            assert_eq!(other.await.unwrap().unwrap().outcome, Outcome::Done(json!("granted")));
        }
        endless.await.unwrap().unwrap()
    });
    assert!(matches!(outcomes.outcome, Outcome::Exceeded { .. }), "{outcomes:?}");
}

fn a_call_that_is_cancelled(guest: &Guest) {
    let fence = Fence::new();
    let called = |tool: &str, input: Value, cancel: &CancellationToken| {
        let request = fence.request(guest.tools.get(tool).unwrap(), input);
        BENCH.block_on(BENCH.call(CallRequest { cancel: cancel.clone(), ..request })).unwrap().outcome
    };
    let later = CancellationToken::new();
    let cancelling = later.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancelling.cancel();
        cancelling.cancel();
    });
    assert_eq!(called("spin", json!({}), &later), Outcome::Cancelled);
    canceller.join().unwrap();
    assert_eq!(called("spin", json!({}), &later), Outcome::Cancelled, "before its start");
    let unused = CancellationToken::new();
    assert_eq!(called("read_text", json!({ "path": "src/a.txt" }), &unused), Outcome::Done(json!("granted")));
    unused.cancel();
}

fn more_instructions_than_were_given(guest: &Guest) {
    let fence = Fence::new().within(Limits { fuel: Some(10_000_000), ..Limits::default() });
    fence.call(guest, "spin", json!({})).is_stopped_by("instructions");
}

/// What came of calling the only tool, as text: the call's outcome, or why it wasn't made.
fn came_to(wit: &str, module: &str) -> String {
    let tools = tools_of("made", made::over(wit, module));
    let tool = tools.iter().next().unwrap();
    let fence = Fence::new().within(Limits { time_ms: 5_000, ..Limits::default() });
    match BENCH.block_on(BENCH.call(fence.request(tool, json!({})))) {
        Ok(report) => format!("{:?}: {}", report.outcome, report.outcome.message(&report.receipt)),
        Err(error) => error.to_string(),
    }
}

const NUMBER: &str = "package test:made; world tools { export number: func() -> s32; }";

fn huge_tables() {
    let huge = r#"(module (table 100000000 funcref) (memory (export "memory") 1)
      (func (export "number") (result i32) (i32.const 1)))"#;
    let told = came_to(NUMBER, huge);
    assert!(!told.contains("Done") && told.len() < 2_000, "{told}");
    let growing = r#"(module (table $t 0 funcref) (memory (export "memory") 1)
      (func (export "number") (result i32) (local $last i32)
        (loop $again
          (local.set $last (table.grow $t (ref.null func) (i32.const 100000)))
          (br_if $again (i32.ge_s (local.get $last) (i32.const 0))))
        (local.get $last)))"#;
    let told = came_to(NUMBER, growing);
    assert!(told.contains("Done(Number(-1))"), "the growth is refused and the tool copes: {told}");
}

fn many_memories() {
    let memories: String = (0..20).map(|at| format!("(memory $m{at} 1)")).collect();
    let module = format!(
        r#"(module (memory (export "memory") 1) {memories} (func (export "number") (result i32) (i32.const 1)))"#
    );
    let told = came_to(NUMBER, &module);
    assert!(!told.contains("Done") && told.len() < 2_000, "{told}");
}

fn a_million_handles() {
    let wit = "package test:made;
      interface things { resource thing; fill: func(); }
      world tools { export things; }";
    let module = r#"(module
      (import "[export]test:made/things" "[resource-new]thing" (func $thing (param i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "test:made/things#fill")
        (local $left i32)
        (local.set $left (i32.const 1000000))
        (loop $again
          (drop (call $thing (i32.const 1)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br_if $again (local.get $left)))))"#;
    let told = came_to(wit, module);
    assert!(told.contains("limit of handles"), "{told}");
}
