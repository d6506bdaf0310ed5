//! The driver alone: what it stops, what it does at the same time, what it counts.

use crate::life;
use crate::rig;
use crate::scenario::{LANES, PAUSED, REACT, STUMBLING, Scenario};
use crate::world::executed;
use crate::{mind, world::Tool};
use anyhow::Result;
use async_trait::async_trait;
use ringfence::driver::{Driver, Executed, Executor, Halt, Readied};
use ringfence::exit::Exit;
use ringfence::interrupt::Interrupt;
use ringfence::review::{Given, Reviewer};
use ringfence_engine::{
    Answer, Event, EventKind, ModelStage, Run, Settings, Stage, Subject, TaskId, ToolCall,
};
use ringfence_models::{Model, ModelError, Price, Reply, Request};
use std::future::pending;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Barrier, Notify};

/// Far beyond what anything here takes; only a failure waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done at the moment when a model is asked or a tool is called.
#[async_trait]
trait Moment: Send + Sync {
    async fn asked(&self, _: &Request) {}
    async fn called(&self, _: &ToolCall) {}
}

/// The script's model and tools, with something done first.
struct With<M>(&'static Scenario, Arc<M>);

#[async_trait]
impl<M: Moment> Model for With<M> {
    fn identity(&self) -> String {
        "script".to_owned()
    }

    fn price(&self, _: &str, _: Option<&str>) -> Option<Price> {
        None
    }

    fn reads_facts(&self) -> bool {
        true
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        self.1.asked(&request).await;
        Ok(mind::answer(self.0, &request))
    }
}

#[async_trait]
impl<M: Moment> Executor for With<M> {
    fn cold(&self, _: &str) -> Option<String> {
        None
    }

    async fn ready(&self, _: &str) -> Result<Readied> {
        Ok(Readied { took: Duration::ZERO })
    }

    async fn call(&self, call: &ToolCall) -> Result<Executed> {
        self.1.called(call).await;
        Ok(executed(call, false))
    }
}

/// Nothing is done first.
struct AtOnce;

impl Moment for AtOnce {}

fn begin(
    folder: &Path,
    scenario: &'static Scenario,
    settings: Settings,
    moment: Arc<impl Moment + 'static>,
) -> Driver {
    let run = rig::begin(&rig::store(folder), settings);
    put_together(run, scenario, moment, rig::yes(), Interrupt::default())
}

fn take_up(folder: &Path, scenario: &'static Scenario, moment: Arc<impl Moment + 'static>) -> Driver {
    let run = rig::take_up(&rig::store(folder));
    let mut driver = put_together(run, scenario, moment, rig::yes(), Interrupt::default());
    driver.take_over().expect("the run can be taken over");
    driver
}

fn put_together(
    run: (Run, ringfence_store::Lease),
    scenario: &'static Scenario,
    moment: Arc<impl Moment + 'static>,
    reviewer: Reviewer,
    interrupt: Interrupt,
) -> Driver {
    let both = Arc::new(With(scenario, moment));
    rig::driver(run, both.clone(), both, reviewer, interrupt)
}

/// A model or a tool that never answers, and says when it is waited for and when no longer.
#[derive(Default)]
struct Endless {
    of_a_tool: bool,
    under_way: Notify,
    dropped: Arc<AtomicUsize>,
}

impl Endless {
    async fn never(&self) {
        let _dropped = Dropped(self.dropped.clone());
        self.under_way.notify_one();
        pending::<()>().await;
    }
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Moment for Endless {
    async fn asked(&self, _: &Request) {
        if !self.of_a_tool {
            self.never().await;
        }
    }

    async fn called(&self, _: &ToolCall) {
        if self.of_a_tool {
            self.never().await;
        }
    }
}

#[test]
fn an_interrupt_drops_what_is_under_way_is_journaled_and_the_run_goes_on_where_it_was() {
    for of_a_tool in [false, true] {
        let folder = life::folder();
        let endless = Arc::new(Endless { of_a_tool, ..Endless::default() });
        let dropped = endless.dropped.clone();
        let mut driver = begin(folder.path(), &STUMBLING, STUMBLING.settings(), endless.clone());
        let interrupt = driver.interrupt.clone();
        let (halt, _) = rig::block_on(async {
            tokio::join!(rig::drive(&mut driver), async {
                endless.under_way.notified().await;
                interrupt.raise();
            })
        });
        assert_eq!((halt, dropped.load(Ordering::SeqCst)), (Halt::Interrupted, 1), "{of_a_tool}");
        let state = rig::state(folder.path());
        assert_eq!(&state, driver.run.state(), "the journal has it");
        let Stage::PausedForReview { review, then } = &state.stage else { panic!("{:?}", state.stage) };
        assert_eq!(review.subject, Subject::Interrupted);
        assert_eq!(of_a_tool, matches!(**then, Stage::Executing { .. }));
        drop(driver);

        let mut driver = take_up(folder.path(), &STUMBLING, Arc::new(AtOnce));
        assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
        assert_eq!(rig::state(folder.path()).history.len(), 2);
    }
}

#[test]
fn an_interrupt_while_a_person_is_asked_leaves_the_question_as_it_is() {
    let folder = life::folder();
    let driver = begin(folder.path(), &PAUSED, PAUSED.settings(), Arc::new(AtOnce));
    let (pipe, interrupt) = (folder.path().join("pipe"), driver.interrupt.clone());
    let mut driver = Driver { reviewer: Reviewer::default(), ..driver };
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Waiting);
    let before = rig::recorded(folder.path());

    make_pipe(&pipe);
    driver.reviewer.given = Some(Given::Edit(pipe.clone()));
    let halt = rig::block_on(async {
        let (halt, _) = tokio::join!(rig::drive(&mut driver), async { interrupt.raise() });
        // Lets the thread that reads the answer end.
        drop(std::fs::OpenOptions::new().write(true).open(&pipe));
        halt
    });
    assert_eq!(halt, Halt::Interrupted);
    assert_eq!(rig::recorded(folder.path()), before);
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo can be run").success());
}

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
    assert_eq!(tasks, ["one", "one", "two", "three", "three", "four"]);
    assert!(state.history[0].step > state.history[3].step, "the third task's calls came first");
}

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
struct Deadlines(std::sync::Mutex<Vec<(String, u64)>>);

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
fn answer_through(pipe: &Path, until: impl FnOnce() + Send + 'static) -> std::thread::JoinHandle<()> {
    make_pipe(pipe);
    let pipe = pipe.to_owned();
    std::thread::spawn(move || {
        let mut file = std::fs::OpenOptions::new().write(true).open(pipe).expect("a reader");
        until();
        let plan = "[[tasks]]\nid = \"two\"\ndescription = \"carry out two\"\n";
        file.write_all(plan.as_bytes()).expect("a plan");
    })
}

/// A run up to the review of its plan, then driven with an answer that comes through a pipe.
fn asked_for_a_plan(folder: &Path, until: impl FnOnce() + Send + 'static) -> Driver {
    let mut settings = PAUSED.settings();
    settings.pause = [ringfence_engine::PausePoint::AfterPlan].into();
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
    let driver = asked_for_a_plan(folder.path(), move || std::thread::sleep(thought));
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
    let deadline = std::time::Instant::now() + PATIENCE;
    for _ in 0..count {
        let before = heard();
        while heard() == before {
            assert!(std::time::Instant::now() < deadline, "no sign of life");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A model that answers once its driver has been heard of.
struct Slow(std::path::PathBuf);

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
