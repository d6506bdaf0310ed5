//! Opening grants: what can't be honoured is an error that says what to do.

use crate::fence_guest::{Guest, Project, grants};
use ringfence_sandbox::view::Walk;
use ringfence_sandbox::{GrantError, GrantedTree, ProjectDir, ProjectError};
use std::fs;
use std::path::Path;

fn refusal(project: &Project, walk: Walk, dirs: &[&str]) -> GrantError {
    let project = ProjectDir::open(&project.root()).expect("a project").walked(walk);
    GrantedTree::open(&project, &grants(dirs)).err().unwrap_or_else(|| panic!("{dirs:?} can't be granted"))
}

fn project() -> Project {
    let project = Project::empty();
    project
        .file("src/a.txt", "fine")
        .folder("lib/deep")
        .fifo("fifo")
        .link("inward", "src")
        .link("to-file", "src/a.txt")
        .link("outward", "../outside")
        .link("lib/up", "..")
        .link("absolute", "/etc")
        .folder(".ringfence/runs");
    project
}

#[test]
fn each_grant_that_cannot_be_honoured_is_an_error_that_says_why_and_what_to_do() {
    let project = project();
    for walk in [Walk::Kernel, Walk::ByName] {
        for (dirs, message) in [
            (
                &["none"][..],
                "`none` can't be granted: there is no `none` in the project; create it or leave the grant out",
            ),
            (
                &["src/none/x"],
                "`src/none/x` can't be granted: there is no `src/none` in the project; create it or leave the grant out",
            ),
            (
                &["src/a.txt/x"],
                "`src/a.txt/x` can't be granted: `src/a.txt` is not a folder; grant the folder that holds it",
            ),
            (
                &["fifo"],
                "`fifo` can't be granted: it is a pipe, socket or device; only folders and files can be",
            ),
            (&["src/a.txt", "src/./a.txt"], "`src/a.txt` is granted twice; keep one of the two grants"),
            (
                &["to-file"],
                "`to-file` can't be granted: `to-file` is a link to `src/a.txt`; grant what it leads to by its own path, if that is inside the project",
            ),
            (
                &["inward/a.txt"],
                "`inward/a.txt` can't be granted: `inward` is a link to `src`; grant what it leads to by its own path, if that is inside the project",
            ),
            (
                &["inward"],
                "`inward` can't be granted: `inward` is a link to `src`; grant what it leads to by its own path, if that is inside the project",
            ),
            (
                &["outward"],
                "`outward` can't be granted: `outward` is a link to `../outside`; grant what it leads to by its own path, if that is inside the project",
            ),
            (
                &["lib/up/src"],
                "`lib/up/src` can't be granted: `lib/up` is a link to `..`; grant what it leads to by its own path, if that is inside the project",
            ),
            (
                &["absolute"],
                "`absolute` can't be granted: `absolute` is a link to `/etc`; grant what it leads to by its own path, if that is inside the project",
            ),
            (&["src", "lib", "./src/"], "`src` is granted twice; keep one of the two grants"),
            (
                &[".ringfence"],
                "`.ringfence` can't be granted: `.ringfence` is Ringfence's own folder and hidden from every tool",
            ),
            (
                &[".ringfence/runs"],
                "`.ringfence/runs` can't be granted: `.ringfence` is Ringfence's own folder and hidden from every tool",
            ),
        ] {
            assert_eq!(refusal(&project, walk, dirs).to_string(), message, "{walk:?}");
        }
    }
}

#[test]
fn one_bad_grant_among_good_ones_refuses_them_all() {
    let project = project();
    assert!(matches!(refusal(&project, Walk::Kernel, &["src", "none"]), GrantError::Missing { .. }));
}

#[test]
fn there_is_a_bound_on_grants_and_on_their_depth() {
    let project = project();
    let many: Vec<_> = (0..300).map(|i| format!("d{i}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(matches!(refusal(&project, Walk::Kernel, &many), GrantError::TooMany(300)));
    let deep = "d/".repeat(300);
    assert!(matches!(refusal(&project, Walk::Kernel, &[&deep]), GrantError::TooLong(_)));
}

#[test]
fn grants_nest_and_may_lie_anywhere_in_the_project() {
    let project = project();
    project.file("文档/注", "chinese").file("with space/x", "space");
    let mut guest = project.guest(Walk::Kernel, &["lib/deep", ".", "src", "文档", "with space"]);
    assert_eq!(guest.text("src/a.txt").as_deref(), Ok("fine"));
    assert_eq!(guest.text("文档/注").as_deref(), Ok("chinese"));
    assert_eq!(guest.text("with space/x").as_deref(), Ok("space"));
}

#[test]
fn a_project_folder_that_is_none_is_an_error_that_says_so() {
    let project = project();
    let missing = project.at("none");
    let error = ProjectDir::open(&missing).expect_err("missing");
    assert!(matches!(&error, ProjectError::Missing(path) if *path == missing));
    assert!(error.to_string().ends_with("give the path of a folder that exists"), "{error}");
    let error = ProjectDir::open(&project.at("src/a.txt")).expect_err("a file");
    assert!(matches!(error, ProjectError::NotAFolder(_)));
    let error = ProjectDir::open(&project.at("src/a.txt/below")).expect_err("below a file");
    assert!(matches!(error, ProjectError::NotAFolder(_)));
}

#[test]
fn the_project_folder_itself_may_be_given_through_a_link() {
    let project = project();
    let link = project.outside().join("link");
    std::os::unix::fs::symlink(project.root(), &link).expect("linked");
    let dir = ProjectDir::open(&link).expect("a project");
    assert_eq!(dir.path(), fs::canonicalize(project.root()).expect("there"));
    let tree = GrantedTree::open(&dir, &grants(&["src"])).expect("a grant");
    // The folder that was opened counts, not what its path leads to later.
    fs::remove_file(&link).expect("removed");
    assert_eq!(Guest::of(tree).text("src/a.txt").as_deref(), Ok("fine"));
    assert!(ProjectDir::open(Path::new("/")).is_ok());
}

#[test]
fn the_kernel_walks_where_it_can() {
    let root = fs::File::open("/").expect("a folder");
    let works = rustix::fs::openat2(
        &root,
        ".",
        rustix::fs::OFlags::PATH,
        rustix::fs::Mode::empty(),
        rustix::fs::ResolveFlags::BENEATH,
    );
    assert_eq!(Walk::detect(&root) == Walk::Kernel, works.is_ok());
    let file = fs::File::open("/proc/self/status").expect("a file");
    assert_eq!(Walk::detect(file), Walk::ByName, "what can't be tried isn't relied on");
}
