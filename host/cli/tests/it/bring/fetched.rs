//! Components that come from elsewhere, on a machine that doesn't have them yet.

use super::{adder, digest, lock, project, sum, tool};
use crate::program::Home;
use ringfence_tests::loopback::{Loopback, Reply};

/// A project that pins what a server has.
fn pinned(server: &Loopback) -> Home {
    let home = project();
    let bytes = adder("add", "");
    server.put("/adder.wasm", Reply::ok(bytes.clone()));
    let said = tool(&home, &["add", &server.url("/adder.wasm"), "--approve", &digest(&bytes)]);
    assert_eq!(said.code, 0, "{said}");
    home
}

/// The same project on another machine: nothing of the first one's state, its lock confirmed.
fn elsewhere(home: &Home) -> Home {
    let other = project();
    other.write("project/ringfence.lock", lock(home).unwrap());
    let said = other.run(["tool", "fetch", "project"]);
    assert_eq!((said.code, said.err.contains("--trust")), (2, true), "{said}");
    let hash: String = said.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    let said = other.run(["tool", "list", "project", "--trust", &hash]);
    assert!(said.code == 0 && said.out.contains("add can't be used: its bytes aren't here"), "{said}");
    other
}

#[test]
fn what_is_pinned_is_fetched_without_a_question_and_only_once() {
    let server = Loopback::start();
    let first = pinned(&server);
    let other = elsewhere(&first);
    let said = sum(&other, "add");
    assert!(said.code == 2 && said.err.contains("tool fetch"), "{said}");
    let elsewhere = other.run(["tool", "list", "project", "--state", "own"]);
    let hash: String = elsewhere.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    let said = other.run(["run", "project", "--yes", "--state", "own", "--trust", &hash]);
    assert!(said.err.contains("tool fetch [HOME]/project --state [HOME]/own"), "{said}");
    let run = other.run(["run", "project", "--yes"]);
    assert!(run.code == 2 && run.err.contains("tool fetch"), "{run}");
    let said = other.run(["tool", "fetch", "project", "--allow-local"]);
    assert!(said.code == 0 && said.err.contains("`adder`: fetched"), "{said}");
    assert_eq!(sum(&other, "add").out, "42\n");
    let asked = server.asked().len();
    assert_eq!(other.run(["tool", "fetch", "project"]).code, 0);
    assert_eq!(server.asked().len(), asked, "it is here already");
}

#[test]
fn other_bytes_at_the_source_are_not_fetched() {
    let server = Loopback::start();
    let other = elsewhere(&pinned(&server));
    server.put("/adder.wasm", Reply::ok(adder("add", "(core module)")));
    let said = other.run(["tool", "fetch", "project", "--allow-local"]);
    assert!(said.code == 2 && said.err.contains("is another component at its source now"), "{said}");
    assert!(said.err.contains("tool update adder"), "{said}");
    assert_eq!(sum(&other, "add").code, 2);
}

#[test]
fn kept_bytes_that_were_changed_are_not_run() {
    let server = Loopback::start();
    let home = pinned(&server);
    let folder = home.path().join(".local/state/ringfence/components");
    let kept = folder.join(format!("{}.wasm", &digest(&adder("add", ""))[7..]));
    assert!(kept.exists());
    std::fs::write(&kept, adder("add", "(core module)")).unwrap();
    // Nothing that was made of the right bytes is at hand.
    let said = home
        .command(["tool", "call", "add", "--arg", "left=1", "--arg", "right=1", "--project", "project"])
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .output()
        .unwrap();
    let said = home.said(said);
    assert!(said.code == 2 && said.err.contains("isn't the component it should be"), "{said}");
    // What is damaged is fetched, and written, again.
    let said = home.run(["tool", "fetch", "project", "--allow-local"]);
    assert!(said.code == 0 && said.err.contains("`adder`: fetched"), "{said}");
    assert_eq!(std::fs::read(&kept).unwrap(), adder("add", ""));
    std::fs::write(&kept, "other bytes").unwrap();
    assert_eq!(tool(&home, &["update", "--allow-local"]).code, 0);
    assert_eq!(std::fs::read(&kept).unwrap(), adder("add", ""));
}

#[test]
fn a_lock_alone_sends_no_request_to_this_machine() {
    let server = Loopback::start();
    let first = pinned(&server);
    let other = elsewhere(&first);
    let asked = server.asked().len();
    for words in [&["fetch", "project"][..], &["update", "--project", "project"]] {
        let said = other.run(["tool"].iter().chain(words));
        assert!(said.code == 2 && said.err.contains("comes from this machine"), "{said}");
        assert!(said.err.contains("--allow-local"), "{said}");
    }
    assert_eq!(server.asked().len(), asked);
}

#[test]
fn a_component_s_file_is_its_user_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = pinned(&Loopback::start());
    let folder = home.path().join(".local/state/ringfence/components");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}
