//! What journaling a step costs, near the beginning of a run and a thousand steps later. Prints one
//! table; `cargo bench -p ringfence-store` runs it, and with `-- --json` it prints one object.
//!
//! The steps are those of the four stages, each an event of 500 bytes with an intent of 500 bytes,
//! and for each fourth a receipt of 500 bytes, through the real lease. Nothing else of a loop runs
//! here. `RINGFENCE_BENCH_DIR` names a folder on the disk to be measured; without it the target
//! folder's disk is.

use ringfence_engine::*;
use ringfence_store::{Durability, Entry, Intent, NewRun, Store};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STEPS: u64 = 1_000;
const RECORD_BYTES: usize = 500;
/// Runs whose times are put together.
const ROUNDS: usize = 5;
/// Steps on each side of the one that is told of; the last one has them on one side.
const AROUND: usize = 9;

fn main() {
    let folder = std::env::var_os("RINGFENCE_BENCH_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let full = Cost::measure(&folder, Durability::Full);
    let relaxed = Cost::measure(&folder, Durability::Relaxed);
    if std::env::args().any(|argument| argument == "--json") {
        println!("{}", json!({"full": full, "relaxed": relaxed}));
        return;
    }
    println!("journaling {STEPS} steps of {RECORD_BYTES} bytes, {ROUNDS} runs\n");
    println!(
        "{:24} {:>9} {:>9} {:>7} {:>9} {:>13}",
        "", "step 10", "step 1000", "ratio", "mean", "bytes a step"
    );
    full.print("full: fsync each step");
    relaxed.print("relaxed: no fsync");
    println!("\nwhat was promised");
    for (name, cost) in [("full", &full), ("relaxed", &relaxed)] {
        bar(
            cost.late_us / cost.early_us < 1.5,
            name,
            "step 1,000 takes less than 1.5 times what step 10 takes",
        );
        bar(cost.bytes_per_step < 2_500, name, "a step takes less than 2.5 KB, with log and slack");
    }
}

fn bar(kept: bool, name: &str, promise: &str) {
    println!("  {}: {name}: {promise}", if kept { "kept" } else { "BROKEN" });
}

/// What a step costs; times are medians but for the mean, in microseconds.
#[derive(Debug, Serialize)]
struct Cost {
    early_us: f64,
    late_us: f64,
    mean_us: f64,
    bytes_per_step: u64,
}

impl Cost {
    fn measure(folder: &Path, durability: Durability) -> Self {
        let (mut early, mut late, mut all, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let (times, size) = drive(folder, durability);
            early.extend_from_slice(&times[9 - AROUND..=9 + AROUND]);
            late.extend_from_slice(&times[times.len() - 1 - AROUND..]);
            all.extend(times);
            bytes = bytes.max(size);
        }
        let mean_us = all.iter().sum::<Duration>().as_secs_f64() * 1e6 / all.len() as f64;
        let (early_us, late_us) = (median_us(early), median_us(late));
        Self { early_us, late_us, mean_us, bytes_per_step: bytes / STEPS }
    }

    fn print(&self, what: &str) {
        let Self { early_us, late_us, mean_us, bytes_per_step } = self;
        let ratio = late_us / early_us;
        println!(
            "{what:24} {early_us:>6.0} µs {late_us:>6.0} µs {ratio:>7.2} {mean_us:>6.0} µs {bytes_per_step:>13}"
        );
    }
}

fn median_us(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// The time of each step of one run, and the bytes of its files while they are open.
fn drive(folder: &Path, durability: Durability) -> (Vec<Duration>, u64) {
    let folder = tempfile::tempdir_in(folder).expect("a folder to write to");
    let file = folder.path().join("runs.db");
    let store = Store::open_with(&file, durability).expect("a new store");
    let started = Event {
        at: Store::now(),
        kind: EventKind::Started {
            run: "bench".into(),
            goal: "a goal".into(),
            settings: Box::new(settings()),
        },
    };
    let stage = Stage::Planning(Asking { call: CallId(1), reask: None, max_tokens: 16_000 });
    let run = NewRun {
        id: "bench".into(),
        project: "/srv/project".into(),
        goal: "a goal".into(),
        model: "none".into(),
        created: started.at,
        parent: None,
    };
    let first = Entry { event: &started, intents: &[], receipts: &[], stage: &stage };
    let mut lease = store.create_run(&run, &first).expect("a new run");
    let mut times = Vec::new();
    for step in 1..=STEPS {
        let (event, intents, receipts) = (event(step), [intent(step)], receipts(step));
        let entry = Entry { event: &event, intents: &intents, receipts: &receipts, stage: &stage };
        let began = Instant::now();
        lease.append(&entry).expect("the step is journaled");
        times.push(began.elapsed());
    }
    let files = folder.path().read_dir().expect("the folder is there");
    let bytes =
        files.map(|file| file.and_then(|file| file.metadata()).expect("a file")).map(|file| file.len());
    (times, bytes.sum())
}

/// Plan, decide, execute, evaluate, and again.
fn event(step: u64) -> Event {
    let event = |text: String| {
        let kind = match step % 4 {
            3 => EventKind::ToolFinished {
                call: CallId(step),
                outcome: ToolOutcome {
                    status: OutcomeStatus::Done,
                    value: Value::String(text),
                    message: String::new(),
                    receipt: Some(receipt_id(step)),
                },
            },
            _ => EventKind::ModelReplied {
                call: CallId(step),
                reply: ModelReply {
                    text,
                    stop: StopReason::End,
                    usage: Usage { input_tokens: 4_000, cached_tokens: 3_000, output_tokens: 200 },
                    model: "a-model".into(),
                },
            },
        };
        Event { at: Timestamp(1_700_000_000_000), kind }
    };
    padded(event)
}

fn intent(step: u64) -> Intent {
    padded(|reasoning| {
        Intent::CallTool(ToolCall {
            call: CallId(step),
            step: StepId(step),
            task: "task_1".into(),
            tool: "read_file".into(),
            input: json!({"file_path": "src/main.rs"}),
            can: ToolFacts { reads: true, writes: false, egress: false, deterministic: true },
            attempt: 1,
            timeout_ms: 30_000,
            reasoning,
            confidence: Confidence::High,
        })
    })
}

fn receipts(step: u64) -> Vec<(ReceiptId, Value)> {
    match step % 4 {
        3 => vec![(receipt_id(step), padded(|text| json!({"tool": "read_file", "text": text})))],
        _ => Vec::new(),
    }
}

fn receipt_id(step: u64) -> ReceiptId {
    ReceiptId(format!("receipt-{step}"))
}

/// The value whose JSON has the size of a record.
fn padded<T: Serialize>(with: impl Fn(String) -> T) -> T {
    let bare = serde_json::to_string(&with(String::new())).expect("it can be written").len();
    with("x".repeat(RECORD_BYTES - bare))
}

fn settings() -> Settings {
    Settings {
        flow: Flow::Staged,
        limits: Limits::default(),
        pause: Default::default(),
        tools: Vec::new(),
        prompts: Prompts { plan: "plan".into(), decide: "decide".into(), evaluate: "evaluate".into() },
        metadata: Value::Null,
    }
}
