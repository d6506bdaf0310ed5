//! A disk that fills up while a run is journaled.

use crate::disk::SmallDisk;
use crate::sample::*;
use ringfence_engine::RunId;
use ringfence_store::{Entry, Lease, Store, StoreError};
use serde_json::json;
use std::fs;
use std::path::Path;

fn begin(store: &Store) -> Lease {
    store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap()
}

fn append(lease: &mut Lease, call: u64) -> ringfence_store::Result<u64> {
    let event = receipted(call, json!("x".repeat(3_000)));
    let receipts = [(receipt_id(call), json!({ "call": call }))];
    let intents = [wish(call + 1)];
    lease.append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &planning() })
}

/// Appends until there is no space; the number of events that were acknowledged.
fn fill(lease: &mut Lease) -> u64 {
    for call in 1..10_000 {
        match append(lease, call) {
            Ok(seq) => assert_eq!(seq, call + 1),
            Err(error) => {
                assert!(matches!(error, StoreError::Full { .. }), "{error}");
                assert!(error.to_string().contains("free some space"), "{error}");
                return call;
            }
        }
    }
    panic!("the disk never filled up");
}

/// The run has exactly these events, each with what belongs to it.
fn holds(store: &Store, events: u64) {
    let journal = store.journal(&RunId::from("one")).unwrap();
    assert_eq!(journal.events.len() as u64, events);
    assert_eq!(journal.receipts.len() as u64, events - 1);
    assert!(journal.events[1..].iter().all(|recorded| recorded.intents == [wish(recorded.seq)]));
    store.check().unwrap();
}

/// Fills it, makes space, goes on: with the same lease and, after that, with another one.
fn fill_and_go_on(file: &Path, limit: impl FnOnce(&Lease), make_space: impl FnOnce(&Lease)) {
    let store = Store::open(file).unwrap();
    let mut lease = begin(&store);
    limit(&lease);
    let events = fill(&mut lease);
    holds(&store, events);
    assert!(matches!(append(&mut lease, events), Err(StoreError::Full { .. })), "still full");
    holds(&store, events);

    make_space(&lease);
    assert_eq!(append(&mut lease, events).unwrap(), events + 1);
    drop((lease, store));
    let store = Store::open(file).unwrap();
    holds(&store, events + 1);
    let mut lease = store.lease(&RunId::from("one")).unwrap();
    assert_eq!(append(&mut lease, events + 1).unwrap(), events + 2);
    holds(&store, events + 2);
}

#[test]
fn a_run_on_a_full_disk_stops_at_a_whole_step_and_goes_on_when_there_is_space() {
    match SmallDisk::mount() {
        Some(disk) => {
            let ballast = disk.folder().path().join("ballast");
            fs::write(&ballast, vec![0; 256 << 10]).unwrap();
            fill_and_go_on(&disk.folder().file(), |_| {}, |_| fs::remove_file(ballast).unwrap());
        }
        None => {
            let folder = Folder::new();
            let cap = |lease: &Lease| lease.cap_pages(100).unwrap();
            fill_and_go_on(&folder.file(), cap, |lease| lease.cap_pages(1_000).unwrap());
        }
    }
}
