//! An answer in hand when a run is taken up whose tasks were worked on at the same time.

use super::{AtOnce, Moment, begin, put_together};
use crate::life;
use crate::rig;
use crate::scenario::LANES;
use async_trait::async_trait;
use ringfence::driver::Halt;
use ringfence::interrupt::Interrupt;
use ringfence::review::{Given, Reviewer};
use ringfence_engine::{Answer, Effect, Ending, EventKind, PausePoint, Run, Settings, ToolCall};
use ringfence_models::Request;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn settings() -> Settings {
    Settings { pause: [PausePoint::BeforeWrite].into(), ..LANES.settings() }
}

/// Only the third task's decision comes: to write, which a person has to see first.
struct ThirdOnly;

#[async_trait]
impl Moment for ThirdOnly {
    async fn asked(&self, request: &Request) {
        if matches!(request.facts["task"]["id"].as_str(), Some("one" | "two")) {
            pending::<()>().await;
        }
    }
}

/// Counts what is begun.
#[derive(Default)]
struct Counted(AtomicUsize);

#[async_trait]
impl Moment for Counted {
    async fn asked(&self, _: &Request) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    async fn called(&self, _: &ToolCall) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A run whose driver is gone while one task's question is open and the others are worked on.
fn left_in_the_middle(folder: &Path) {
    let mut driver = begin(folder, &LANES, settings(), Arc::new(ThirdOnly));
    driver.reviewer = Reviewer::default();
    let asks = || {
        let owed = Run::from_state(rig::state(folder)).owed();
        owed.iter().any(|effect| matches!(effect, Effect::AskPerson(_)))
    };
    rig::block_on(async {
        let asked = async {
            while !asks() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            halt = driver.drive() => panic!("{halt:?}"),
            () = asked => {}
        }
    });
}

fn answered(folder: &Path, given: Given, moment: Arc<impl Moment + 'static>) -> Halt {
    let reviewer = Reviewer { given: Some(given), ..Reviewer::default() };
    let run = rig::take_up(&rig::store(folder));
    let mut driver = put_together(run, &LANES, moment, reviewer, Interrupt::default());
    driver.take_over().expect("the question is open");
    rig::block_on(rig::drive(&mut driver))
}

#[test]
fn an_abort_of_a_run_with_several_tasks_comes_before_anything_else_is_begun() {
    let folder = life::folder();
    left_in_the_middle(folder.path());
    let counted = Arc::new(Counted::default());
    let halt = answered(folder.path(), Given::Abort, counted.clone());
    assert_eq!((halt, counted.0.load(Ordering::SeqCst)), (Halt::Ended(Ending::Aborted), 0));
}

#[test]
fn an_answer_is_for_the_question_that_was_open_and_the_other_tasks_are_in_doubt_before_it() {
    let folder = life::folder();
    left_in_the_middle(folder.path());
    let before = rig::recorded(folder.path()).len();
    let halt = answered(folder.path(), Given::Reject("not this".to_owned()), Arc::new(AtOnce));
    assert!(matches!(halt, Halt::Waiting(_)), "{halt:?}");
    let after: Vec<_> =
        rig::recorded(folder.path()).into_iter().map(|recorded| recorded.event.kind).collect();
    assert!(matches!(after[before], EventKind::Resumed { .. }), "{after:?}");
    let EventKind::Answered { answer: Answer::Reject { .. }, .. } = &after[before + 1] else {
        panic!("{after:?}")
    };
}
