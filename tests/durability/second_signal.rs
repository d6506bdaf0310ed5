//! Ctrl-C twice: the second ends a process that the first couldn't.

use crate::child;
use crate::life;
use crate::mind::Mind;
use crate::rig;
use crate::scenario::REFLECTING;
use async_trait::async_trait;
use ringfence::driver::{Driver, Executed, Executor, Readied};
use ringfence::exit::Exit;
use ringfence::interrupt::Interrupt;
use ringfence::progress::{Notice, Observer};
use ringfence_engine::{EventKind, ToolCall};
use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FOLDER: &str = "DURABILITY_STUCK_IN";
const PATIENCE: Duration = Duration::from_secs(60);

/// A watcher who never gives back what it is told of an interruption, like a terminal that hangs.
struct Stuck(PathBuf);

impl Observer for Stuck {
    fn notice(&mut self, notice: Notice<'_>) {
        if let Notice::Happened { event, .. } = notice
            && event.kind == EventKind::Interrupted
        {
            fs::write(self.0.join("stuck"), "").expect("a mark");
            loop {
                std::thread::park();
            }
        }
    }
}

/// A tool that never ends.
struct Endless(PathBuf);

#[async_trait]
impl Executor for Endless {
    fn cold(&self, _: &str) -> Option<String> {
        None
    }

    async fn ready(&self, _: &str) -> anyhow::Result<Readied> {
        Ok(Readied { took: Duration::ZERO })
    }

    async fn call(&self, _: &ToolCall) -> anyhow::Result<Executed> {
        fs::write(self.0.join("called"), "")?;
        pending().await
    }
}

#[test]
#[ignore = "started by the test that interrupts it"]
fn a_run_whose_watcher_is_stuck() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let store = rig::store(&folder);
    let run = rig::begin(&store, REFLECTING.settings());
    rig::block_on(async {
        let mind = Arc::new(Mind { scenario: &REFLECTING, folder: folder.clone() });
        let endless = Arc::new(Endless(folder.clone()));
        let interrupt = Interrupt::on_signals().expect("signals");
        let driver = rig::driver(run, mind, endless, rig::yes(), interrupt);
        let mut driver = Driver { observer: Box::new(Stuck(folder)), ..driver };
        rig::drive(&mut driver).await;
    });
}

#[test]
fn a_second_interrupt_ends_a_stuck_process_with_130_and_the_run_is_as_the_first_left_it() {
    let folder = life::folder();
    let mut command = child::process("second_signal::a_run_whose_watcher_is_stuck");
    let mut child = command
        .env(FOLDER, folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this binary can be run");
    for mark in ["called", "stuck"] {
        appears(&folder.path().join(mark));
        interrupt(child.id());
    }
    assert_eq!(child.wait().expect("a child").code(), Some(130));

    let events = rig::recorded(folder.path());
    assert_eq!(events.last().map(|last| &last.event.kind), Some(&EventKind::Interrupted));
    let store = rig::store(folder.path());
    let mind = Arc::new(Mind { scenario: &REFLECTING, folder: folder.path().to_owned() });
    let hands = Arc::new(crate::world::Hands { folder: folder.path().to_owned() });
    let mut driver = rig::driver(rig::take_up(&store), mind, hands, rig::yes(), Interrupt::default());
    driver.take_over().expect("the run can be taken over");
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
}

fn appears(mark: &Path) {
    let deadline = Instant::now() + PATIENCE;
    while !mark.exists() {
        assert!(Instant::now() < deadline, "{} never came", mark.display());
        sleep(Duration::from_millis(5));
    }
}

fn interrupt(process: u32) {
    let status = Command::new("kill").args(["-INT", &process.to_string()]).status();
    assert!(status.expect("kill can be run").success());
}
