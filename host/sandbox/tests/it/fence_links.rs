//! Links: what stays in the grant works, what leaves it is refused, whatever the way.

use crate::fence_guest::{FOLLOW, Project, WALKS};
use crate::watchdog::in_time;
use ringfence_sandbox::DenialReason::{LeavesRoot, LinkLeaves, Masked, NotGranted};
use ringfence_sandbox::view::Walk;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, ErrorCode, PathFlags};

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .file("src/sub/b.txt", "bee")
        .folder("src/sub/far")
        .file("lib/top.txt", "SECRET lib")
        .file("outside.txt", "SECRET top")
        .file(".ringfence/state", "SECRET state");
    project
}

#[test]
fn links_that_stay_in_the_grant_work() {
    let project = project();
    project
        .link("src/to-b", "sub/b.txt")
        .link("src/to-sub", "sub")
        .link("src/to-far", "sub/far")
        .link("src/to-sub-slash", "sub/")
        .link("src/to-link", "./to-sub/../to-b")
        .link("src/sub/up", "../a.txt")
        .link("src/to-self", ".")
        .link("src/dotted", "./././sub//./b.txt");
    for walk in WALKS {
        for dirs in [&["src"][..], &["."]] {
            let mut guest = project.guest(walk, dirs);
            for (path, text) in [
                ("src/to-b", "bee"),
                ("src/to-sub/b.txt", "bee"),
                ("src/to-sub-slash/b.txt", "bee"),
                ("src/to-sub/../a.txt", "fine"),
                // The folder above the link's target, not the one above the link.
                ("src/to-far/../b.txt", "bee"),
                ("src/to-link", "bee"),
                ("src/sub/up", "fine"),
                ("src/to-sub/up", "fine"),
                ("src/to-self/to-self/a.txt", "fine"),
                ("src/dotted", "bee"),
            ] {
                assert_eq!(guest.text(path).as_deref(), Ok(text), "{walk:?} {dirs:?} {path}");
            }
            let log = guest.log();
            assert_eq!(log.denials, []);
            let opened: Vec<_> = log.opened.iter().map(|opened| opened.path.as_str()).collect();
            assert_eq!(opened, ["src/sub/b.txt", "src/a.txt"], "files are logged by where they are");
        }
    }
}

#[test]
fn links_out_of_the_grant_are_refused_and_recorded() {
    let project = project();
    let secret = project.outside().join("secret.txt");
    project
        .link("src/to-project-file", "../outside.txt")
        .link("src/to-project-folder", "..")
        .link("src/to-other", "../lib")
        .link("src/to-outside-file", "../../outside/secret.txt")
        .link("src/to-outside-folder", "../../outside")
        .link("src/to-absolute", &secret)
        .link("src/to-own-absolute", project.at("src/a.txt"))
        .link("src/to-etc", "/etc")
        .link("src/to-proc", "/proc/self")
        .link("src/far-up", "../../../../../../../../../..")
        .link("src/chain-1", "sub/chain-2")
        .link("src/sub/chain-2", "../chain-3")
        .link("src/chain-3", "../outside.txt")
        .link("src/out-and-back", "../src/a.txt");
    for walk in WALKS {
        for (path, link) in [
            ("src/to-project-file", "src/to-project-file"),
            ("src/to-project-file/", "src/to-project-file"),
            ("src/to-project-folder/outside.txt", "src/to-project-folder"),
            ("src/to-project-folder", "src/to-project-folder"),
            ("src/to-project-folder/src/a.txt", "src/to-project-folder"),
            ("src/to-other/top.txt", "src/to-other"),
            ("src/to-outside-file", "src/to-outside-file"),
            ("src/to-outside-folder/secret.txt", "src/to-outside-folder"),
            ("src/to-outside-folder/../project/src/a.txt", "src/to-outside-folder"),
            ("src/to-absolute", "src/to-absolute"),
            ("src/to-own-absolute", "src/to-own-absolute"),
            ("src/to-etc/passwd", "src/to-etc"),
            ("src/to-proc/environ", "src/to-proc"),
            ("src/far-up/etc/hostname", "src/far-up"),
            ("src/chain-1", "src/chain-3"),
            ("src/sub/../chain-1", "src/chain-3"),
            ("src/out-and-back", "src/out-and-back"),
        ] {
            let mut guest = project.guest(walk, &["src"]);
            assert_eq!(guest.read(path), Err(ErrorCode::NotPermitted), "{walk:?} {path}");
            let denial = guest.one_denial(LinkLeaves);
            assert_eq!((denial.asked.as_str(), denial.resolved.as_str()), (path, link));
            assert_eq!(denial.would_allow, None);
            assert!(guest.stat(path, FOLLOW).is_err(), "{path}");
        }
    }
}

#[test]
fn a_link_is_bound_to_the_deepest_grant_that_holds_it() {
    let project = project();
    project.link("src/to-lib", "../lib/top.txt").link("into-src", "src/a.txt");
    for walk in WALKS {
        let mut whole = project.guest(walk, &["."]);
        assert_eq!(whole.text("src/to-lib").as_deref(), Ok("SECRET lib"), "one grant holds both ends");
        let mut nested = project.guest(walk, &[".", "src"]);
        assert_eq!(nested.read("src/to-lib"), Err(ErrorCode::NotPermitted));
        nested.one_denial(LinkLeaves);
        assert_eq!(nested.text("into-src").as_deref(), Ok("fine"), "down into a grant is no way out");
    }
}

#[test]
fn loops_and_endless_chains_end() {
    in_time(|| {
        let project = project();
        project
            .link("src/loop", "loop")
            .link("src/ping", "pong")
            .link("src/pong", "./ping")
            .link("src/grow", "grow/x")
            .link("src/wide", "wide/../wide/../wide/../wide");
        for i in 0..60 {
            project.link(format!("src/c{i}"), format!("c{}", i + 1));
        }
        project.file("src/c60", "end");
        for walk in WALKS {
            let mut guest = project.guest(walk, &["src"]);
            for path in ["src/loop", "src/loop/x", "src/ping", "src/grow", "src/wide", "src/c0", "src/c19"] {
                assert_eq!(guest.read(path), Err(ErrorCode::Loop), "{walk:?} {path}");
            }
            assert_eq!(guest.text("src/c20").as_deref(), Ok("end"), "40 links");
            assert_eq!(guest.denials(), []);
        }
    });
}

#[test]
fn links_whose_text_is_as_long_as_can_be_are_bounded_work() {
    in_time(|| {
        let project = project();
        let long = "sub/../".repeat(580);
        for i in 0..40 {
            project.link(format!("src/l{i}"), format!("{long}l{}", i + 1));
        }
        project.file("src/l40", "end");
        for walk in WALKS {
            let outcome = project.guest(walk, &["src"]).read("src/l0");
            assert_eq!(outcome, Err(ErrorCode::NameTooLong), "{walk:?}");
        }
    });
}

#[test]
fn a_dangling_link_leads_to_nothing() {
    let project = project();
    project.link("src/dangling", "sub/none").link("src/dangling-deep", "none/none");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        for path in ["src/dangling", "src/dangling/", "src/dangling/x", "src/dangling-deep"] {
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{walk:?} {path}");
        }
        assert_eq!(guest.denials(), []);
    }
}

#[test]
fn a_link_that_is_not_followed_is_a_link() {
    let project = project();
    project.link("src/to-b", "sub/b.txt").link("src/out", "../outside.txt").link("src/abs", "/etc/hostname");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        for path in ["src/to-b", "src/out", "src/abs", "src/sub/../out"] {
            let stat = guest.stat(path, PathFlags::empty()).expect("a link");
            assert_eq!(stat.type_, DescriptorType::SymbolicLink, "{path}");
        }
        assert_eq!(guest.readlink("src/to-b").as_deref(), Ok("sub/b.txt"));
        assert_eq!(guest.readlink("src/out").as_deref(), Ok("../outside.txt"));
        assert_eq!(guest.readlink("src/a.txt"), Err(ErrorCode::Invalid));
        assert_eq!(guest.denials(), []);
        // A path of the host's says where the project lies.
        assert_eq!(guest.readlink("src/abs"), Err(ErrorCode::NotPermitted));
        guest.one_denial(LinkLeaves);
    }
}

#[test]
fn a_trailing_slash_follows_a_link_even_when_asked_not_to() {
    let project = project();
    project.link("src/to-sub", "sub").link("src/to-b", "sub/b.txt");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        let stat = guest.stat("src/to-sub/", PathFlags::empty()).expect("the folder");
        assert_eq!(stat.type_, DescriptorType::Directory);
        assert_eq!(guest.stat("src/to-b/", PathFlags::empty()).map(|_| ()), Err(ErrorCode::NotDirectory));
    }
}

#[test]
fn the_state_folder_is_hidden_from_every_way_in() {
    let project = project();
    let own = project.at(".ringfence");
    project
        .link("to-state", ".ringfence")
        .link("src/to-state", "../.ringfence/state")
        .link("src/sneaky", "../src/../.ringfence/./state")
        .link("absolute", &own)
        .link("case", ".RingFence/state")
        .link("hop", "src/to-state");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        assert!(!guest.names(".").iter().any(|name| name.contains("ringfence")), "not listed");
        for path in [
            ".ringfence",
            ".ringfence/",
            ".ringfence/state",
            "./.ringfence/state",
            "src/../.ringfence/state",
            ".ringfence/../.ringfence/state",
            ".RINGFENCE/state",
            ".Ringfence",
            ".ring\u{200b}fence/state",
            ".ringfence/none",
            "to-state",
            "to-state/state",
            "to-state/",
            "src/to-state",
            "src/sneaky",
            "case",
            "hop",
        ] {
            for _ in 0..2 {
                assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{walk:?} {path}");
            }
            let denial = guest.one_denial(Masked);
            assert_eq!((denial.asked.as_str(), denial.would_allow), (path, None));
            assert_eq!(guest.stat(path, FOLLOW).map(|_| ()), Err(ErrorCode::NoEntry), "{path}");
            guest.one_denial(Masked);
        }
        assert_eq!(guest.read("absolute/state"), Err(ErrorCode::NotPermitted));
        guest.one_denial(LinkLeaves);
        // A folder of that name further down is anybody's.
        project.file("src/.ringfence/x", "fine");
        assert_eq!(guest.text("src/.ringfence/x").as_deref(), Ok("fine"));
    }
}

#[test]
fn a_state_folder_that_is_a_link_is_hidden_all_the_same() {
    let project = Project::empty();
    project.file("elsewhere/x", "fine").link(".ringfence", "elsewhere").link("way", ".ringfence/x");
    let mut guest = project.guest(Walk::Kernel, &["."]);
    assert_eq!(guest.names("."), ["elsewhere", "way"]);
    for path in [".ringfence", ".ringfence/x", "way"] {
        assert_eq!(guest.read(path), Err(ErrorCode::NoEntry));
        guest.one_denial(Masked);
    }
    assert_eq!(guest.text("elsewhere/x").as_deref(), Ok("fine"));
}

#[test]
fn a_link_says_nothing_about_what_lies_outside() {
    let project = project();
    project.link("src/there", "../outside.txt").link("src/not-there", "../nothing.txt");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    let outcomes: Vec<_> = ["src/there", "src/not-there"].map(|path| guest.read(path)).into();
    assert_eq!(outcomes, [Err(ErrorCode::NotPermitted), Err(ErrorCode::NotPermitted)]);
    for path in ["src/../outside.txt", "src/../nothing.txt"] {
        assert_eq!(guest.read(path), Err(ErrorCode::NoEntry));
    }
    let reasons: Vec<_> = guest.denials().iter().map(|denial| denial.reason).collect();
    assert_eq!(reasons, [LinkLeaves, LinkLeaves, NotGranted, NotGranted]);
}

#[test]
fn parent_paths_after_a_link_still_end_at_the_root() {
    let project = project();
    project.link("src/to-far", "sub/far");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["."]);
        assert_eq!(guest.read("src/to-far/../../../../outside/secret.txt"), Err(ErrorCode::NotPermitted));
        guest.one_denial(LeavesRoot);
    }
}
