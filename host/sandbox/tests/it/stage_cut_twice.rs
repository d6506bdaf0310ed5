//! An apply that is cut off, and cut off again while it is carried on: it comes to what one recovery
//! comes to, and tells the same.

use crate::stage_crash::{apply_killed_at, run};
use crate::stage_guest::Run;
use ringfence_sandbox::{Applied, Recovered};
use std::fs;
use std::path::PathBuf;

const FILE: &str = "src/a.txt";

/// The temporary file that is to be put at `FILE`, if it's there.
fn temporary(run: &Run) -> Option<PathBuf> {
    let inside = fs::read_dir(run.project.at("src")).unwrap().map(|entry| entry.unwrap().path());
    let mut files = inside.filter(|path| path.is_file() && path.to_str().unwrap().contains("/.ringfence-"));
    files.find(|path| fs::read_to_string(path).unwrap() == "ONE")
}

/// What was in the way: where, its text, and whether it was left alone. And what is staged.
type CameTo = (Vec<(String, Option<String>, bool)>, Vec<String>);

/// What a recovery tells of what was in its way, with what lies there; and what is staged after it.
fn came_to(run: &Run, applied: &Applied) -> CameTo {
    let told = applied
        .set_aside
        .iter()
        .map(|it| (it.path.to_string(), run.in_project(&it.now_at.to_string()), it.path == it.now_at));
    let staged = run.stage.changes().unwrap().iter().map(|change| change.path.to_string()).collect();
    (told.collect(), staged)
}

/// Has an apply killed at each step, a person go on with the project, and a recovery killed at each
/// of its steps; whatever the second one comes to is what an only one comes to. Gives what that was,
/// each time that it `concerns` a test.
fn cut_off_twice(person: impl Fn(&Run), concerns: impl Fn(&CameTo) -> bool) -> Vec<CameTo> {
    let mut all = Vec::new();
    for first in 1.. {
        let cut_off = || {
            let run = run();
            let ended = apply_killed_at(first, &run.stage_path(), &run.project.root());
            (!ended).then(|| {
                person(&run);
                run
            })
        };
        let Some(once) = cut_off() else { return all };
        let Recovered::Finished(applied) = once.stage.recover(&once.dir()).unwrap() else { continue };
        let wanted = came_to(&once, &applied);
        if !concerns(&wanted) {
            continue;
        }
        for second in 1.. {
            let twice = cut_off().unwrap();
            if apply_killed_at(second, &twice.stage_path(), &twice.project.root()) {
                break;
            }
            let Recovered::Finished(applied) = twice.stage.recover(&twice.dir()).unwrap() else { panic!() };
            assert_eq!(came_to(&twice, &applied), wanted, "{first}, {second}");
            assert!(!twice.stage.apply_unfinished().unwrap());
        }
        all.push(wanted);
    }
    unreachable!("an apply has so many steps")
}

#[test]
fn a_step_that_was_left_alone_is_left_alone_again_and_stays_staged() {
    let edit_what_was_put = |run: &Run| {
        // Killed between the step and its mark.
        if let Some(temporary) = temporary(run) {
            fs::rename(temporary, run.project.at(FILE)).unwrap();
            fs::write(run.project.at(FILE), "mine").unwrap();
        }
    };
    let all = cut_off_twice(edit_what_was_put, |(_, staged)| !staged.is_empty());
    let left = (vec![(FILE.to_owned(), Some("mine".to_owned()), true)], vec![FILE.to_owned()]);
    assert_eq!(all, [left]);
}

#[test]
fn what_a_first_recovery_sets_aside_or_leaves_alone_a_second_one_tells() {
    let put_in_the_way = |run: &Run| {
        run.project.file(FILE, "mine").file("src/b.txt", "another");
    };
    let all = cut_off_twice(put_in_the_way, |(told, _)| !told.is_empty());
    let told = |path: &str, text: &str, is_left| (path.to_owned(), Some(text.to_owned()), is_left);
    let both = [told(FILE, "mine", false), told("src/b.txt", "another", true)];
    assert!(all.iter().any(|(all, _)| both.iter().all(|it| all.contains(it))), "{all:?}");
}

#[test]
fn what_comes_into_the_way_again_is_set_aside_beside_what_was_before() {
    let mut aside = 0;
    for step in 1.. {
        let run = run();
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        let Some(temporary) = temporary(&run) else { continue };
        // Killed between setting a file aside and the renaming.
        let digits = temporary.to_str().unwrap().rsplit_once('-').unwrap().1;
        fs::write(run.project.at(FILE), "mine").unwrap();
        fs::rename(run.project.at(FILE), run.project.at(format!("{FILE}.kept-{}", &digits[..8]))).unwrap();
        fs::write(run.project.at(FILE), "mine again").unwrap();
        let Recovered::Finished(applied) = run.stage.recover(&run.dir()).unwrap() else { continue };
        let kept: Vec<_> =
            applied.set_aside.iter().map(|it| run.in_project(&it.now_at.to_string()).unwrap()).collect();
        assert_eq!(kept, ["mine", "mine again"], "{step}");
        assert_eq!(run.in_project(FILE).as_deref(), Some("ONE"), "{step}");
        aside += 1;
    }
    assert!(aside > 2, "{aside}");
}
