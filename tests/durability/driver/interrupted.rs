//! An interrupt: at once, journaled, and nothing is lost.

use super::{AtOnce, Endless, begin, make_pipe, take_up};
use crate::life;
use crate::rig;
use crate::scenario::{PAUSED, STUMBLING};
use ringfence::driver::{Driver, Halt};
use ringfence::exit::Exit;
use ringfence::review::{Given, Reviewer};
use ringfence_engine::{Stage, Subject};
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
