//! Signs of life: whose they are, and that nobody else's are believed.

use crate::sample::*;
use ringfence_engine::RunId;
use ringfence_store::{Heartbeat, Store, StoreError};
use rusqlite::Connection;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const CHILD: &str = "RINGFENCE_STORE_BEAT";

fn heartbeat(store: &Store) -> Heartbeat {
    store.heartbeat(&RunId::from("one")).unwrap().expect("somebody has driven it")
}

#[test]
fn taking_a_lease_is_the_first_sign_and_each_beat_the_next() {
    let folder = Folder::new();
    let before = Store::now();
    let store = folder.store();
    let lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let supervisor = Store::open_read_only(&folder.file()).unwrap();
    let first = heartbeat(&supervisor);
    assert!(first.at >= before);
    assert_eq!((first.pid, first.token), (std::process::id(), lease.token()));
    assert!(!first.host.is_empty());
    while Store::now() == first.at {
        std::thread::yield_now();
    }
    lease.beat().unwrap();
    assert!(heartbeat(&supervisor).at > first.at);
    drop(lease);
    let again = store.lease(&RunId::from("one")).unwrap();
    assert_eq!(heartbeat(&supervisor).token, again.token());
}

#[test]
fn a_run_that_isn_t_there_gives_no_sign() {
    let folder = Folder::new();
    let refused = folder.store().heartbeat(&RunId::from("nobody")).unwrap_err();
    assert!(matches!(refused, StoreError::NoSuchRun { .. }), "{refused}");
}

#[test]
fn a_lease_that_was_taken_over_can_t_beat() {
    let folder = Folder::new();
    let stores = [folder.store(), folder.store()];
    let stale = stores[0].create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    // Its lock file has been swept away, so that another one gets the run.
    std::fs::remove_file(folder.path().join("leases/one.lock")).unwrap();
    let lease = stores[1].lease(&RunId::from("one")).unwrap();
    let said = heartbeat(&stores[0]);
    let lost = stale.beat().unwrap_err();
    assert!(
        matches!(lost, StoreError::LeaseLost { held, current, .. } if held == stale.token() && current == lease.token()),
        "{lost}"
    );
    assert_eq!(heartbeat(&stores[0]), said);
    lease.beat().unwrap();
    assert_eq!(heartbeat(&stores[0]).token, lease.token());
}

#[test]
fn what_a_killed_process_said_last_stays_until_the_run_is_taken_up() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "heartbeats::child_beats_until_killed", "--ignored", "--nocapture"])
        .env(CHILD, folder.file())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.by_ref().find(|line| line.as_ref().is_ok_and(|line| line.contains("BEAT"))).unwrap().unwrap();
    assert_eq!(heartbeat(&store).pid, child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    let last = heartbeat(&store);
    assert_eq!(last.pid, child.id());
    store.check().unwrap();
    let lease = store.lease(&RunId::from("one")).expect("the run is free at once");
    let now = heartbeat(&store);
    assert_eq!((now.pid, now.token), (std::process::id(), lease.token()));
    assert!(now.token > last.token);
}

#[test]
#[ignore = "run by what_a_killed_process_said_last_stays_until_the_run_is_taken_up"]
fn child_beats_until_killed() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let store = Store::open(file.as_ref()).unwrap();
    let lease = store.lease(&RunId::from("one")).unwrap();
    loop {
        lease.beat().unwrap();
        println!("\nBEAT");
    }
}

#[test]
fn beats_between_steps_leave_the_journal_as_it_is() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for call in 1..=50 {
        lease.beat().unwrap();
        lease.append(&entry(&tool_finished(call, json!(call)), &planning())).unwrap();
    }
    assert_eq!(store.journal(&RunId::from("one")).unwrap().events.len(), 51);
}

#[test]
fn a_forged_host_is_shown_without_its_control_characters() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
    let other = Connection::open(folder.file()).unwrap();
    other.execute("UPDATE heartbeats SET host = ?1", ["a\u{1b}[2Jb\n"]).unwrap();
    assert_eq!(heartbeat(&store).host, "a[2Jb");
}
