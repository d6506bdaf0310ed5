//! What a step of a run costs, near its beginning and a thousand steps later. Prints one table;
//! `cargo bench -p ringfence-store` runs it, and with `-- --json` it prints one object.
//!
//! First the journal alone, then loops of each flow that the real engine carries out: a model's
//! reply or a tool's outcome of 500 bytes is one step, folded by the engine and journaled with
//! what it wished for, through the real lease. Models and tools answer from a script, at once.
//! `RINGFENCE_BENCH_DIR` names a folder on the disk to be measured; without it the target folder's
//! disk is.

mod alone;
mod cost;
mod driven;
mod record;

use cost::Cost;
use ringfence_engine::Flow;
use ringfence_store::Durability;
use serde_json::json;
use std::path::PathBuf;

fn main() {
    let folder = std::env::var_os("RINGFENCE_BENCH_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let journal = |durability| Cost::measure(&folder, alone::CYCLE, |home| alone::drive(home, durability));
    let full = journal(Durability::Full);
    let relaxed = journal(Durability::Relaxed);
    let [staged, pipeline, react] =
        Flow::ALL.map(|flow| Cost::measure(&folder, driven::cycle(flow), |home| driven::drive(home, flow)));
    if std::env::args().any(|argument| argument == "--json") {
        let loops = json!({"staged": staged, "pipeline": pipeline, "react": react});
        println!("{}", json!({"journal": {"full": full, "relaxed": relaxed}, "loop": loops}));
        return;
    }
    println!("{} steps of {} bytes, {} runs; times in µs\n", record::STEPS, record::BYTES, cost::ROUNDS);
    Cost::print_head();
    full.print("journal alone, fsync");
    relaxed.print("journal alone, no fsync");
    staged.print("staged, fsync");
    pipeline.print("pipeline, fsync");
    react.print("react, fsync");
    println!("\nA turn of react holds all turns before it, as its model is sent them all: it grows.");
    println!("\nwhat was promised");
    for (name, cost) in
        [("journal", &full), ("journal, no fsync", &relaxed), ("staged", &staged), ("pipeline", &pipeline)]
    {
        bar(cost.ratio() < 1.5, name, "step 1,000 takes less than 1.5 times what step 10 takes");
        bar(cost.bytes_per_step < 2_500, name, "a step takes less than 2.5 KB, with log and slack");
    }
}

fn bar(kept: bool, name: &str, promise: &str) {
    println!("  {}: {name}: {promise}", if kept { "kept" } else { "BROKEN" });
}
