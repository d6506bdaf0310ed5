//! One driver at a time, and a stale one can't write.

use crate::sample::*;
use proptest::prelude::*;
use ringfence_engine::RunId;
use ringfence_store::{Holder, Lease, Store, StoreError};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

const CHILD: &str = "RINGFENCE_STORE_RACE";

#[test]
fn a_driven_run_is_refused_naming_the_process_and_free_once_dropped() {
    let folder = Folder::new();
    let store = folder.store();
    let lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let refused = store.lease(&RunId::from("one")).unwrap_err();
    let StoreError::Busy { holder: Some(Holder { pid, host }), .. } = &refused else { panic!("{refused}") };
    assert_eq!(*pid, std::process::id());
    assert!(!host.is_empty());
    let first = lease.token();
    drop(lease);
    assert!(store.lease(&RunId::from("one")).unwrap().token() > first);
}

#[test]
fn a_holder_that_has_not_written_its_name_yet_is_another_process() {
    let folder = Folder::new();
    let store = folder.store();
    let _lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    for half in ["", "12", "12\n", "12\nbo"] {
        std::fs::write(folder.path().join("leases/one.lock"), half).unwrap();
        let refused = store.lease(&RunId::from("one")).unwrap_err().to_string();
        assert!(refused.starts_with("run one is being driven by another process; wait"), "{refused}");
    }
}

#[test]
fn a_lease_on_a_run_that_isn_t_there_is_refused_and_leaves_no_file() {
    let folder = Folder::new();
    let store = folder.store();
    assert!(matches!(store.lease(&RunId::from("nobody")), Err(StoreError::NoSuchRun { .. })));
    assert!(!folder.path().join("leases").exists());
    for id in ["", "../up", "a b", "-x", "é", &"x".repeat(65)] {
        assert!(matches!(store.lease(&RunId::from(id)), Err(StoreError::InvalidRunId { .. })), "{id}");
    }
}

#[test]
fn a_link_in_place_of_the_lock_folder_or_file_is_refused_and_not_followed() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let store = folder.store();
    drop(store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
    let (leases, victim) = (folder.path().join("leases"), elsewhere.path().join("one.lock"));
    std::fs::write(&victim, "precious").unwrap();
    let refused = || {
        for error in [
            store.lease(&RunId::from("one")).unwrap_err(),
            store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap_err(),
        ] {
            assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
            assert!(error.to_string().contains("is a link, which isn't followed; move it away"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    };
    std::fs::remove_file(leases.join("one.lock")).unwrap();
    symlink(&victim, leases.join("one.lock")).unwrap();
    refused();
    std::fs::remove_dir_all(&leases).unwrap();
    symlink(elsewhere.path(), &leases).unwrap();
    refused();
    // A link to nowhere would be a folder made elsewhere.
    std::fs::remove_file(&leases).unwrap();
    symlink(elsewhere.path().join("new"), &leases).unwrap();
    refused();
    assert!(!elsewhere.path().join("new").exists());
    std::fs::remove_file(&leases).unwrap();
    store.lease(&RunId::from("one")).unwrap();
}

#[test]
fn something_else_in_place_of_the_lock_folder_or_file_is_refused() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
    let leases = folder.path().join("leases");
    let refused = |want: &str| {
        let error = store.lease(&RunId::from("one")).unwrap_err().to_string();
        assert!(error.contains(&format!("must be an ordinary {want} and is something else")), "{error}");
    };
    std::fs::remove_file(leases.join("one.lock")).unwrap();
    std::fs::create_dir(leases.join("one.lock")).unwrap();
    refused("file");
    std::fs::remove_dir_all(&leases).unwrap();
    std::fs::write(&leases, "").unwrap();
    refused("folder");
}

#[test]
fn the_same_run_can_t_be_entered_twice() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
    let refused = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap_err();
    assert!(matches!(refused, StoreError::Exists { .. }), "{refused}");
    assert_eq!(store.events(&RunId::from("one")).unwrap().len(), 1);
}

#[test]
fn of_two_processes_that_race_for_a_run_one_gets_it() {
    let folder = Folder::new();
    let store = folder.store();
    drop(store.create_run(&new_run("race"), &entry(&started("race"), &planning())).unwrap());
    let spawn = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "leases::child_takes_the_lease", "--ignored", "--nocapture"])
            .env(CHILD, folder.file())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut children: Vec<_> = (0..4).map(|_| spawn()).collect();
    let mut won = Vec::new();
    for child in &mut children {
        let pid = child.id();
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let said = lines.map(Result::unwrap).find(|line| line.contains("RACE ")).unwrap();
        won.push((pid, said[said.find("RACE ").unwrap()..].to_owned()));
    }
    let winners: Vec<_> = won.iter().filter(|(_, said)| said == "RACE won").collect();
    assert_eq!(winners.len(), 1, "{won:?}");
    let winner = winners[0].0;
    for (pid, said) in &won {
        // The name is written just after the lock is taken, so 0 (not yet said) is true as well.
        let named = [format!("RACE lost to {winner}"), "RACE lost to 0".to_owned()];
        assert!(*pid == winner || named.contains(said), "{said} (winner {winner})");
    }
    assert!(
        matches!(store.lease(&RunId::from("race")), Err(StoreError::Busy { holder: Some(holder), .. }) if holder.pid == winner)
    );
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    store.lease(&RunId::from("race")).expect("a killed process leaves the run free at once");
}

#[test]
#[ignore = "run by of_two_processes_that_race_for_a_run_one_gets_it"]
fn child_takes_the_lease() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let store = Store::open(file.as_ref()).unwrap();
    let lease = store.lease(&RunId::from("race"));
    match &lease {
        Ok(_) => println!("\nRACE won"),
        Err(StoreError::Busy { holder, .. }) => {
            println!("\nRACE lost to {}", holder.as_ref().map_or(0, |holder| holder.pid))
        }
        Err(other) => println!("\nRACE broken: {other}"),
    }
    // Until the parent ends us: a winner that ended by itself would let a slow one win too.
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}

#[derive(Debug, Clone, Copy)]
enum Move {
    /// A handle takes the run; with `lost`, the other one's lock file has been swept away.
    Take {
        handle: usize,
        lost: bool,
    },
    Append {
        handle: usize,
    },
    Drop {
        handle: usize,
    },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        (0..2_usize, any::<bool>()).prop_map(|(handle, lost)| Move::Take { handle, lost }),
        (0..2_usize).prop_map(|handle| Move::Append { handle }),
        (0..2_usize).prop_map(|handle| Move::Append { handle }),
        (0..2_usize).prop_map(|handle| Move::Drop { handle }),
    ];
    prop::collection::vec(one, 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn only_the_latest_lease_can_write(moves in moves()) {
        let folder = Folder::new();
        let stores = [folder.store(), folder.store()];
        let run = RunId::from("one");
        drop(stores[0].create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap());
        let mut held: [Option<Lease>; 2] = [None, None];
        let (mut latest, mut last_token, mut events) = (None, 1, 1);
        for step in moves {
            match step {
                Move::Take { handle, lost } => {
                    held[handle] = None;
                    if latest == Some(handle) { latest = None; }
                    if lost {
                        let _ = std::fs::remove_file(folder.path().join("leases/one.lock"));
                    }
                    match stores[handle].lease(&run) {
                        Ok(lease) => {
                            prop_assert!(lease.token() > last_token);
                            last_token = lease.token();
                            held[handle] = Some(lease);
                            latest = Some(handle);
                        }
                        Err(StoreError::Busy { .. }) => {
                            prop_assert!(held[1 - handle].is_some() && !lost);
                        }
                        Err(other) => prop_assert!(false, "{other}"),
                    }
                }
                Move::Append { handle } => {
                    let Some(lease) = held[handle].as_mut() else { continue };
                    let event = tool_finished(events, json!(handle));
                    match lease.append(&entry(&event, &planning())) {
                        Ok(seq) => {
                            prop_assert_eq!(latest, Some(handle));
                            events += 1;
                            prop_assert_eq!(seq, events);
                        }
                        Err(StoreError::LeaseLost { held, current, .. }) => {
                            prop_assert!(latest != Some(handle) && held < current);
                        }
                        Err(other) => prop_assert!(false, "{other}"),
                    }
                }
                Move::Drop { handle } => {
                    held[handle] = None;
                    if latest == Some(handle) { latest = None; }
                }
            }
            prop_assert_eq!(stores[0].events(&run).unwrap().len() as u64, events);
        }
    }
}
