//! A file of the project is changed only by who has read it, as it is.

use crate::fence_guest::{Guest, Project};
use crate::stage_guest::{How, Run};
use ringfence_sandbox::DenialReason::{ChangedSinceRead, NotRead, ReadOnly};
use ringfence_sandbox::{Content, Digest};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorFlags, ErrorCode, HostDescriptor};

fn run() -> Run {
    let project = Project::empty();
    project.file("src/a.txt", "0123456789").file("src/b.txt", "bee").file("src/empty.txt", "");
    Run::on(project, &["src"])
}

#[test]
fn each_way_of_losing_a_content_needs_it_to_be_read() {
    type Way = fn(&mut Guest) -> Result<(), ErrorCode>;
    let ways: [(&str, Way); 6] = [
        ("open for writing", |guest| guest.write("src/a.txt", "x")),
        ("open for writing", |guest| guest.append("src/a.txt", "x")),
        ("open for writing", |guest| guest.write_at("src/a.txt", "x", 3)),
        ("remove file", |guest| guest.remove("src/a.txt")),
        ("rename", |guest| guest.rename("src/b.txt", "src/a.txt")),
        ("open for writing", |guest| guest.open_to_write("src/a.txt", How::Existing).map(|_| ())),
    ];
    for (operation, way) in ways {
        let run = run();
        let mut guest = run.guest();
        assert_eq!(way(&mut guest), Err(ErrorCode::NotPermitted), "{operation}");
        let denial = guest.one_denial(NotRead);
        assert_eq!((denial.operation.as_str(), denial.resolved.as_str()), (operation, "src/a.txt"));
        assert_eq!(denial.asked, "src/a.txt");
        assert!(
            denial.message(&[], &[]).contains("read it whole, then write"),
            "{}",
            denial.message(&[], &[])
        );
        guest.read_first("src/a.txt");
        way(&mut guest).unwrap();
        guest.settle(true);
        assert!(!run.changes().is_empty() || operation == "open for writing");
        assert_eq!(run.in_project("src/a.txt").as_deref(), Some("0123456789"));
    }
}

#[test]
fn reading_a_part_is_not_enough() {
    let run = run();
    let mut guest = run.guest();
    let fd = guest.open("src/a.txt").unwrap().rep();
    let read = |guest: &mut Guest, length, at| {
        crate::fence_guest::ready(guest.host().read(Resource::new_borrow(fd), length, at))
            .ok()
            .unwrap()
            .0
            .len()
    };
    assert_eq!(read(&mut guest, 4, 0), 4);
    assert_eq!(guest.write("src/a.txt", "x"), Err(ErrorCode::NotPermitted));
    assert_eq!(read(&mut guest, 100, 4), 6);
    guest.write("src/a.txt", "x").unwrap();
}

#[test]
fn an_empty_file_is_read_by_meeting_its_end() {
    let run = run();
    let mut guest = run.guest();
    assert_eq!(guest.write("src/empty.txt", "x"), Err(ErrorCode::NotPermitted));
    guest.read_first("src/empty.txt");
    guest.write("src/empty.txt", "x").unwrap();
}

#[test]
fn what_an_earlier_call_has_read_counts_if_it_is_the_same_still() {
    let mut run = run();
    let mut guest = run.guest();
    guest.read_first("src/a.txt");
    for opened in guest.log().opened {
        let Content::Whole { hash } = opened.content else { panic!("{opened:?}") };
        run.known.add(&opened.path, hash);
    }
    drop(guest);
    run.project.file("src/b.txt", "bee");
    run.known.add("src/b.txt", Digest::of(b"what it was"));
    run.call(|guest| {
        guest.write("src/a.txt", "x").unwrap();
        assert_eq!(guest.write("src/b.txt", "x"), Err(ErrorCode::NotPermitted));
        let denial = guest.one_denial(ChangedSinceRead);
        assert!(denial.message(&[], &[]).contains("has changed since it was read"));
    });
}

#[test]
fn a_file_that_changed_after_it_was_read_is_not_overwritten() {
    let run = run();
    let mut guest = run.guest();
    guest.read_first("src/a.txt");
    run.project.file("src/a.txt", "somebody else");
    assert_eq!(guest.write("src/a.txt", "x"), Err(ErrorCode::NotPermitted));
    guest.one_denial(ChangedSinceRead);
}

#[test]
fn what_the_run_made_itself_needs_no_reading_also_after_it_was_applied() {
    let run = run();
    run.call(|guest| guest.write("src/own.txt", "1").unwrap());
    run.call(|guest| guest.write("src/own.txt", "2").unwrap());
    run.apply().unwrap();
    run.call(|guest| guest.write("src/own.txt", "3").unwrap());
    run.apply().unwrap();
    run.project.file("src/own.txt", "a person's");
    let mut guest = run.guest();
    assert_eq!(guest.write("src/own.txt", "4"), Err(ErrorCode::NotPermitted));
    guest.one_denial(ChangedSinceRead);
}

#[test]
fn moving_a_file_needs_no_reading_but_is_none_either() {
    let run = run();
    run.call(|guest| guest.rename("src/a.txt", "src/moved.txt").unwrap());
    let mut guest = run.guest();
    assert_eq!(guest.write("src/moved.txt", "x"), Err(ErrorCode::NotPermitted));
    guest.one_denial(NotRead);
    assert_eq!(guest.remove("src/moved.txt"), Err(ErrorCode::NotPermitted));
    guest.read_first("src/moved.txt");
    guest.write("src/moved.txt", "x").unwrap();
    guest.settle(true);
    // Once it was read and changed it's the run's own.
    run.call(|guest| guest.remove("src/moved.txt").unwrap());
}

#[test]
fn a_file_open_for_reading_only_is_not_written() {
    let run = run();
    let mut guest = run.guest();
    let fd = guest.open_with("src/a.txt", How::Existing, DescriptorFlags::READ).unwrap().rep();
    let written = crate::fence_guest::ready(guest.host().write(Resource::new_borrow(fd), b"x".to_vec(), 0));
    assert_eq!(crate::fence_guest::code(written).map(|_| ()), Err(ErrorCode::BadDescriptor));
    assert!(guest.denials().is_empty(), "nothing was refused that a grant could allow");
}

#[test]
fn times_are_set_also_of_what_is_open_for_reading_only_where_it_may_be_changed() {
    use wasmtime_wasi::p2::bindings::filesystem::types::NewTimestamp;
    let run = run().and_read(&["src/sub"]);
    run.project.file("src/sub/b.txt", "b");
    let mut guest = run.guest();
    let mut set = |path: &str| {
        let fd = guest.open_with(path, How::Existing, DescriptorFlags::READ).unwrap().rep();
        let fd = Resource::new_borrow(fd);
        let mut host = guest.host();
        let set = crate::fence_guest::ready(host.set_times(fd, NewTimestamp::NoChange, NewTimestamp::Now));
        crate::fence_guest::code(set)
    };
    assert_eq!(set("src/a.txt"), Ok(()));
    assert_eq!(set("src/sub/b.txt"), Err(ErrorCode::ReadOnly));
    guest.one_denial(ReadOnly);
}
