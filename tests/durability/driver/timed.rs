//! Deadlines, working time, signs of life.

use super::{AtOnce, Endless, Moment, PATIENCE, begin, make_pipe};
use crate::life;
use crate::rig;
use crate::scenario::{PAUSED, STUMBLING};
use crate::world::Tool;
use async_trait::async_trait;
use ringfence::driver::{Driver, Halt};
use ringfence::exit::Exit;
use ringfence::review::{Given, Reviewer};
use ringfence_engine::{Answer, Event, EventKind, ModelStage, PausePoint, Subject, ToolCall};
use ringfence_models::Request;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

#[test]
fn a_model_that_is_late_is_given_up_at_its_own_stage_s_limit() {
    let folder = life::folder();
    let mut settings = STUMBLING.settings();
    settings.limits.stage_ms.insert(ModelStage::Plan, 5);
    let endless = Arc::new(Endless::default());
    let dropped = endless.dropped.clone();
    let mut driver = begin(folder.path(), &STUMBLING, settings, endless);
    let halt = rig::block_on(rig::drive(&mut driver));
    assert_eq!((halt.exit(), dropped.load(Ordering::SeqCst)), (Exit::Model, 1), "{halt:?}");
    let Halt::Waiting(review) = halt else { panic!("{halt:?}") };
    let Subject::StageFailed { stage: ModelStage::Plan, why, unreachable: true } = review.subject else {
        panic!("{review:?}")
    };
    assert_eq!(why, "script gave no answer within 0.005 s");
}

/// Keeps the time that each call was given.
#[derive(Default)]
struct Deadlines(Mutex<Vec<(String, u64)>>);

#[async_trait]
impl Moment for Deadlines {
    async fn called(&self, call: &ToolCall) {
        self.0.lock().unwrap().push((call.tool.clone(), call.timeout_ms));
    }
}

#[test]
fn a_call_is_given_its_tool_s_own_time_where_that_is_less_than_any_call_s() {
    let folder = life::folder();
    let mut settings = STUMBLING.settings();
    settings.limits.tool_call_ms = 900;
    for spec in &mut settings.tools {
        spec.timeout_ms = (spec.name == Tool::Note.name()).then_some(70);
    }
    let deadlines = Arc::new(Deadlines::default());
    let mut driver = begin(folder.path(), &STUMBLING, settings, deadlines.clone());
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
    let given = deadlines.0.lock().unwrap().clone();
    assert_eq!(given, [("peek".to_owned(), 900), ("note".to_owned(), 70)]);
}

/// Answers a plan's review through a pipe, once `until` says so.
fn answer_through(pipe: &Path, until: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    make_pipe(pipe);
    let pipe = pipe.to_owned();
    std::thread::spawn(move || {
        let mut file = OpenOptions::new().write(true).open(pipe).expect("a reader");
        until();
        let plan = "[[tasks]]\nid = \"two\"\ndescription = \"carry out two\"\n";
        file.write_all(plan.as_bytes()).expect("a plan");
    })
}

/// A run up to the review of its plan, then driven with an answer that comes through a pipe.
fn asked_for_a_plan(folder: &Path, until: impl FnOnce() + Send + 'static) -> Driver {
    let mut settings = PAUSED.settings();
    settings.pause = [PausePoint::AfterPlan].into();
    let pipe = folder.join("pipe");
    let person = answer_through(&pipe, until);
    let mut driver = begin(folder, &PAUSED, settings, Arc::new(AtOnce));
    driver.reviewer = Reviewer { given: Some(Given::Edit(pipe)), ..Reviewer::default() };
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
    person.join().expect("a person who answered");
    driver
}

#[test]
fn the_time_in_which_a_person_thinks_is_no_working_time() {
    let folder = life::folder();
    let thought = Duration::from_millis(120);
    let driver = asked_for_a_plan(folder.path(), move || sleep(thought));
    let events: Vec<Event> =
        rig::recorded(folder.path()).into_iter().map(|recorded| recorded.event).collect();
    let worked = |event: &Event| event.worked_ms.expect("the driver says how long it worked");
    let is_answer =
        |event: &&Event| matches!(event.kind, EventKind::Answered { answer: Answer::EditPlan { .. }, .. });
    let (answers, others): (Vec<_>, Vec<_>) = events.iter().partition(is_answer);
    let [answer] = answers.as_slice() else { panic!("{answers:?}") };
    assert!(worked(answer) >= 120, "the stopwatch ran: {answer:?}");
    let sum: u64 = others.into_iter().map(worked).sum();
    assert_eq!(driver.run.state().clock.active_ms, sum);
}

/// Waits until the driver of this folder's run has given so many new signs of life.
fn beats(folder: &Path, count: usize) {
    let store = rig::store(folder);
    let heard = || store.heartbeat(&rig::run_id()).expect("signs of life can be read").map(|beat| beat.at);
    let deadline = Instant::now() + PATIENCE;
    for _ in 0..count {
        let before = heard();
        while heard() == before {
            assert!(Instant::now() < deadline, "no sign of life");
            sleep(Duration::from_millis(20));
        }
    }
}

/// A model that answers once its driver has been heard of.
struct Slow(PathBuf);

#[async_trait]
impl Moment for Slow {
    async fn asked(&self, request: &Request) {
        if request.stage == "plan" && request.facts["done"].as_array().is_some_and(Vec::is_empty) {
            let folder = self.0.clone();
            tokio::task::spawn_blocking(move || beats(&folder, 2)).await.expect("signs of life");
        }
    }
}

#[test]
fn signs_of_life_are_given_while_a_slow_model_is_waited_for() {
    let folder = life::folder();
    let slow = Arc::new(Slow(folder.path().to_owned()));
    let mut driver = begin(folder.path(), &STUMBLING, STUMBLING.settings(), slow);
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
}

#[test]
fn signs_of_life_are_given_while_a_person_is_asked() {
    let folder = life::folder();
    let path = folder.path().to_owned();
    asked_for_a_plan(folder.path(), move || beats(&path, 2));
}
