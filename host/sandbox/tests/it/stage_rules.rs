//! What a grant to write doesn't allow: what is hidden, other grants, links, special files, more
//! than the quotas.

use crate::fence_guest::{Guest, Project, WALKS, code, ready};
use crate::stage_guest::{How, Run};
use ringfence_sandbox::DenialReason::{
    CrossesGrants, GrantItself, HoldsHidden, LinkLeaves, Masked, NoLinks, NotGranted, ReadOnly, SpecialFile,
};
use ringfence_sandbox::{DenialReason, Limits};
use std::fs;
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, HostDescriptor, PathFlags};

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "a")
        .file("src/sub/b.txt", "b")
        .file("src/.env", "SECRET")
        .file("src/nested/n.txt", "n")
        .file("docs/d.txt", "d")
        .file("single.txt", "s")
        .link("src/link", "sub/b.txt")
        .link("src/folder", "sub")
        .link("src/dangling", "sub/new.txt")
        .link("src/out", "../docs/d.txt")
        .fifo("src/pipe");
    project
}

fn denied(guest: &mut Guest, reason: DenialReason, outcome: Result<(), ErrorCode>) {
    assert!(outcome.is_err(), "{reason:?}");
    guest.one_denial(reason);
}

#[test]
fn what_is_hidden_can_be_neither_changed_nor_made() {
    for walk in WALKS {
        let run = Run { walk, ..Run::on(project(), &["src"]).masked(&["*.lock"]) };
        let mut guest = run.guest();
        let guest = &mut guest;
        guest.read_first("src/a.txt");
        for file in ["src/.env", "src/sub/.env", "src/id_rsa", "src/new.lock"] {
            let outcome = guest.write(file, "x");
            denied(guest, Masked, outcome);
            let outcome = guest.rename("src/a.txt", file);
            denied(guest, Masked, outcome);
            let outcome = guest.remove(file);
            denied(guest, Masked, outcome);
            let outcome = guest.make_folder(file);
            denied(guest, Masked, outcome);
        }
        assert_eq!(fs::read_to_string(run.project.at("src/.env")).unwrap(), "SECRET");
    }
}

#[test]
fn a_folder_that_something_hidden_lies_in_stays() {
    let project = project();
    project.file("src/keys/.env", "SECRET");
    let run = Run::on(project, &["src"]);
    let mut guest = run.guest();
    let guest = &mut guest;
    assert_eq!(guest.names("src/keys"), Vec::<String>::new());
    let outcome = guest.remove_folder("src/keys");
    denied(guest, HoldsHidden, outcome);
    let outcome = guest.rename("src/keys", "src/other");
    denied(guest, HoldsHidden, outcome);
}

#[test]
fn a_folder_that_shows_empty_since_a_mask_hides_what_is_staged_there_stays_as_any_other() {
    let mut run = Run::on(project(), &["src"]);
    run.call(|guest| {
        guest.make_folder("src/new").unwrap();
        guest.write("src/new/made.lock", "staged").unwrap();
    });
    run = run.masked(&["*.lock"]);
    let mut guest = run.guest();
    let guest = &mut guest;
    assert_eq!(guest.names("src/new"), Vec::<String>::new());
    let outcome = guest.remove_folder("src/new");
    assert_eq!(outcome, Err(ErrorCode::NotPermitted));
    denied(guest, HoldsHidden, outcome);
    let outcome = guest.rename("src/new", "src/other");
    denied(guest, HoldsHidden, outcome);
}

#[test]
fn a_grant_to_read_inside_one_to_write_decides_for_itself() {
    let run = Run::on(project(), &["src"]).and_read(&["src/nested", "docs"]);
    let mut guest = run.guest();
    let guest = &mut guest;
    guest.read_first("src/a.txt");
    guest.read_first("src/nested/n.txt");
    for outcome in [
        guest.write("src/nested/n.txt", "x"),
        guest.write("src/nested/new", "x"),
        guest.remove("src/nested/n.txt"),
        guest.rename("src/a.txt", "src/nested/a.txt"),
        guest.rename("src/nested/n.txt", "src/n.txt"),
        guest.write("docs/d.txt", "x"),
    ] {
        assert_eq!(outcome, Err(ErrorCode::ReadOnly));
    }
    assert!(guest.denials().iter().all(|denial| denial.reason == ReadOnly));
    let outcome = guest.rename("src/nested", "src/other");
    denied(guest, ReadOnly, outcome);
    let outcome = guest.write("elsewhere.txt", "x");
    denied(guest, NotGranted, outcome);
}

#[test]
fn nothing_moves_from_one_grant_into_another() {
    let run = Run::on(project(), &["src", "src/sub", "docs"]);
    let mut guest = run.guest();
    let guest = &mut guest;
    for (from, to) in
        [("src/a.txt", "docs/a.txt"), ("src/a.txt", "src/sub/a.txt"), ("src/sub/b.txt", "src/b.txt")]
    {
        let outcome = guest.rename(from, to);
        denied(guest, CrossesGrants, outcome);
    }
    for outcome in [guest.rename("src", "docs/src"), guest.remove_folder("src/sub")] {
        assert!(outcome.is_err());
    }
    let reasons: Vec<_> = guest.denials().into_iter().map(|denial| denial.reason).collect();
    assert_eq!(reasons, [CrossesGrants, GrantItself]);
    guest.write("src/sub/new", "fine").unwrap();
}

#[test]
fn a_granted_file_is_overwritten_but_not_taken_away() {
    let run = Run::on(project(), &["single.txt"]);
    run.call(|guest| {
        guest.read_first("single.txt");
        guest.write("single.txt", "changed").unwrap();
        guest.append("single.txt", "!").unwrap();
        let outcome = guest.remove("single.txt");
        denied(guest, GrantItself, outcome);
        let outcome = guest.write("single.txt.tmp", "x");
        denied(guest, NotGranted, outcome);
        let outcome = guest.rename("single.txt", "other.txt");
        denied(guest, NotGranted, outcome);
    });
    run.apply().unwrap();
    assert_eq!(run.in_project("single.txt").as_deref(), Some("changed!"));
}

#[test]
fn a_path_through_a_link_writes_where_it_leads() {
    for walk in WALKS {
        let run = Run { walk, ..Run::on(project(), &["src"]) };
        run.call(|guest| {
            guest.read_first("src/link");
            guest.write("src/link", "through").unwrap();
            guest.write("src/folder/c.txt", "in a linked folder").unwrap();
            guest.write("src/dangling", "made").unwrap();
            let outcome = guest.write("src/out", "x");
            denied(guest, LinkLeaves, outcome);
            assert!(guest.open_to_write("src/dangling", How::New).is_err(), "a link is there");
        });
        let changed: Vec<_> = run.changes().iter().map(|change| change.path.to_string()).collect();
        assert_eq!(changed, ["src/sub/b.txt", "src/sub/c.txt", "src/sub/new.txt"]);
        assert_eq!(run.sees("src/link").as_deref(), Ok("through"));
        run.apply().unwrap();
        assert!(fs::symlink_metadata(run.project.at("src/link")).unwrap().is_symlink());
        assert_eq!(run.in_project("src/sub/new.txt").as_deref(), Some("made"));
    }
}

#[test]
fn links_are_neither_made_nor_moved_but_removed() {
    let run = Run::on(project(), &["src"]);
    run.call(|guest| {
        let (root, other) = (guest.root(), guest.root());
        let outcome = code(ready(guest.host().symlink_at(root, "a.txt".into(), "src/new".into())));
        denied(guest, NoLinks, outcome);
        let root = guest.root();
        let outcome = code(ready(guest.host().link_at(
            root,
            PathFlags::empty(),
            "src/a.txt".into(),
            other,
            "src/new".into(),
        )));
        denied(guest, NoLinks, outcome);
        let outcome = guest.rename("src/link", "src/link2");
        denied(guest, NoLinks, outcome);
        guest.read_first("src/a.txt");
        let outcome = guest.rename("src/a.txt", "src/link");
        denied(guest, NoLinks, outcome);
        guest.remove("src/link").unwrap();
        assert_eq!(guest.text("src/link"), Err(ErrorCode::NoEntry));
    });
    run.apply().unwrap();
    assert!(fs::symlink_metadata(run.project.at("src/link")).is_err());
    assert_eq!(run.in_project("src/sub/b.txt").as_deref(), Some("b"));
}

#[test]
fn special_files_are_never_opened_nor_replaced() {
    crate::watchdog::in_time(|| {
        let run = Run::on(project(), &["src"]);
        let mut guest = run.guest();
        let guest = &mut guest;
        guest.read_first("src/a.txt");
        let outcome = guest.write("src/pipe", "x");
        denied(guest, SpecialFile, outcome);
        let outcome = guest.remove("src/pipe");
        denied(guest, SpecialFile, outcome);
        let outcome = guest.rename("src/a.txt", "src/pipe");
        denied(guest, SpecialFile, outcome);
        let outcome = guest.rename("src/pipe", "src/other");
        denied(guest, SpecialFile, outcome);
    });
}

#[test]
fn without_a_stage_a_grant_to_write_lets_nothing_be_written() {
    let run = Run::on(project(), &["src"]);
    let tree = ringfence_sandbox::GrantedTree::open(&run.dir(), &run.grants).unwrap();
    let mut guest = Guest::of(tree);
    guest.read_first("src/a.txt");
    assert_eq!(guest.write("src/new", "x"), Err(ErrorCode::ReadOnly));
    assert_eq!(guest.write("src/a.txt", "x"), Err(ErrorCode::ReadOnly));
    assert_eq!(guest.remove("src/a.txt"), Err(ErrorCode::ReadOnly));
    assert_eq!(fs::read_to_string(run.project.at("src/a.txt")).unwrap(), "a");
}

#[test]
fn a_call_that_may_only_read_sees_what_is_staged() {
    let mut run = Run::on(project(), &["src"]);
    run.call(|guest| guest.write("src/new", "staged").unwrap());
    run.grants.dirs[0].access = ringfence_sandbox::Access::Read;
    let (mut guest, mut other) = (run.guest(), run.guest());
    assert_eq!(guest.text("src/new").as_deref(), Ok("staged"));
    assert_eq!(other.text("src/new").as_deref(), Ok("staged"));
    let outcome = guest.write("src/new", "x");
    denied(&mut guest, ReadOnly, outcome);
}

#[test]
fn more_bytes_than_the_quota_end_the_call_holes_and_copies_too() {
    let project = project();
    project.file("src/big", vec![b'x'; 600]);
    let mut run = Run::on(project, &["src"]);
    run.limits = Limits { write_bytes: 1000, ..Limits::default() };
    let over = |guest: &mut Guest, size| match guest.set_size("src/new", size) {
        Ok(()) => false,
        Err(error) => error.downcast().is_err(),
    };
    let new = |guest: &mut Guest| {
        let fd = guest.open_to_write("src/new", How::Create).unwrap();
        guest.close(fd);
    };
    let mut guest = run.guest();
    new(&mut guest);
    assert!(!over(&mut guest, 1000));
    assert!(over(&mut guest, 1001));
    drop(guest);
    let mut guest = run.guest();
    new(&mut guest);
    assert!(over(&mut guest, 3 << 30), "a hole counts as it is long");
    drop(guest);
    let mut guest = run.guest();
    guest.read_first("src/big");
    // Taken into the stage once, and copied once more to be written to.
    let fd = guest.open_to_write("src/big", How::Create).unwrap();
    let write = ready(guest.host().write(wasmtime::component::Resource::new_borrow(fd.rep()), vec![b'y'], 0));
    assert!(write.is_err_and(|error| error.downcast().is_err()), "copies count");
}

#[test]
fn more_entries_than_the_quota_end_the_call() {
    let mut run = Run::on(project(), &["src"]);
    run.limits = Limits { write_entries: 3, ..Limits::default() };
    let mut guest = run.guest();
    for i in 0..3 {
        guest.make_folder(&format!("src/f{i}")).unwrap();
    }
    let root = guest.root();
    let outcome = ready(guest.host().create_directory_at(root, "src/f3".into()));
    assert!(outcome.is_err_and(|error| error.downcast().is_err()));
}
