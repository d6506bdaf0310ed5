//! Changes on trial: nothing of them stays unless they are kept, and an approval is held to all that
//! they do.

use crate::fence_guest::{Guest, Project};
use crate::stage_guest::Run;
use ringfence_sandbox::view::View;
use ringfence_sandbox::{Change, ChangeKind, Effect, Stage, StageError, Trial};
use std::fs;
use std::sync::Arc;

fn run() -> Run {
    let project = Project::empty();
    project.file("src/a.txt", "one\n").file("src/x.txt", "mine\n").file("src/y.txt", "mine\n");
    Run::on(project, &["src"])
}

/// A call's guest, on trial.
fn guest(run: &Run, trial: &Trial) -> Guest {
    let known = Arc::new(run.known.clone());
    Guest::with(View::staged(run.tree(), &run.limits, trial.stage(), known).expect("a turn"))
}

/// A call on trial that is done.
fn tried(run: &Run, work: impl FnOnce(&mut Guest)) -> Trial {
    let trial = run.stage.trial().unwrap();
    let mut guest = guest(run, &trial);
    work(&mut guest);
    guest.settle(true);
    trial
}

fn effect(run: &Run, work: impl FnOnce(&mut Guest)) -> Effect {
    tried(run, work).effect().unwrap()
}

fn contents(run: &Run) -> usize {
    fs::read_dir(run.stage_path().join("contents")).unwrap().count()
}

/// Each change in a word, with its path.
fn listed(changes: &[Change]) -> Vec<String> {
    let line = |change: &Change| match &change.kind {
        ChangeKind::Created => format!("created {}", change.path),
        ChangeKind::Modified => format!("modified {}", change.path),
        ChangeKind::Deleted => format!("deleted {}", change.path),
        ChangeKind::Renamed { from } => format!("renamed {from} to {}", change.path),
    };
    changes.iter().map(line).collect()
}

#[test]
fn what_is_on_trial_is_seen_by_its_own_calls_and_staged_when_it_is_kept() {
    let run = run();
    run.call(|guest| guest.write("src/first", "1").unwrap());
    let mark = run.stage.mark().unwrap();
    let mut trial = tried(&run, |guest| guest.write("src/new", "1").unwrap());
    trial.from_here().unwrap();
    let mut second = guest(&run, &trial);
    assert_eq!(second.text("src/new").as_deref(), Ok("1"));
    second.write("src/new", "12").unwrap();
    second.settle(true);
    assert_eq!(listed(&trial.changes().unwrap()), ["modified src/new"]);
    assert_eq!(listed(&run.changes()), ["created src/first"], "no other call sees it");
    assert_eq!(run.stage.mark().unwrap(), mark);
    trial.keep().unwrap();
    assert_eq!(run.sees("src/new").as_deref(), Ok("12"));
    assert_eq!(contents(&run), 2, "nothing of the content in between is left");
    run.stage.roll_back(mark).unwrap();
    assert_eq!(listed(&run.changes()), ["created src/first"]);
}

#[test]
fn a_trial_that_is_not_kept_has_never_been_however_full_the_stage_is_and_however_often() {
    let run = run();
    let stage = Stage::open(&run.stage_path()).unwrap().within(100 << 10);
    let run = Run { stage: stage.into(), ..run };
    run.call(|guest| guest.write("src/first", vec![b'1'; 40 << 10]).unwrap());
    let mark = run.stage.mark().unwrap();
    for _ in 0..20 {
        let trial = run.stage.trial().unwrap();
        // With these, half of the room is taken, so that older states make room.
        for name in ["src/big", "src/more"] {
            let mut guest = guest(&run, &trial);
            guest.write(name, vec![b'2'; 20 << 10]).unwrap();
            guest.settle(true);
        }
        let mut guest = guest(&run, &trial);
        assert!(guest.write("src/beyond", vec![b'3'; 30 << 10]).is_err(), "the call is ended");
        guest.settle(false);
        assert_eq!(listed(&trial.changes().unwrap()), ["created src/big", "created src/more"]);
        drop(trial);
        assert_eq!((listed(&run.changes()), contents(&run)), (vec!["created src/first".to_owned()], 1));
    }
    assert_eq!(run.stage.mark().unwrap(), mark, "and it takes no state to go back to");
    run.call(|guest| guest.write("src/last", "1").unwrap());
    run.stage.roll_back(mark).unwrap();
    assert_eq!(listed(&run.changes()), ["created src/first"]);
}

#[test]
fn going_back_again_and_again_keeps_the_state_to_go_back_to() {
    let run = run();
    run.call(|guest| guest.write("src/first", "1").unwrap());
    let mark = run.stage.mark().unwrap();
    run.call(|guest| guest.write("src/second", "2").unwrap());
    for _ in 0..40 {
        run.stage.roll_back(mark).unwrap();
    }
    assert_eq!(listed(&run.changes()), ["created src/first"]);
}

#[test]
fn nobody_else_changes_a_stage_while_changes_are_on_trial() {
    let run = run();
    run.call(|guest| guest.write("src/first", "1").unwrap());
    let trial = run.stage.trial().unwrap();
    assert!(matches!(run.begin(), Err(StageError::Busy(_))));
    assert!(matches!(run.stage.trial(), Err(StageError::Busy(_))));
    assert!(run.stage.discard(None).is_err() && run.apply().is_err());
    // Not even by way of the trial's own stage.
    assert!(trial.stage().discard(None).is_err());
    drop(trial);
    run.apply().unwrap();
}

#[test]
fn looking_keeps_nobody_from_changing_a_stage() {
    let run = run();
    let looker = Stage::look(&run.stage_path()).unwrap();
    for round in 0..40 {
        let mut guest = run.guest();
        guest.write("src/new", round.to_string()).unwrap();
        let other = Stage::look(&run.stage_path()).unwrap();
        guest.settle(true);
        for stage in [&looker, &other] {
            let changes = stage.changes().unwrap();
            let content = changes[0].read(&changes[0].after, 100).unwrap();
            assert_eq!(content, Some(round.to_string().into_bytes()));
        }
    }
}

#[test]
fn an_effect_tells_a_copy_from_a_move_and_one_move_from_another() {
    let run = run();
    let copied = effect(&run, |guest| guest.write("src/b.txt", "mine\n").unwrap());
    let moved = |from: &str| effect(&run, |guest| guest.rename(from, "src/b.txt").unwrap());
    let (one, other) = (moved("src/x.txt"), moved("src/y.txt"));
    assert!(copied != one && copied != other && one != other);
    assert_eq!(one, moved("src/x.txt"), "the same again");
    assert_eq!(copied, effect(&run, |guest| guest.write("src/b.txt", "mine\n").unwrap()));
}

#[test]
fn an_effect_tells_what_was_there_what_will_be_and_of_which_kind() {
    let run = run();
    let gone = effect(&run, |guest| {
        guest.read_first("src/a.txt");
        guest.remove("src/a.txt").unwrap();
    });
    let folder = effect(&run, |guest| {
        guest.read_first("src/a.txt");
        guest.remove("src/a.txt").unwrap();
        guest.make_folder("src/a.txt").unwrap();
    });
    assert_ne!(gone, folder);
    let overwrite = || {
        effect(&run, |guest| {
            guest.read_first("src/a.txt");
            guest.write("src/a.txt", "new\n").unwrap();
        })
    };
    let before = overwrite();
    run.project.file("src/a.txt", "another one\n");
    assert_ne!(before, overwrite(), "what was there");
    let before = overwrite();
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(run.project.at("src/a.txt"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_ne!(before, overwrite(), "its permissions");
    let before = overwrite();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "staged\n").unwrap();
    });
    assert_ne!(before, overwrite(), "what was staged there");
    let stored = serde_json::to_string(&before).unwrap();
    assert_eq!(serde_json::from_str::<Effect>(&stored).unwrap(), before, "as it is kept");
    assert_eq!(effect(&run, |guest| guest.read_first("src/x.txt")), effect(&run, |_| ()));
}

#[test]
fn a_move_is_told_as_one_and_over_something_that_was_staged_as_what_goes_and_what_comes() {
    let run = run();
    let trial = tried(&run, |guest| guest.rename("src/x.txt", "src/b.txt").unwrap());
    let changes = trial.changes().unwrap();
    assert_eq!(listed(&changes), ["renamed src/x.txt to src/b.txt"]);
    assert!(changes[0].unified_diff().unwrap().contains("rename from src/x.txt"));
    drop(trial);
    run.call(|guest| guest.write("src/b.txt", "mine\n").unwrap());
    let trial = tried(&run, |guest| guest.rename("src/x.txt", "src/b.txt").unwrap());
    assert_eq!(listed(&trial.changes().unwrap()), ["modified src/b.txt", "deleted src/x.txt"]);
    trial.keep().unwrap();
    assert_eq!(listed(&run.changes()), ["renamed src/x.txt to src/b.txt"]);
}

#[test]
fn a_changed_file_that_moves_and_one_that_is_the_project_s_again_are_told_as_they_are() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "two\n").unwrap();
    });
    let trial = tried(&run, |guest| guest.rename("src/a.txt", "src/b.txt").unwrap());
    let changes = trial.changes().unwrap();
    assert_eq!(listed(&changes), ["renamed src/a.txt to src/b.txt"]);
    let diff = changes[0].unified_diff().unwrap();
    assert!(!diff.contains("one") && !diff.contains("+two"), "{diff}");
    drop(trial);
    let trial = tried(&run, |guest| guest.write("src/a.txt", "one\n").unwrap());
    let changes = trial.changes().unwrap();
    assert_eq!(listed(&changes), ["modified src/a.txt"]);
    let diff = changes[0].unified_diff().unwrap();
    assert!(diff.contains("-two\n+one\n"), "{diff}");
    trial.keep().unwrap();
    assert!(run.stage.is_empty().unwrap());
}

#[test]
fn a_renamed_file_that_goes_back_is_told_as_gone_and_there_again() {
    let run = run();
    run.call(|guest| guest.rename("src/x.txt", "src/b.txt").unwrap());
    let trial = tried(&run, |guest| guest.rename("src/b.txt", "src/x.txt").unwrap());
    assert_eq!(listed(&trial.changes().unwrap()), ["deleted src/b.txt", "created src/x.txt"]);
    let moved_back = trial.effect().unwrap();
    drop(trial);
    assert_ne!(moved_back, effect(&run, |_| ()));
}
