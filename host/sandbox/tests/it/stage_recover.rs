//! A cut-off apply in a project that somebody went on working in: nothing staged is lost, and there
//! is always a way out.

use crate::fence_guest::Project;
use crate::stage_apply::tree;
use crate::stage_crash::{applied, apply_killed_at, run};
use crate::stage_guest::Run;
use ringfence_sandbox::{ApplyError, Kept, ProjectDir, Recovered, Stage, StageError};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The temporary files and folders in a folder.
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
            if temporary.is_dir() {
                fs::remove_dir_all(temporary).unwrap();
            } else {
                fs::remove_file(temporary).unwrap();
            }
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
        let made = temporaries(&run.project.root());
        let inner = tree(&run.project.root()).into_iter().map(|(name, _)| run.project.at(name));
        for temporary in inner.filter(|at| at.is_file() && made.iter().any(|made| at.starts_with(made))) {
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

#[test]
fn a_step_that_was_done_is_not_done_again_over_what_a_person_has_made_of_it_since() {
    let mut edited = 0;
    for step in 1.. {
        let run = run();
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        let places = ["src/a.txt", "src/fresh", "src/kind/inner", "src/new/c.txt"];
        let done: Vec<_> = places
            .into_iter()
            .filter(|place| {
                applied().contains(&((*place).to_owned(), run.in_project(place).unwrap_or_default()))
            })
            .collect();
        for (nth, place) in done.iter().enumerate() {
            // In place, and as editors do: written anew and renamed.
            let draft = run.project.at("src/draft");
            fs::write(if nth % 2 == 0 { run.project.at(place) } else { draft.clone() }, "mine").unwrap();
            if nth % 2 == 1 {
                fs::rename(draft, run.project.at(place)).unwrap();
            }
        }
        if let Recovered::Finished(finished) = run.stage.recover(&run.dir()).unwrap() {
            assert_eq!(finished.set_aside, [], "{step}");
            for place in places {
                let text = applied().into_iter().find(|(path, _)| path == place).unwrap().1;
                let text = if done.contains(&place) { "mine".to_owned() } else { text };
                assert_eq!(run.in_project(place), Some(text), "{step}: {place}");
            }
            assert!(run.stage.is_empty().unwrap());
            edited += done.len();
        }
    }
    assert!(edited >= 10, "{edited}");
}

#[test]
fn a_folder_that_a_person_moves_away_once_all_in_it_was_done_keeps_no_apply_from_its_end() {
    let mut finished = 0;
    for step in 1.. {
        let run = run();
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        if tree(&run.project.root()) != applied() {
            continue;
        }
        fs::rename(run.project.at("src"), run.project.at("moved")).unwrap();
        let Recovered::Finished(done) = run.stage.recover(&run.dir()).unwrap() else { panic!("{step}") };
        assert_eq!(done.set_aside, [], "{step}");
        assert_eq!(run.in_project("moved/a.txt").as_deref(), Some("ONE"), "{step}");
        assert!(!run.project.at("src").exists() && run.stage.is_empty().unwrap(), "{step}");
        finished += 1;
    }
    assert!(finished >= 2, "{finished}");
}

#[test]
fn where_nobody_knows_whether_a_step_was_done_nothing_of_either_is_lost() {
    let (mut aside, mut left) = (0, 0);
    for step in 1.. {
        let run = run();
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        // As after the machine was off.
        let marks = run.stage_path().join("apply-marks");
        if let Ok(text) = fs::read_to_string(&marks) {
            fs::write(&marks, format!("another boot\n{text}")).unwrap();
        }
        if temporaries(&run.project.root()).is_empty() {
            left += 1;
        }
        fs::write(run.project.at("src/a.txt"), "mine").unwrap();
        if let Recovered::Finished(finished) = run.stage.recover(&run.dir()).unwrap() {
            for it in &finished.set_aside {
                assert_eq!(run.in_project(&it.now_at.to_string()).as_deref(), Some("mine"), "{step}");
                aside += 1;
            }
            let is_mine = run.in_project("src/a.txt").as_deref() == Some("mine");
            assert_eq!(is_mine, finished.set_aside.is_empty(), "{step}");
        }
    }
    assert!(aside > 3 && left > 0, "{aside} {left}");
}

#[test]
fn giving_an_apply_up_puts_back_what_it_had_deleted_or_keeps_it_and_says_where() {
    let (mut back, mut kept) = (0, 0);
    for (step, is_in_the_way) in (1..16).flat_map(|step| [(step, false), (step, true)]) {
        let run = run();
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        let is_gone = run.in_project("src/b.txt").is_none();
        if is_gone && is_in_the_way {
            run.project.file("src/b.txt", "mine");
        }
        let left = run.stage.give_up_apply().unwrap().unwrap();
        assert_eq!(temporaries(&run.project.root()), Vec::<PathBuf>::new(), "{step}");
        let told = left.deleted.iter().find(|deleted| deleted.path.to_string() == "src/b.txt");
        match (is_gone, is_in_the_way) {
            (false, _) => assert_eq!(told, None, "{step}"),
            (true, false) => {
                assert_eq!(told.unwrap().now, Kept::PutBack, "{step}");
                assert_eq!(run.in_project("src/b.txt").as_deref(), Some("two"), "{step}");
                back += 1;
            }
            (true, true) => {
                let Kept::At(at) = &told.unwrap().now else { panic!("{step}: {left:?}") };
                assert_eq!(fs::read_to_string(at).unwrap(), "two");
                assert_eq!(fs::metadata(at).unwrap().permissions().mode() & 0o777, 0o600);
                assert_eq!(run.in_project("src/b.txt").as_deref(), Some("mine"), "{step}");
                kept += 1;
            }
        }
        for (path, text) in [("src/a.txt", "ONE"), ("src/new/c.txt", "three"), ("src/kind/inner", "inner")] {
            let is_told = left.in_project.iter().any(|told| told.to_string() == path);
            assert_eq!(run.in_project(path).as_deref() == Some(text), is_told, "{step}: {path}");
        }
        // All is staged still.
        assert!(!run.stage.is_empty().unwrap());
        run.stage.discard(None).unwrap();
    }
    assert!(back > 3 && kept > 3, "{back} {kept}");
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
