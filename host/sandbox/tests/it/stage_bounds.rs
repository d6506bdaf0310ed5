//! What a stage holds is bounded, and what is applied is what is shown.

use crate::fence_guest::{Guest, Project, ready};
use crate::stage_guest::{Run, path};
use ringfence_sandbox::view::View;
use ringfence_sandbox::{ApplyError, CancellationToken, GrantedTree, Stage};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wasmtime_wasi::p2::bindings::filesystem::types::HostDescriptor;

fn run() -> Run {
    let project = Project::empty();
    project.file("src/a.txt", "one").file("src/sub/b.txt", "two").file("src/c.txt", "three");
    Run::on(project, &["src"])
}

#[test]
fn a_stage_takes_no_more_contents_than_it_has_room_for() {
    let run = run();
    let stage = Stage::open(&run.stage_path()).unwrap().within(100 << 10);
    let run = Run { stage: stage.into(), ..run };
    run.call(|guest| guest.write("src/first", vec![b'1'; 40 << 10]).unwrap());
    let mut guest = run.guest();
    assert!(guest.write("src/second", vec![b'2'; 64 << 10]).is_err(), "the call is ended");
    guest.settle(false);
    assert_eq!(run.changes().len(), 1);
    // What is written over again and again gives its room back.
    for round in 0..20_u8 {
        run.call(|guest| guest.write("src/first", vec![round; 40 << 10]).unwrap());
        let sizes = fs::read_dir(run.stage_path().join("contents")).unwrap();
        let taken: u64 = sizes.map(|content| content.unwrap().metadata().unwrap().len()).sum();
        assert!(taken <= 100 << 10, "{taken}");
    }
}

#[test]
fn the_selected_changes_are_those_that_applying_these_paths_makes() {
    let run = run();
    run.call(|guest| {
        for file in ["src/a.txt", "src/sub/b.txt", "src/c.txt"] {
            guest.read_first(file);
        }
        guest.remove("src/c.txt").unwrap();
        guest.make_folder("src/c.txt").unwrap();
        guest.rename("src/sub/b.txt", "src/c.txt/moved").unwrap();
        guest.write("src/a.txt", "ONE").unwrap();
    });
    let shown = run.stage.selected_changes(&[path("src/sub/b.txt")]).unwrap();
    let shown: Vec<_> = shown.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(shown, ["src/c.txt", "src/c.txt/moved"]);
    let applied = run.stage.apply(&run.tree(), Some(&[path("src/sub/b.txt")])).unwrap();
    let applied: Vec<_> = applied.paths.iter().map(ToString::to_string).collect();
    // The place that a file was renamed from is part of the rename.
    assert_eq!(applied, ["src/c.txt", "src/c.txt/moved", "src/sub/b.txt"]);
    assert!(run.stage.selected_changes(&[path("src/none")]).is_err());
}

#[test]
fn moving_a_folder_is_broken_off_when_the_call_is_over() {
    for is_cancelled in [true, false] {
        let run = run();
        let tree = GrantedTree::open(&run.dir(), &run.grants).unwrap();
        let view = View::staged(tree, &run.limits, &run.stage, Arc::new(run.known.clone())).unwrap();
        let cancel = CancellationToken::new();
        let left = Duration::from_secs(if is_cancelled { 3600 } else { 0 });
        let mut guest = Guest::with(view.until(Instant::now() + left, cancel.clone()));
        if is_cancelled {
            cancel.cancel();
        }
        let (root, other) = (guest.root(), guest.root());
        let moved = ready(guest.host().rename_at(root, "src/sub".into(), other, "src/moved".into()));
        let error = moved.unwrap_err().downcast().expect_err("the call is ended").to_string();
        assert!(error.contains(if is_cancelled { "cancelled" } else { "deadline" }), "{error}");
        guest.settle(false);
        assert!(run.changes().is_empty());
    }
}

#[test]
fn names_that_are_too_much_for_a_stage_end_the_call_and_nothing_of_it_stays() {
    let mut run = run();
    run.limits.write_entries = 20_000;
    run.call(|guest| guest.write("src/first", "1").unwrap());
    let mut guest = run.guest();
    let mut folder = "src".to_owned();
    for _ in 0..15 {
        folder = format!("{folder}/{}", "\u{1}".repeat(250));
        guest.make_folder(&folder).unwrap();
    }
    let full = (0..2_000).find(|nth| {
        let root = guest.root();
        let made = ready(guest.host().create_directory_at(root, format!("{folder}/{nth}")));
        made.is_err_and(|error| error.downcast().is_err())
    });
    assert!(full.is_some(), "the call is ended on the way");
    guest.settle(false);
    let again = Stage::open(&run.stage_path()).unwrap();
    assert_eq!(again.changes().unwrap().len(), 1);
}

#[test]
fn what_the_grants_do_not_let_a_tool_change_is_not_applied_and_named() {
    let run = run();
    run.call(|guest| {
        for made in ["src/made.lock", "src/plain"] {
            guest.write(made, "x").unwrap();
        }
    });
    let run = run.masked(&["*.lock"]);
    let error = run.apply().unwrap_err();
    assert!(matches!(error, ApplyError::Forbidden(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "nothing was applied: src/made.lock is masked (`*.lock` is hidden from tools); \
         discard what is staged there, or apply other paths"
    );
    assert_eq!(run.in_project("src/plain"), None);
    assert!(run.stage.apply(&run.tree(), Some(&[path("src/made.lock")])).is_err());
    run.stage.apply(&run.tree(), Some(&[path("src/plain")])).unwrap();
    assert_eq!(run.in_project("src/plain").as_deref(), Some("x"));
    run.stage.discard(Some(&[path("src/made.lock")])).unwrap();
}

#[test]
fn places_that_were_written_into_a_stages_record_are_judged_as_a_tools_are() {
    for (place, why) in [
        (".git/hooks/pre-commit", "is masked"),
        ("src/.env", "is masked"),
        ("src/.git/hooks/x", "is masked"),
        (".ringfence/x", "is hidden from all tools"),
        ("other/x", "is outside the granted folders"),
        ("src/../other/x", "is no path"),
        ("src//x", "is no path"),
    ] {
        let run = run();
        fs::create_dir_all(run.project.at("other")).unwrap();
        run.call(|guest| guest.write("src/new", "x").unwrap());
        let record = run.stage_path().join("index-00000000000000000001");
        let text = fs::read_to_string(&record).unwrap();
        fs::write(&record, text.replace("src/new", place)).unwrap();
        let stage = Stage::open(&run.stage_path()).unwrap();
        let error = stage.apply(&run.tree(), None).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(why), "{error}");
        assert_eq!(run.in_project("other/x"), None);
    }
}
