//! What a person is told of a path is what a guest gets, and what decides it is named.

use crate::fence_guest::{Project, WALKS, masked_grants};
use ringfence_sandbox::{
    DenialReason, Explanation, GrantPath, GrantedTree, ProjectDir, Ruling, Thing, view::Walk,
};
use std::sync::Arc;

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .file("src/sub/b.txt", "bee")
        .file("src/.env", "SECRET")
        .file("src/data.csv", "SECRET rows")
        .file("docs/guide.md", "SECRET guide")
        .file(".ringfence/state", "SECRET state")
        .link("src/to-b", "sub/b.txt")
        .link("src/out", "../docs/guide.md")
        .link("src/away", "/etc/passwd")
        .link("src/to-env", ".env")
        .link("src/loop", "loop")
        .fifo("src/pipe");
    project
}

fn tree(project: &Project, walk: Walk, dirs: &[(&str, &[&str])]) -> Arc<GrantedTree> {
    let opened = ProjectDir::open(&project.root()).unwrap().walked(walk);
    GrantedTree::open(&opened, &masked_grants(dirs)).unwrap()
}

const PATHS: &[&str] = &[
    "src/a.txt",
    "/src/a.txt",
    "./src/sub/../a.txt",
    "src/to-b",
    "src/out",
    "src/away",
    "src/to-env",
    "src/loop",
    "src/pipe",
    "src/.env",
    "src/data.csv",
    "src/missing",
    "src/a.txt/x",
    "docs/guide.md",
    "../x",
    "/etc/passwd",
    ".ringfence/state",
];

#[test]
fn an_explanation_says_what_a_guest_gets() {
    let project = project();
    for walk in WALKS {
        for dirs in
            [&[("src", &["*.csv"][..])][..], &[(".", &[])], &[("src/sub", &[])], &[("src/a.txt", &[])]]
        {
            let tree = tree(&project, walk, dirs);
            for path in PATHS {
                let told = tree.explain(path, false);
                let mut guest = project.masked_guest(walk, dirs);
                let got = guest.text(path);
                let denied = guest.log().denials;
                match told.ruling {
                    Ruling::Allowed { .. } => assert!(got.is_ok(), "{dirs:?} {path}: {got:?}"),
                    Ruling::Refused { denial, .. } => {
                        let ours = [(denial.reason, denial.resolved, denial.mask, denial.would_allow)];
                        let theirs: Vec<_> = denied
                            .into_iter()
                            .map(|denial| (denial.reason, denial.resolved, denial.mask, denial.would_allow))
                            .collect();
                        assert_eq!(theirs, ours, "{dirs:?} {path}");
                    }
                    Ruling::Unavailable { .. } => {
                        assert!(got.is_err() && denied.is_empty(), "{dirs:?} {path}: {got:?}");
                    }
                }
            }
        }
    }
}

fn told(path: &str, write: bool) -> Explanation {
    tree(&project(), WALKS[0], &[("src", &["*.csv"][..])]).explain(path, write)
}

#[test]
fn what_decides_is_named_with_what_would_allow_it() {
    let grant = |path: &str| GrantPath::parse(path).ok();
    let read = told("src/to-b", false);
    assert_eq!(read.ruling, Ruling::Allowed { thing: Thing::File });
    assert_eq!(
        (read.resolved.as_str(), read.grant, read.through_link),
        ("src/sub/b.txt", grant("src"), true)
    );
    assert_eq!(told(".", false).ruling, Ruling::Allowed { thing: Thing::WayOnly });

    let Ruling::Refused { denial, missing_dir, missing_mask, .. } = told("docs/guide.md", false).ruling
    else {
        panic!("it isn't granted")
    };
    assert_eq!((missing_dir, missing_mask), (grant("docs"), None));
    assert_eq!(denial.would_allow.as_deref(), Some("--dir docs"));

    let Ruling::Refused { denial, missing_dir, missing_mask, .. } = told("src/data.csv", false).ruling else {
        panic!("it is hidden")
    };
    assert_eq!((denial.mask.as_deref(), missing_dir), (Some("*.csv"), None));
    assert_eq!(missing_mask.unwrap().as_str(), "!/src/data.csv");

    let Ruling::Refused { denial, link_target, missing_dir, .. } = told("src/out", false).ruling else {
        panic!("it leaves its grant")
    };
    assert_eq!((denial.reason, missing_dir), (DenialReason::LinkLeaves, None));
    assert_eq!(link_target.as_deref(), Some("../docs/guide.md"));
}

#[test]
fn a_write_is_judged_as_one() {
    for path in ["src/a.txt", "src/new.txt", "src"] {
        let Ruling::Refused { denial, .. } = told(path, true).ruling else { panic!("{path} can be written") };
        assert_eq!(denial.reason, DenialReason::ReadOnly, "{path}");
    }
    let Ruling::Refused { denial, .. } = told("docs/new.md", true).ruling else { panic!("not granted") };
    assert_eq!(denial.reason, DenialReason::NotGranted);
}
