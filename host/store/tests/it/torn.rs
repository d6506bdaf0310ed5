//! Files cut anywhere: what is read back is the beginning of the run, whole steps of it, or damage
//! is reported.

use crate::sample::*;
use ringfence_engine::RunId;
use ringfence_store::{Entry, Journal, Result, Store, StoreError};
use serde_json::json;
use std::fs;

/// A file and its log as they lie on the disk while the run is driven, and the run.
struct Files {
    database: Vec<u8>,
    log: Vec<u8>,
    run: Journal,
}

impl Files {
    fn of(steps: u64) -> Self {
        let folder = Folder::new();
        let store = folder.store();
        let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
        for call in 1..=steps {
            let event = receipted(call, json!("x".repeat((call as usize * 997) % 6_000)));
            let receipts = [(receipt_id(call), json!({ "call": call }))];
            let intents = [wish(call + 1)];
            lease
                .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &planning() })
                .unwrap();
        }
        Self {
            database: fs::read(folder.file()).unwrap(),
            log: fs::read(folder.path().join("runs.db-wal")).unwrap(),
            run: store.journal(&RunId::from("one")).unwrap(),
        }
    }

    /// What is read of them when they are cut to these lengths: how many events, if any.
    fn cut(&self, database: usize, log: usize) -> Result<usize> {
        let folder = Folder::new();
        fs::write(folder.file(), &self.database[..database]).unwrap();
        fs::write(folder.path().join("runs.db-wal"), &self.log[..log]).unwrap();
        let store = Store::open(&folder.file())?;
        let found = store.journal(&RunId::from("one"))?;
        let events = found.events.len();
        let at = format!("cut to {database} and {log} bytes");
        assert_eq!(found.events, self.run.events[..events], "{at}");
        assert_eq!(found.receipts, self.run.receipts[..events - 1], "{at}");
        // What is read can be gone on with.
        let mut lease = store.lease(&RunId::from("one"))?;
        let next = lease.append(&entry(&tool_finished(99, json!(null)), &planning()))?;
        assert_eq!(next, events as u64 + 1, "{at}");
        assert_eq!(store.journal(&RunId::from("one"))?.events.len(), events + 1, "{at}");
        Ok(events)
    }
}

/// Lengths up to the whole: around every page and frame, and in the middle of some.
fn lengths(whole: usize, unit: usize, head: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..=whole / unit)
        .flat_map(|n| {
            let edge = head + n * unit;
            [edge.saturating_sub(1), edge, edge + 1, edge + 23, edge + unit / 2]
        })
        .chain([0, 1, 15, 16, 99, 100])
        .filter(|length| *length < whole)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

const PAGE: usize = 4096;
const FRAME: usize = PAGE + 24;
const LOG_HEAD: usize = 32;

#[test]
fn a_log_cut_anywhere_gives_back_a_whole_beginning() {
    // Few enough that all of it is still in the log.
    let files = Files::of(12);
    assert_eq!(files.cut(files.database.len(), files.log.len()).unwrap(), 13);
    let mut before = 0;
    for length in lengths(files.log.len(), FRAME, LOG_HEAD) {
        let events = match files.cut(files.database.len(), length) {
            Ok(events) => events,
            Err(StoreError::NoSuchRun { .. }) => 0,
            Err(other) => panic!("cut to {length}: {other}"),
        };
        assert!((before..=13).contains(&events), "cut to {length}: {events} events, {before} before");
        before = events;
    }
    assert_eq!(before, 12, "all but the step that was cut");
}

#[test]
fn a_log_cut_after_it_was_moved_into_the_file_gives_back_a_beginning_or_damage() {
    let files = Files::of(160);
    assert_eq!(files.cut(files.database.len(), files.log.len()).unwrap(), 161);
    let (mut whole, mut damaged) = (0, 0);
    for length in lengths(files.log.len(), FRAME, LOG_HEAD) {
        match files.cut(files.database.len(), length) {
            Ok(_) => whole += 1,
            Err(StoreError::Corrupt { .. }) => damaged += 1,
            Err(other) => panic!("cut to {length}: {other}"),
        }
    }
    assert!(whole > 0, "{whole} whole, {damaged} damaged");
}

#[test]
fn a_file_cut_anywhere_gives_back_a_beginning_or_damage() {
    let files = Files::of(160);
    for log in [0, files.log.len()] {
        let mut damaged = 0;
        for length in lengths(files.database.len(), PAGE, 0) {
            match files.cut(length, log) {
                Ok(_) => {}
                Err(StoreError::Corrupt { .. }) => damaged += 1,
                // Nothing is left of it.
                Err(StoreError::NoSuchRun { .. }) if length == 0 && log == 0 => {}
                Err(other) => panic!("cut to {length} with a log of {log}: {other}"),
            }
        }
        assert!(damaged > 0);
    }
}
