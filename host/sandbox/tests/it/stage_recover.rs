//! A cut-off apply in a project that somebody went on working in: nothing staged is lost, and there
//! is always a way out.

use crate::fence_guest::Project;
use crate::stage_apply::tree;
use crate::stage_crash::{applied, apply_killed_at, run};
use crate::stage_guest::Run;
use ringfence_sandbox::{ApplyError, ProjectDir, Recovered, Stage, StageError};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The temporary files in a folder.
fn temporaries(root: &Path) -> Vec<PathBuf> {
    let names = tree(root).into_iter().map(|(name, _)| root.join(name));
    let is_one = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_str().unwrap().starts_with(".ringfence-"))
    };
    names.filter(is_one).collect()
}

/// A run whose apply was killed right after it was decided.
fn decided() -> Run {
    let step = (1..20).find(|step| {
        let run = run();
        apply_killed_at(*step, &run.stage_path(), &run.project.root());
        matches!(run.stage.recover(&run.dir()), Ok(Recovered::Finished(_)))
    });
    let run = run();
    assert!(!apply_killed_at(step.unwrap(), &run.stage_path(), &run.project.root()));
    run
}

#[test]
fn temporary_files_that_somebody_removed_are_written_again() {
    let mut finished = 0;
    for step in 1.. {
        let run = run();
        let before = tree(&run.project.root());
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        for temporary in temporaries(&run.project.root()) {
            fs::remove_file(temporary).unwrap();
        }
        match run.stage.recover(&run.dir()).unwrap() {
            Recovered::Finished(done) => {
                assert_eq!(
                    (done.set_aside, tree(&run.project.root())),
                    (vec![], applied().to_vec()),
                    "{step}"
                );
                finished += 1;
            }
            Recovered::RolledBack => assert_eq!(tree(&run.project.root()), before, "{step}"),
            Recovered::Nothing => panic!("{step}"),
        }
    }
    assert!(finished >= 10, "{finished}");
}

#[test]
fn a_folder_that_came_in_the_place_of_the_one_with_the_temporary_files_gets_what_was_staged() {
    let run = decided();
    fs::rename(run.project.at("src"), run.project.outside().join("src")).unwrap();
    run.project.folder("src");
    assert!(matches!(run.stage.recover(&run.dir()), Ok(Recovered::Finished(_))));
    for (path, text) in [("src/a.txt", "ONE"), ("src/fresh", "fresh"), ("src/kind/inner", "inner")] {
        assert_eq!(run.in_project(path).as_deref(), Some(text));
    }
    assert!(temporaries(&run.project.root()).is_empty());
}

#[test]
fn an_apply_whose_folder_went_away_or_became_a_link_names_it_and_can_be_given_up() {
    for becomes_link in [true, false] {
        let run = decided();
        let away = run.project.outside().join("src");
        fs::rename(run.project.at("src"), &away).unwrap();
        if becomes_link {
            symlink(&away, run.project.at("src")).unwrap();
        }
        let before = tree(&run.project.outside());
        let error = run.stage.recover(&run.dir()).unwrap_err();
        assert!(matches!(error, ApplyError::Stuck { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("the folder `src") && text.contains("discard"), "{text}");
        assert!(run.stage.changes().is_ok_and(|changes| !changes.is_empty()), "nothing is lost by trying");
        assert_eq!(run.stage.discard(None).unwrap().len(), 9);
        assert!(!run.stage.apply_unfinished().unwrap() && run.stage.is_empty().unwrap());
        assert_eq!(tree(&run.project.outside()), before, "nothing behind a link is touched");
        if becomes_link {
            fs::remove_file(run.project.at("src")).unwrap();
        }
        run.project.folder("src");
        drop(run.begin().unwrap());
    }
}

#[test]
fn giving_an_apply_up_removes_its_temporary_files_and_says_what_is_in_place() {
    let run = decided();
    assert!(!temporaries(&run.project.root()).is_empty());
    let left = run.stage.give_up_apply().unwrap().unwrap();
    assert_eq!((left.in_project, left.temporaries), (vec![], vec![]));
    assert_eq!(temporaries(&run.project.root()), Vec::<PathBuf>::new());
    assert_eq!(run.stage.give_up_apply().unwrap(), None);
    // Nothing was put into place, and all is staged still.
    run.apply().unwrap();
    assert_eq!(tree(&run.project.root()), applied());
}

#[test]
fn an_apply_to_a_project_that_is_gone_for_good_can_be_given_up() {
    let run = decided();
    let other = Project::empty();
    let error = run.stage.recover(&ProjectDir::open(&other.root()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("discarding all"), "{error}");
    fs::rename(run.project.root(), run.project.outside().join("moved")).unwrap();
    run.stage.discard(None).unwrap();
    assert!(!run.stage.apply_unfinished().unwrap());
}

#[test]
fn nobody_else_can_open_a_new_content_before_it_is_in_place() {
    let run = decided();
    fs::set_permissions(run.project.at("src/a.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    let run = Run { stage: run.stage.clone(), ..run };
    run.stage.give_up_apply().unwrap();
    let secret = run.project.at("src/a.txt");
    for step in 2..6 {
        apply_killed_at(step, &run.stage_path(), &run.project.root());
        for temporary in temporaries(&run.project.root()) {
            let mode = fs::metadata(&temporary).unwrap().permissions().mode() & 0o777;
            assert!([0o600, 0o640, usual()].contains(&mode), "{mode:o}");
        }
        if let Recovered::Finished(_) = run.stage.recover(&run.dir()).unwrap() {
            break;
        }
    }
    let _ = run.apply();
    assert_eq!(fs::metadata(secret).unwrap().permissions().mode() & 0o777, 0o640);
}

/// The permissions of a new file.
fn usual() -> u32 {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    fs::metadata(dir.path().join("file")).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_staged_content_that_isnt_what_was_staged_is_not_applied() {
    for damage in [Some("other"), None] {
        let run = run();
        let before = tree(&run.project.root());
        for content in fs::read_dir(run.stage_path().join("contents")).unwrap() {
            let content = content.unwrap().path();
            match damage {
                _ if fs::read_to_string(&content).unwrap() != "fresh" => {}
                Some(text) => fs::write(&content, text).unwrap(),
                None => fs::remove_file(&content).unwrap(),
            }
        }
        let error = run.apply().unwrap_err();
        assert!(matches!(error, ApplyError::Stage(StageError::Damaged { .. })), "{error}");
        assert_eq!(tree(&run.project.root()), before);
        assert!(!run.stage.apply_unfinished().unwrap());
    }
}

/// The records of a stage's states, the newest last.
fn states(run: &Run) -> Vec<PathBuf> {
    let all = fs::read_dir(run.stage_path()).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = all.filter(|path| path.to_str().unwrap().contains("/index-")).collect();
    all.sort();
    all
}

#[test]
fn a_state_that_cant_be_read_is_passed_over_for_the_one_before_it() {
    let run = run();
    run.call(|guest| guest.write("src/later", "x").unwrap());
    fs::write(states(&run).last().unwrap(), "{").unwrap();
    let run = Run { stage: Stage::open(&run.stage_path()).unwrap().into(), ..run };
    assert_eq!(run.sees("src/fresh").as_deref(), Ok("fresh"));
    run.call(|guest| guest.write("src/after", "y").unwrap());
    run.apply().unwrap();
    assert_eq!(run.in_project("src/after").as_deref(), Some("y"));
    assert_eq!(run.in_project("src/later"), None);
}

#[test]
fn a_stage_of_which_nothing_can_be_read_can_be_discarded_and_nothing_else() {
    let run = run();
    for state in states(&run) {
        fs::write(state, "{").unwrap();
    }
    let run = Run { stage: Stage::open(&run.stage_path()).unwrap().into(), ..run };
    assert!(matches!(run.begin().map(|_| ()), Err(StageError::Damaged { .. })));
    assert!(run.stage.is_empty().is_err() && run.apply().is_err());
    run.stage.discard(None).unwrap();
    assert!(run.stage.is_empty().unwrap());
    run.call(|guest| guest.write("src/after", "y").unwrap());
    assert_eq!(run.sees("src/after").as_deref(), Ok("y"));
}

#[test]
fn a_state_that_names_ringfences_own_folder_is_not_applied() {
    let run = run();
    let newest = states(&run).pop().unwrap();
    let text = fs::read_to_string(&newest).unwrap();
    fs::write(&newest, text.replace("\"src/fresh\"", "\".RingFence\"")).unwrap();
    let run = Run { stage: Stage::open(&run.stage_path()).unwrap().into(), ..run };
    let before = tree(&run.project.root());
    let error = run.apply().unwrap_err().to_string();
    assert!(error.contains(".RingFence"), "{error}");
    assert_eq!(tree(&run.project.root()), before);
}
