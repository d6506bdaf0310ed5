//! What was acknowledged is there after a kill, and the run can be taken up at once.

use crate::sample::*;
use ringfence_engine::{Effect, EventKind, RunId};
use ringfence_store::{Entry, Store};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const CHILD: &str = "RINGFENCE_STORE_APPEND";

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
                assert_eq!(recorded.intents, [Effect::CallTool(tool_call(n + 1))], "intent of {n}");
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
    let store = Store::open(file.as_ref()).unwrap();
    let run = RunId::from("killed");
    let mut lease = store.lease(&run).unwrap();
    let mut next = store.events(&run).unwrap().len() as u64 + 1;
    loop {
        let padding = "x".repeat((next as usize * 997) % 60_000);
        let event = receipted(next, json!({"seq": next, "padding": padding}));
        let receipts = [(receipt_id(next), json!({"seq": next}))];
        let intents = [Effect::CallTool(tool_call(next + 1))];
        let stage = planning();
        let seq = lease
            .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &stage })
            .unwrap();
        println!("ACK {seq}");
        next += 1;
    }
}
