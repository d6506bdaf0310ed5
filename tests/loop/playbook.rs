//! The built-in analysis: no model, no network, and a report from the journal alone.

use crate::{product, shown};
use ringfence_tests::product::snapshot;
use std::fs;

#[test]
fn the_sample_is_analysed_without_a_model_and_its_planted_problems_are_found() {
    let product = product();
    let project = product.copy_of("examples/my_project");
    let before = snapshot(&project);
    let ended = product.run(&["run", "my_project", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("model: playbook"), "{}", ended.stderr);
    for found in ["Flask", "React", "shop/main.py", "shop/settings.py", "shop/db/store.py", "eval"] {
        assert!(ended.stdout.contains(found), "no `{found}` in\n{}", ended.stdout);
    }
    assert_eq!(snapshot(&project), before, "nothing is written into the project");
}

#[test]
fn the_report_is_the_same_when_the_project_is_gone() {
    let product = product();
    let project = product.copy_of("examples/my_project");
    let ended = product.run(&["run", "my_project", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    fs::remove_dir_all(project).unwrap();
    let report = product.run(&["report", ended.run_id()], &[]);
    assert_eq!((report.code, &report.stdout), (Some(0), &ended.stdout));
    let json = product.run(&["report", ended.run_id(), "--format", "json"], &[]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert!(json["findings"].as_array().is_some_and(|findings| !findings.is_empty()));
}

#[test]
fn a_narrower_grant_leaves_no_fact_from_outside_it_in_the_report() {
    let product = product();
    product.copy_of("examples/my_project");
    let ended = product.run(&["run", "my_project", "--dir", "shop", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for outside in ["web/", "products.tsx", "React", "hatchling", "tests/test_store.py"] {
        assert!(!ended.stdout.contains(outside), "`{outside}` is in\n{}", ended.stdout);
    }
    assert!(ended.stdout.contains("shop/settings.py"), "{}", ended.stdout);
    for receipt in shown(&product)["receipts"].as_object().expect("receipts").values() {
        for opened in receipt["opened"].as_array().expect("a list") {
            let path = opened["path"].as_str().expect("a path");
            assert!(path.is_empty() || path == "shop" || path.starts_with("shop/"), "{path}");
        }
    }
}

#[test]
fn a_folder_with_names_in_chinese_is_analysed() {
    let product = product();
    let folder = product.home().join("我的项目");
    fs::create_dir_all(folder.join("源码")).unwrap();
    fs::write(folder.join("源码/主程序.py"), "def 主():\n    return eval(input())\n").unwrap();
    let ended = product.run(&["run", "我的项目", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("源码/主程序.py"), "{}", ended.stdout);
}

#[test]
fn an_empty_folder_is_no_failure() {
    let product = product();
    fs::create_dir(product.home().join("empty")).unwrap();
    let ended = product.run(&["run", "empty", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_folder_that_isn_t_there_and_a_grant_that_isn_t_there_are_usage_errors() {
    let product = product();
    product.copy_of("examples/my_project");
    for arguments in [
        &["run", "nowhere"][..],
        &["run", "my_project", "--dir", "nowhere"],
        &["run", "my_project", "--dir", "../x"],
    ] {
        let ended = product.run(arguments, &[]);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn a_person_who_rejects_every_call_is_asked_once_and_the_run_ends() {
    let product = product();
    product.copy_of("examples/my_project");
    let mut ended = product.run(&["run", "my_project", "--pause", "before_tool"], &[]);
    let id = ended.run_id().to_owned();
    let mut questions = 0;
    for _ in 0..40 {
        if ended.code != Some(3) {
            break;
        }
        let question = ended.stderr.contains("--answer 'TEXT'");
        questions += u32::from(question);
        let small = ended.stderr.contains(r#"list_files {"directory":".","max_entries":1}"#);
        let answer: &[&str] = match (question, small) {
            (true, _) => &["--answer", "find another way"],
            (false, true) => &["--approve"],
            (false, false) => &["--reject", "not on this project"],
        };
        ended = product.run(&[&["resume", &id], answer].concat(), &[]);
    }
    assert_eq!((ended.code, questions), (Some(1), 1), "{ended:?}");
    assert!(ended.stdout.contains("3 of 3 tasks failed: stack, structure, problems"));
    assert!(ended.stdout.contains("The latest reason: not on this project"), "{}", ended.stdout);
}

#[test]
fn a_plan_that_is_rejected_twice_ends_the_run_and_says_what_to_do_instead() {
    let product = product();
    product.copy_of("examples/my_project");
    let first = product.run(&["run", "my_project"], &[]);
    assert_eq!(first.code, Some(3), "{first:?}");
    let resume = ["resume", first.run_id(), "--reject", "look at the documents"];
    let again = product.run(&resume, &[]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(again.stderr.contains("Why: The playbook has only this plan"), "{}", again.stderr);
    let last = product.run(&resume, &[]);
    assert_eq!(last.code, Some(1), "{last:?}");
    assert!(last.stdout.contains("edit it to remove, reorder or add tasks"), "{}", last.stdout);
}

#[test]
fn a_run_of_few_iterations_reports_what_it_left_out() {
    let product = product();
    product.copy_of("examples/my_project");
    let ended = product.run(&["run", "my_project", "--yes", "--max-iterations", "9"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = "- Left out: The run was limited to 9 iterations; not planned: structure.";
    assert!(ended.stdout.contains(said), "no `{said}` in\n{}", ended.stdout);
}
