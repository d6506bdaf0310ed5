//! A driver as a command makes one: a run begun or taken up, with a model and tools of a test.

use crate::scenario::Scenario;
use ringfence::driver::{Driver, Executor, Halt, Stopwatch};
use ringfence::failpoint;
use ringfence::interrupt::Interrupt;
use ringfence::progress::Silent;
use ringfence::review::Reviewer;
use ringfence::session::replay;
use ringfence_engine::{Effect, Event, EventKind, Run, RunId, Settings, State};
use ringfence_models::Model;
use ringfence_store::{Entry, Journal, Lease, NewRun, Recorded, Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const GOAL: &str = "carry the script out";

/// The only run of a folder.
pub(crate) fn run_id() -> RunId {
    "one".into()
}

fn journal_file(folder: &Path) -> PathBuf {
    folder.join("runs.db")
}

/// The folder's journal, for writing.
pub(crate) fn store(folder: &Path) -> Store {
    Store::open(&journal_file(folder)).expect("a journal")
}

/// What is recorded of the run by now; none where it hasn't begun.
pub(crate) fn journal(folder: &Path) -> Option<Journal> {
    if !journal_file(folder).exists() {
        return None;
    }
    match Store::open_read_only(&journal_file(folder)).and_then(|store| store.journal(&run_id())) {
        Ok(journal) => Some(journal),
        // The process was killed between making the file and entering the run.
        Err(StoreError::NoSuchRun { .. } | StoreError::CannotOpen { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The events recorded by now.
pub(crate) fn recorded(folder: &Path) -> Vec<Recorded> {
    journal(folder).map(|journal| journal.events).unwrap_or_default()
}

/// The state that the journal comes to.
pub(crate) fn state(folder: &Path) -> State {
    replay(&journal(folder).expect("a run")).expect("events that fold")
}

/// Enters a run, as `session::begin` does.
pub(crate) fn begin(store: &Store, settings: Settings) -> (Run, Lease) {
    let at = Store::now();
    let kind = EventKind::Started { run: run_id(), goal: GOAL.to_owned(), settings: Box::new(settings) };
    let started = Event { at, worked_ms: Some(0), kind };
    let (run, effects) = Run::start(started.clone()).expect("settings that can be run with");
    let intents: Vec<_> = effects.iter().map(Effect::intent).collect();
    let entry = Entry { event: &started, intents: &intents, receipts: &[], stage: &run.state().stage };
    let entered = NewRun {
        id: run_id(),
        project: "/project".into(),
        goal: GOAL.to_owned(),
        model: "script".to_owned(),
        created: at,
        parent: None,
    };
    failpoint::hit("append");
    let lease = store.create_run(&entered, &entry).expect("a new run");
    failpoint::hit("appended");
    (run, lease)
}

/// Takes the run up, as `session::take_up` does, up to the driver's own part.
pub(crate) fn take_up(store: &Store) -> (Run, Lease) {
    let lease = lease(store);
    let journal = store.journal(&run_id()).expect("a whole journal");
    (Run::from_state(replay(&journal).expect("events that fold")), lease)
}

/// The lease, also just after another driver of this very process let go of it: a process that
/// another test is starting has a copy of the lock until its program is loaded, when the lock's file
/// may name nobody any more.
fn lease(store: &Store) -> Lease {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match store.lease(&run_id()) {
            Ok(lease) => return lease,
            Err(StoreError::Busy { holder, .. })
                if holder.as_ref().is_none_or(|holder| holder.pid == std::process::id())
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Puts a driver together.
pub(crate) fn driver(
    (run, lease): (Run, Lease),
    model: Arc<dyn Model>,
    executor: Arc<dyn Executor>,
    reviewer: Reviewer,
    interrupt: Interrupt,
) -> Driver {
    let (observer, stopwatch) = (Box::new(Silent), Stopwatch::begin());
    let awaited = Duration::ZERO;
    Driver { run, lease, model, executor, observer, reviewer, interrupt, stopwatch, awaited }
}

/// A reviewer who approves what `--yes` stands for.
pub(crate) fn yes() -> Reviewer {
    Reviewer { yes: true, ..Reviewer::default() }
}

/// Begins the scenario's run, or takes it up; whether it was there before.
pub(crate) fn begin_or_take_up(store: &Store, scenario: &Scenario) -> ((Run, Lease), bool) {
    match store.runs(None).expect("a list").is_empty() {
        true => (begin(store, scenario.settings()), false),
        false => (take_up(store), true),
    }
}

/// A runtime as the sandbox has one: work goes on beside the thread that drives.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// Drives to the next stop; an error of the driver fails the test.
pub(crate) async fn drive(driver: &mut Driver) -> Halt {
    driver.drive().await.expect("the driver goes on")
}
