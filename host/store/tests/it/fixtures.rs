//! Files of each schema, kept as they were written, and that they can still be gone on with.
//!
//! The file of the present version is written anew, when events come to be written otherwise, by
//!
//! ```sh
//! cargo test -p ringfence-store --test it -- --ignored --exact fixtures::write
//! ```
//!
//! Those of earlier versions were written by the programs of their time and stay as they are. The
//! runs in `vN.db` have whatever rows there can be; those in `vN_driven.db` were carried out by the
//! engine of their time.

use crate::disk::SmallDisk;
use crate::driven;
use crate::sample::*;
use ringfence_engine::*;
use ringfence_store::{Entry, NewRun, Parent, SCHEMA_VERSION, Store, StoreError};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn fixture(version: i64) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.db"))
}

fn driven_fixture(version: i64) -> PathBuf {
    fixture(version).with_file_name(format!("v{version}_driven.db"))
}

/// A copy of a fixture, so that nobody writes beside the original.
fn copied(version: i64) -> Folder {
    copy_of(&fixture(version))
}

fn copy_of(fixture: &Path) -> Folder {
    let folder = Folder::new();
    fs::copy(fixture, folder.file()).unwrap();
    folder
}

#[test]
#[ignore = "writes tests/fixtures/vN.db and vN_driven.db for the present version"]
fn write() {
    let folder = Folder::new();
    let store = folder.store();
    let first = started("going");
    let intents = [wish(2)];
    let executing = Stage::Executing { turn: Turn::default() };
    let mut lease = store
        .create_run(
            &new_run("going"),
            &Entry { event: &first, intents: &intents, receipts: &[], stage: &executing },
        )
        .unwrap();
    let event = receipted(2, json!({"entries": ["Cargo.toml", "src"]}));
    let receipts = [(receipt_id(2), json!({"tool": "list_files", "wall_us": 120}))];
    lease
        .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &executing })
        .unwrap();
    lease.append(&entry(&tool_finished(3, json!(null)), &planning())).unwrap();
    drop(lease);

    let mut lease = store.create_run(&new_run("ended"), &entry(&started("ended"), &planning())).unwrap();
    let ending = Stage::Failed { ending: Ending::Aborted };
    lease.append(&entry(&tool_finished(1, json!("x".repeat(5_000))), &ending)).unwrap();
    drop(lease);

    let forked = NewRun { parent: Some(Parent { run: RunId::from("going"), event: 1 }), ..new_run("forked") };
    let lease = store.fork(&forked, &[entry(&started("forked"), &planning())]).unwrap();
    lease.beat().unwrap();
    // Whoever closes it last moves the log into the file.
    drop((lease, store));
    fs::write(fixture(SCHEMA_VERSION), fs::read(folder.file()).unwrap()).unwrap();

    let folder = Folder::new();
    driven::drive_all(&folder.store());
    fs::write(driven_fixture(SCHEMA_VERSION), fs::read(folder.file()).unwrap()).unwrap();
}

/// The two runs that every fixture holds.
fn holds_its_runs(store: &Store) {
    store.check().unwrap();
    let going = store.journal(&RunId::from("going")).unwrap();
    assert_eq!((going.run.events, going.run.stage, &going.run.parent), (3, StageName::Planning, &None));
    assert_eq!(going.events[1].event, receipted(2, json!({"entries": ["Cargo.toml", "src"]})));
    assert_eq!(going.events[2].event, tool_finished(3, json!(null)));
    assert_eq!(going.receipts.len(), 1);
    assert_eq!(going.receipts[0].receipt, json!({"tool": "list_files", "wall_us": 120}));
    let ended = store.journal(&RunId::from("ended")).unwrap();
    assert_eq!((ended.run.events, &ended.run.ending), (2, &Some(Ending::Aborted)));
    assert_eq!(ended.events[1].event, tool_finished(1, json!("x".repeat(5_000))));
}

fn goes_on(file: &Path) {
    let store = Store::open(file).unwrap();
    holds_its_runs(&store);
    let run = RunId::from("going");
    let mut lease = store.lease(&run).unwrap();
    let event = receipted(4, json!("on"));
    let receipts = [(receipt_id(4), json!({ "call": 4 }))];
    let step = Entry { event: &event, intents: &[wish(5)], receipts: &receipts, stage: &planning() };
    assert_eq!(lease.append(&step).unwrap(), 4);
    lease.beat().unwrap();
    assert_eq!(store.heartbeat(&run).unwrap().unwrap().token, lease.token());
    let parent = Some(Parent { run: run.clone(), event: 4 });
    drop(
        store.fork(&NewRun { parent, ..new_run("later") }, &[entry(&started("later"), &planning())]).unwrap(),
    );
    let journal = store.journal(&run).unwrap();
    assert_eq!(journal.events[3].event, event);
    assert_eq!(journal.events[3].intents, [wish(5)]);
    assert_eq!((journal.receipts.len(), journal.receipts[1].seq), (2, 4));
    store.check().unwrap();
}

#[test]
fn a_file_of_the_present_version_is_read_and_gone_on_with() {
    let folder = copied(SCHEMA_VERSION);
    let reader = Store::open_read_only(&folder.file()).unwrap();
    holds_its_runs(&reader);
    assert_eq!(reader.events(&RunId::from("going")).unwrap()[0].intents, [wish(2)]);
    let forked = reader.find("forked").unwrap();
    assert_eq!(forked.parent, Some(Parent { run: RunId::from("going"), event: 1 }));
    assert!(reader.heartbeat(&forked.id).unwrap().is_some());
    drop(reader);
    goes_on(&folder.file());
}

#[test]
fn a_file_of_version_1_is_read_and_left_as_it_is() {
    let folder = copied(1);
    let before = fs::read(folder.file()).unwrap();
    let reader = Store::open_read_only(&folder.file()).unwrap();
    holds_its_runs(&reader);
    let ids: Vec<_> = reader.runs(None).unwrap().into_iter().map(|run| run.id.0).collect();
    assert_eq!(ids, ["ended", "going"]);
    assert_eq!(reader.find("go").unwrap().id, RunId::from("going"));
    assert_eq!(reader.heartbeat(&RunId::from("going")).unwrap(), None);
    assert!(reader.events(&RunId::from("going")).unwrap().iter().all(|row| row.intents.is_empty()));
    drop(reader);
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn runs_of_all_versions_are_taken_up_by_the_engine_of_today() {
    for version in 1..=SCHEMA_VERSION {
        let folder = copy_of(&driven_fixture(version));
        driven::are_taken_up(&Store::open_read_only(&folder.file()).unwrap());
        let store = folder.store();
        driven::are_taken_up(&store);
        driven::goes_on(&store);
        assert!(store.journal(&"under-way".into()).unwrap().run.ending.is_some(), "version {version}");
    }
}

#[test]
fn every_run_of_every_version_begins_in_the_engine_of_today() {
    for version in 1..=SCHEMA_VERSION {
        let store = Store::open_read_only(&copied(version).file()).unwrap();
        for run in store.runs(None).unwrap() {
            let first = store.events(&run.id).unwrap().swap_remove(0).event;
            let (began, owed) = Run::replay([first]).unwrap();
            assert_eq!((&began.state().run, owed.len()), (&run.id, 1), "version {version}");
        }
    }
}

#[test]
fn files_of_all_versions_are_read_where_nothing_can_be_written() {
    for version in 1..=SCHEMA_VERSION {
        let read = |folder: &Folder| {
            holds_its_runs(&Store::open_read_only(&folder.file()).unwrap());
        };
        match SmallDisk::mount() {
            Some(disk) => {
                fs::copy(fixture(version), disk.folder().file()).unwrap();
                disk.protect();
                let refused = disk.folder();
                let error = Store::open(&refused.file()).unwrap_err();
                assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
                read(refused);
            }
            None => {
                let folder = copied(version);
                let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode));
                mode(0o500).unwrap();
                read(&folder);
                mode(0o700).unwrap();
            }
        }
    }
}

#[test]
fn a_reader_of_version_1_goes_on_reading_while_the_file_is_migrated() {
    let folder = copied(1);
    let reader = Store::open_read_only(&folder.file()).unwrap();
    holds_its_runs(&reader);
    let store = folder.store();
    holds_its_runs(&reader);
    let mut lease = store.lease(&RunId::from("going")).unwrap();
    lease.append(&entry(&tool_finished(4, json!(4)), &planning())).unwrap();
    assert_eq!(reader.events(&RunId::from("going")).unwrap().len(), 4);
}

type Rows = Vec<(String, i64, String, Vec<u8>)>;

fn rows(file: &Path, table: &str) -> Rows {
    let sql = format!(
        "SELECT r.id, t.seq, t.body, t.digest FROM {table} AS t JOIN runs AS r ON r.n = t.run ORDER BY 1, 2"
    );
    let connection = Connection::open(file).unwrap();
    let mut select = connection.prepare(&sql).unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_migration_keeps_every_event_and_receipt_to_the_letter_and_drops_the_prompts() {
    let folder = copied(1);
    let tables = ["events", "receipts"];
    let before = tables.map(|table| rows(&folder.file(), table));
    assert!(before.iter().all(|rows| !rows.is_empty()));
    drop(folder.store());
    assert_eq!(tables.map(|table| rows(&folder.file(), table)), before);
    let connection = Connection::open(folder.file()).unwrap();
    let left: i64 = connection
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE tbl_name IN ('intents', 'events_v1')",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0);
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, SCHEMA_VERSION);
}

#[test]
fn a_file_of_version_1_is_migrated_and_gone_on_with() {
    let folder = copied(1);
    goes_on(&folder.file());
}

#[test]
fn a_migration_that_finds_damage_changes_nothing() {
    let folder = copied(1);
    let connection = Connection::open(folder.file()).unwrap();
    connection
        .execute_batch("INSERT INTO receipts SELECT run, seq, 'another', body, digest FROM receipts")
        .unwrap();
    let before = rows(&folder.file(), "receipts");
    for _ in 0..2 {
        let error = Store::open(&folder.file()).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("its rows contradict each other"), "{error}");
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!((version, rows(&folder.file(), "receipts")), (1, before));
}

#[test]
fn a_migrated_file_is_guarded_as_a_new_one_is() {
    let (old, new) = (copied(1), Folder::new());
    drop((old.store(), new.store()));
    let schema = |folder: &Folder| -> Vec<String> {
        let connection = Connection::open(folder.file()).unwrap();
        let mut select =
            connection.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(schema(&old), schema(&new));
}
