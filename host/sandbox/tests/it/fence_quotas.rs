//! Quotas of the files: who goes beyond one is ended by it, by name.

use crate::fence_guest::{Guest, Project, WALKS, code, ready};
use ringfence_sandbox::Limits;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, HostDescriptor, HostDirectoryEntryStream, OpenFlags, PathFlags,
};

fn project() -> Project {
    let project = Project::empty();
    for i in 0..10 {
        project.file(format!("src/f{i}"), "0123456789");
    }
    project.file("src/.env", "SECRET");
    project
}

/// Whether a host call ended the call instead of telling the guest of an error.
fn ends_the_call<T>(outcome: FsResult<T>) -> bool {
    match outcome {
        Ok(_) => false,
        Err(error) => {
            let error = error.downcast().expect_err("no error of the guest's");
            error.to_string().contains("a quota of the files is used up")
        }
    }
}

fn open(guest: &mut Guest, path: &str) -> FsResult<u32> {
    let (root, read) = (guest.root(), DescriptorFlags::READ);
    let opened =
        ready(guest.host().open_at(root, PathFlags::empty(), path.to_owned(), OpenFlags::empty(), read));
    opened.map(|fd| fd.rep())
}

#[test]
fn more_open_at_once_than_the_limit_ends_the_call_and_closing_gives_room() {
    let project = project();
    for walk in WALKS {
        // The root is open from the start.
        let mut guest =
            Guest::within(project.tree(walk, &["src"]), &Limits { open_files: 4, ..Limits::default() });
        for _ in 0..100 {
            let one = code(open(&mut guest, "src/f1")).expect("room");
            let folder = code(open(&mut guest, "src")).expect("room");
            let at = Resource::new_borrow(folder);
            let listing = code(ready(guest.host().read_directory(at))).expect("room");
            assert!(
                open(&mut guest, "src/none").is_err_and(|error| error.downcast().is_ok()),
                "no room is taken"
            );
            HostDirectoryEntryStream::drop(&mut guest.host(), listing).expect("open");
            for fd in [one, folder] {
                HostDescriptor::drop(&mut guest.host(), Resource::new_own(fd)).expect("open");
            }
        }
        for path in ["src/f1", "src", "."] {
            code(open(&mut guest, path)).expect("room");
        }
        assert!(ends_the_call(open(&mut guest, "src/f2")), "{walk:?}");
        let root = guest.root();
        assert!(ends_the_call(ready(guest.host().read_directory(root))), "{walk:?}");
    }
}

#[test]
fn more_entries_than_the_limit_end_the_call_those_that_are_hidden_too() {
    let project = project();
    for walk in WALKS {
        for (limit, ends) in [(11, false), (10, true), (5, true), (0, true)] {
            let limits = Limits { dir_entries: limit, ..Limits::default() };
            let mut guest = Guest::within(project.tree(walk, &["src"]), &limits);
            let folder = guest.open("src").expect("a folder");
            let listing = code(ready(guest.host().read_directory(folder))).expect("a listing");
            let ended = loop {
                match ready(guest.host().read_directory_entry(Resource::new_borrow(listing.rep()))) {
                    Ok(Some(_)) => {}
                    Ok(None) => break false,
                    outcome @ Err(_) => break ends_the_call(outcome),
                }
            };
            assert_eq!(ended, ends, "{walk:?} {limit}");
        }
    }
}

#[test]
fn more_bytes_than_the_limit_end_the_call_over_all_files_together() {
    let project = project();
    let limits = Limits { read_bytes: 25, ..Limits::default() };
    for walk in WALKS {
        let mut guest = Guest::within(project.tree(walk, &["src"]), &limits);
        assert_eq!(guest.text("src/f1").as_deref(), Ok("0123456789"));
        let fd = guest.open("src/f2").expect("a file");
        let stream = code(guest.host().read_via_stream(fd, 0)).expect("a stream");
        assert_eq!(guest.stream_read(&stream, 100), Some(10));
        let fd = guest.open("src/f3").expect("a file").rep();
        let mut read = |length| ready(guest.host().read(Resource::new_borrow(fd), length, 0));
        assert_eq!(code(read(5)).expect("room").0.len(), 5);
        assert!(ends_the_call(read(1)), "{walk:?}");
        assert!(code(read(0)).is_ok(), "nothing costs nothing");
    }
}
