//! A disk that is full when a step is to be journaled: nothing is done that isn't recorded, and
//! with space again the run goes on.

use crate::life;
use crate::mind::Mind;
use crate::rig;
use crate::scenario::REFLECTING;
use crate::small_disk::SmallDisk;
use crate::world::{Hands, Moment, marks};
use crate::{WORKED_EXAMPLE, product, shown, tools_called};
use async_trait::async_trait;
use ringfence::exit::{Exit, describe, exit_of};
use ringfence::interrupt::Interrupt;
use ringfence_models::{Model, ModelError, Price, Reply, Request};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::messages_api::worked_example::{answer, script};
use std::sync::Arc;

#[test]
fn a_command_whose_disk_is_full_says_so_does_nothing_more_and_goes_on_when_there_is_space() {
    // When the plan, the first decision, or the first judgement can't be recorded.
    for full_at in [0, 1, 2] {
        let product = product();
        product.copy_of("examples/my_project");
        let folder = product.home().join(".local/state");
        // Where none can be mounted, the test below stands for this one.
        let Some(disk) = SmallDisk::mount(&folder) else { return };
        let filled = folder.clone();
        let server = MessagesApi::start(move |asked| {
            if asked.number == full_at {
                SmallDisk::fill(&filled);
            }
            answer(asked)
        });
        let arguments = [WORKED_EXAMPLE, &["--yes", "--json"]].concat();
        let ended = product.run(&arguments, &server.env());
        assert_eq!(ended.code, Some(1), "full at {full_at}: {ended:?}");
        let told = ["the journal can't be written", "runs.db can't grow", "free some space and try again"];
        for words in told {
            assert!(ended.stderr.contains(words), "full at {full_at}: no `{words}` in\n{}", ended.stderr);
        }
        assert_eq!(server.asked().len(), full_at + 1, "no model is asked after that");
        let called = ended.stdout.lines().filter(|line| line.contains(r#""type":"tool""#)).count();
        assert_eq!(called, full_at / 2, "no tool is called after that:\n{}", ended.stdout);

        disk.free();
        assert_eq!(tools_called(&shown(&product)).len(), called);
        let id = shown(&product)["id"].as_str().expect("an id").to_owned();
        let healthy = MessagesApi::start(script());
        let again = product.run(&["resume", &id, "--yes"], &healthy.env());
        assert_eq!(again.code, Some(0), "full at {full_at}: {again:?}");
        assert_eq!(
            tools_called(&shown(&product)),
            ["list_files", "read_file", "analyze_code", "read_file"],
            "full at {full_at}"
        );
    }
}

/// A model that becomes wordy once a tool was called: more than a small file can take.
struct Wordy(Mind);

#[async_trait]
impl Model for Wordy {
    fn identity(&self) -> String {
        self.0.identity()
    }

    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price> {
        self.0.price(stage, expert)
    }

    fn reads_facts(&self) -> bool {
        self.0.reads_facts()
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let called = request.facts["observations"].as_array().is_some_and(|all| !all.is_empty());
        let mut reply = self.0.complete(request).await?;
        reply.content = called.then(|| "x".repeat(512 << 10).into());
        Ok(reply)
    }
}

#[test]
fn a_driver_whose_journal_can_t_grow_stops_before_the_next_effect() {
    let folder = life::folder();
    let store = rig::store(folder.path());
    let mind = || Mind { scenario: &REFLECTING, folder: folder.path().to_owned() };
    let hands = || Arc::new(Hands { folder: folder.path().to_owned() });
    let run = rig::begin(&store, REFLECTING.settings());
    // 256 KiB.
    run.1.cap_pages(64).expect("a cap");
    let wordy = Arc::new(Wordy(mind()));
    let mut driver = rig::driver(run, wordy, hands(), rig::yes(), Interrupt::default());
    let failed = rig::block_on(driver.drive()).expect_err("the file can't grow");
    assert_eq!(exit_of(&failed), Exit::Failed);
    let told = describe(&failed);
    assert!(told.contains("the journal can't be written") && told.contains("free some space"), "{told}");
    let called = || marks(folder.path()).iter().filter(|mark| mark.moment == Moment::Began).count();
    assert_eq!((called(), rig::state(folder.path()).history.len()), (1, 1), "no call after that");
    drop(driver);

    let run = rig::take_up(&store);
    let mut driver = rig::driver(run, Arc::new(mind()), hands(), rig::yes(), Interrupt::default());
    driver.take_over().expect("there is space again");
    assert_eq!(rig::block_on(rig::drive(&mut driver)).exit(), Exit::Done);
    assert_eq!((called(), rig::state(folder.path()).history.len()), (3, 3));
}
