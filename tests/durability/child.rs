//! A process of its own that carries a scenario on until it stops, so that it can be killed.

use crate::mind::Mind;
use crate::rig;
use crate::scenario::Scenario;
use crate::world::Hands;
use ringfence::interrupt::Interrupt;
use ringfence::review::{Given, Reviewer};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

const FOLDER: &str = "DURABILITY_FOLDER";
const SCENARIO: &str = "DURABILITY_SCENARIO";
const REPLY: &str = "DURABILITY_REPLY";
const APPROVE: &str = "DURABILITY_APPROVE";
const FAILPOINT: &str = "RINGFENCE_FAILPOINT";

/// A test of this binary, in a process of its own.
pub(crate) fn process(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    command.args(["--ignored", "--exact", test, "--nocapture", "--test-threads=1"]).env_remove(FAILPOINT);
    command
}

/// Runs the scenario in this folder until it stops, with an answer to the open question or none,
/// and with or without a place to be killed at.
pub(crate) fn run(
    folder: &Path,
    scenario: &Scenario,
    answer: Option<&Given>,
    kill_at: Option<u64>,
) -> Output {
    let mut child = process("child::a_run_in_a_process_of_its_own");
    child.env(FOLDER, folder).env(SCENARIO, scenario.name);
    match answer {
        None => {}
        Some(Given::Reply(text)) => drop(child.env(REPLY, text)),
        Some(Given::Approve(Some(review))) => drop(child.env(APPROVE, review)),
        Some(other) => panic!("no scenario is answered with {other:?}"),
    }
    if let Some(point) = kill_at {
        child.env(FAILPOINT, format!("any:{point}"));
    }
    child.output().expect("this binary can be run")
}

#[test]
#[ignore = "started by the tests that kill it"]
fn a_run_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let scenario = Scenario::named(&std::env::var(SCENARIO).expect("a scenario"));
    let reply = std::env::var(REPLY).ok().map(Given::Reply);
    let given = reply.or_else(|| std::env::var(APPROVE).ok().map(|review| Given::Approve(Some(review))));
    let store = rig::store(&folder);
    let (run, resumed) = rig::begin_or_take_up(&store, scenario);
    rig::block_on(async {
        let mind = Arc::new(Mind { scenario, folder: folder.clone() });
        let hands = Arc::new(Hands { folder });
        let reviewer = Reviewer { given, yes: true, ..Reviewer::default() };
        let interrupt = Interrupt::on_signals().expect("signals");
        let mut driver = rig::driver(run, mind, hands, reviewer, interrupt);
        if resumed {
            driver.take_over().expect("the run can be taken over");
        }
        rig::drive(&mut driver).await;
    });
}
