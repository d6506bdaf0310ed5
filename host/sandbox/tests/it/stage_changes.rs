//! What a person is shown of a stage.

use crate::fence_guest::Project;
use crate::stage_guest::{Run, path};
use ringfence_sandbox::{Change, ChangeKind, Side};

fn run() -> Run {
    let project = Project::empty();
    project
        .file("src/a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n")
        .file("src/no-newline.txt", "end")
        .file("src/crlf.txt", "one\r\ntwo\r\n")
        .file("src/binary", b"\0\x01\x02")
        .file("src/moved.txt", "line\nline\nline\n")
        .file("src/gone.txt", "bye\n")
        .file("src/latin1.txt", b"caf\xe9\n")
        .folder("src/empty");
    Run::on(project, &["src"])
}

fn diffs(changes: &[Change]) -> String {
    changes.iter().map(|change| change.unified_diff().expect("readable")).collect()
}

#[test]
fn changes_are_listed_by_path_and_shown_as_git_shows_them() {
    let run = run();
    run.call(|guest| {
        for file in ["a.txt", "no-newline.txt", "crlf.txt", "binary", "gone.txt", "moved.txt", "latin1.txt"] {
            guest.read_first(&format!("src/{file}"));
        }
        guest.write("src/a.txt", "one\ntwo\nthree\nfour\n5\nsix\nseven\neight\n").unwrap();
        guest.write("src/no-newline.txt", "end\nmore").unwrap();
        guest.write("src/crlf.txt", "one\r\n2\r\n").unwrap();
        guest.write("src/binary", b"\0\x03").unwrap();
        guest.write("src/latin1.txt", b"caff\xe8\n").unwrap();
        guest.remove("src/gone.txt").unwrap();
        guest.rename("src/moved.txt", "src/there.txt").unwrap();
        guest.append("src/there.txt", "new\n").unwrap();
        guest.make_folder("src/made").unwrap();
        guest.write("src/made/empty", "").unwrap();
        guest.write("src/made/odd\nname", "\u{1b}[31m\n").unwrap();
        guest.remove_folder("src/empty").unwrap();
    });
    let changes = run.changes();
    let paths: Vec<_> = changes.iter().map(|change| change.path.to_string()).collect();
    let mut sorted = paths.clone();
    sorted.sort();
    assert_eq!(paths, sorted);
    insta::assert_snapshot!(diffs(&changes));
}

#[test]
fn a_change_gives_both_contents() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/moved.txt");
        guest.rename("src/moved.txt", "src/there.txt").unwrap();
        guest.write("src/there.txt", "other\n").unwrap();
    });
    let changes = run.changes();
    let [change] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(change.kind, ChangeKind::Renamed { from: path("src/moved.txt") });
    assert_eq!(change.read(&change.before, 100).unwrap().unwrap(), b"line\nline\nline\n");
    assert_eq!(change.read(&change.after, 3).unwrap().unwrap(), b"oth");
    assert_eq!(change.read(&Side::Nothing, 100).unwrap(), None);
    assert_eq!(change.before.file().unwrap().size(), 15);
}

#[test]
fn what_comes_back_to_what_it_was_is_no_change() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/gone.txt");
        guest.write("src/gone.txt", "hello\n").unwrap();
        guest.rename("src/moved.txt", "src/there.txt").unwrap();
    });
    assert_eq!(run.changes().len(), 2);
    run.call(|guest| {
        guest.write("src/gone.txt", "bye\n").unwrap();
        guest.rename("src/there.txt", "src/moved.txt").unwrap();
    });
    assert!(run.stage.is_empty().unwrap(), "{:?}", run.changes());
}

#[test]
fn long_files_are_named_and_not_shown() {
    let run = run();
    run.call(|guest| guest.write("src/long", "x\n".repeat(600_000)).unwrap());
    insta::assert_snapshot!(diffs(&run.changes()), @r"
    diff --git a/src/long b/src/long
    new file mode 100644
    Files /dev/null and b/src/long differ and are too long to show
    ");
}
