//! The worked example in the flows that don't plan: the pipeline and react.

use crate::{journaled, of_kind, product, run_of, sample, saying, shown, signal, tools_called, trusting};
use ringfence_tests::messages_api::worked_example::one_stage::{ANSWER, README_READ};
use ringfence_tests::messages_api::worked_example::{GOAL, answer, script};
use ringfence_tests::messages_api::{Answer, Asked, Called, MessagesApi, Stage};
use ringfence_tests::product::wait;
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// The tools of the worked example, in order.
const TOOLS: [&str; 4] = ["list_files", "read_file", "analyze_code", "read_file"];

/// Who asks the model in a flow.
const ASKERS: [(&str, Stage); 2] = [("pipeline", Stage::Reason), ("react", Stage::Converse)];

#[test]
fn the_pipeline_decides_each_call_and_answers_with_claims() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let ended = product.run(&run_of(&["--flow", "pipeline"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new(), "the real API would have refused these");
    assert_eq!(server.asked_for(Stage::Reason).len(), 5);
    assert_eq!(server.asked().len(), 5, "nobody else is asked");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), TOOLS);
    assert_eq!(shown["state"]["iterations"], 9, "five decisions, four calls");
    assert!(shown["state"]["answer"].as_str().is_some_and(|text| text.starts_with(ANSWER)), "{shown}");
    assert_eq!(shown["receipts"].as_object().map(|all| all.len()), Some(4));
    assert!(ended.stdout.contains("Finished with an answer."), "{}", ended.stdout);
    assert!(ended.stdout.contains(ANSWER), "{}", ended.stdout);
    for claim in ["Python 3.10+ with Flask", "A live payment key", "shop/main.py"] {
        assert!(ended.stdout.contains(claim), "no `{claim}` in\n{}", ended.stdout);
    }
}

#[test]
fn react_asks_for_several_tools_in_a_turn_and_only_ever_adds_to_the_conversation() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let ended = product.run(&run_of(&["--flow", "react"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new(), "the real API would have refused these");
    let asked = server.asked_for(Stage::Converse);
    assert_eq!(asked.len(), 3, "one call, three calls, the answer");
    for pair in asked.windows(2) {
        let (before, after) = (messages(&pair[0]), messages(&pair[1]));
        assert_eq!(after[..before.len()], before[..]);
        assert_eq!(pair[0].system, pair[1].system);
    }
    let last = messages(&asked[2]);
    let results = last[4]["content"].as_array().expect("results");
    let ids: Vec<_> = results.iter().map(|result| &result["tool_use_id"]).collect();
    let calls =
        last[3]["content"].as_array().expect("calls").iter().filter(|block| block["type"] == "tool_use");
    assert_eq!(ids, calls.map(|call| &call["id"]).collect::<Vec<_>>(), "each result in its call's place");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), TOOLS);
    assert_eq!(shown["state"]["iterations"], 3, "a turn with its tools is one step");
    assert!(shown["state"]["answer"].as_str().is_some_and(|text| text.starts_with(ANSWER)), "{shown}");
    assert!(ended.stdout.contains("Finished with an answer."), "{}", ended.stdout);
    assert!(ended.stdout.contains(ANSWER), "{}", ended.stdout);
}

/// The messages of a request without marks for the cache, which move.
fn messages(asked: &Asked) -> Vec<Value> {
    let mut messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
    for block in
        messages.iter_mut().flat_map(|message| message["content"].as_array_mut().into_iter().flatten())
    {
        block.as_object_mut().and_then(|block| block.remove("cache_control"));
    }
    messages
}

#[test]
fn the_caps_are_15_for_the_pipeline_and_10_for_react() {
    let mut number = 0;
    let server = MessagesApi::start(move |asked| {
        number += 1;
        let input = json!({ "directory": ".", "max_entries": number });
        match asked.stage {
            Some(Stage::Reason) => Answer::Json(json!({
                "thought": "more", "decision": "CALL_TOOL", "confidence": "high",
                "details": { "tool_name": "list_files", "tool_input": input },
            })),
            _ => Answer::calls("More.", [Called::new("list_files", input.to_string())]),
        }
    });
    // A call that nobody would be asked about any more isn't made.
    for (flow, cap, calls) in [("pipeline", 15, 7), ("react", 10, 9)] {
        let product = sample();
        let ended = product.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(ended.code, Some(4), "{ended:?}");
        let shown = shown(&product);
        assert_eq!(shown["state"]["iterations"], cap, "{flow}");
        assert!(ended.stderr.contains(&format!("{cap} iterations are used up")), "{}", ended.stderr);
        assert_eq!(tools_called(&shown).len(), calls, "{flow}");
    }
}

#[test]
fn a_trusted_project_says_which_flow_it_wants_and_a_flag_says_otherwise() {
    let (product, server) = (product(), MessagesApi::start(script()));
    let folder = product.copy_of("examples/my_project");
    std::fs::write(folder.join("ringfence.toml"), "flow = \"pipeline\"\n").unwrap();
    let refused = product.run(&run_of(&[]), &server.env());
    assert_eq!(server.asked().len(), 0, "nothing was asked before it was trusted");
    let ended = product.run_printed(trusting(&refused), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(shown(&product)["state"]["settings"]["flow"], "pipeline");
    assert_eq!(server.asked_for(Stage::Reason).len(), 5);
    let ended = product.run(&run_of(&["--flow", "react"]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.asked_for(Stage::Converse).len(), 3);
}

#[test]
fn a_killed_run_goes_on_where_it_was_without_doing_anything_twice() {
    for (flow, _) in ASKERS {
        // At the first request, in the middle, before the answer.
        for killed_at in [0, 1, 2] {
            // Only the server that spoke knows what it said, so it has to be the same one.
            let server = MessagesApi::start(move |asked| match asked.number {
                number if number == killed_at => Answer::Hang,
                _ => answer(asked),
            });
            let product = sample();
            let child = product.start(&run_of(&["--flow", flow]), &server.env());
            assert!(server.wait_for(killed_at + 1, PATIENCE));
            signal(&child, "-KILL");
            assert_eq!(wait(child).code, None);
            let killed = shown(&product);
            let id = killed["id"].as_str().expect("an id");
            let ended = product.run(&["resume", id, "--yes"], &server.env());
            assert_eq!(ended.code, Some(0), "{flow}, killed at {killed_at}: {ended:?}");
            let resumed = shown(&product);
            assert_eq!(tools_called(&resumed), TOOLS, "{flow}, killed at {killed_at}");
            assert!(TOOLS.starts_with(&as_str(&tools_called(&killed))));
            assert_eq!(resumed["receipts"].as_object().map(|all| all.len()), Some(4));
            assert_eq!(of_kind(&journaled(&product), "tool_finished").len(), 4);
            assert_eq!(server.refused(), Vec::<String>::new());
        }
    }
}

fn as_str(tools: &[String]) -> Vec<&str> {
    tools.iter().map(String::as_str).collect()
}

#[test]
fn a_person_s_answer_to_the_model_s_question_reaches_it_and_the_run_goes_on() {
    for (flow, stage) in ASKERS {
        let mut asked_once = false;
        let server = MessagesApi::start(move |asked| match asked.stage {
            Some(Stage::Reason) if !asked_once => {
                asked_once = true;
                Answer::Json(json!({
                    "thought": "unclear", "decision": "NEED_MORE_INFO", "confidence": "low",
                    "details": { "question": "Which part matters most?" },
                }))
            }
            Some(Stage::Converse) if !asked_once => {
                asked_once = true;
                let question = r#"{"question": "Which part matters most?"}"#;
                Answer::calls("I can't tell.", [Called::new("human_help", question)])
            }
            _ => answer(asked),
        });
        let product = sample();
        let waiting = product.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(waiting.code, Some(3), "{waiting:?}");
        assert!(waiting.stderr.contains("Which part matters most?"), "{}", waiting.stderr);
        let command = saying(waiting.printed_command("--answer"), "the payment code");
        let ended = product.run_printed(&format!("{command} --yes"), &server.env());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let asked = server.asked_for(stage);
        assert!(asked[1].user.contains("the payment code"), "{}", asked[1].user);
        assert_eq!(server.refused(), Vec::<String>::new());
        assert_eq!(tools_called(&shown(&product)), TOOLS);
    }
}

#[test]
fn a_person_who_rejects_the_end_sends_the_model_back_to_work() {
    for (flow, stage) in ASKERS {
        let (product, server) = (sample(), MessagesApi::start(script()));
        let arguments: Vec<_> = run_of(&["--flow", flow, "--pause", "before_finish"]);
        let arguments: Vec<_> = arguments.into_iter().filter(|word| *word != "--yes").collect();
        let waiting = product.run(&arguments, &server.env());
        assert_eq!(waiting.code, Some(3), "{waiting:?}");
        assert!(waiting.stderr.contains(ANSWER), "the answer is shown first:\n{}", waiting.stderr);
        let command = saying(waiting.printed_command("--reject"), "README.md is left out");
        let again = product.run_printed(&command, &server.env());
        assert_eq!(again.code, Some(3), "{again:?}");
        assert!(again.stderr.contains(README_READ), "{}", again.stderr);
        let told = server.asked_for(stage).iter().any(|asked| asked.user.contains("README.md is left out"));
        assert!(told, "the reason reaches the model");
        let ended = product.run_printed(again.printed_command("--approve"), &server.env());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let shown = shown(&product);
        assert_eq!(tools_called(&shown).len(), 5);
        assert!(shown["state"]["answer"].as_str().is_some_and(|text| text.contains(README_READ)));
        assert_eq!(server.refused(), Vec::<String>::new());
    }
}

#[test]
fn a_refused_call_of_a_turn_is_told_and_the_others_are_made() {
    for flow in ["pipeline", "react"] {
        let (product, server) = (sample(), MessagesApi::start(script()));
        let waiting = product
            .run(&["run", "my_project", GOAL, "--flow", flow, "--pause", "before_tool"], &server.env());
        assert_eq!(waiting.code, Some(3), "{waiting:?}");
        let second = product.run_printed(waiting.printed_command("--approve"), &server.env());
        assert_eq!(second.code, Some(3), "{second:?}");
        assert!(second.stderr.contains("pyproject.toml"), "{}", second.stderr);
        let command = saying(second.printed_command("--reject"), "not that manifest");
        let ended = product.run_printed(&format!("{command} --yes"), &server.env());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let history = shown(&product)["state"]["history"].clone();
        let deeds: Vec<_> =
            history.as_array().expect("a history").iter().map(|action| &action["deed"]["deed"]).collect();
        assert_eq!(deeds, ["tool", "rejected", "tool", "tool"], "{flow}");
        assert!(server.asked().iter().any(|asked| asked.user.contains("not that manifest")));
    }
}
