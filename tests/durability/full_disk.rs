//! A disk that is full when a step is to be journaled: nothing is done that isn't recorded, and
//! with space again the run goes on.

use crate::life;
use crate::mind::Mind;
use crate::rig;
use crate::scenario::REACT;
use crate::small_disk::SmallDisk;
use crate::world::{Hands, Moment, Tool, marks};
use crate::{WORKED_EXAMPLE, product, shown, tools_called};
use ringfence::driver::{Driver, Halt};
use ringfence::exit::{Exit, describe, exit_of};
use ringfence::interrupt::Interrupt;
use ringfence::review::Given;
use ringfence_engine::{Review, Run, Subject};
use ringfence_store::Lease;
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::messages_api::worked_example::{answer, script};
use std::path::Path;
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

#[test]
fn a_driver_whose_journal_can_t_grow_stops_before_the_next_effect() {
    let folder = life::folder();
    let store = rig::store(folder.path());
    let run = rig::begin(&store, REACT.settings());
    // As many pages as there are: whatever doesn't fit into those is too much.
    run.1.cap_pages(1).expect("a cap");
    let failed = drive(folder.path(), run).expect_err("the file can't grow");
    assert_eq!(exit_of(&failed), Exit::Failed);
    assert!(describe(&failed).contains("free some space"), "{}", describe(&failed));
    // What was begun had been recorded as meant before.
    assert!(marks(folder.path()).iter().all(|mark| mark.intended));

    let mut driver = driver(folder.path(), rig::take_up(&store));
    driver.take_over().expect("there is space again");
    let mut halt = rig::block_on(rig::drive(&mut driver));
    if let Halt::Waiting(Review { subject: Subject::UnknownOutcome { call }, .. }) = &halt {
        // It happened, and there was no space to say so.
        let happened = Tool::called(&call.tool).result(&call.input);
        driver.reviewer.given = Some(Given::Reply(happened));
        halt = rig::block_on(rig::drive(&mut driver));
    }
    assert_eq!(halt.exit(), Exit::Done);
    let effects = marks(folder.path()).iter().filter(|mark| mark.moment == Moment::TookEffect).count();
    assert_eq!((effects, rig::state(folder.path()).history.len()), (3, 6));
}

type Taken = (Run, Lease);

fn driver(folder: &Path, run: Taken) -> Driver {
    let mind = Arc::new(Mind { scenario: &REACT, folder: folder.to_owned() });
    let hands = Arc::new(Hands { folder: folder.to_owned() });
    rig::driver(run, mind, hands, rig::yes(), Interrupt::default())
}

fn drive(folder: &Path, run: Taken) -> anyhow::Result<Halt> {
    let mut driver = driver(folder, run);
    rig::block_on(driver.drive())
}
