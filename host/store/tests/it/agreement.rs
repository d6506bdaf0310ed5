//! Rows that are gone, or that others belie: reported when the run is read.

use crate::sample::*;
use ringfence_engine::RunId;
use ringfence_store::{Entry, Store, StoreError};
use rusqlite::Connection;
use serde_json::json;

/// A run of four events; all but the first name a receipt and have an intent.
fn filled(folder: &Folder) {
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for call in 1..=3 {
        let event = receipted(call, json!(call));
        let receipts = [(receipt_id(call), json!({ "call": call }))];
        let intents = [wish(call + 1)];
        lease
            .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &planning() })
            .unwrap();
    }
}

/// Changes the file behind the store's back.
fn harmed(folder: &Folder, harm: &str) -> Store {
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for table in ["events", "receipts"] {
        other.execute_batch(&format!("DROP TRIGGER {table}_stay; DROP TRIGGER {table}_remain;")).unwrap();
    }
    other.execute_batch(harm).unwrap();
    folder.store()
}

fn told(error: StoreError) -> String {
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_run_whose_parts_do_not_belong_together_is_not_believed() {
    let without_last = "DELETE FROM events WHERE seq = 4; UPDATE runs SET events = 3;";
    let and_its_receipt = format!("{without_last} DELETE FROM receipts WHERE seq = 4;");
    for (harm, said) in [
        ("DELETE FROM receipts WHERE id = 'r3'", "receipt r3 of run one is missing, which event 4 names"),
        ("DELETE FROM receipts", "receipt r1 of run one is missing, which event 2 names"),
        // Moved to another event, or called otherwise: its digest covers both.
        (
            "UPDATE receipts SET place = place - 1 WHERE id = 'r1'",
            "receipt r1 at event 1 of run one isn't what",
        ),
        ("UPDATE receipts SET id = 'x' WHERE id = 'r1'", "receipt x at event 2 of run one isn't what"),
        ("UPDATE runs SET events = 3", "run one has 4 events and counts 3"),
        ("UPDATE runs SET events = 5", "event 5 of run one is missing"),
        ("UPDATE runs SET updated = 1", "run one isn't dated by its latest event"),
        // What was wished for on an event is part of it.
        ("UPDATE events SET intents = NULL WHERE seq = 3", "event 3 of run one isn't what was written"),
        ("UPDATE events SET intents = '[]' WHERE seq = 1", "event 1 of run one isn't what was written"),
        (
            "UPDATE events SET intents = (SELECT intents FROM events WHERE seq = 2) WHERE seq = 3",
            "event 3 of run one isn't what was written",
        ),
        (without_last, "receipt r3 of run one is named by no event"),
        (
            &and_its_receipt.replace("seq = 4", "seq > 0").replace("events = 3", "events = 0"),
            "run one has no events",
        ),
    ] {
        let folder = Folder::new();
        filled(&folder);
        assert_eq!(folder.store().journal(&RunId::from("one")).unwrap().receipts.len(), 3);
        let store = harmed(&folder, harm);
        let said_now = told(store.journal(&RunId::from("one")).unwrap_err());
        assert!(said_now.contains(said), "{harm}: {said_now}");
    }
}

#[test]
fn a_receipt_beside_an_event_that_names_none_is_reported() {
    // Written whole in another file, where the event of that number names it.
    let (folder, other) = (Folder::new(), Folder::new());
    filled(&other);
    let mut lease = folder.store().create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    lease.append(&entry(&tool_finished(1, json!(1)), &planning())).unwrap();
    let smuggled = format!(
        "ATTACH '{}' AS other; INSERT INTO receipts (place, id, body, digest)
         SELECT place, id, body, digest FROM other.receipts WHERE seq = 2",
        other.file().display()
    );
    let said = told(harmed(&folder, &smuggled).journal(&RunId::from("one")).unwrap_err());
    assert!(said.contains("receipt r1 of run one is named by no event"), "{said}");
}

#[test]
fn an_edited_entry_is_reported_wherever_it_is_read() {
    for edit in [
        "project = CAST('/elsewhere' AS BLOB)",
        "goal = 'delete everything'",
        "model = 'another'",
        "created = created + 1",
        "id = 'oneself'",
        "parent = 'another', parent_event = 1",
        "digest = zeroblob(16)",
    ] {
        let folder = Folder::new();
        filled(&folder);
        let store = harmed(&folder, &format!("UPDATE runs SET {edit}"));
        let id = if edit.starts_with("id") { "oneself" } else { "one" };
        for error in [
            store.journal(&RunId::from(id)).unwrap_err(),
            store.events(&RunId::from(id)).unwrap_err(),
            store.find("one").unwrap_err(),
            store.runs(None).unwrap_err(),
        ] {
            let said = told(error);
            assert!(
                said.contains(&format!("the entry of run {id} isn't what was written")),
                "{edit}: {said}"
            );
        }
    }
}

#[test]
fn a_number_that_is_taken_is_damage_and_nothing_is_written_over_it() {
    let folder = Folder::new();
    filled(&folder);
    let store = harmed(&folder, "UPDATE runs SET events = 3");
    let mut lease = store.lease(&RunId::from("one")).unwrap();
    let event = tool_finished(9, json!(null));
    let intents = [wish(9)];
    let step = Entry { event: &event, intents: &intents, receipts: &[], stage: &planning() };
    let said = told(lease.append(&step).unwrap_err());
    assert!(said.contains("event 4 of run one is there already, and the run counts 3 events"), "{said}");
    let kept = store.events(&RunId::from("one")).unwrap();
    assert_eq!(kept.last().unwrap().intents, [wish(4)]);
}
