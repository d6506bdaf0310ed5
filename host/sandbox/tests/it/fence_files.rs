//! Grants of single files: the file at its place, and nothing beside it.

use crate::fence_guest::{FOLLOW, Guest, Project, WALKS};
use ringfence_sandbox::DenialReason;
use std::fs;
use std::os::unix::fs::symlink;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, ErrorCode, PathFlags};

fn project() -> Project {
    let project = Project::empty();
    project
        .file("pyproject.toml", "top")
        .file("other.toml", "SECRET")
        .file("a/b/one.txt", "one")
        .file("a/b/two.txt", "SECRET")
        .file("src/x.rs", "x")
        .link("src/up", "../pyproject.toml")
        .link("src/in", "x.rs");
    project
}

const GRANTS: &[&str] = &["pyproject.toml", "a/b/one.txt", "src"];

#[test]
fn a_granted_file_is_seen_at_its_place_by_every_spelling() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, GRANTS);
        for path in ["pyproject.toml", "/pyproject.toml", "./a/../pyproject.toml", "src/../pyproject.toml"] {
            assert_eq!(guest.text(path).as_deref(), Ok("top"), "{walk:?} {path}");
            for how in [FOLLOW, PathFlags::empty()] {
                let stat = guest.stat(path, how).expect("there");
                assert_eq!((stat.type_, stat.size), (DescriptorType::RegularFile, 3), "{walk:?} {path}");
            }
        }
        assert_eq!(guest.text("a/b/one.txt").as_deref(), Ok("one"));
        let folder = guest.open("a/b").expect("a folder on the way");
        assert!(guest.open_at(folder, "one.txt").is_ok());
        assert_eq!(
            guest.log().opened.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            ["pyproject.toml", "a/b/one.txt"]
        );
    }
}

#[test]
fn folders_on_the_way_show_the_granted_children_and_no_other() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, GRANTS);
        let (file, folder) = (DescriptorType::RegularFile, DescriptorType::Directory);
        let entry = |name: &str, kind| (name.to_owned(), kind);
        let top = vec![entry("a", folder), entry("pyproject.toml", file), entry("src", folder)];
        assert_eq!(guest.list("."), Ok(top), "{walk:?}");
        assert_eq!(guest.list("a"), Ok(vec![entry("b", folder)]));
        assert_eq!(guest.list("a/b"), Ok(vec![entry("one.txt", file)]));
        assert_eq!(guest.denials(), []);
        for path in ["other.toml", "a/b/two.txt", "a/b/../../other.toml"] {
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{walk:?} {path}");
            guest.one_denial(DenialReason::NotGranted);
        }
    }
}

#[test]
fn a_granted_file_is_no_folder() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, GRANTS);
        for path in [
            "pyproject.toml/",
            "pyproject.toml/.",
            "pyproject.toml/x",
            "pyproject.toml/..",
            "pyproject.toml/../other.toml",
            "pyproject.toml/../src/x.rs",
            "a/b/one.txt/two.txt",
        ] {
            assert_eq!(guest.read(path), Err(ErrorCode::NotDirectory), "{walk:?} {path}");
        }
        assert_eq!(guest.list("pyproject.toml"), Err(ErrorCode::NotDirectory));
    }
}

#[test]
fn a_link_from_one_grant_to_a_granted_file_leaves_the_first() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, GRANTS);
        assert_eq!(guest.text("src/in").as_deref(), Ok("x"));
        assert_eq!(guest.read("src/up"), Err(ErrorCode::NotPermitted), "{walk:?}");
        guest.one_denial(DenialReason::LinkLeaves);
    }
}

#[test]
fn a_file_that_was_replaced_by_a_file_is_read_anew() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.guest(walk, GRANTS);
        fs::write(project.at("new"), "newer").expect("written");
        fs::rename(project.at("new"), project.at("pyproject.toml")).expect("renamed");
        assert_eq!(guest.text("pyproject.toml").as_deref(), Ok("newer"), "{walk:?}");
    }
}

#[test]
fn what_else_is_put_in_the_place_of_a_granted_file_is_not_reached() {
    type Case = (&'static str, fn(&Project), Result<(), ErrorCode>, Option<DenialReason>);
    let cases: [Case; 5] = [
        ("nothing", |_| {}, Err(ErrorCode::NoEntry), None),
        (
            "a link outside",
            |project| {
                symlink(project.outside().join("secret.txt"), project.at("pyproject.toml")).expect("linked")
            },
            Err(ErrorCode::NotPermitted),
            Some(DenialReason::LinkLeaves),
        ),
        (
            "a link inside",
            |project| symlink("other.toml", project.at("pyproject.toml")).expect("linked"),
            Err(ErrorCode::NotPermitted),
            Some(DenialReason::LinkLeaves),
        ),
        (
            "a folder",
            |project| {
                project.file("pyproject.toml/x", "SECRET");
            },
            Err(ErrorCode::NoEntry),
            None,
        ),
        (
            "a pipe",
            |project| {
                project.fifo("pyproject.toml");
            },
            Err(ErrorCode::NotPermitted),
            Some(DenialReason::SpecialFile),
        ),
    ];
    for (what, put, outcome, reason) in cases {
        for walk in WALKS {
            let project = project();
            let mut guest = project.guest(walk, GRANTS);
            fs::remove_file(project.at("pyproject.toml")).expect("removed");
            put(&project);
            let told = format!("{walk:?} {what}");
            assert_eq!(guest.read("pyproject.toml").map(|_| ()), outcome, "{told}");
            assert_eq!(guest.denials().first().map(|denial| denial.reason), reason, "{told}");
            assert!(guest.stat("pyproject.toml", FOLLOW).is_err(), "{told}");
            assert!(guest.readlink("pyproject.toml").is_err(), "{told}");
            assert_eq!(guest.read("pyproject.toml/x"), Err(ErrorCode::NotDirectory), "{told}");
        }
    }
}

#[test]
fn the_folder_that_held_the_file_at_the_start_is_the_one_that_counts() {
    let project = project();
    for walk in WALKS {
        let tree = project.tree(walk, &["a/b/one.txt"]);
        fs::rename(project.at("a/b"), project.at("a/moved")).expect("renamed");
        symlink(project.outside(), project.at("a/b")).expect("linked");
        fs::write(project.outside().join("one.txt"), "SECRET").expect("written");
        assert_eq!(Guest::of(tree).text("a/b/one.txt").as_deref(), Ok("one"), "{walk:?}");
        fs::remove_file(project.at("a/b")).expect("removed");
        fs::rename(project.at("a/moved"), project.at("a/b")).expect("renamed");
    }
}

#[test]
fn a_masked_file_is_granted_only_by_who_shows_it() {
    let project = project();
    project.file(".env", "SECRET");
    for walk in WALKS {
        let mut guest = project.masked_guest(walk, &[(".env", &["!/.env"])]);
        assert_eq!(guest.text(".env").as_deref(), Ok("SECRET"));
        assert_eq!(guest.names("."), [".env"]);
    }
}
