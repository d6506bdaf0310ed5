use super::ALL;
use super::folder::{Folder, sample};
use super::taskless::{Road, pipeline};
use serde_json::Value;

const LIMITS: [u32; 6] = [3, 4, 5, 10, 15, 30];

#[test]
fn the_answer_comes_in_time_however_few_iterations_there_are() {
    let cut = Folder { shows: Some(6), ..sample() };
    let notes = Folder::of(&[("README.md", "# Notes\n"), ("a.txt", "hello\n")]);
    for folder in [sample(), cut, notes, Folder::default()] {
        for limit in LIMITS {
            let walk = pipeline(&folder, &Road { limit, ..Road::default() });
            assert!(!walk.observations.is_empty(), "{limit}: nothing was looked at");
            assert!(walk.answer().contains("## Technology stack"), "{}", walk.answer());
        }
    }
    let walk = pipeline(&sample(), &Road { limit: 3, ..Road::default() });
    assert!(walk.answer().contains("## Possible problems\n\n- None were searched for."), "{}", walk.answer());
}

#[test]
fn fifteen_stages_show_something_of_each_kind() {
    let walk = pipeline(&sample(), &Road::default());
    assert_eq!(
        walk.tools(),
        ["detect_stack", "find_problems", "map_code", "analyze_code", "analyze_code", "analyze_code"]
    );
    for said in ["`flask", "By name: `shop`, `shop/api`", "shop/db/store.py:27", "**high**", "## Modules"] {
        assert!(walk.answer().contains(said), "no {said} in\n{}", walk.answer());
    }
    assert!(walk.answer().contains("The cap of 15 iterations left no room for "), "{}", walk.answer());
    assert!(!walk.answer().contains("9f8a7b6c"), "a secret is told");
}

#[test]
fn with_room_for_it_all_problems_of_the_sample_are_found_and_nothing_is_left_over() {
    let walk = pipeline(&sample(), &Road { limit: 200, ..Road::default() });
    let problems: Vec<&Value> = walk.claims.iter().filter(|claim| claim["about"] == "problem").collect();
    assert!(
        problems.len() == 4 && problems.iter().all(|claim| claim["severity"].is_string()),
        "{problems:#?}"
    );
    assert!(!walk.answer().contains("left no room"), "{}", walk.answer());
}

#[test]
fn every_claim_names_a_step_that_has_a_result_and_shows_its_file() {
    let broken = Folder { broken: vec!["analyze_code"], ..sample() };
    for (folder, limit) in [(sample(), 15), (sample(), 50), (broken, 50)] {
        let walk = pipeline(&folder, &Road { limit, ..Road::default() });
        assert!(!walk.claims.is_empty());
        for place in walk.claims.iter().flat_map(|claim| claim["evidence"].as_array().unwrap()) {
            let seen = walk.observations.iter().find(|seen| seen["step"] == place["step"]).unwrap();
            assert_eq!(seen["status"], "done");
            if let Some(file) = place["file"].as_str() {
                assert!(format!("{}{}", seen["input"], seen["value"]).contains(file), "{file}");
            }
            assert!(place["first_line"].as_u64() <= place["last_line"].as_u64());
        }
    }
}

#[test]
fn a_person_is_asked_only_where_no_tool_is_offered_and_only_once() {
    let walk = pipeline(&sample(), &Road { tools: &[], ..Road::default() });
    assert_eq!((walk.questions.len(), walk.iterations), (1, 2));
    assert!(walk.answer().contains("Nothing can be reported"), "{}", walk.answer());
    let walk = pipeline(&sample(), &Road { tools: &["word_count"], ..Road::default() });
    assert!(walk.questions.is_empty() && walk.answer().contains("None of the tools"), "{}", walk.answer());
    assert!(pipeline(&sample(), &Road { tools: ALL, ..Road::default() }).questions.is_empty());
}

#[test]
fn a_tool_that_is_refused_is_given_up_and_said_to_be() {
    let folder = Folder { broken: vec!["analyze_code"], ..sample() };
    let walk = pipeline(&folder, &Road { limit: 30, ..Road::default() });
    assert_eq!(walk.tools().iter().filter(|tool| **tool == "analyze_code").count(), 2);
    assert!(walk.answer().contains("Given up after failures in a row: `analyze_code`."), "{}", walk.answer());
    let folder = Folder { broken: ALL.to_vec(), ..sample() };
    let walk = pipeline(&folder, &Road { limit: 50, ..Road::default() });
    assert!(walk.answer().starts_with("Nothing can be reported") && walk.claims.is_empty());
}

#[test]
fn with_fewer_tools_the_rest_is_done_and_the_lack_is_said() {
    for tools in [&["read_file"][..], &["list_files"], &["read_file", "list_files", "analyze_code"]] {
        for limit in LIMITS {
            let walk = pipeline(&sample(), &Road { tools, limit, ..Road::default() });
            assert!(walk.answer().contains("Not offered, so not used: "), "{}", walk.answer());
        }
    }
    let walk = pipeline(&sample(), &Road { tools: &["read_file"], limit: 30, ..Road::default() });
    assert!(walk.answer().contains("Manifests that were read: `pyproject.toml`"), "{}", walk.answer());
}

#[test]
fn rejected_calls_are_left_out_and_said_to_be() {
    let rejects = |tool: &str, _: &Value| tool == "find_problems";
    let walk = pipeline(&sample(), &Road { rejects: &rejects, limit: 30, ..Road::default() });
    assert!(walk.tools().contains(&"map_code") && !walk.tools().contains(&"find_problems"));
    let said = "A person rejected 1 proposed call; the latest reason: not here";
    assert!(walk.answer().contains(said), "{}", walk.answer());
    for limit in LIMITS {
        let walk = pipeline(&sample(), &Road { rejects: &|_, _| true, limit, ..Road::default() });
        assert!(walk.answer().starts_with("Nothing can be reported"), "{}", walk.answer());
    }
}

#[test]
fn a_rejected_end_leads_to_more_calls_where_there_is_room_and_else_to_an_answer_that_says_so() {
    let once = pipeline(&sample(), &Road { limit: 60, ..Road::default() });
    let more = pipeline(&sample(), &Road { limit: 200, again: 2, ..Road::default() });
    assert_eq!(more.answers.len(), 3);
    assert!(more.observations.len() > once.observations.len());
    for answer in &more.answers[1..] {
        let said =
            "A person said to the proposed end: \"look at the tests too\". The playbook can't follow words";
        assert!(answer.starts_with(said), "{answer}");
    }
    for limit in [3, 10, 15, 30] {
        let walk = pipeline(&sample(), &Road { limit, again: 1_000, ..Road::default() });
        assert_eq!(walk.iterations, limit);
    }
}
