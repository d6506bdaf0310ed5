//! Pauses, limits, and what a finished run still answers.

use crate::{WORKED_EXAMPLE, planned, product, shown, tools_called};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use serde_json::json;

#[test]
fn before_tool_asks_for_every_call_and_an_edited_input_is_what_is_called() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let mut arguments = WORKED_EXAMPLE.to_vec();
    arguments[6] = "before_tool";
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    // The first pause may be the plan's: `after_plan` is on unless it was switched off.
    let waiting = match waiting.stderr.contains("list_files {") {
        true => waiting,
        false => product.run_printed(waiting.printed_command("--approve"), &server.env()),
    };
    assert!(waiting.stderr.contains("list_files"), "{}", waiting.stderr);
    std::fs::write(product.home().join("INPUT.json"), r#"{"directory": "shop"}"#).unwrap();
    let next = product.run_printed(waiting.printed_command("--edit"), &server.env());
    assert_eq!(next.code, Some(3), "{next:?}");
    let shown = shown(&product);
    assert_eq!(shown["state"]["history"][0]["deed"]["input"], json!({"directory": "shop"}));
}

#[test]
fn a_model_that_repeats_itself_is_told_so_at_the_fifth_equal_call_and_paused_at_the_fifth_after() {
    let server = MessagesApi::start(|asked| match asked.stage {
        Some(Stage::Reflect) => Answer::Json(json!({
            "assessment": "the same folder again and again",
            "instruction": "read pyproject.toml instead", "confidence": "high",
        })),
        Some(Stage::Evaluate) => Answer::Json(json!({
            "reasoning": "more", "sub_task_status": "needs_more_work", "summary": "again",
            "suggested_next_step": "again", "confidence": "low",
        })),
        _ => answer(asked),
    });
    let product = product();
    product.copy_of("examples/my_project");
    let mut arguments = [WORKED_EXAMPLE, &["--yes"]].concat();
    arguments[4] = "40";
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 10);
    assert!(ended.stderr.contains("repeats itself"), "{}", ended.stderr);
    assert_eq!(server.asked_for(Stage::Reflect).len(), 1, "one review, then a person");
    let told = server
        .asked_for(Stage::Decide)
        .last()
        .is_some_and(|asked| asked.user.contains("read pyproject.toml instead"));
    assert!(told, "the review's instruction reaches the decider");
}

#[test]
fn the_iteration_cap_ends_a_run_with_4_and_a_report() {
    let (product, server) = (product(), MessagesApi::start(script()));
    product.copy_of("examples/my_project");
    let mut arguments = [WORKED_EXAMPLE, &["--yes"]].concat();
    arguments[4] = "5";
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stdout.contains("list_files"), "the report tells what was done:\n{}", ended.stdout);
}

#[test]
fn a_finished_run_prints_its_result_again_and_takes_no_answer() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let again = product.run(&["resume", &id], &[]);
    assert_eq!((again.code, &again.stdout), (Some(0), &ended.stdout));
    let refused = product.run(&["resume", &id, "--abort"], &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_question_of_the_model_is_never_answered_by_yes_and_the_answer_reaches_it() {
    let mut asked_once = false;
    let server = MessagesApi::start(move |asked| match asked.stage {
        Some(Stage::Decide) if !asked_once => {
            asked_once = true;
            Answer::Json(json!({
                "reasoning": "unclear", "action": "human_help", "action_input": {},
                "query_to_human": "Which part matters most?", "confidence": "low",
            }))
        }
        _ => answer(asked),
    });
    let product = product();
    product.copy_of("examples/my_project");
    let waiting = product.run(&[WORKED_EXAMPLE, &["--yes"]].concat(), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert!(waiting.stderr.contains("Which part matters most?"), "{}", waiting.stderr);
    let command = waiting.printed_command("--answer").replace("TEXT", "the payment code");
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(server.asked().iter().any(|asked| asked.user.contains("the payment code")));
}

#[test]
fn an_aborted_run_ends_with_1() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let ended = product.run_printed(waiting.printed_command("--abort"), &server.env());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(shown(&product)["stage"], "failed");
}

#[test]
fn a_project_folder_that_became_a_link_isn_t_worked_on() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let waiting = planned(&product, &server);
    let home = product.home();
    std::fs::rename(home.join("my_project"), home.join("gone")).unwrap();
    std::fs::create_dir(home.join("other")).unwrap();
    std::os::unix::fs::symlink(home.join("other"), home.join("my_project")).unwrap();
    let refused = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("not the folder that the run was started on"), "{}", refused.stderr);
    assert_eq!(shown(&product)["stage"], "paused_for_review");
}

#[test]
fn a_run_goes_on_with_another_model_where_one_is_named() {
    let product = product();
    product.copy_of("examples/my_project");
    let gone = MessagesApi::start(script()).env();
    let ended = product.run(WORKED_EXAMPLE, &gone);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let server = MessagesApi::start(script());
    let [(_, url), key] = server.env();
    let command = format!("{} --model anthropic --base-url {url}", ended.printed_command("resume"));
    let again = product.run_printed(&command, &[key]);
    assert_eq!(again.code, Some(3), "{again:?}");
}
