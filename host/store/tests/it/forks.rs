//! Runs that begin as another one did.

use crate::sample::*;
use ringfence_engine::{Event, EventKind, ReceiptId, RunId, Stage};
use ringfence_store::{Entry, Journal, NewRun, Parent, Store, StoreError};
use serde_json::{Value, json};

/// A run of so many events after its start, with receipts and intents.
fn filled(store: &Store, calls: u64) -> Journal {
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for call in 1..=calls {
        let event = receipted(call, json!(call));
        let receipts = [(receipt_id(call), json!({ "call": call }))];
        let intents = [wish(call + 1)];
        lease
            .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &planning() })
            .unwrap();
    }
    store.journal(&RunId::from("one")).unwrap()
}

fn forked(id: &str, event: u64) -> NewRun {
    NewRun { parent: Some(Parent { run: RunId::from("one"), event }), ..new_run(id) }
}

/// The first events of a journal as the beginning of another run.
struct Beginning {
    events: Vec<Event>,
    receipts: Vec<Vec<(ReceiptId, Value)>>,
    stage: Stage,
}

impl Beginning {
    fn of(journal: &Journal, id: &str, events: usize) -> Self {
        let mut own: Vec<Event> =
            journal.events[..events].iter().map(|recorded| recorded.event.clone()).collect();
        if let EventKind::Started { run, .. } = &mut own[0].kind {
            *run = RunId::from(id);
        }
        let receipts = (1..=events as u64)
            .map(|seq| {
                let of = journal.receipts.iter().filter(|stored| stored.seq == seq);
                of.map(|stored| (stored.id.clone(), stored.receipt.clone())).collect()
            })
            .collect();
        Self { events: own, receipts, stage: planning() }
    }

    fn entries<'a>(&'a self, journal: &'a Journal) -> Vec<Entry<'a>> {
        let rows = self.events.iter().zip(&self.receipts).zip(&journal.events);
        rows.map(|((event, receipts), recorded)| Entry {
            event,
            intents: &recorded.intents,
            receipts,
            stage: &self.stage,
        })
        .collect()
    }
}

#[test]
fn a_fork_has_the_events_it_shares_and_goes_its_own_way() {
    let folder = Folder::new();
    let store = folder.store();
    let journal = filled(&store, 5);
    let beginning = Beginning::of(&journal, "two", 3);
    let mut lease = store.fork(&forked("two", 3), &beginning.entries(&journal)).unwrap();
    assert_eq!(lease.append(&entry(&tool_finished(9, json!("other")), &planning())).unwrap(), 4);

    let fork = store.journal(&RunId::from("two")).unwrap();
    assert_eq!(fork.run.parent, Some(Parent { run: RunId::from("one"), event: 3 }));
    assert_eq!(fork.run.events, 4);
    assert_eq!(fork.events[1..3], journal.events[1..3]);
    assert_eq!(fork.receipts, journal.receipts[..2]);
    assert_eq!(store.find("two").unwrap(), fork.run);
    assert_eq!(store.heartbeat(&RunId::from("two")).unwrap().unwrap().token, lease.token());
    assert_eq!(store.journal(&RunId::from("one")).unwrap(), journal, "the other run is as it was");
}

#[test]
fn a_fork_that_can_t_be_stored_whole_leaves_nothing() {
    let folder = Folder::new();
    let store = folder.store();
    let journal = filled(&store, 5);
    let mut beginning = Beginning::of(&journal, "two", 4);
    beginning.receipts[3].clear();
    let refused = store.fork(&forked("two", 4), &beginning.entries(&journal)).unwrap_err();
    assert!(matches!(refused, StoreError::Inconsistent { .. }), "{refused}");
    assert_eq!(store.runs(None).unwrap().len(), 1);
    assert!(matches!(store.events(&RunId::from("two")), Err(StoreError::NoSuchRun { .. })));
    let beginning = Beginning::of(&journal, "two", 4);
    store.fork(&forked("two", 4), &beginning.entries(&journal)).expect("the id is still free");
}

#[test]
fn a_fork_names_an_event_of_a_run_that_is_there() {
    let folder = Folder::new();
    let store = folder.store();
    let journal = filled(&store, 2);
    let beginning = Beginning::of(&journal, "two", 2);
    let entries = beginning.entries(&journal);
    let refused = |run: &NewRun, entries: &[Entry<'_>]| store.fork(run, entries).unwrap_err().to_string();
    let beyond = refused(&forked("two", 4), &entries);
    assert_eq!(beyond, "a step of run two can't be recorded: run one has no event 4, only 1 to 3");
    assert!(refused(&forked("two", 0), &entries).contains("run one has no event 0, only 1 to 3"));
    assert!(refused(&new_run("two"), &entries).contains("a fork names the run that it comes from"));
    assert!(refused(&forked("two", 2), &[]).contains("it has no first event"));
    assert!(refused(&forked("two", 2), &entries[1..]).contains("its first event isn't its start"));
    let orphan = NewRun { parent: Some(Parent { run: RunId::from("nobody"), event: 1 }), ..new_run("two") };
    assert!(refused(&orphan, &entries).starts_with("no run `nobody`"));
    assert_eq!(store.runs(None).unwrap().len(), 1);
}

#[test]
fn a_fork_can_t_take_the_place_of_a_run() {
    let folder = Folder::new();
    let store = folder.store();
    let journal = filled(&store, 2);
    let beginning = Beginning::of(&journal, "one", 2);
    let refused = store.fork(&forked("one", 2), &beginning.entries(&journal)).unwrap_err();
    assert!(matches!(refused, StoreError::Exists { .. }), "{refused}");
}

#[test]
fn an_edited_parent_is_reported() {
    for edit in ["parent = 'other'", "parent_event = 1", "parent = NULL, parent_event = NULL"] {
        let folder = Folder::new();
        let store = folder.store();
        let journal = filled(&store, 2);
        let beginning = Beginning::of(&journal, "two", 2);
        drop(store.fork(&forked("two", 2), &beginning.entries(&journal)).unwrap());
        let other = rusqlite::Connection::open(folder.file()).unwrap();
        other.execute(&format!("UPDATE runs SET {edit} WHERE id = 'two'"), []).unwrap();
        let said = store.find("two").unwrap_err();
        assert!(matches!(said, StoreError::Corrupt { .. }), "{edit}: {said}");
    }
}
