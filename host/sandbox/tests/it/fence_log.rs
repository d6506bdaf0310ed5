//! The log of a call: everything that was opened or refused, bounded.

use crate::fence_guest::{FOLLOW, Project};
use ringfence_sandbox::DenialReason;
use ringfence_sandbox::view::Walk;

#[test]
fn folders_and_looks_are_no_opened_files() {
    let project = Project::empty();
    project.file("src/a", "a");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    guest.names("src");
    guest.stat("src/a", FOLLOW).expect("there");
    guest.open("src").expect("a folder");
    assert_eq!(guest.log().opened, []);
    guest.open("src/a").expect("a file");
    let opened = guest.log().opened;
    assert_eq!((opened.len(), opened[0].path.as_str(), opened[0].bytes_read), (1, "src/a", 0));
}

#[test]
fn the_log_is_taken_once() {
    let project = Project::empty();
    project.file("src/a", "a");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    guest.read("src/a").expect("there");
    guest.read("b").expect_err("not granted");
    let log = guest.log();
    assert_eq!((log.opened.len(), log.denials.len(), log.omitted), (1, 1, 0));
    assert_eq!(guest.log(), ringfence_sandbox::FileLog::default());
}

#[test]
fn a_guest_that_tries_and_tries_cannot_fill_the_host() {
    let project = Project::empty();
    let project = project.folder("src");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    for i in 0..3000 {
        guest.read(&format!("{}{i}", "long/".repeat(250))).expect_err("not granted");
    }
    let log = guest.log();
    assert_eq!((log.denials.len(), log.omitted), (1000, 2000));
    let longest = log.denials.iter().map(|denial| denial.asked.len().max(denial.resolved.len())).max();
    assert!(longest <= Some(1024), "{longest:?}");
    assert!(log.denials[0].asked.ends_with('…'));
    assert!(log.denials.iter().all(|denial| denial.reason == DenialReason::NotGranted));
}

#[test]
fn the_same_refusal_again_and_again_is_recorded_once_and_hides_no_other() {
    let project = Project::empty();
    project.folder("src");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    for _ in 0..5000 {
        guest.read("secret").expect_err("not granted");
    }
    guest.read("../other").expect_err("above the root");
    guest.stat("secret", FOLLOW).expect_err("not granted");
    let log = guest.log();
    let recorded: Vec<_> = log.denials.iter().map(|d| (d.operation.as_str(), d.asked.as_str())).collect();
    assert_eq!(recorded, [("open", "secret"), ("open", "../other"), ("stat", "secret")]);
    assert_eq!(log.omitted, 0);
}
