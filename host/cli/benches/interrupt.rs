//! How long Ctrl-C takes: until the paused state is in the journal, and until the process is gone.
//! Prints one table; `cargo bench -p ringfence --bench interrupt` runs it.
//!
//! The real binary, interrupted while a tool runs an endless loop and while a model server is silent.
//! Its event lines are read: each is written once the event is on the disk.

use ringfence_tests::messages_api::{Answer, MessagesApi};
use ringfence_tests::product::Product;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout};
use std::time::{Duration, Instant};

const ROUNDS: usize = 30;
/// The paused state is in the journal after so long, in the median.
const BAR: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(120);
/// From the word that a tool is called to the middle of its loop.
const INTO_THE_LOOP: Duration = Duration::from_millis(30);

const FOREVER: &str = r#"(component
  (core module $code (func (export "forever") (loop (br 0))))
  (core instance $code (instantiate $code))
  (func (export "forever") (canon lift (core func $code "forever"))))"#;

fn main() {
    let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir(product.home().join("project")).expect("a project folder");
    let forever = wat::parse_str(FOREVER).expect("a component");
    fs::write(product.home().join("forever.wasm"), forever).expect("a component's file");

    // Once more than is counted: the first one compiles.
    let of_a_tool: Vec<Times> = (0..=ROUNDS).map(|_| while_a_tool_runs(&product)).skip(1).collect();
    let of_a_model: Vec<Times> = (0..ROUNDS).map(|_| while_a_model_is_silent(&product)).collect();

    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!("from SIGINT, {build} build, {ROUNDS} rounds; milliseconds\n");
    println!("{:38} {:>9} {:>9}", "", "median", "p99");
    let kept = [print("a tool in an endless loop", &of_a_tool), print("a silent model server", &of_a_model)];
    println!("\nwhat was promised");
    bar(kept[0] && kept[1], "the paused state is in the journal within 50 ms in the median");
    if !cfg!(debug_assertions) {
        bar(ignores_failpoints(&product), "a release build has no failpoints");
    }
}

/// Times from the signal.
#[derive(Debug, Clone, Copy)]
struct Times {
    journaled: Duration,
    gone: Duration,
}

fn while_a_tool_runs(product: &Product) -> Times {
    let server = MessagesApi::start(|_| {
        let details = json!({"tool_name": "forever", "tool_input": {}});
        Answer::Json(json!({
            "thought": "round and round", "decision": "CALL_TOOL", "confidence": "high", "details": details,
        }))
    });
    let (child, mut lines) = start(product, &server);
    wait_for(&mut lines, r#""type":"tool""#);
    std::thread::sleep(INTO_THE_LOOP);
    interrupt(child, lines)
}

fn while_a_model_is_silent(product: &Product) -> Times {
    let server = MessagesApi::start(|_| Answer::Hang);
    let (child, lines) = start(product, &server);
    assert!(server.wait_for(1, PATIENCE), "the model was never asked");
    interrupt(child, lines)
}

type Out = Lines<BufReader<ChildStdout>>;

fn start(product: &Product, server: &MessagesApi) -> (Child, Out) {
    let arguments = [
        "run",
        "project",
        "go round",
        "--flow",
        "pipeline",
        "--yes",
        "--json",
        "--component",
        "forever.wasm",
        "--tools",
        "forever",
    ];
    let mut child = product.start(&arguments, &server.env());
    let out = child.stdout.take().expect("a pipe");
    (child, BufReader::new(out).lines())
}

fn interrupt(mut child: Child, mut lines: Out) -> Times {
    let pid = Pid::from_child(&child);
    let begun = Instant::now();
    kill_process(pid, Signal::INT).expect("a process that runs");
    wait_for(&mut lines, r#""event":"interrupted""#);
    let journaled = begun.elapsed();
    let status = child.wait().expect("a child");
    let gone = begun.elapsed();
    assert_eq!(status.code(), Some(130));
    Times { journaled, gone }
}

fn wait_for(lines: &mut Out, words: &str) {
    let found = lines.by_ref().map_while(Result::ok).any(|line| line.contains(words));
    assert!(found, "the binary ended without a line with {words}");
}

/// Prints what both times are; whether the bar is kept.
fn print(name: &str, times: &[Times]) -> bool {
    let journaled = sorted(times.iter().map(|times| times.journaled));
    let gone = sorted(times.iter().map(|times| times.gone));
    for (what, times) in [("journaled", &journaled), ("exit 130", &gone)] {
        let (median, p99) = (at(times, 50), at(times, 99));
        println!("{:38} {:>9.1} {:>9.1}", format!("{name}: {what}"), millis(median), millis(p99));
    }
    at(&journaled, 50) < BAR
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<_> = times.collect();
    times.sort();
    times
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent).div_ceil(100) - 1]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn bar(kept: bool, promise: &str) {
    println!("  {}: {promise}", if kept { "kept" } else { "BROKEN" });
}

/// A debug build would be killed at its first write.
fn ignores_failpoints(product: &Product) -> bool {
    let failpoint = [("RINGFENCE_FAILPOINT", "any:1".to_owned())];
    product.run(&["run", "project", "--yes"], &failpoint).code == Some(0)
}
