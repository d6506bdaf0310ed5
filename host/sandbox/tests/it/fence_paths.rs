//! Paths as guests spell them: one place has many spellings, and none of them leaves the root.

use crate::fence_guest::{FOLLOW, Guest, Project, WALKS, code, ready};
use crate::watchdog::in_time;
use ringfence_sandbox::DenialReason::{self, LeavesRoot, NotGranted};
use ringfence_sandbox::view::Walk;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, ErrorCode, HostDescriptor, PathFlags};

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .file("src/sub/b.txt", "bee")
        .file("lib/deep/x", "ex")
        .file("lib/top.txt", "SECRET lib")
        .file("secrets/key.txt", "SECRET key")
        .file("outside.txt", "SECRET top");
    project
}

#[test]
fn every_spelling_of_a_granted_file_names_the_same_file() {
    let project = project();
    for walk in WALKS {
        for dirs in [&["src", "lib/deep"][..], &["."]] {
            let mut guest = project.guest(walk, dirs);
            for path in [
                "src/a.txt",
                "./src/a.txt",
                "/src/a.txt",
                "//src/./sub/../a.txt",
                "src//./a.txt",
                "src/../src/a.txt",
                "src/sub/../a.txt",
                "./src/./sub/.././a.txt",
                "src/../lib/deep/../../src/a.txt",
            ] {
                assert_eq!(guest.text(path).as_deref(), Ok("fine"), "{walk:?} {dirs:?} {path}");
            }
            assert_eq!(guest.text("src/../lib/deep/x").as_deref(), Ok("ex"));
            let log = guest.log();
            let opened: Vec<_> = log.opened.iter().map(|o| (o.path.as_str(), o.bytes_read)).collect();
            assert_eq!(opened, [("src/a.txt", 9 * 4), ("lib/deep/x", 2)]);
            assert_eq!(log.denials, []);
        }
    }
}

#[test]
fn a_file_is_reached_from_any_folder_that_is_open() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src", "lib/deep"]);
        for (folder, path) in
            [("src", "a.txt"), ("src/sub", "../a.txt"), ("lib", "../src/a.txt"), (".", "src/a.txt")]
        {
            let fd = guest.open(folder).expect("a folder");
            let file = guest.open_at(fd, path).expect(path);
            assert_eq!(
                code(ready(guest.host().read(file, 9, 0))).expect("read").0,
                b"fine",
                "{folder} {path}"
            );
        }
        assert_eq!(guest.denials(), []);
    }
}

#[test]
fn a_path_above_the_root_is_refused_and_recorded() {
    let project = project();
    for walk in WALKS {
        for dirs in [&["src"][..], &["."]] {
            for path in [
                "..",
                "../",
                "../x",
                "../outside/secret.txt",
                ".//..//outside/secret.txt",
                "src/../../outside/secret.txt",
                "src/sub/../../../outside/secret.txt",
                "../project/src/a.txt",
                "src/../..",
            ] {
                let mut guest = project.guest(walk, dirs);
                assert_eq!(guest.read(path), Err(ErrorCode::NotPermitted), "{walk:?} {dirs:?} {path}");
                let denial = guest.one_denial(LeavesRoot);
                assert_eq!((denial.operation.as_str(), denial.asked.as_str()), ("open", path));
                assert_eq!(denial.would_allow, None);
            }
        }
    }
}

#[test]
fn a_path_that_starts_with_a_slash_starts_at_the_guests_root_and_not_at_the_hosts() {
    let project = project();
    let host_path = project.at("src/a.txt").to_str().expect("UTF-8").to_owned();
    for walk in WALKS {
        for path in ["/etc/passwd", "//etc/passwd", "/proc/self/environ", "/src/../etc/passwd", &host_path] {
            let mut guest = project.guest(walk, &["src"]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
            let denial = guest.one_denial(NotGranted);
            assert_eq!((denial.asked.as_str(), denial.would_allow), (path, None));
            let mut guest = project.guest(walk, &["."]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
            assert_eq!(guest.denials(), []);
        }
        for path in ["/..", "/../x", "//../outside/secret.txt", "/src/../../outside/secret.txt"] {
            let mut guest = project.guest(walk, &["."]);
            assert_eq!(guest.read(path), Err(ErrorCode::NotPermitted), "{path}");
            assert_eq!(guest.one_denial(LeavesRoot).asked, path);
        }
        assert_eq!(project.guest(walk, &["src"]).names("/"), ["src"]);
    }
}

#[test]
fn a_path_that_starts_with_a_slash_is_refused_below_the_root() {
    let project = project();
    let host_path = project.at("src/a.txt").to_str().expect("UTF-8").to_owned();
    for walk in WALKS {
        // A folder of a grant, a bare one, and the grant itself.
        for folder in ["src/sub", "lib", "src"] {
            for path in ["/", "/a.txt", "/src/a.txt", "//etc/passwd", "/../x", &host_path] {
                let mut guest = project.guest(walk, &["src", "lib/deep"]);
                let fd = guest.open(folder).expect("a folder");
                assert_eq!(guest.open_at(fd, path).err(), Some(ErrorCode::NotPermitted), "{folder} {path}");
                assert_eq!(guest.one_denial(LeavesRoot).asked, path);
            }
        }
    }
}

#[test]
fn host_paths_stripped_of_their_slash_lead_nowhere() {
    let project = project();
    let host_path = project.at("secrets/key.txt");
    let stripped = host_path.to_str().expect("UTF-8").trim_start_matches('/');
    for walk in WALKS {
        for path in ["etc/passwd", "proc/self/environ", "proc/self/root/etc/passwd", "dev/null", stripped] {
            let mut guest = project.guest(walk, &["src"]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
            let denial = guest.one_denial(NotGranted);
            assert!(denial.would_allow.is_some(), "it can't be told from a path of the project's: {path}");
            // With the whole project granted, it's merely not there.
            let mut guest = project.guest(walk, &["."]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
            assert_eq!(guest.denials(), []);
        }
    }
}

#[test]
fn what_is_not_granted_is_refused_and_the_denial_says_which_grant_would_allow_it() {
    let project = project();
    for walk in WALKS {
        for (path, resolved, grant) in [
            ("secrets/key.txt", "secrets/key.txt", Some("--dir secrets")),
            ("./secrets//key.txt", "secrets/key.txt", Some("--dir secrets")),
            ("secrets/not-there.txt", "secrets/not-there.txt", Some("--dir secrets")),
            ("secrets/", "secrets", Some("--dir secrets")),
            ("secrets/deep/x", "secrets/deep/x", Some("--dir secrets/deep")),
            ("secrets", "secrets", Some("--dir secrets")),
            ("outside.txt", "outside.txt", Some("--dir outside.txt")),
            ("lib/top.txt", "lib/top.txt", Some("--dir lib")),
            ("src/../lib/top.txt", "lib/top.txt", Some("--dir lib")),
            ("lib/deep/../top.txt", "lib/top.txt", Some("--dir lib")),
            ("secrets/../src/a.txt", "secrets", Some("--dir secrets")),
            ("no/such/folder/x", "no/such/folder/x", Some("--dir no/such/folder")),
        ] {
            let mut guest = project.guest(walk, &["src", "lib/deep"]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
            let denial = guest.one_denial(NotGranted);
            assert_eq!(denial.asked, path);
            assert_eq!(
                (denial.resolved.as_str(), denial.would_allow.as_deref()),
                (resolved, grant),
                "{path}"
            );
        }
    }
}

#[test]
fn looking_at_what_is_not_granted_is_refused_like_opening_it() {
    let project = project();
    for (path, reason) in [("secrets/key.txt", NotGranted), ("../x", LeavesRoot), ("/etc", NotGranted)] {
        for how in [FOLLOW, PathFlags::empty()] {
            let mut guest = project.guest(Walk::Kernel, &["src"]);
            assert!(guest.stat(path, how).is_err(), "{path}");
            assert_eq!(guest.one_denial(reason).operation, "stat");
            let root = guest.root();
            assert!(ready(guest.host().metadata_hash_at(root, how, path.to_owned())).is_err(), "{path}");
            assert!(guest.readlink(path).is_err(), "{path}");
        }
    }
}

#[test]
fn a_missing_file_in_a_grant_is_no_denial() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        for path in ["src/none", "src/none/below", "src/none/../a.txt", "src/sub/none"] {
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
        }
        for path in ["src/a.txt/", "src/a.txt/.", "src/a.txt/below", "src/a.txt/../a.txt"] {
            assert_eq!(guest.read(path), Err(ErrorCode::NotDirectory), "{walk:?} {path}");
        }
        assert_eq!(guest.read(""), Err(ErrorCode::NoEntry));
        assert_eq!(guest.denials(), []);
    }
}

#[test]
fn look_alikes_of_dots_and_slashes_are_ordinary_names() {
    let project = project();
    for path in
        ["%2e%2e/x", "..%2fx", "\u{2025}/x", "\u{ff0e}\u{ff0e}/x", "..\\x", "...", "\u{2215}etc", ".. /x"]
    {
        let mut guest = project.guest(Walk::Kernel, &["."]);
        assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{path}");
        assert_eq!(guest.denials(), []);
    }
    // Where such a name exists, it's that name.
    project.file("..%2fx", "odd");
    assert_eq!(project.guest(Walk::Kernel, &["."]).text("..%2fx").as_deref(), Ok("odd"));
}

#[test]
fn a_nul_in_a_path_is_refused() {
    let project = project();
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    for path in ["src/a.txt\0", "\0", "src/\0/../a.txt"] {
        assert_eq!(guest.read(path), Err(ErrorCode::Invalid), "{path:?}");
    }
}

#[test]
fn long_and_deep_paths_are_refused_at_once() {
    in_time(|| {
        let project = project();
        for walk in WALKS {
            let mut guest = project.guest(walk, &["."]);
            let paths = [
                "x".repeat(5000),
                "x/".repeat(2500),
                "a/".repeat(2000) + "x",
                "src/../".repeat(400) + "src/a.txt",
                "../".repeat(1365),
                "x".repeat(1 << 20),
            ];
            for path in &paths {
                assert_eq!(guest.read(path), Err(ErrorCode::NameTooLong), "{} bytes", path.len());
            }
            assert_eq!(guest.read(&"n".repeat(300)), Err(ErrorCode::NameTooLong), "a name of 300 bytes");
            assert_eq!(guest.denials(), []);
        }
    });
}

#[test]
fn a_path_that_goes_up_and_down_many_times_is_bounded_work() {
    in_time(|| {
        let project = project();
        let deep: String = "d/".repeat(120);
        project.folder(&deep);
        for walk in WALKS {
            let mut guest = project.guest(walk, &["."]);
            let path = deep.clone() + &"../d/".repeat(66);
            // Either answer is right; work that multiplies with the turns would never end.
            let outcome = guest.open(&path).map(|_| ());
            assert!(matches!(outcome, Ok(()) | Err(ErrorCode::NameTooLong)), "{outcome:?}");
        }
    });
}

#[test]
fn folders_nest_as_deep_as_a_path_may_be_and_no_deeper() {
    let project = project();
    let root = std::fs::File::open(project.root()).expect("open");
    let mut at = std::os::fd::OwnedFd::from(root);
    for _ in 0..2000 {
        rustix::fs::mkdirat(&at, "d", 0o755.into()).expect("made");
        let flags = rustix::fs::OFlags::PATH | rustix::fs::OFlags::DIRECTORY;
        at = rustix::fs::openat(&at, "d", flags, 0.into()).expect("open");
    }
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        let deepest = guest.open(&"d/".repeat(256)).expect("256 names");
        assert_eq!(
            code(ready(guest.host().get_type(Resource::new_borrow(deepest.rep())))),
            Ok(DescriptorType::Directory)
        );
        let below = guest.open_at(Resource::new_borrow(deepest.rep()), "d");
        assert_eq!(below.map(|_| ()), Err(ErrorCode::NameTooLong));
        // From down there the way up still works.
        assert!(guest.open_at(deepest, &"../".repeat(256)).is_ok());
    }
}

#[test]
fn a_path_from_a_file_is_no_path() {
    let project = project();
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let file = guest.open("src/a.txt").expect("a file");
    for path in [".", "..", "b"] {
        let at = Resource::new_borrow(file.rep());
        assert_eq!(guest.open_at(at, path).map(|_| ()), Err(ErrorCode::NotDirectory));
    }
}

#[test]
fn bare_folders_show_only_the_way_to_what_is_granted() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, &["lib/deep", "src/sub"]);
        assert_eq!(guest.names("."), ["lib", "src"]);
        assert_eq!(guest.names("lib"), ["deep"]);
        assert_eq!(guest.names("lib/../src"), ["sub"]);
        assert_eq!(guest.names("src/sub"), ["b.txt"]);
        let stat = guest.stat("lib", FOLLOW).expect("there");
        assert_eq!((stat.type_, stat.size), (DescriptorType::Directory, 0));
        assert_eq!(guest.readlink("lib"), Err(ErrorCode::Invalid));
        assert_eq!(guest.denials(), []);
    }
}

#[test]
fn the_hint_does_not_tell_what_is_there() {
    let hints = |there: bool| {
        let project = Project::empty();
        project.folder("src");
        if there {
            project.file("a", "file").folder("b/c").file("d/e", "file").link("f", "src");
        }
        let mut guest = project.guest(Walk::Kernel, &["src"]);
        for path in ["a", "a/", "b", "b/c", "b/c/x", "d/e", "d/e/", "f", "f/x", "src/../b/c"] {
            guest.read(path).expect_err("not granted");
            guest.stat(path, FOLLOW).expect_err("not granted");
            guest.open(path).expect_err("not granted");
        }
        guest.denials()
    };
    let denials = hints(true);
    assert_eq!(denials, hints(false));
    assert!(denials.iter().all(|denial| denial.would_allow.is_some()));
}

#[test]
fn with_nothing_granted_there_is_an_empty_root() {
    let project = project();
    let mut guest = project.guest(Walk::Kernel, &[]);
    assert!(guest.names(".").is_empty());
    assert_eq!(guest.read("src/a.txt"), Err(ErrorCode::NoEntry));
    assert_eq!(guest.one_denial(NotGranted).would_allow.as_deref(), Some("--dir src"));
}

#[test]
fn the_same_file_is_the_same_object_by_any_path() {
    let project = project();
    project.link("src/link", "a.txt");
    let mut guest: Guest = project.guest(Walk::Kernel, &["src"]);
    let mut open = |path: &str| guest.open(path).expect("there").rep();
    let (a, b, other, top, bare) =
        (open("src/a.txt"), open("src/link"), open("src/sub/b.txt"), open("src"), open("."));
    let mut same = |a: u32, b: u32| {
        let (a, b) = (Resource::new_borrow(a), Resource::new_borrow(b));
        ready(guest.host().is_same_object(a, b)).expect("open")
    };
    assert!(same(a, b) && same(bare, bare) && !same(a, other) && !same(top, bare));
    let mut hash = |fd: u32| {
        let hash = code(ready(guest.host().metadata_hash(Resource::new_borrow(fd)))).expect("open");
        (hash.lower, hash.upper)
    };
    assert!(hash(a) == hash(b) && hash(a) != hash(other) && hash(top) != hash(bare));
    let reason: Option<DenialReason> = guest.denials().first().map(|denial| denial.reason);
    assert_eq!(reason, None);
}
