//! SIGKILL at every write of the journal and around every effect.

use crate::checks::same;
use crate::life::{Person, live};
use crate::scenario::*;

/// Kills each of the undisturbed life's processes at each of its places.
fn killed_everywhere(scenario: &Scenario) {
    let undisturbed = live(scenario, &[], Person::Patient);
    let mut kills = 0;
    for process in 0..undisturbed.processes {
        for point in 1.. {
            let life = live(scenario, &[(process, point)], Person::Hasty);
            same(scenario, &life, &undisturbed, &format!("{} killed at {point} of {process}", scenario.name));
            if life.killed.is_empty() {
                break;
            }
            kills += 1;
        }
    }
    assert!(kills > 20, "{} was killed at {kills} places only", scenario.name);
}

/// Kills a process, and the one that takes the run up after it.
fn killed_twice(scenario: &Scenario) {
    let undisturbed = live(scenario, &[], Person::Patient);
    let mut twice = 0;
    for first in (1..).step_by(2) {
        let second = 1 + first * 5 % 17;
        let life = live(scenario, &[(0, first), (1, second)], Person::Hasty);
        same(scenario, &life, &undisturbed, &format!("{} killed at {first} and {second}", scenario.name));
        twice += usize::from(life.killed == [0, 1]);
        if !life.killed.contains(&0) {
            break;
        }
    }
    assert!(twice > 2, "{} was killed twice {twice} times only", scenario.name);
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
fn a_review_of_the_work_survives_a_kill_anywhere() {
    killed_everywhere(&REFLECTING);
}
