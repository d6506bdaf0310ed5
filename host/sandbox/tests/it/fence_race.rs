//! Somebody swaps things while a guest opens them: no secret is read, nothing waits.

use crate::fence_guest::{Project, WALKS};
use crate::meanwhile::meanwhile;
use crate::watchdog::in_time;
use ringfence_sandbox::view::Walk;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long each way of walking is raced at least, and how long the control is waited for.
const AT_LEAST: Duration = Duration::from_millis(1500);
const AT_MOST: Duration = Duration::from_secs(20);

/// A fine thing and a bad one, next to each other; they are exchanged all the time.
const PAIRS: &[(&str, &str)] = &[
    ("src/flip", "src/flip.bad"),
    ("src/folder", "src/folder.bad"),
    ("src/inner", "src/inner.bad"),
    ("src/pipe", "src/pipe.bad"),
    ("src/way", "src/way.bad"),
    ("src/mask", "src/mask.bad"),
    ("src/masked", "src/masked.bad"),
    ("src/single", "src/single.bad"),
];

/// What the guest opens.
const PATHS: &[&str] = &[
    "src/flip",
    "src/folder/secret.txt",
    "src/inner/state",
    "src/pipe",
    "src/way",
    "src/mask",
    "src/masked/config",
    "src/single",
];

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a", "fine")
        .file("src/flip", "fine")
        .link("src/flip.bad", "../../outside/secret.txt")
        .file("src/folder/secret.txt", "fine")
        .link("src/folder.bad", "../../outside")
        .file("src/inner/state", "fine")
        .link("src/inner.bad", "../.ringfence")
        .file("src/pipe", "fine")
        .fifo("src/pipe.bad")
        .link("src/way", "a")
        .link("src/way.bad", "../.ringfence/state")
        .file("src/mask", "fine")
        .file("src/.env", "SECRET environment")
        .link("src/mask.bad", ".env")
        .file("src/masked/config", "fine")
        .file("src/.git/config", "SECRET history")
        .link("src/masked.bad", ".git")
        .file("src/single", "fine")
        .link("src/single.bad", "../../outside/secret.txt")
        .file(".ringfence/state", "SECRET state");
    project
}

/// Looks, then opens by path: what a fence must not do. Shows that the race is real.
fn careless(project: &Project) -> bool {
    let path = project.at("src/flip");
    let is_file = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    std::thread::yield_now();
    is_file && fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"SECRET"))
}

#[test]
fn nothing_outside_is_read_while_files_folders_and_links_are_swapped() {
    in_time(|| WALKS.into_iter().for_each(race));
}

fn race(walk: Walk) {
    let project = project();
    // `src/single` is granted by itself as well.
    let mut guest = project.guest(walk, &[".", "src/single"]);
    let swaps = AtomicU64::new(0);
    let mut outcomes: BTreeMap<(&str, String), u64> = BTreeMap::new();
    let mut leaks_of_the_careless = 0;
    let swap = || {
        for (one, other) in PAIRS {
            let (one, other) = (project.at(one), project.at(other));
            renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("exchanged");
            swaps.fetch_add(1, Relaxed);
        }
    };
    meanwhile(swap, || {
        let start = Instant::now();
        while start.elapsed() < AT_LEAST || (leaks_of_the_careless == 0 && start.elapsed() < AT_MOST) {
            for path in PATHS.iter().chain(&["src/folder/../flip", "src/inner/../inner/state"]).copied() {
                let outcome = guest.text(path).unwrap_or_else(|err| err.to_string());
                *outcomes.entry((path, outcome)).or_default() += 1;
            }
            leaks_of_the_careless += u64::from(careless(&project));
        }
    });
    let secrets: Vec<_> = outcomes.iter().filter(|((_, text), _)| text.contains("SECRET")).collect();
    assert!(secrets.is_empty(), "{walk:?}: {secrets:?}");
    let known = |text: &str| {
        ["fine", "not-permitted", "no-entry", "loop"].iter().any(|known| text.starts_with(known))
    };
    let odd: Vec<_> = outcomes.iter().filter(|((_, text), _)| !known(text)).collect();
    assert!(odd.is_empty(), "{walk:?}: {odd:?}");
    assert!(leaks_of_the_careless > 0, "{walk:?}: the race never happened in {} swaps", swaps.load(Relaxed));
    for path in PATHS.iter().copied() {
        let of_path = || outcomes.iter().filter(|((p, _), _)| *p == path);
        assert!(of_path().any(|((_, text), _)| text == "fine"), "{walk:?} {path}: {outcomes:?}");
        assert!(of_path().any(|((_, text), _)| text != "fine"), "{walk:?} {path}: {outcomes:?}");
    }
}
