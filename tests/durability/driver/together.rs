//! What is under way at the same time, and what is alone.

use super::{Moment, PATIENCE, begin};
use crate::life;
use crate::rig;
use crate::scenario::{LANES, REACT};
use async_trait::async_trait;
use ringfence::exit::Exit;
use ringfence_engine::{TaskId, ToolCall};
use ringfence_models::Request;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Barrier, Notify};

/// Calls that go on only together with as many others as are expected.
struct Together {
    readers: Barrier,
    under_way: AtomicUsize,
    met: AtomicUsize,
}

impl Together {
    fn of(count: usize) -> Arc<Self> {
        let (under_way, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { readers: Barrier::new(count), under_way, met })
    }
}

#[async_trait]
impl Moment for Together {
    async fn called(&self, call: &ToolCall) {
        let others = self.under_way.fetch_add(1, Ordering::SeqCst);
        if call.can.repeatable() && call.input["at"] != "d" {
            let met = tokio::time::timeout(PATIENCE, self.readers.wait()).await;
            self.met.fetch_add(1, Ordering::SeqCst);
            assert!(met.is_ok(), "{call:?} was never joined by another one");
        } else {
            assert_eq!(others, 0, "{call:?} isn't alone");
            tokio::task::yield_now().await;
            assert_eq!(self.under_way.load(Ordering::SeqCst), 1, "{call:?} didn't stay alone");
        }
        self.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn calls_of_a_turn_that_only_read_are_under_way_together_and_every_other_one_is_alone() {
    let folder = life::folder();
    let together = Together::of(2);
    let mut driver = begin(folder.path(), &REACT, REACT.settings(), together.clone());
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
    assert_eq!(together.met.load(Ordering::SeqCst), 2);
    let history = &driver.run.state().history;
    let at: Vec<_> = history.iter().map(|action| serde_json::to_value(&action.deed).unwrap()).collect();
    let at: Vec<_> = at.iter().map(|deed| deed["input"]["at"].as_str().unwrap()).collect();
    assert_eq!(at, ["a", "b", "c", "d", "e", "f"], "in the order of the turn");
}

/// The tasks' first decisions wait for each other; then the last task's ends first.
struct Lanes {
    all: Barrier,
    met: AtomicUsize,
    over: [Notify; 3],
}

#[async_trait]
impl Moment for Lanes {
    async fn asked(&self, request: &Request) {
        let place = match request.facts["task"]["id"].as_str() {
            Some("one") => 0,
            Some("two") => 1,
            Some("three") => 2,
            _ => return,
        };
        let first = request.facts["task"]["status"] == "pending";
        let made = request.facts["observations"].as_array().map_or(0, Vec::len);
        if first {
            let met = tokio::time::timeout(PATIENCE, self.all.wait()).await;
            assert!(met.is_ok(), "the task was never joined by the others");
            self.met.fetch_add(1, Ordering::SeqCst);
            if let Some(after) = self.over.get(place + 1) {
                let waited = tokio::time::timeout(PATIENCE, after.notified()).await;
                assert!(waited.is_ok(), "the task after it never ended");
            }
        }
        let calls = LANES.calls_of(LANES.tasks[place].id).len();
        if request.stage == "evaluate" && made == calls {
            self.over[place].notify_one();
        }
    }
}

#[test]
fn independent_tasks_are_worked_on_at_the_same_time_and_join_in_the_order_of_the_plan() {
    let folder = life::folder();
    let lanes = Arc::new(Lanes {
        all: Barrier::new(3),
        met: AtomicUsize::new(0),
        over: [Notify::new(), Notify::new(), Notify::new()],
    });
    let mut driver = begin(folder.path(), &LANES, LANES.settings(), lanes.clone());
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
    assert_eq!(lanes.met.load(Ordering::SeqCst), 3);
    let state = driver.run.state();
    let done: Vec<_> = state.done.iter().map(|task| task.planned.id.clone()).collect();
    assert_eq!(done, ["one", "two", "three", "four"].map(TaskId::from));
    let tasks: Vec<_> = state.history.iter().map(|action| action.task.0.as_str()).collect();
    assert_eq!(tasks, ["one", "one", "two", "three", "four"]);
    assert!(state.history[0].step > state.history[3].step, "the third task's calls came first");
}
