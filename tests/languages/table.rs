//! What a tool costs in each language: the component's size, the time to compile it once for a
//! machine, and the time of a call. Printed, never judged: machines are noisy.

use crate::built::{BUILT, tell};
use crate::counting::Ready;
use ringfence_sandbox::Outcome;
use serde_json::json;
use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

/// How long calls are repeated.
const MEASURED: Duration = Duration::from_secs(2);

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn the_table_of_sizes_and_times_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("page.txt"), "the quick brown fox jumps over the lazy dog\n".repeat(93))
        .unwrap();
    let mut table = "\n| language | component | compiled once | a call, 4 KiB counted | peak memory |\n|---|---|---|---|---|\n".to_owned();
    for language in BUILT.iter() {
        let ready = Ready::new(language, dir.path());
        let call = || ready.call(json!({ "path": "page.txt" }));
        let first = call();
        assert!(matches!(first.outcome, Outcome::Done(_)), "{}: {:?}", language.name, first.outcome);
        for _ in 0..10 {
            call();
        }
        let (began, mut calls) = (Instant::now(), 0_u32);
        while began.elapsed() < MEASURED {
            call();
            calls += 1;
        }
        let size = fs::metadata(&language.component).unwrap().len();
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            language.name,
            bytes(size),
            time(ready.prepared.took),
            time(began.elapsed() / calls),
            bytes(first.receipt.peak_memory_bytes),
        );
        if let Some(took) = language.took {
            tell(&format!("{} was built in {}\n", language.name, time(took)));
        }
    }
    for (name, reason) in &BUILT.skipped {
        let _ =
            writeln!(table, "| {name} | skipped: {} | | | |", reason.lines().collect::<Vec<_>>().join(" "));
    }
    tell(&table);
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn time(time: Duration) -> String {
    match time.as_micros() {
        0..1_000 => format!("{} µs", time.as_micros()),
        1_000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
