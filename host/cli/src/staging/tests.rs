//! Turns to write, and what becomes of the changes of a call that was cut off.

use super::*;
use crate::exit::describe;
use ringfence_engine::{StageName, Timestamp};
use ringfence_store::RunSummary;
use std::task::Poll;

fn folders(home: &Path) -> Folders {
    Folders::find(Some(&home.join("state"))).unwrap()
}

/// Of a run in which no call has come to its end.
fn journal() -> Journal {
    let run = RunSummary {
        id: "run-1".into(),
        project: "/p".into(),
        goal: "A goal".to_owned(),
        model: "m".to_owned(),
        created: Timestamp(0),
        parent: None,
        updated: Timestamp(0),
        stage: StageName::Executing,
        ending: None,
        events: 0,
    };
    Journal { run, events: Vec::new(), receipts: Vec::new() }
}

#[tokio::test]
async fn nobody_writes_before_what_the_writer_before_came_to_is_journaled() {
    let home = tempfile::tempdir().unwrap();
    let staging = Staging::open(&"run-1".into(), None, &folders(home.path())).unwrap();
    let noted = || read::<Pending>(&staging.pending).unwrap().map(|pending| pending.call);
    let turn = staging.begin(CallId(1)).await.unwrap().end();
    let mut next = Box::pin(staging.begin(CallId(2)));
    assert!(matches!(poll_once(next.as_mut()).await, Poll::Pending));
    assert_eq!(noted(), Some(CallId(1)));
    drop(turn);
    next.await.unwrap();
    assert_eq!(noted(), Some(CallId(2)));
}

/// Polls once.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

#[tokio::test]
async fn a_call_that_cannot_be_taken_back_is_an_error_and_discarding_all_leads_on() {
    let home = tempfile::tempdir().unwrap();
    let (run, folders) = (RunId::from("run-1"), folders(home.path()));
    let staging = Staging::open(&run, None, &folders).unwrap();
    drop(staging.begin(CallId(7)).await.unwrap());
    // The stage has lost the state that the call began with.
    let gone: Pending = serde_json::from_value(serde_json::json!({ "call": 7, "mark": 3 })).unwrap();
    replace(&staging.pending, &gone).unwrap();
    drop(staging);
    let Err(error) = Staging::open(&run, Some(&journal()), &folders) else { panic!("it can't go on") };
    let said = describe(&error);
    assert!(said.contains("what call 7 of run run-1 had staged") && said.contains("discard run-1"), "{said}");
    let staging = Staging::open_to_discard(&run, &folders).unwrap();
    staging.stage().discard(None).unwrap();
    staging.forget_pending().unwrap();
    Staging::open(&run, Some(&journal()), &folders).unwrap();
}

#[test]
fn a_folder_of_stages_that_is_a_link_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let (run, folders) = (RunId::from("run-1"), folders(home.path()));
    let elsewhere = home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folders.state().unwrap().join(STAGES)).unwrap();
    let Err(error) = Staging::open(&run, None, &folders) else { panic!("the link was followed") };
    assert!(describe(&error).contains("stages is a link"), "{error}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}
