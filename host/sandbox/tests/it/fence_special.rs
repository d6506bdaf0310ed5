//! What is neither file nor folder is never opened, so nothing ever waits.

use crate::fence_guest::{FOLLOW, Guest, Project, WALKS, grants};
use crate::watchdog::in_time;
use ringfence_sandbox::DenialReason::SpecialFile;
use ringfence_sandbox::{GrantedTree, ProjectDir};
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, ErrorCode};

#[test]
fn fifos_and_sockets_are_refused_before_they_are_opened() {
    in_time(|| {
        let project = Project::empty();
        project
            .folder("src/sub")
            .fifo("src/fifo")
            .link("src/to-fifo", "fifo")
            .link("src/sub/far", "../to-fifo");
        let _socket = UnixListener::bind(project.at("src/socket")).expect("bound");
        for walk in WALKS {
            for (path, resolved) in [
                ("src/fifo", "src/fifo"),
                ("src/to-fifo", "src/fifo"),
                ("src/sub/far", "src/fifo"),
                ("src/sub/../fifo", "src/fifo"),
                ("src/socket", "src/socket"),
            ] {
                let mut guest = project.guest(walk, &["src"]);
                assert_eq!(guest.read(path), Err(ErrorCode::NotPermitted), "{path}");
                let denial = guest.one_denial(SpecialFile);
                assert_eq!((denial.resolved.as_str(), denial.would_allow), (resolved, None));
            }
            let mut guest = project.guest(walk, &["src"]);
            for path in ["src/fifo/", "src/fifo/x", "src/socket/../fifo"] {
                assert_eq!(guest.read(path), Err(ErrorCode::NotDirectory), "{path}");
            }
        }
    });
}

#[test]
fn refusing_a_fifo_wakes_nobody_who_waits_at_its_other_end() {
    in_time(|| {
        let project = Project::empty();
        project.folder("src").fifo("src/fifo");
        let path = project.at("src/fifo");
        let (woken, wakes) = mpsc::channel();
        let writer = std::thread::spawn({
            let path = path.clone();
            move || {
                let file = fs::File::options().write(true).open(path);
                woken.send(()).expect("waited for");
                file.map(|_| ())
            }
        });
        for walk in WALKS {
            for _ in 0..200 {
                assert!(project.guest(walk, &["src"]).read("src/fifo").is_err());
            }
        }
        let early = wakes.recv_timeout(Duration::from_millis(100));
        assert_eq!(early, Err(mpsc::RecvTimeoutError::Timeout), "the FIFO was opened");
        drop(fs::File::open(path).expect("open"));
        writer.join().expect("no panic").expect("open");
    });
}

#[test]
fn devices_are_refused() {
    in_time(|| {
        for walk in WALKS {
            let dev = ProjectDir::open(Path::new("/dev")).expect("devices").walked(walk);
            let tree = GrantedTree::open(&dev, &grants(&["."])).expect("a grant");
            for device in ["null", "zero", "tty", "urandom", "full"] {
                let mut guest = Guest::of(tree.clone());
                assert_eq!(guest.read(device), Err(ErrorCode::NotPermitted), "{device}");
                guest.one_denial(SpecialFile);
                let stat = guest.stat(device, FOLLOW).expect("looking does no harm");
                assert_eq!(stat.type_, DescriptorType::CharacterDevice);
            }
        }
    });
}

#[test]
fn a_listing_names_special_files_with_their_kind() {
    let project = Project::empty();
    project.file("file", "x").folder("folder").fifo("fifo").link("link", "nowhere");
    let _socket = UnixListener::bind(project.at("socket")).expect("bound");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        let listed = guest.list(".").expect("a folder");
        let wanted = [
            ("fifo", DescriptorType::Fifo),
            ("file", DescriptorType::RegularFile),
            ("folder", DescriptorType::Directory),
            ("link", DescriptorType::SymbolicLink),
            // The adapter in most guests knows no sockets in a folder, and crashes on one.
            ("socket", DescriptorType::Unknown),
        ];
        assert_eq!(listed, wanted.map(|(name, kind)| (name.to_owned(), kind)));
        for (name, kind) in wanted.iter().filter(|(name, _)| *name != "link") {
            assert_eq!(guest.stat(name, FOLLOW).expect("there").type_, *kind);
        }
        assert_eq!(guest.denials(), []);
    }
}
