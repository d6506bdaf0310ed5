//! Everything that would change something is refused, and nothing has changed.

use crate::fence_guest::{FOLLOW, Guest, Project, code, ready};
use ringfence_sandbox::DenialReason::{LeavesRoot, Masked, NotGranted, ReadOnly};
use ringfence_sandbox::view::Walk;
use std::fs;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, NewTimestamp, OpenFlags, PathFlags,
};

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .folder("src/sub")
        .file("outside.txt", "SECRET")
        .link("src/link", "a.txt");
    project
}

/// Names, contents and times of everything.
fn state(project: &Project) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![project.root()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let meta = fs::symlink_metadata(&path).expect("there");
            let text = if meta.is_file() { fs::read_to_string(&path).expect("text") } else { String::new() };
            found.push(format!(
                "{path:?} {:?} {:?} {text}",
                meta.file_type(),
                meta.modified().expect("a time")
            ));
            if meta.is_dir() {
                todo.push(path);
            }
        }
    }
    found.sort();
    found
}

fn open_for(
    guest: &mut Guest,
    path: &str,
    create: OpenFlags,
    flags: DescriptorFlags,
) -> Result<(), ErrorCode> {
    let root = guest.root();
    code(ready(guest.host().open_at(root, FOLLOW, path.to_owned(), create, flags))).map(|_| ())
}

#[test]
fn each_call_that_changes_something_is_refused_as_read_only() {
    let project = project();
    let before = state(&project);
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let none = PathFlags::empty();
    let now = || NewTimestamp::Now;
    macro_rules! refused {
        ($operation:literal, $call:ident($($argument:expr),*)) => {{
            let root = guest.root();
            let outcome = code(ready(guest.host().$call(root, $($argument),*)));
            assert_eq!(outcome.map(|_| ()), Err(ErrorCode::ReadOnly), $operation);
            let denial = guest.one_denial(ReadOnly);
            assert_eq!(denial.operation, $operation);
            assert!(denial.resolved.starts_with("src"), "{denial:?}");
        }};
    }
    let text = str::to_owned;
    let root = guest.root().rep();
    let top = || Resource::new_borrow(root);
    refused!("create folder", create_directory_at(text("src/new")));
    refused!("remove folder", remove_directory_at(text("src/sub")));
    refused!("remove folder", remove_directory_at(text("src")));
    refused!("remove file", unlink_file_at(text("src/a.txt")));
    refused!("remove file", unlink_file_at(text("src/link")));
    refused!("create link", symlink_at(text("/etc/passwd"), text("src/new")));
    refused!("create hard link", link_at(none, text("src/a.txt"), top(), text("src/new")));
    refused!("rename", rename_at(text("src/a.txt"), top(), text("src/b.txt")));
    refused!("set times", set_times_at(FOLLOW, text("src/link"), now(), now()));
    // What could not be done anywhere needs no fence to refuse it.
    let at = guest.root();
    let outcome = code(ready(guest.host().create_directory_at(at, text("src/none/new"))));
    assert_eq!(outcome, Err(ErrorCode::NoEntry));
    assert_eq!(guest.denials(), []);
    assert_eq!(state(&project), before);
}

#[test]
fn each_way_of_opening_for_writing_is_refused_as_read_only() {
    let project = project();
    let before = state(&project);
    let (read, write) = (DescriptorFlags::READ, DescriptorFlags::READ | DescriptorFlags::WRITE);
    for (path, create, flags) in [
        ("src/a.txt", OpenFlags::empty(), write),
        ("src/a.txt", OpenFlags::empty(), DescriptorFlags::WRITE),
        ("src/a.txt", OpenFlags::TRUNCATE, read),
        ("src/a.txt", OpenFlags::CREATE, read),
        ("src/link", OpenFlags::CREATE | OpenFlags::TRUNCATE, write),
        ("src/new", OpenFlags::CREATE, write),
        ("src/new", OpenFlags::CREATE | OpenFlags::EXCLUSIVE, write),
        ("src/link", OpenFlags::CREATE | OpenFlags::EXCLUSIVE, write),
        ("src/sub", OpenFlags::empty(), write),
    ] {
        let mut guest = project.guest(Walk::Kernel, &["src"]);
        assert_eq!(open_for(&mut guest, path, create, flags), Err(ErrorCode::ReadOnly), "{path}");
        assert_eq!(guest.one_denial(ReadOnly).operation, "open for writing");
    }
    assert_eq!(state(&project), before);
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let folder = OpenFlags::DIRECTORY | OpenFlags::CREATE;
    assert_eq!(open_for(&mut guest, "src/new", folder, write), Err(ErrorCode::Invalid));
}

#[test]
fn what_is_open_for_reading_cannot_be_changed() {
    let project = project();
    let before = state(&project);
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let file = guest.open("src/a.txt").expect("a file").rep();
    let folder = guest.open("src").expect("a folder").rep();
    let fd = |rep| Resource::new_borrow(rep);
    for (rep, shown) in [(file, "src/a.txt"), (folder, "src"), (guest.root().rep(), ".")] {
        let outcomes = [
            ("write", code(ready(guest.host().write(fd(rep), b"x".to_vec(), 0))).map(|_| ())),
            ("write", code(guest.host().write_via_stream(fd(rep), 0)).map(|_| ())),
            ("append", code(guest.host().append_via_stream(fd(rep))).map(|_| ())),
            ("set size", code(ready(guest.host().set_size(fd(rep), 0)))),
            ("set times", code(ready(guest.host().set_times(fd(rep), NewTimestamp::Now, NewTimestamp::Now)))),
        ];
        let operations: Vec<_> = guest
            .denials()
            .into_iter()
            .map(|denial| {
                assert_eq!((denial.reason, denial.resolved.as_str()), (ReadOnly, shown));
                denial.operation
            })
            .collect();
        assert_eq!(operations, ["write", "append", "set size", "set times"], "equal ones once");
        for (operation, outcome) in outcomes {
            assert_eq!(outcome, Err(ErrorCode::ReadOnly), "{operation}");
        }
    }
    let flags = code(ready(guest.host().get_flags(fd(file)))).expect("open");
    assert_eq!(flags, DescriptorFlags::READ);
    assert_eq!(code(ready(guest.host().sync(fd(file)))), Ok(()));
    assert_eq!(state(&project), before);
}

#[test]
fn changes_elsewhere_are_refused_for_being_elsewhere() {
    let project = project();
    project.file(".ringfence/state", "SECRET");
    let before = state(&project);
    for (path, dirs, reason, outcome) in [
        ("outside.txt", "src", NotGranted, ErrorCode::NoEntry),
        ("new", "src", NotGranted, ErrorCode::NoEntry),
        ("../new", "src", LeavesRoot, ErrorCode::NotPermitted),
        ("/tmp/new", "src", NotGranted, ErrorCode::NoEntry),
        (".ringfence/state", ".", Masked, ErrorCode::NoEntry),
        ("src", "src/sub", ReadOnly, ErrorCode::ReadOnly),
    ] {
        for call in 0..4 {
            let mut guest = project.guest(Walk::Kernel, &[dirs]);
            let (root, path) = (guest.root(), path.to_owned());
            let other = guest.root();
            let refused = match call {
                0 => code(ready(guest.host().create_directory_at(root, path))),
                1 => code(ready(guest.host().unlink_file_at(root, path))),
                2 => code(ready(guest.host().rename_at(root, path, other, "src/x".into()))),
                _ => code(ready(guest.host().symlink_at(root, "a.txt".into(), path))),
            };
            assert_eq!(refused, Err(outcome));
            guest.one_denial(reason);
        }
    }
    assert_eq!(state(&project), before);
}
