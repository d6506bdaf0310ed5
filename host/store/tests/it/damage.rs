//! Files that are damaged, foreign, newer, read-only, in the way.

use crate::sample::*;
use ringfence_engine::RunId;
use ringfence_store::{Entry, Store, StoreError};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn filled(folder: &Folder) {
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for call in 1..=40 {
        let event = receipted(call, json!("x".repeat(3_000)));
        let receipts = [(receipt_id(call), json!(call))];
        let intents = [wish(call + 1)];
        lease
            .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &planning() })
            .unwrap();
    }
}

#[test]
fn a_torn_file_is_reported_as_damaged_with_its_name() {
    let folder = Folder::new();
    filled(&folder);
    let whole = fs::read(folder.file()).unwrap();
    let torn: [Vec<u8>; 3] = [
        whole[..whole.len() / 3].to_vec(),
        b"this is no database at all, just a text that somebody put there".repeat(20),
        whole.iter().enumerate().map(|(at, byte)| if at > 4096 { byte ^ 0x55 } else { *byte }).collect(),
    ];
    for bytes in torn {
        fs::write(folder.file(), bytes).unwrap();
        let result = Store::open(&folder.file()).and_then(|store| {
            store.check()?;
            store.journal(&RunId::from("one")).map(|_| ())
        });
        let error = result.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("runs.db"), "{error}");
    }
}

#[test]
fn a_changed_or_missing_row_is_reported_and_not_believed() {
    type Harm = (&'static str, &'static str);
    let harms: [Harm; 4] = [
        (
            "UPDATE events SET body = replace(body, 'xxx', 'xyx') WHERE seq = 7",
            "event 7 of run one isn't what was written",
        ),
        (
            "UPDATE events SET body = (SELECT body FROM events WHERE seq = 8) WHERE seq = 9",
            "event 9 of run one isn't what was written",
        ),
        ("DELETE FROM events WHERE seq = 5", "event 5 of run one is missing"),
        ("DELETE FROM events WHERE seq = 41", "event 41 of run one is missing"),
    ];
    for (harm, said) in harms {
        let folder = Folder::new();
        filled(&folder);
        let tampering = Connection::open(folder.file()).unwrap();
        tampering
            .execute_batch("PRAGMA foreign_keys = OFF; DROP TRIGGER events_stay; DROP TRIGGER events_remain;")
            .unwrap();
        tampering.execute_batch(harm).unwrap();
        let error = folder.store().events(&RunId::from("one")).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_journal_itself_refuses_changes() {
    let folder = Folder::new();
    filled(&folder);
    let other = Connection::open(folder.file()).unwrap();
    for change in [
        "DELETE FROM events",
        "UPDATE events SET place = place + 100",
        "UPDATE receipts SET id = 'x'",
        "UPDATE events SET intents = NULL",
    ] {
        let error = other.execute(change, []).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{change}: {error}");
    }
    let journal = folder.store().journal(&RunId::from("one")).unwrap();
    assert_eq!((journal.events.len(), journal.receipts.len()), (41, 40));
    assert!(journal.events[1..].iter().all(|recorded| recorded.intents.len() == 1));
}

#[test]
fn a_newer_file_is_refused_naming_both_versions() {
    let folder = Folder::new();
    filled(&folder);
    Connection::open(folder.file()).unwrap().pragma_update(None, "user_version", 7).unwrap();
    for opened in [Store::open(&folder.file()), Store::open_read_only(&folder.file())] {
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 7, known: 2, .. }), "{error}");
        assert!(error.to_string().contains("update ringfence"), "{error}");
    }
}

#[test]
fn another_program_s_database_is_left_alone() {
    let folder = Folder::new();
    Connection::open(folder.file()).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(folder.file()).unwrap();
    assert!(matches!(Store::open(&folder.file()), Err(StoreError::Foreign { .. })));
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn a_link_or_folder_in_place_of_the_file_is_refused() {
    let folder = Folder::new();
    let elsewhere = Folder::new();
    filled(&elsewhere);
    symlink(elsewhere.file(), folder.file()).unwrap();
    assert!(matches!(Store::open(&folder.file()), Err(StoreError::CannotOpen { .. })));
    fs::remove_file(folder.file()).unwrap();
    fs::create_dir(folder.file()).unwrap();
    assert!(matches!(Store::open(&folder.file()), Err(StoreError::CannotOpen { .. })));
    let missing = folder.path().join("no/such/runs.db");
    assert!(matches!(Store::open(&missing), Err(StoreError::CannotOpen { .. })));
    assert!(matches!(
        Store::open_read_only(&folder.path().join("none.db")),
        Err(StoreError::CannotOpen { .. })
    ));
}

#[test]
fn the_file_is_for_its_owner_alone() {
    let folder = Folder::new();
    filled(&folder);
    let store = folder.store();
    let _lease = store.lease(&RunId::from("one")).unwrap();
    for name in ["runs.db", "runs.db-wal", "leases/one.lock"] {
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}: {mode:o}");
    }
}

#[test]
fn a_full_disk_stops_the_step_whole_and_says_so() {
    let folder = Folder::new();
    filled(&folder);
    // What a full disk is to SQLite: no page more than there are now.
    let store = folder.store();
    let mut lease = store.lease(&RunId::from("one")).unwrap();
    let pages: i64 = Connection::open(folder.file())
        .unwrap()
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    lease.cap_pages(pages + 2).unwrap();
    let error =
        lease.append(&entry(&tool_finished(41, json!("y".repeat(1 << 20))), &planning())).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert_eq!(store.events(&RunId::from("one")).unwrap().len(), 41);
    assert_eq!(lease.append(&entry(&tool_finished(41, json!(1)), &planning())).unwrap(), 42);
}
