//! What was acknowledged is there after a kill, and the run can be taken up at once; the log stays
//! small.

use crate::sample::*;
use ringfence_engine::{EventKind, RunId};
use ringfence_store::{Durability, Entry, Store};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const CHILD: &str = "RINGFENCE_STORE_APPEND";
const RELAXED: &str = "RINGFENCE_STORE_RELAXED";

#[test]
fn everything_acknowledged_survives_sigkill_without_a_gap() {
    let folder = Folder::new();
    let run = RunId::from("killed");
    drop(folder.store().create_run(&new_run("killed"), &entry(&started("killed"), &planning())).unwrap());
    let mut acknowledged = 1;
    for round in 0..6_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "durability::child_appends_until_killed", "--ignored", "--nocapture"])
            .env(CHILD, folder.file())
            .env(RELAXED, if round % 2 == 0 { "no" } else { "yes" })
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let seq =
            |line: std::io::Result<String>| -> Option<u64> { line.ok()?.strip_prefix("ACK ")?.parse().ok() };
        let first = lines.by_ref().find_map(seq).expect("the child appends");
        assert!(first > acknowledged);
        // A different moment each time, in the middle of whatever it is doing.
        std::thread::sleep(Duration::from_millis(15 + 23 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged = lines.filter_map(seq).last().unwrap_or(first);

        let store = folder.store();
        store.check().unwrap();
        let journal = store.journal(&run).unwrap();
        let have = journal.events.len() as u64;
        // At most the one that was committed but not yet told of.
        assert!((acknowledged..=acknowledged + 1).contains(&have), "{acknowledged} told, {have} there");
        for (recorded, n) in journal.events.iter().zip(1_u64..) {
            assert_eq!(recorded.seq, n);
            if n > 1 {
                let EventKind::ToolFinished { call, outcome } = &recorded.event.kind else { panic!() };
                assert_eq!(outcome.value["seq"], json!(n));
                assert_eq!(recorded.intents, [wish(n + 1)], "intent of {n}");
                assert!(
                    journal
                        .receipts
                        .iter()
                        .any(|stored| stored.seq == n && Some(&stored.id) == outcome.receipt.as_ref())
                );
                assert_eq!(call.0, n);
            }
        }
        acknowledged = have;
        store.lease(&run).expect("the run is free at once");
    }
}

#[test]
#[ignore = "run by everything_acknowledged_survives_sigkill_without_a_gap"]
fn child_appends_until_killed() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let relaxed = std::env::var_os(RELAXED).is_some_and(|relaxed| relaxed == "yes");
    let durability = if relaxed { Durability::Relaxed } else { Durability::Full };
    let store = Store::open_with(file.as_ref(), durability).unwrap();
    let run = RunId::from("killed");
    let mut lease = store.lease(&run).unwrap();
    let mut next = store.events(&run).unwrap().len() as u64 + 1;
    loop {
        let padding = "x".repeat((next as usize * 997) % 60_000);
        let event = receipted(next, json!({"seq": next, "padding": padding}));
        let receipts = [(receipt_id(next), json!({"seq": next}))];
        let intents = [wish(next + 1)];
        let stage = planning();
        let seq = lease
            .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &stage })
            .unwrap();
        println!("ACK {seq}");
        next += 1;
    }
}

/// Appends steps of 500 bytes with intents of 500 bytes, four kinds in turn; watches the log.
fn append_records(store: &Store, folder: &Folder, steps: u64) -> u64 {
    let mut lease = store.create_run(&new_run("long"), &entry(&started("long"), &planning())).unwrap();
    let log = folder.path().join("runs.db-wal");
    let mut most = 0;
    for step in 1..=steps {
        let event = match step % 4 {
            0 => receipted(step, json!("x".repeat(400))),
            _ => tool_finished(step, json!("x".repeat(400))),
        };
        let receipts = [(receipt_id(step), json!("y".repeat(500)))];
        let receipts = if step % 4 == 0 { &receipts[..] } else { &[] };
        let intents = [padded_wish(step, 250)];
        lease.append(&Entry { event: &event, intents: &intents, receipts, stage: &planning() }).unwrap();
        lease.beat().unwrap();
        most = most.max(std::fs::metadata(&log).unwrap().len());
    }
    let all = ["runs.db", "runs.db-wal", "runs.db-shm"];
    let bytes: u64 = all.iter().map(|name| std::fs::metadata(folder.path().join(name)).unwrap().len()).sum();
    assert!(most < 1 << 20, "the log grew to {most} bytes");
    bytes / steps
}

#[test]
fn a_step_takes_little_more_than_its_records_with_log_and_slack() {
    for durability in [Durability::Full, Durability::Relaxed] {
        let folder = Folder::new();
        let store = Store::open_with(&folder.file(), durability).unwrap();
        let bytes = append_records(&store, &folder, 1_000);
        assert!(bytes < 2_500, "{durability:?}: {bytes} bytes a step");
    }
}

#[test]
fn the_log_shrinks_again_after_a_step_of_megabytes() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    lease.append(&entry(&tool_finished(1, json!("x".repeat(4 << 20))), &planning())).unwrap();
    let log = || std::fs::metadata(folder.path().join("runs.db-wal")).unwrap().len();
    assert!(log() > 4 << 20);
    for call in 2..=4 {
        lease.append(&entry(&tool_finished(call, json!(call)), &planning())).unwrap();
    }
    assert!(log() < 1 << 20, "{} bytes", log());
}

#[test]
fn signs_of_life_alone_don_t_make_the_files_grow() {
    let folder = Folder::new();
    let store = folder.store();
    let lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for _ in 0..2_000 {
        lease.beat().unwrap();
    }
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(size("runs.db") < 128 << 10, "{} bytes", size("runs.db"));
    assert!(size("runs.db-wal") < 1 << 20, "{} bytes", size("runs.db-wal"));
}
