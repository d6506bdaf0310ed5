//! Applying: all or nothing, only on what the run has seen, and with everything else left alone.

use crate::fence_guest::{Project, WALKS};
use crate::meanwhile::meanwhile;
use crate::stage_guest::{How, Run, all_of, path};
use ringfence_sandbox::{ApplyError, Conflict, ConflictKind, ProjectDir, Recovered};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

pub(crate) fn run() -> Run {
    let project = Project::empty();
    project
        .file("src/a.txt", "one\n")
        .file("src/b.txt", "two\n")
        .file("src/run.sh", "#!/bin/sh\n")
        .file("src/deep/er/c.txt", "three\n")
        .file("other.txt", "untouched");
    mode(&project.at("src/run.sh"), 0o751);
    Run::on(project, &["src"])
}

pub(crate) fn mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

/// Everything in a folder: paths with contents.
pub(crate) fn tree(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                found.push((name, "/".to_owned()));
                todo.push(path);
            } else {
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn conflicts(run: &Run) -> Vec<Conflict> {
    let before = tree(&run.project.root());
    match run.apply() {
        Err(ApplyError::Conflicts(conflicts)) => {
            assert_eq!(tree(&run.project.root()), before, "nothing was applied");
            assert!(!run.stage.apply_unfinished().unwrap());
            conflicts
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn everything_that_is_staged_reaches_the_project_and_nothing_is_staged_then() {
    for walk in WALKS {
        let run = Run { walk, ..run() };
        run.call(|guest| {
            for file in ["a.txt", "b.txt", "run.sh", "deep/er/c.txt"] {
                guest.read_first(&format!("src/{file}"));
            }
            guest.write("src/a.txt", "ONE\r\nno newline").unwrap();
            guest.remove("src/b.txt").unwrap();
            guest.append("src/run.sh", "echo\n").unwrap();
            guest.rename("src/deep", "src/moved").unwrap();
            guest.make_folder("src/x").unwrap();
            guest.make_folder("src/x/y").unwrap();
            guest.write("src/x/y/new.txt", "new").unwrap();
        });
        let applied = run.apply().unwrap();
        assert_eq!(applied.set_aside, []);
        let expected = [
            ("other.txt", "untouched"),
            ("src", "/"),
            ("src/a.txt", "ONE\r\nno newline"),
            ("src/moved", "/"),
            ("src/moved/er", "/"),
            ("src/moved/er/c.txt", "three\n"),
            ("src/run.sh", "#!/bin/sh\necho\n"),
            ("src/x", "/"),
            ("src/x/y", "/"),
            ("src/x/y/new.txt", "new"),
        ];
        let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        assert_eq!(tree(&run.project.root()), expected);
        assert!(run.stage.is_empty().unwrap());
        assert_eq!(run.apply().unwrap().paths, []);
    }
}

#[test]
fn a_target_that_changed_stops_all_of_it_and_both_sides_are_shown() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.read_first("src/b.txt");
        guest.write("src/a.txt", "ours\n").unwrap();
        guest.write("src/b.txt", "ours\n").unwrap();
    });
    run.project.file("src/a.txt", "theirs\n");
    let conflicts = conflicts(&run);
    let [conflict] = &conflicts[..] else { panic!("{conflicts:?}") };
    assert_eq!((conflict.path.to_string().as_str(), &conflict.kind), ("src/a.txt", &ConflictKind::Changed));
    assert!(conflict.theirs.ends_with("@@ -1 +1 @@\n-one\n+theirs\n"), "{}", conflict.theirs);
    assert!(conflict.ours.ends_with("@@ -1 +1 @@\n-one\n+ours\n"), "{}", conflict.ours);
    // It's as the run saw it again: fine.
    run.project.file("src/a.txt", "one\n");
    run.apply().unwrap();
    assert_eq!(run.in_project("src/a.txt").as_deref(), Some("ours\n"));
}

#[test]
fn each_kind_of_conflict_is_told_apart() {
    let run = run();
    run.project.folder("src/empty").file("src/kind", "file");
    run.call(|guest| {
        for file in ["a.txt", "kind"] {
            guest.read_first(&format!("src/{file}"));
            guest.write(&format!("src/{file}"), "x").unwrap();
        }
        guest.write("src/new", "x").unwrap();
        guest.remove_folder("src/empty").unwrap();
        guest.write("src/deep/new", "x").unwrap();
    });
    fs::remove_file(run.project.at("src/a.txt")).unwrap();
    fs::remove_file(run.project.at("src/kind")).unwrap();
    fs::remove_dir_all(run.project.at("src/deep")).unwrap();
    run.project.folder("src/kind").file("src/new", "theirs").file("src/empty/theirs", "x");
    let found: Vec<_> =
        conflicts(&run).into_iter().map(|conflict| (conflict.path.to_string(), conflict.kind)).collect();
    let expected = [
        ("src/a.txt", ConflictKind::Vanished),
        ("src/deep/new", ConflictKind::NoFolder),
        ("src/empty", ConflictKind::NotEmpty("theirs".to_owned())),
        ("src/kind", ConflictKind::OtherKind),
        ("src/new", ConflictKind::Appeared),
    ];
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn a_target_that_became_a_link_is_a_conflict_and_the_link_is_not_followed() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "x").unwrap();
        guest.write("src/deep/new", "x").unwrap();
    });
    fs::remove_file(run.project.at("src/a.txt")).unwrap();
    fs::rename(run.project.at("src/deep"), run.project.outside().join("deep")).unwrap();
    run.project.link("src/a.txt", run.project.outside().join("secret.txt"));
    run.project.link("src/deep", run.project.outside().join("deep"));
    let kinds: Vec<_> = conflicts(&run).into_iter().map(|conflict| conflict.kind).collect();
    assert_eq!(kinds, [ConflictKind::OtherKind, ConflictKind::NoFolder]);
    assert_eq!(fs::read_to_string(run.project.outside().join("secret.txt")).unwrap(), "SECRET outside");
}

#[test]
fn a_part_is_applied_with_what_belongs_to_it_and_the_rest_stays() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "changed").unwrap();
        guest.rename("src/b.txt", "src/renamed.txt").unwrap();
        guest.make_folder("src/x").unwrap();
        guest.make_folder("src/x/y").unwrap();
        guest.write("src/x/y/new", "new").unwrap();
        guest.write("src/x/other", "other").unwrap();
    });
    let applied = run.stage.apply(&run.tree(), Some(&[path("src/renamed.txt"), path("src/x/y")])).unwrap();
    let paths: Vec<_> = applied.paths.iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["src/b.txt", "src/renamed.txt", "src/x", "src/x/y", "src/x/y/new"]);
    assert_eq!(run.in_project("src/b.txt"), None);
    assert_eq!(run.in_project("src/x/y/new").as_deref(), Some("new"));
    assert_eq!(
        (run.in_project("src/x/other"), run.in_project("src/a.txt").as_deref()),
        (None, Some("one\n"))
    );
    assert_eq!(run.sees("src/x/other").as_deref(), Ok("other"));
    let left: Vec<_> = run.changes().iter().map(|change| change.path.to_string()).collect();
    assert_eq!(left, ["src/a.txt", "src/x/other"]);
    let error = run.stage.apply(&run.tree(), Some(&[path("src/none")])).unwrap_err();
    assert!(matches!(error, ApplyError::NothingStaged(_)), "{error}");
    run.apply().unwrap();
    assert_eq!(run.in_project("src/x/other").as_deref(), Some("other"));
}

#[test]
fn what_is_discarded_is_as_in_the_project_again() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "changed").unwrap();
        guest.make_folder("src/x").unwrap();
        guest.write("src/x/new", "new").unwrap();
        guest.read_first("src/deep/er/c.txt");
        guest.remove("src/deep/er/c.txt").unwrap();
        guest.remove_folder("src/deep/er").unwrap();
    });
    run.stage.discard(Some(&[path("src/x")])).unwrap();
    run.stage.discard(Some(&[path("src/deep/er/c.txt")])).unwrap();
    assert_eq!(run.sees("src/deep/er/c.txt").as_deref(), Ok("three\n"));
    assert_eq!(run.sees("src/a.txt").as_deref(), Ok("changed"));
    assert!(run.sees("src/x/new").is_err());
    run.stage.discard(None).unwrap();
    assert_eq!(run.sees("src/a.txt").as_deref(), Ok("one\n"));
    assert!(run.stage.is_empty().unwrap());
    assert_eq!(fs::read_dir(run.stage_path().join("contents")).unwrap().count(), 0);
}

#[test]
fn one_kind_takes_the_place_of_another() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.remove("src/a.txt").unwrap();
        guest.make_folder("src/a.txt").unwrap();
        guest.write("src/a.txt/inner", "in a folder").unwrap();
        guest.read_first("src/deep/er/c.txt");
        guest.remove("src/deep/er/c.txt").unwrap();
        guest.remove_folder("src/deep/er").unwrap();
        guest.remove_folder("src/deep").unwrap();
        guest.write("src/deep", "a file").unwrap();
    });
    assert_eq!(run.sees("src/deep").as_deref(), Ok("a file"));
    run.apply().unwrap();
    assert_eq!(run.in_project("src/a.txt/inner").as_deref(), Some("in a folder"));
    assert_eq!(run.in_project("src/deep").as_deref(), Some("a file"));
}

#[test]
fn no_temporary_file_is_left_and_only_what_changed_is_written() {
    let run = run();
    let untouched = fs::metadata(run.project.at("src/b.txt")).unwrap();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "x").unwrap();
        guest.read_first("src/b.txt");
        let fd = guest.open_to_write("src/b.txt", How::Create).unwrap();
        guest.close(fd);
    });
    run.apply().unwrap();
    assert!(tree(&run.project.root()).iter().all(|(path, _)| !path.contains(".ringfence-")));
    let now = fs::metadata(run.project.at("src/b.txt")).unwrap();
    assert_eq!((now.ino(), now.ctime_nsec()), (untouched.ino(), untouched.ctime_nsec()));
}

#[test]
fn a_stage_is_applied_across_file_systems() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return };
    let run = run();
    if dir.path().metadata().unwrap().dev() == run.project.root().metadata().unwrap().dev() {
        return;
    }
    let root = dir.path().join("project");
    fs::create_dir_all(root.join("src")).unwrap();
    run.call(|guest| guest.write("src/new", "x").unwrap());
    run.stage.apply(&all_of(&ProjectDir::open(&root).unwrap()), None).unwrap();
    assert_eq!(fs::read_to_string(root.join("src/new")).unwrap(), "x");
}

#[test]
fn where_the_project_cannot_be_written_nothing_is_applied_and_the_error_says_where() {
    // The kernel's own files can be written by nobody.
    let run = run();
    run.call(|guest| {
        guest.make_folder("src/x").unwrap();
        guest.write("src/x/new", "x").unwrap();
    });
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/proc/self", dir.path().join("project")).unwrap();
    let project = ProjectDir::open(&dir.path().join("project")).unwrap();
    let error = run.stage.apply(&all_of(&project), None).unwrap_err();
    assert!(error.to_string().contains("src/x"), "{error}");
    assert!(!run.stage.apply_unfinished().unwrap());
    assert_eq!(run.stage.recover(&run.dir()).unwrap(), Recovered::Nothing);
    run.apply().unwrap();
}

#[test]
fn a_folder_swapped_for_a_link_while_it_is_applied_leads_nowhere() {
    let run = run();
    let (real, parked) = (run.project.at("src/deep"), run.project.at("src/parked"));
    fs::create_dir(run.project.outside().join("er")).unwrap();
    let outside = run.project.outside();
    let before = tree(&outside);
    let swap = || {
        fs::rename(&real, &parked).unwrap();
        std::os::unix::fs::symlink(&outside, &real).unwrap();
        fs::remove_file(&real).unwrap();
        fs::rename(&parked, &real).unwrap();
    };
    meanwhile(swap, || {
        for i in 0..60 {
            let Ok(mut guest) = run.begin() else {
                // The apply before was cut off by the swap: it goes on here, or in a later round.
                let _ = run.stage.recover(&run.dir());
                continue;
            };
            let wrote = guest.write("src/deep/er/new.txt", i.to_string());
            let made = guest.write("src/deep/made.txt", i.to_string());
            guest.settle(true);
            if wrote.is_ok() || made.is_ok() {
                // It works, or it is a conflict, or it is cut off and goes on later.
                let _ = run.apply();
            }
        }
    });
    assert_eq!(tree(&outside), before);
    run.stage.recover(&run.dir()).unwrap();
    assert_eq!(tree(&outside), before);
}
