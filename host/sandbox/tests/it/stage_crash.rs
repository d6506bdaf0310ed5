//! An apply that is killed at each of its steps: afterwards all of it is in the project, or none.

use crate::fence_guest::Project;
use crate::stage_apply::tree;
use crate::stage_guest::{Run, all_of};
use ringfence_sandbox::{ProjectDir, Recovered, Stage};
use std::path::Path;
use std::process::Command;

const STAGE: &str = "RINGFENCE_TEST_STAGE";
const PROJECT: &str = "RINGFENCE_TEST_PROJECT";
const FAILPOINT: &str = "RINGFENCE_APPLY_FAILPOINT";

pub(crate) fn run() -> Run {
    let project = Project::empty();
    project
        .file("src/a.txt", "one")
        .file("src/b.txt", "two")
        .file("src/old/c.txt", "three")
        .file("src/kind", "file");
    let run = Run::on(project, &["src"]);
    run.call(|guest| {
        for file in ["a.txt", "b.txt", "old/c.txt", "kind"] {
            guest.read_first(&format!("src/{file}"));
        }
        guest.write("src/a.txt", "ONE").unwrap();
        guest.remove("src/b.txt").unwrap();
        guest.rename("src/old", "src/new").unwrap();
        guest.remove("src/kind").unwrap();
        guest.make_folder("src/kind").unwrap();
        guest.write("src/kind/inner", "inner").unwrap();
        guest.write("src/fresh", "fresh").unwrap();
    });
    run
}

/// What is in the project when all of it is applied.
pub(crate) fn applied() -> [(String, String); 7] {
    [
        ("src", "/"),
        ("src/a.txt", "ONE"),
        ("src/fresh", "fresh"),
        ("src/kind", "/"),
        ("src/kind/inner", "inner"),
        ("src/new", "/"),
        ("src/new/c.txt", "three"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
}

/// Run by the test below in a process of its own.
#[test]
#[ignore = "it is the process that another test kills"]
fn applies_for_another_test() {
    let dir = |name| std::env::var_os(name).map(std::path::PathBuf::from);
    let (Some(stage), Some(project)) = (dir(STAGE), dir(PROJECT)) else { return };
    let stage = Stage::open(&stage).unwrap();
    let project = ProjectDir::open(&project).unwrap();
    if stage.recover(&project).unwrap() == Recovered::Nothing {
        stage.apply(&all_of(&project), None).unwrap();
    }
}

/// Applies in another process, or recovers what was cut off there, which is killed at a step; whether it came to its end before.
pub(crate) fn apply_killed_at(step: u32, stage: &Path, project: &Path) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "stage_crash::applies_for_another_test", "--quiet"])
        .env(STAGE, stage)
        .env(PROJECT, project)
        .env(FAILPOINT, step.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    status.success()
}

#[test]
fn an_apply_killed_at_any_step_is_recovered_to_all_or_nothing() {
    let (mut rolled_back, mut finished) = (0, 0);
    for step in 1.. {
        let run = run();
        let before = tree(&run.project.root());
        let ended = apply_killed_at(step, &run.stage_path(), &run.project.root());
        let stage = Stage::open(&run.stage_path()).unwrap();
        assert_eq!(stage.apply_unfinished().unwrap(), !ended, "{step}");
        if !ended {
            // Until it's recovered nobody builds on half of it.
            assert!(run.begin().is_err());
        }
        let recovered = stage.recover(&run.dir()).unwrap();
        let after = tree(&run.project.root());
        let applied = applied();
        match recovered {
            Recovered::RolledBack => {
                assert_eq!(after, before, "{step}");
                rolled_back += 1;
                assert_eq!(stage.changes().unwrap().len(), run.changes().len());
                run.apply().unwrap();
                assert_eq!(tree(&run.project.root()), applied, "{step}");
            }
            Recovered::Finished(done) => {
                assert_eq!(done.set_aside, [], "{step}");
                assert_eq!(after, applied, "{step}");
                assert!(stage.is_empty().unwrap());
                finished += 1;
            }
            Recovered::Nothing => {
                assert!(ended, "{step}");
                assert_eq!(after, applied);
                break;
            }
        }
    }
    assert!(rolled_back >= 4 && finished >= 10, "{rolled_back} {finished}");
}

#[test]
fn a_recovery_that_is_killed_too_is_recovered_again() {
    for step in [8, 10, 12] {
        let run = run();
        assert!(!apply_killed_at(step, &run.stage_path(), &run.project.root()));
        for again in 1..4 {
            apply_killed_at(again, &run.stage_path(), &run.project.root());
        }
        run.stage.recover(&run.dir()).unwrap();
        run.apply().unwrap();
        assert_eq!(run.in_project("src/new/c.txt").as_deref(), Some("three"), "{step}");
        assert_eq!(run.in_project("src/b.txt"), None);
    }
}

#[test]
fn what_came_into_the_way_of_a_decided_apply_is_kept() {
    let run = run();
    // Killed right after it was decided.
    let step = (1..20)
        .find(|step| {
            let run = self::run();
            apply_killed_at(*step, &run.stage_path(), &run.project.root());
            matches!(run.stage.recover(&run.dir()), Ok(Recovered::Finished(_)))
        })
        .unwrap();
    assert!(!apply_killed_at(step, &run.stage_path(), &run.project.root()));
    run.project.file("src/a.txt", "a person's own").file("src/b.txt", "another");
    let Recovered::Finished(applied) = run.stage.recover(&run.dir()).unwrap() else { panic!() };
    assert_eq!(run.in_project("src/a.txt").as_deref(), Some("ONE"));
    let kept = applied.set_aside.iter().find(|aside| aside.path.to_string() == "src/a.txt").unwrap();
    assert_eq!(run.in_project(&kept.now_at.to_string()).as_deref(), Some("a person's own"));
    assert_eq!(run.in_project("src/b.txt").as_deref(), Some("another"));
}

#[test]
fn what_came_into_the_way_is_set_aside_also_where_its_name_is_as_long_as_can_be() {
    let long = "n".repeat(250);
    let mut aside = 0;
    for step in 1.. {
        let project = Project::empty();
        project.file(format!("src/{long}"), "one").file("src/z", "z");
        let run = Run::on(project, &["src"]);
        run.call(|guest| {
            for file in [&long, "z"] {
                guest.read_first(&format!("src/{file}"));
                guest.write(&format!("src/{file}"), "two").unwrap();
            }
        });
        if apply_killed_at(step, &run.stage_path(), &run.project.root()) {
            break;
        }
        run.project.file(format!("src/{long}"), "mine");
        let Recovered::Finished(applied) = run.stage.recover(&run.dir()).unwrap() else { continue };
        for it in applied.set_aside {
            assert_eq!(run.in_project(&it.now_at.to_string()).as_deref(), Some("mine"), "{step}");
            aside += 1;
        }
        assert_eq!(run.in_project("src/z").as_deref(), Some("two"), "{step}");
    }
    assert!(aside > 0);
}
