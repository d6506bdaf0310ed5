//! The worked example: planned, reviewed, decided, executed, evaluated, reported.

use crate::{planned, product, shown, tools_called};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::messages_api::worked_example::{TASKS, script};
use std::fs;

#[test]
fn the_approved_plan_is_worked_through_and_reported() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    for task in TASKS {
        assert!(waiting.stderr.contains(task.description), "{}", waiting.stderr);
    }
    assert_eq!(waiting.stdout, "", "nothing is a result yet");
    assert!(waiting.stderr.contains("model: anthropic"), "{}", waiting.stderr);

    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for claim in ["Python 3.10+ with Flask", "A live payment key", "shop/main.py"] {
        assert!(ended.stdout.contains(claim), "no `{claim}` in\n{}", ended.stdout);
    }
    let shown = shown(&product);
    assert_eq!(shown["stage"], "finished");
    assert_eq!(tools_called(&shown), ["list_files", "read_file", "analyze_code", "read_file"]);
    assert!(
        shown["state"]["iterations"].as_u64().is_some_and(|count| count <= 30),
        "{}",
        shown["state"]["iterations"]
    );
    assert_eq!(shown["receipts"].as_object().map(|all| all.len()), Some(4));
    assert_eq!(server.refused(), Vec::<String>::new(), "the real API would have refused these");
}

#[test]
fn each_task_is_decided_executed_and_evaluated_in_the_order_of_the_plan() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    product.run_printed(waiting.printed_command("--approve"), &server.env());
    let asked: Vec<_> =
        server.asked().iter().filter_map(|asked| Some((asked.stage?, asked.top_task()))).collect();
    let expected_len = 1 + 2 * TASKS.len() + 1;
    assert_eq!(asked.len(), expected_len, "{asked:?}");
    for (number, task) in TASKS.iter().enumerate() {
        for (_, top) in &asked[1 + 2 * number..3 + 2 * number] {
            assert!(top.as_ref().is_some_and(|top| top.starts_with(task.description)), "{top:?}");
        }
    }
}

#[test]
fn an_edited_plan_is_what_runs() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let file = product.home().join("计划.toml");
    let text = format!(
        "[[tasks]]\nid = \"entry\"\ndescription = \"{}\"\n\n[[tasks]]\nid = \"mine\"\ndescription = \"Say what README.md says\"\n",
        TASKS[2].description
    );
    fs::write(&file, text).unwrap();
    let command = waiting.printed_command("--edit").replace("PLAN.toml", "计划.toml");
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), ["analyze_code", "read_file"]);
    let plans = &shown["state"]["plans"];
    assert_eq!((&plans[0]["author"], &plans[1]["author"]), (&"model".into(), &"person".into()), "{plans}");
    assert_ne!(plans[0]["hash"], plans[1]["hash"]);
    assert!(ended.stdout.contains("Say what README.md says"), "{}", ended.stdout);
}

#[test]
fn the_reason_of_a_rejection_reaches_the_planner() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let command = waiting.printed_command("--reject").replace("WHY", "manifests come first");
    let again = product.run_printed(&command, &server.env());
    assert_eq!(again.code, Some(3), "{again:?}");
    let last = server.asked().pop().expect("the planner was asked again");
    assert!(last.user.contains("manifests come first"), "{}", last.user);
    let ended = product.run_printed(again.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}

#[test]
fn an_approval_of_a_plan_that_is_no_longer_current_is_refused() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let stale = waiting.printed_command("--approve").to_owned();
    product.run_printed(&waiting.printed_command("--reject").replace("WHY", "no"), &server.env());
    let refused = product.run_printed(&stale, &server.env());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(shown(&product)["stage"], "paused_for_review");
}

#[test]
fn added_tasks_come_after_the_planned_ones() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    fs::write(
        product.home().join("TASKS.toml"),
        "[[tasks]]\nid = \"mine\"\ndescription = \"Read README.md\"\n",
    )
    .unwrap();
    let ended = product.run_printed(waiting.printed_command("--add"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 5);
}

#[test]
fn yes_approves_the_plan_and_json_lines_name_the_model_first() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let arguments = [crate::WORKED_EXAMPLE, &["--yes", "--json"]].concat();
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(lines[0]["type"], "model");
    assert!(lines[0]["identity"].as_str().is_some_and(|name| name.starts_with("anthropic")), "{}", lines[0]);
    assert_eq!(lines.last().map(|line| &line["type"]), Some(&"report".into()));
}
