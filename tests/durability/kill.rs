//! SIGKILL at every write of the journal and around every effect.

use crate::checks::{same, was_in_doubt};
use crate::life::{Person, live};
use crate::scenario::*;

/// Kills each of the undisturbed life's processes at each of its places.
fn killed_everywhere(scenario: &Scenario) {
    let undisturbed = live(scenario, &[], Person::Patient);
    let (mut kills, mut in_doubt) = (0, 0);
    for process in 0..undisturbed.processes {
        for point in 1.. {
            let life = live(scenario, &[(process, point)], Person::Hasty);
            same(scenario, &life, &undisturbed, &format!("{} killed at {point} of {process}", scenario.name));
            if life.killed.is_empty() {
                break;
            }
            kills += 1;
            in_doubt += usize::from(was_in_doubt(&life));
        }
    }
    let name = scenario.name;
    assert!(kills > 20 && in_doubt > 1, "{name}: {in_doubt} outcomes in doubt after {kills} kills");
}

/// Kills each of them, and the one that takes the run up after it.
fn killed_twice(scenario: &Scenario) {
    let undisturbed = live(scenario, &[], Person::Patient);
    let mut twice = 0;
    for process in 0..undisturbed.processes {
        for first in (1..).step_by(3) {
            let kills = [(process, first), (process + 1, 1 + first * 5 % 17)];
            let life = live(scenario, &kills, Person::Hasty);
            same(scenario, &life, &undisturbed, &format!("{} killed at {kills:?}", scenario.name));
            twice += usize::from(life.killed == [process, process + 1]);
            if !life.killed.contains(&process) {
                break;
            }
        }
    }
    assert!(twice > 4, "{} was killed twice {twice} times only", scenario.name);
}

#[test]
fn a_staged_run_with_every_pause_survives_a_kill_anywhere() {
    killed_everywhere(&PAUSED);
}

#[test]
fn a_staged_run_with_every_pause_survives_two_kills() {
    killed_twice(&PAUSED);
}

#[test]
fn tasks_worked_on_at_the_same_time_survive_a_kill_anywhere() {
    killed_everywhere(&LANES);
}

#[test]
fn tasks_worked_on_at_the_same_time_survive_two_kills() {
    killed_twice(&LANES);
}

#[test]
fn a_pipeline_survives_a_kill_anywhere() {
    killed_everywhere(&PIPELINE);
}

#[test]
fn a_pipeline_survives_two_kills() {
    killed_twice(&PIPELINE);
}

#[test]
fn several_calls_in_a_turn_survive_a_kill_anywhere() {
    killed_everywhere(&REACT);
}

#[test]
fn several_calls_in_a_turn_survive_two_kills() {
    killed_twice(&REACT);
}

#[test]
fn failures_in_passing_and_a_model_out_of_reach_survive_a_kill_anywhere() {
    killed_everywhere(&STUMBLING);
}

#[test]
fn failures_in_passing_and_a_model_out_of_reach_survive_two_kills() {
    killed_twice(&STUMBLING);
}

#[test]
fn a_review_of_the_work_survives_a_kill_anywhere() {
    killed_everywhere(&REFLECTING);
}
