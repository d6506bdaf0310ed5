//! The driver alone: what it stops, what it does at the same time, what it counts.
//!
//! Owns: a model and tools that follow the script, with something done first. What is done is
//! each test's own.

mod answered;
mod interrupted;
mod timed;
mod together;

use crate::mind;
use crate::rig;
use crate::scenario::Scenario;
use crate::world::executed;
use anyhow::Result;
use async_trait::async_trait;
use ringfence::driver::{Driver, Executed, Executor, Readied};
use ringfence::interrupt::Interrupt;
use ringfence::review::Reviewer;
use ringfence_engine::{Run, Settings, ToolCall};
use ringfence_models::{Model, ModelError, Price, Reply, Request};
use ringfence_store::Lease;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

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
    run: (Run, Lease),
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

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo can be run").success());
}
