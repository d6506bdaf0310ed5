//! Models that answer nonsense, servers that fail.

use crate::{WORKED_EXAMPLE, planned, product, shown, tools_called};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};

const NONSENSE: &str = "Sure! Here is what I think: {\"reasoning\": \"unfinished zebra";

#[test]
fn one_malformed_reply_at_each_stage_is_asked_for_again_and_never_shown_to_the_model() {
    let mut spoilt = Vec::new();
    let server = MessagesApi::start(move |asked| match asked.stage {
        Some(stage) if !spoilt.contains(&stage) => {
            spoilt.push(stage);
            Answer::text(NONSENSE)
        }
        _ => answer(asked),
    });
    let product = product();
    let waiting = planned(&product, &server);
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for asked in server.asked() {
        assert!(!asked.user.contains("unfinished zebra"), "{}", asked.user);
    }
    for stage in [Stage::Plan, Stage::Decide, Stage::Evaluate] {
        assert!(server.asked_for(stage).len() >= 3, "{stage:?} was asked again");
    }
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), ["list_files", "read_file", "analyze_code", "read_file"]);
    assert!(
        shown["state"]["notes"].as_array().is_some_and(|notes| notes.len() >= 3),
        "{}",
        shown["state"]["notes"]
    );
}

#[test]
fn a_model_that_never_answers_usably_ends_the_command_with_5_and_loses_nothing() {
    let server = MessagesApi::start(|_| Answer::text(NONSENSE));
    let product = product();
    product.copy_of("examples/my_project");
    let ended = product.run(WORKED_EXAMPLE, &server.env());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(server.asked().len(), 4, "one re-ask, one recovery with its own re-ask, and no more");

    let healthy = MessagesApi::start(script());
    let again = product.run_printed(ended.printed_command("--approve"), &healthy.env());
    assert_eq!(again.code, Some(3), "{again:?}");
}

#[test]
fn a_server_that_fails_now_and_then_only_costs_time() {
    let mut failures = vec![
        Answer::rate_limited(20),
        Answer::overloaded(),
        Answer::internal_error(),
        Answer::Close,
        Answer::CloseInBody,
    ]
    .into_iter();
    let mut turn = 0;
    let server = MessagesApi::start(move |asked| {
        turn += 1;
        match turn % 2 {
            1 => failures.next().unwrap_or_else(|| answer(asked)),
            _ => answer(asked),
        }
    });
    let product = product();
    let waiting = planned(&product, &server);
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}

#[test]
fn a_run_whose_server_is_away_goes_on_when_it_is_back() {
    let product = product();
    product.copy_of("examples/my_project");
    let address = MessagesApi::start(script()).env();
    let ended = product.run(WORKED_EXAMPLE, &address);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(
        ended.stderr.contains("could not be reached") || ended.stderr.contains("No answer came"),
        "{}",
        ended.stderr
    );
    let server = MessagesApi::start(script());
    let again = product.run_printed(ended.printed_command("resume"), &server.env());
    assert_eq!(again.code, Some(3), "{again:?}");
}

#[test]
fn a_refused_key_is_told_and_never_printed() {
    let server = MessagesApi::start(script());
    let product = product();
    product.copy_of("examples/my_project");
    let [url, _] = server.env();
    let ended = product.run(WORKED_EXAMPLE, &[url, ("ANTHROPIC_API_KEY", "sk-ant-secret-zebra".to_owned())]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stderr.contains("401"), "{}", ended.stderr);
    assert!(!format!("{ended:?}").contains("zebra"));
    assert!(!shown(&product).to_string().contains("zebra"));
}

#[test]
fn a_goal_of_ones_own_without_a_model_is_refused_before_anything_is_kept() {
    let product = product();
    product.copy_of("examples/my_project");
    let ended = product.run(&["run", "my_project", "什么是最大的问题?"], &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for way in ["ANTHROPIC_API_KEY", "--model", "leave the goal out"] {
        assert!(ended.stderr.contains(way), "{}", ended.stderr);
    }
    assert_eq!(product.run(&["runs", "--json"], &[]).stdout.trim(), "[]");
}

#[test]
fn a_goal_in_chinese_is_planned_and_reported() {
    let server = MessagesApi::start(script());
    let product = product();
    product.copy_of("examples/my_project");
    let goal = "分析项目的主要技术栈、核心模块结构，并找出可能存在的问题";
    let ended = product.run(&["run", "my_project", goal, "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains(goal), "{}", ended.stdout);
    assert!(server.asked()[0].user.contains(goal));
}
