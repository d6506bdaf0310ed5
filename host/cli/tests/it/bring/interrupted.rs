//! Whatever fails in the middle leaves the lock as it was.

use super::{add, adder, lock, project, sum, tool};
use ringfence_tests::loopback::{Loopback, Reply};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn ctrl_c_ends_a_fetch_and_nothing_was_changed() {
    let (home, server) = (project(), Loopback::start());
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    let before = lock(&home);
    server.put("/x.wasm", Reply::Stalled);
    let source = server.url("/x.wasm");
    let mut command = home.command(["tool", "add", &source, "--project", "project"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let said = home.said(child.wait_with_output().unwrap());
    assert!(said.code == 130 && said.err.contains("nothing was changed"), "{said}");
    assert_eq!(lock(&home), before);
    assert_eq!(sum(&home, "add").out, "42\n");
}

#[test]
fn a_lock_that_can_t_be_written_is_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        // Nothing is read-only to this user: a folder in the lock's place is in the way of anybody.
        let home = project();
        std::fs::create_dir(home.path().join("project/ringfence.lock")).unwrap();
        let said = add(&home, "a.wasm", &adder("add", ""), &[]);
        assert!(said.code == 2 && said.err.contains("ringfence.lock is not an ordinary file"), "{said}");
        return;
    }
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    let (before, folder) = (lock(&home), home.path().join("project"));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let said = tool(&home, &["remove", "a"]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(said.code == 1 && said.err.contains("can't be written"), "{said}");
    assert_eq!(lock(&home), before);
}
