//! Masks: what is hidden in a granted folder doesn't exist for a guest, however it asks.

use crate::fence_guest::{FOLLOW, Guest, Project, WALKS, code, grants, masked_grants, os, ready};
use ringfence_sandbox::view::Walk;
use ringfence_sandbox::{
    Denial, DenialReason, GrantError, GrantedTree, Grants, MAX_MASKS, MaskPattern, ProjectDir,
};
use std::fs;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, NewTimestamp, OpenFlags, PathFlags,
};

const SECRET: &str = "SECRET";

/// Secrets of several kinds among sources, and links that lead to them.
fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .file("src/.env", SECRET)
        .file("src/.env.example", "example")
        .file("src/.git/config", SECRET)
        .file("src/.git/sub/deep.txt", SECRET)
        .file("src/deep/down/server.pem", SECRET)
        .file("src/deep/down/b.txt", "fine")
        .file("src/.ssh/config", SECRET)
        .file("src/environment.ts", "fine")
        .link("src/to-env", ".env")
        .link("src/to-to-env", "deep/../to-env")
        .link("src/to-git", ".git")
        .link("src/to-nothing", ".netrc")
        .link("src/to-folder", "deep")
        .link("src/deep/to-self", "../to-folder/down/server.pem");
    project
}

/// Every way to name something hidden, with the place it comes to.
const HIDDEN: &[(&str, &str)] = &[
    ("src/.env", "src/.env"),
    ("/src/.env", "src/.env"),
    ("./src/.//.env", "src/.env"),
    ("src/deep/../.env", "src/.env"),
    ("src/.env/", "src/.env"),
    ("src/.env/.", "src/.env"),
    ("src/.ENV", "src/.ENV"),
    ("src/.Env", "src/.Env"),
    ("src/.e\u{200b}nv", "src/.e\u{200b}nv"),
    ("src/.env.", "src/.env."),
    ("src/.git", "src/.git"),
    ("src/.git/", "src/.git"),
    ("src/.git/config", "src/.git/config"),
    ("src/.GIT/config", "src/.GIT/config"),
    ("src/.git/sub/../config", "src/.git"),
    ("src/.git/../a.txt", "src/.git"),
    ("src/.git/nothing", "src/.git/nothing"),
    ("src/.ſſh/config", "src/.ſſh/config"),
    ("src/deep/down/server.pem", "src/deep/down/server.pem"),
    ("src/deep/down/SERVER.Pem", "src/deep/down/SERVER.Pem"),
    ("src/to-folder/down/server.pem", "src/to-folder/down/server.pem"),
    ("src/to-env", "src/.env"),
    ("src/to-env/", "src/.env"),
    ("src/to-to-env", "src/.env"),
    ("src/to-git/config", "src/.git"),
    ("src/to-nothing", "src/.netrc"),
    ("src/deep/to-self", "src/deep/down/server.pem"),
];

fn masked(denials: &[Denial]) -> bool {
    !denials.is_empty() && denials.iter().all(|denial| denial.reason == DenialReason::Masked)
}

#[test]
fn what_is_masked_does_not_exist_however_it_is_spelled_or_reached() {
    let project = project();
    for walk in WALKS {
        for (path, resolved) in HIDDEN {
            let mut guest = project.guest(walk, &["src"]);
            assert_eq!(guest.read(path), Err(ErrorCode::NoEntry), "{walk:?} {path}");
            let denial = guest.one_denial(DenialReason::Masked);
            assert_eq!((denial.asked.as_str(), denial.resolved.as_str()), (*path, *resolved), "{walk:?}");
            assert_eq!(guest.stat(path, FOLLOW).err(), Some(ErrorCode::NoEntry), "{walk:?} {path}");
            assert!(masked(&guest.denials()), "{walk:?} {path}");
            assert_eq!(guest.list(path), Err(ErrorCode::NoEntry), "{walk:?} {path}");
            assert!(masked(&guest.denials()), "{walk:?} {path}");
        }
    }
}

#[test]
fn a_denial_says_which_mask_it_was_and_what_would_show_the_place() {
    let project = project();
    let mut guest = project.masked_guest(Walk::Kernel, &[("src", &["down"])]);
    for (path, mask, allow) in [
        ("src/.env", ".env*", Some("--mask '!/src/.env'")),
        ("src/.git/sub/deep.txt", ".git", Some("--mask '!/src/.git'")),
        ("src/deep/down/b.txt", "down", Some("--mask '!/src/deep/down'")),
        ("src/x\n.pem", "*.pem", None),
        (".env", ".env*", Some("--dir .env --mask '!/.env'")),
        ("lib/id_rsa", "id_rsa*", Some("--dir lib --mask '!/lib/id_rsa'")),
    ] {
        guest.read(path).expect_err("masked");
        let denial = guest.one_denial(DenialReason::Masked);
        assert_eq!((denial.mask.as_deref(), denial.would_allow.as_deref()), (Some(mask), allow), "{path}");
    }
    guest.read(".ringfence/x").expect_err("hidden always");
    let denial = guest.one_denial(DenialReason::Masked);
    assert_eq!((denial.mask, denial.would_allow), (None, None));
}

#[test]
fn the_hint_shows_the_place_when_it_is_followed() {
    let project = project();
    for (path, mask) in [("src/.env", "!/src/.env"), ("src/.git/sub/deep.txt", "!/src/.git")] {
        for walk in WALKS {
            let mut guest = project.masked_guest(walk, &[("src", &[mask])]);
            assert_eq!(guest.text(path).as_deref(), Ok(SECRET), "{walk:?} {path}");
        }
    }
}

#[test]
fn a_listing_names_nothing_that_is_masked() {
    let project = project();
    project.file(os(b"src/caf\xe9.pem"), SECRET).file("src/ID_RSA", SECRET).file("src/id_rsa.pub", "public");
    for walk in WALKS {
        let mut guest = project.guest(walk, &["src"]);
        let visible = [
            ".env.example",
            "a.txt",
            "deep",
            "environment.ts",
            "id_rsa.pub",
            "to-env",
            "to-folder",
            "to-git",
            "to-nothing",
            "to-to-env",
        ];
        assert_eq!(guest.names("src"), visible, "{walk:?}");
        assert_eq!(guest.names("src/deep/down"), ["b.txt"]);
        let deep = guest.open("src/deep").expect("a folder");
        assert_eq!(guest.open_at(deep, "down/server.pem").err(), Some(ErrorCode::NoEntry));
        assert_eq!(guest.read("src/caf\u{f7e9}.pem"), Err(ErrorCode::NoEntry), "{walk:?}");
    }
}

#[test]
fn what_is_masked_and_there_looks_like_what_is_masked_and_not_there() {
    let project = project();
    for walk in WALKS {
        let look = |guest: &mut Guest, path: &str| {
            let how = PathFlags::empty();
            (
                guest.read(path),
                guest.stat(path, FOLLOW).err(),
                guest.stat(path, how).err(),
                guest.readlink(path),
                guest.list(path),
                guest.denials().len(),
            )
        };
        let mut guest = project.guest(walk, &["src"]);
        for (there, missing) in [
            ("src/.env", "src/.env.local"),
            ("src/.git", "src/.hg"),
            ("src/.git/config", "src/.git/nothing"),
            ("src/to-env", "src/to-nothing"),
        ] {
            let (mut one, mut other) = (look(&mut guest, there), look(&mut guest, missing));
            if there.contains("to-") {
                // What the links themselves say is no secret.
                (one.3, other.3) = (Ok(String::new()), Ok(String::new()));
            }
            assert_eq!(one, other, "{walk:?} {there} {missing}");
        }
        // And to the guest like any file that is missing.
        assert_eq!(guest.read("src/.env"), guest.read("src/nothing"));
        assert_eq!(guest.stat("src/.env", FOLLOW).err(), guest.stat("src/nothing", FOLLOW).err());
    }
}

#[test]
fn nothing_masked_is_changed_or_made_and_the_answer_is_the_same() {
    let project = project();
    for walk in WALKS {
        for path in ["src/.env", "src/.env.new", "src/.git/x"] {
            let mut guest = project.guest(walk, &["src"]);
            let root = guest.root();
            let (create, write) = (OpenFlags::CREATE, DescriptorFlags::WRITE);
            let opened = code(ready(guest.host().open_at(root, FOLLOW, path.to_owned(), create, write)));
            assert_eq!(opened.err(), Some(ErrorCode::NoEntry), "{path}");
            let (root, other) = (guest.root(), guest.root());
            let renamed = ready(guest.host().rename_at(root, path.to_owned(), other, "src/b".to_owned()));
            assert_eq!(code(renamed), Err(ErrorCode::NoEntry), "{path}");
            let (root, now) = (guest.root(), NewTimestamp::Now);
            let touched = ready(guest.host().set_times_at(root, FOLLOW, path.to_owned(), now, now));
            assert_eq!(code(touched), Err(ErrorCode::NoEntry), "{path}");
            assert!(masked(&guest.denials()), "{path}");
        }
    }
}

#[test]
fn masks_of_a_grant_add_to_the_usual_ones_and_are_seen_from_the_project_folder() {
    let project = project();
    project.file("src/data/x.csv", SECRET).file("lib/data/x.csv", "fine").file("lib/.env", SECRET);
    for walk in WALKS {
        let mut guest = project.masked_guest(walk, &[("src", &["/src/data", "*.TS"]), ("lib", &[])]);
        assert_eq!(guest.read("src/data/x.csv"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.read("src/environment.ts"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.read("src/.env"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.text("lib/data/x.csv").as_deref(), Ok("fine"));
        assert_eq!(guest.read("lib/.env"), Err(ErrorCode::NoEntry));
        assert!(!guest.names("src").contains(&"data".to_owned()));
    }
}

#[test]
fn where_grants_nest_the_masks_of_the_deepest_decide() {
    let project = project();
    for walk in WALKS {
        let mut guest = project.masked_guest(walk, &[(".", &["*.txt"]), ("src/deep", &["!*.pem"])]);
        assert_eq!(guest.read("src/a.txt"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.text("src/deep/down/b.txt").as_deref(), Ok("fine"));
        assert_eq!(guest.text("src/deep/down/server.pem").as_deref(), Ok(SECRET));
        // Every name on the way is asked, and this way is no grant's that shows it.
        assert_eq!(guest.read("src/to-folder/down/server.pem"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.names("src/deep/down"), ["b.txt", "server.pem"]);
        assert_eq!(guest.read("src/.env"), Err(ErrorCode::NoEntry));
    }
}

#[test]
fn without_the_usual_masks_everything_shows_but_ringfence_s_own_folder() {
    let project = project();
    project.file(".ringfence/secret", SECRET);
    let mut grants = grants(&["."]);
    grants.dirs[0].masks.defaults = false;
    for walk in WALKS {
        let dir = ProjectDir::open(&project.root()).expect("a project").walked(walk);
        let mut guest = Guest::of(GrantedTree::open(&dir, &grants).expect("grants"));
        assert_eq!(guest.text("src/.env").as_deref(), Ok(SECRET));
        assert_eq!(guest.read(".ringfence/secret"), Err(ErrorCode::NoEntry));
        assert!(!guest.names(".").contains(&".ringfence".to_owned()));
    }
}

fn refusal(project: &Project, grants: &Grants) -> GrantError {
    let dir = ProjectDir::open(&project.root()).expect("a project");
    GrantedTree::open(&dir, grants).expect_err("refused")
}

#[test]
fn a_grant_that_a_mask_hides_is_refused_before_anything_runs() {
    let project = project();
    project.folder("vendor/lib");
    for (dirs, message) in [
        (
            &[("src/.git/sub", &[][..])][..],
            "`src/.git/sub` can't be granted: the mask `.git` of `src/.git/sub` hides `src/.git`; the mask \
             `!/src/.git`, in your own configuration or with --mask, shows it",
        ),
        (
            &[(".", &["vendor"]), ("vendor/lib", &[])],
            "`vendor/lib` can't be granted: the mask `vendor` of `.` hides `vendor`; the mask `!/vendor`, in \
             your own configuration or with --mask, shows it",
        ),
    ] {
        assert_eq!(refusal(&project, &masked_grants(dirs)).to_string(), message);
    }
    let mut guest = project.masked_guest(Walk::Kernel, &[("src/.git", &["!.git"])]);
    assert_eq!(guest.text("src/.git/config").as_deref(), Ok(SECRET));
}

#[test]
fn there_is_a_bound_on_the_masks_of_a_grant() {
    let project = project();
    let mut grants = grants(&["src"]);
    let masks = (0..=MAX_MASKS).map(|i| MaskPattern::parse(&format!("m{i}")).expect("a mask"));
    grants.dirs[0].masks.patterns = masks.collect();
    assert!(
        matches!(refusal(&project, &grants), GrantError::TooManyMasks { count, .. } if count == MAX_MASKS + 1)
    );
}

#[test]
fn a_hard_link_under_another_name_is_an_ordinary_file() {
    let project = project();
    fs::hard_link(project.at("src/.env"), project.at("src/plain")).expect("linked");
    let mut guest = project.guest(Walk::Kernel, &["src"]);
    assert_eq!(guest.text("src/plain").as_deref(), Ok(SECRET));
    assert_eq!(guest.read("src/.env"), Err(ErrorCode::NoEntry));
}

#[test]
fn the_digest_of_grants_and_of_each_folder_follows_the_masks() {
    let project = project();
    let dir = ProjectDir::open(&project.root()).expect("a project");
    let tree = |grants: &Grants| GrantedTree::open(&dir, grants).expect("grants");
    let plain = tree(&masked_grants(&[("src", &[])]));
    let more = tree(&masked_grants(&[("src", &["x"])]));
    assert_ne!(plain.digest(), more.digest());
    assert_ne!(plain.dirs()[0].masks, more.dirs()[0].masks);
    let mut fewer = grants(&["src"]);
    fewer.dirs[0].masks.defaults = false;
    assert_ne!(tree(&fewer).dirs()[0].masks, plain.dirs()[0].masks);
}
