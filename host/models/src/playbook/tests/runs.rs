use super::folder::{Folder, sample};
use super::{PLAIN, Way, drive};
use crate::playbook::analyst::{About, Severity};

#[test]
fn the_sample_project_is_analysed_within_thirty_iterations() {
    let run = drive(&sample(), &Way { limit: 30, ..Way::default() });
    assert!(run.achieved, "{:#?}", run.done);
    assert!(run.iterations <= 30);
    let statuses: Vec<_> = run.done.iter().map(|task| task["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["completed"; 3]);
}

#[test]
fn the_whole_analysis_of_a_small_project_takes_three_calls_and_a_few_outlines() {
    let run = drive(&sample(), &Way::default());
    let tools = run.tools();
    assert_eq!(tools[..2], ["detect_stack", "map_code"]);
    assert_eq!(tools.last(), Some(&"find_problems"));
    assert!(tools[2..tools.len() - 1].iter().all(|tool| *tool == "analyze_code"), "{tools:?}");
    assert!(tools.len() <= 7 && run.iterations <= 23, "{tools:?}");
}

#[test]
fn the_mistakes_in_the_sample_are_found() {
    let run = drive(&sample(), &Way::default());
    let problems: Vec<_> = run
        .claims()
        .into_iter()
        .filter(|claim| claim.about == About::Problem && claim.severity >= Some(Severity::Low))
        .map(|claim| {
            (claim.topic, claim.evidence[0].file.clone().unwrap(), claim.evidence[0].lines.unwrap().0)
        })
        .collect();
    let expected = [
        ("python-eval", "shop/api/products.py", 19),
        ("python-sql-injection", "shop/db/store.py", 27),
        ("python-secret", "shop/settings.py", 8),
        ("python-weak-hash", "shop/api/orders.py", 19),
    ];
    let expected: Vec<_> =
        expected.map(|(rule, file, line)| (rule.to_owned(), file.to_owned(), line)).to_vec();
    assert_eq!(problems, expected);
}

#[test]
fn the_files_that_others_rest_on_and_that_begin_are_outlined() {
    let run = drive(&sample(), &Way::default());
    let outlined: Vec<&str> = run
        .observations
        .iter()
        .filter(|seen| seen["tool"] == "analyze_code")
        .filter_map(|seen| seen["input"]["file_path"].as_str())
        .collect();
    assert!(outlined.contains(&"shop/db/store.py") && outlined.contains(&"shop/main.py"), "{outlined:?}");
}

#[test]
fn with_the_tools_for_files_alone_the_rest_is_done_and_the_lack_is_said() {
    let run = drive(&sample(), &Way { tools: PLAIN, limit: 50, ..Way::default() });
    assert!(run.achieved, "{:#?}", run.done);
    assert_eq!(run.done.len(), 2, "problems can't be searched for");
    let claims = run.claims();
    let of = |topic: &str| claims.iter().find(|claim| claim.topic == topic).unwrap();
    assert!(of("languages").text.starts_with("Code by size: Python "), "{}", of("languages").text);
    assert!(of("manifests").text.contains("`pyproject.toml`"), "{}", of("manifests").text);
    assert!(claims.iter().any(|claim| claim.topic == "outline"));
    assert!(of("not-searched").text.contains("no call of `find_problems` was made"));
}

#[test]
fn with_reading_alone_the_usual_manifests_are_tried() {
    let run = drive(&sample(), &Way { tools: &["read_file"], ..Way::default() });
    assert!(run.claims().iter().any(|claim| claim.topic == "manifests"));
}

#[test]
fn further_pages_are_fetched_and_counted_once() {
    let mut folder = sample();
    for index in 0..30 {
        folder.files.insert(format!("shop/more{index:02}.py"), "def f(x):\n    return eval(x)\n".to_owned());
    }
    folder.shows = Some(12);
    let run = drive(&folder, &Way { limit: 100, ..Way::default() });
    let calls = |tool: &str| run.tools().iter().filter(|called| **called == tool).count();
    assert_eq!((calls("map_code"), calls("find_problems")), (4, 3));
    let claims = run.claims();
    let of = |topic: &str| claims.iter().find(|claim| claim.topic == topic).unwrap();
    assert_eq!(of("python-eval").text, "Text is run as code: 31 places in 31 files.");
    assert_eq!(of("coverage").partial, None, "{}", of("coverage").text);
    assert_eq!(of("layout").partial, None);
}

#[test]
fn an_empty_folder_is_reported_as_empty() {
    let run = drive(&Folder::default(), &Way::default());
    assert!(run.achieved);
    assert!(run.task("stack")["summary"].as_str().unwrap().contains("hold no files"));
    assert!(run.claims().iter().any(|claim| claim.text == "The granted folders hold no files."));
    let plain = drive(&Folder::default(), &Way { tools: PLAIN, ..Way::default() });
    assert!(plain.achieved && plain.questions.is_empty(), "{:#?}", plain.done);
}

#[test]
fn a_folder_without_code_is_no_failure() {
    let folder = Folder::of(&[("README.md", "# Notes\n"), ("notes/a.txt", "hello\n"), ("data.csv", "1,2\n")]);
    let run = drive(&folder, &Way::default());
    assert!(run.achieved, "{:#?}", run.done);
    assert!(run.claims().iter().all(|claim| claim.severity.is_none()));
}

#[test]
fn a_grant_of_one_folder_is_enough() {
    let mut folder = sample();
    folder.files.retain(|path, _| path.starts_with("shop/"));
    let run = drive(&folder, &Way::default());
    assert!(run.achieved, "{:#?}", run.done);
    let text = serde_json::to_string(&run.claims()).unwrap();
    assert!(!text.contains("web/") && !text.contains("pyproject"), "{text}");
}

#[test]
fn a_listing_that_is_cut_is_completed_and_said_to_be() {
    let mut folder = sample();
    for index in 0..50 {
        folder.files.insert(format!("data/{index:03}.json"), "{}".to_owned());
    }
    folder.shows = Some(30);
    let run = drive(&folder, &Way { tools: PLAIN, ..Way::default() });
    assert!(run.achieved);
    assert!(run.tools().iter().filter(|tool| **tool == "list_files").count() > 1);
    let claims = run.claims();
    let of = |topic: &str| claims.iter().find(|claim| claim.topic == topic).unwrap();
    // The second listing is of code and manifests alone, and complete.
    assert_eq!(run.observations[1]["value"]["cut"], false);
    assert_eq!((of("languages").partial.as_deref(), of("layout").partial.as_deref()), (None, None));
}

#[test]
fn nothing_works_so_nothing_is_claimed() {
    let folder = Folder { broken: super::ALL.to_vec(), ..sample() };
    let run = drive(&folder, &Way::default());
    assert!(!run.achieved);
    assert!(run.done.iter().all(|task| task["status"] == "failed"), "{:#?}", run.done);
    let claims = run.claims();
    assert_eq!(claims.iter().map(|claim| claim.topic.as_str()).collect::<Vec<_>>(), ["not-searched"]);
    assert!(claims[0].text.contains("denied: not granted"), "{}", claims[0].text);
}

#[test]
fn one_broken_tool_costs_its_own_results_only() {
    let folder = Folder { broken: vec!["analyze_code"], ..sample() };
    let run = drive(&folder, &Way::default());
    assert!(run.achieved, "{:#?}", run.done);
    assert_eq!(run.task("problems")["status"], "completed");
}

#[test]
fn a_plan_fits_the_iterations_that_there_are() {
    for limit in [8, 11, 14, 17, 20, 24, 30, 40, 50, 100] {
        let run = drive(&sample(), &Way { limit, ..Way::default() });
        assert!(run.achieved, "{limit}: {:#?}", run.done);
    }
}

#[test]
#[ignore = "reads folders that RINGFENCE_FOLDERS names, to look at what is claimed about them"]
fn claims_about_folders_on_this_machine() {
    let folders = std::env::var("RINGFENCE_FOLDERS").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        let run = drive(&Folder::load(std::path::Path::new(folder)), &Way::default());
        println!("\n=== {folder}: {} iterations, achieved {}", run.iterations, run.achieved);
        for seen in &run.observations {
            let input: String = seen["input"].to_string().chars().take(140).collect();
            println!("  {} {} {input}", seen["step"], seen["tool"]);
        }
        for task in &run.done {
            println!("  * {}: {}", task["id"], task["summary"]);
        }
        for claim in run.claims() {
            println!("- [{:?} {} {:?}] {}", claim.about, claim.topic, claim.severity, claim.text);
            for item in claim.items.iter().take(40) {
                let place = item.evidence.lines.map_or(0, |lines| lines.0);
                println!(
                    "    {} | {} | {}:{place}",
                    item.text,
                    item.detail,
                    item.evidence.file.as_deref().unwrap_or("-")
                );
            }
        }
    }
}
