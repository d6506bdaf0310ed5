//! The pipeline flow: each decision of the reasoner, and what comes after it.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn pipeline() -> Settings {
    in_flow(Flow::Pipeline, without_pauses())
}

/// A script whose reasoner looks at what its first call brought.
fn observing() -> Script {
    let mut script = Script::start(pipeline());
    script.say(call_tool("read_file", json!({"file_path": "a.py"})));
    script.tool_gives(OutcomeStatus::Done, json!({"content": "import flask"}));
    script
}

#[test]
fn it_thinks_acts_and_observes_until_it_answers() {
    let mut script = Script::start(pipeline());
    assert_eq!((script.stage(), script.model_call().stage), (StageName::Thinking, ModelStage::Reason));
    script.say(call_tool("read_file", json!({"file_path": "a.py"})));
    assert_eq!(script.stage(), StageName::Executing);
    script.tool_gives(OutcomeStatus::Done, json!({"content": "import flask"}));
    assert_eq!(script.stage(), StageName::Observing);
    assert!(script.model_call().user.contains("import flask"));
    script.say(final_answer("It uses Flask."));
    assert_eq!(script.ending(), Ending::Achieved);
    let state = script.state();
    assert_eq!(state.answer.as_deref(), Some("It uses Flask."));
    assert_eq!(state.iterations, 3, "two reasonings and one action");
    assert_eq!((state.plans.len(), state.stack.len()), (0, 0), "there is no plan");
    assert_eq!(state.history[0].task, "goal".into());
}

#[test]
fn another_call_can_follow_at_once_what_was_observed() {
    let mut script = observing();
    script.say(call_tool("list_files", json!({"directory": "."})));
    assert_eq!(script.tool_call().tool, "list_files");
    script.tool_gives(OutcomeStatus::Failed, json!(null));
    assert_eq!(script.stage(), StageName::Observing, "what failed is observed too");
    assert!(script.model_call().user.contains("it was failed"));
}

#[test]
fn a_question_waits_for_the_person_and_then_it_thinks_again() {
    let mut script = observing();
    script.say(need_more_info("which folder?"));
    let Subject::Question { question, reasoning } = script.review().subject else {
        panic!("the question waits");
    };
    assert_eq!((question.as_str(), reasoning.as_str()), ("which folder?", "no tool can tell"));
    script.answer(Answer::Reply { text: "src".to_owned() });
    assert_eq!(script.stage(), StageName::Thinking, "there is no new outcome at hand");
    let user = script.model_call().user;
    assert!(user.contains("the person said: src"), "{user}");
    assert!(user.contains("A person answered: src"));
}

#[test]
fn a_reply_that_cant_be_used_twice_becomes_a_question() {
    for mut script in [Script::start(pipeline()), observing()] {
        script.say_text("no");
        assert!(script.model_call().user.contains("$: expected one JSON object, found none"));
        script.say_text("no");
        let Subject::Question { question, .. } = script.review().subject else {
            panic!("it needs more information");
        };
        assert!(question.contains("$: expected one JSON object, found none"), "{question}");
        assert!(notes(&script).contains(&"no usable decision; taken as NEED_MORE_INFO"));
        script.answer(Answer::Reply { text: "answer in JSON".to_owned() });
        assert!(script.model_call().user.contains("answer in JSON"));
        script.say(final_answer("done"));
        assert_eq!(script.ending(), Ending::Achieved);
    }
}

#[test]
fn each_decision_needs_its_details() {
    for (details, decision, said) in [
        (json!({}), "FINAL_ANSWER", "$.details.answer: is missing"),
        (json!({"answer": " "}), "FINAL_ANSWER", "$.details.answer: is empty"),
        (json!({"answer": 7}), "FINAL_ANSWER", "$.details.answer: expected string"),
        (json!({"question": "?"}), "CALL_TOOL", "$.details.tool_name: is missing"),
        (json!({"tool_name": "read_file"}), "CALL_TOOL", "$.details.tool_input: is missing"),
        (json!({"answer": "x"}), "NEED_MORE_INFO", "$.details.question: is missing"),
        (json!({"question": "?".repeat(4_001)}), "NEED_MORE_INFO", "has more than 4000 characters"),
        (json!("words"), "FINAL_ANSWER", "$.details: expected object, found a string"),
    ] {
        let mut script = Script::start(pipeline());
        script.say(json!({"thought": "t", "decision": decision, "details": details}));
        let again = script.model_call();
        assert!(again.user.contains(said), "{decision}: {}", again.user);
        assert_eq!(script.state().iterations, 0, "no stage was carried out");
        assert_eq!(script.state().answer, None);
    }
}

#[test]
fn an_unknown_decision_is_asked_for_again_with_the_known_ones() {
    let mut script = Script::start(pipeline());
    script.say(json!({"thought": "t", "decision": "GIVE_UP", "details": {}}));
    let known = r#"$.decision: expected one of ["FINAL_ANSWER","CALL_TOOL","NEED_MORE_INFO"]"#;
    assert!(script.model_call().user.contains(known));
}

#[test]
fn an_unknown_tool_or_an_unfit_input_is_thought_through_again() {
    for (tool, input, said) in [
        ("run_shell", json!({}), "Known actions: read_file, list_files, analyze_code, human_help."),
        ("read_file", json!({"path": "a"}), "$.details.tool_input."),
        ("read_file", json!({"file_path": "a", "max_lines": 0}), "max_lines: must be at least 1"),
    ] {
        let mut script = observing();
        script.say(call_tool(tool, input));
        assert_eq!(script.stage(), StageName::Thinking);
        assert!(script.model_call().user.contains(said), "{said}: {}", script.model_call().user);
        assert_eq!(script.state().history.len(), 1, "nothing was done");
    }
}

#[test]
fn an_input_under_another_name_is_never_taken_as_empty() {
    let mut script = Script::start(pipeline());
    script.say(json!({"thought": "t", "decision": "CALL_TOOL",
        "details": {"tool_name": "list_files", "arguments": {"directory": "."}}}));
    let user = script.model_call().user;
    assert!(user.contains("`arguments` isn't a key of the reply"), "{user}");
    assert!(user.contains("goes into `tool_input`"), "{user}");
}

#[test]
fn claims_of_the_answer_are_kept_where_the_history_bears_them_out() {
    let mut script = observing();
    let mut answer = final_answer("Flask.");
    answer["details"]["claims"] = json!([
        {"about": "stack", "text": "It uses Flask.", "evidence": [{"step": 1, "file": "a.py", "first_line": 1}]},
        {"about": "stack", "text": "It uses Django.", "evidence": [{"step": 2}]},
        {"about": "stack", "text": "No place.", "evidence": []},
    ]);
    script.say(answer);
    assert_eq!(script.ending(), Ending::Achieved);
    let texts: Vec<_> = script.state().claims.iter().map(|claim| claim.text.as_str()).collect();
    assert_eq!(texts, ["It uses Flask."]);
    assert_eq!(notes(&script).len(), 2, "{:?}", notes(&script));
}

#[test]
fn a_rejected_call_is_thought_through_again() {
    let mut script = Script::start(pausing(pipeline(), &[PausePoint::BeforeTool]));
    script.say(call_tool("read_file", json!({"file_path": "a.py"})));
    script.answer(Answer::Reject { reason: "not that file".to_owned() });
    assert_eq!(script.stage(), StageName::Thinking);
    assert!(script.model_call().user.contains("not that file"));
    assert!(matches!(&script.state().history[0].deed, Deed::Rejected { .. }));
}

#[test]
fn an_answer_that_a_person_rejects_is_given_again() {
    let mut script = Script::start(pausing(pipeline(), &[PausePoint::BeforeFinish]));
    script.say(final_answer("It uses Django."));
    script.answer(Answer::Reject { reason: "look at a.py first".to_owned() });
    assert_eq!((script.stage(), script.state().answer.as_deref()), (StageName::Thinking, None));
    assert!(script.model_call().user.contains("look at a.py first"));
    script.say(final_answer("It uses Flask."));
    script.approve();
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(script.state().answer.as_deref(), Some("It uses Flask."));
}

#[test]
fn there_is_no_plan_to_change() {
    let mut script = observing();
    let refused = script.try_send(EventKind::Replanned { tasks: vec![planned("a")] }).unwrap_err();
    assert_eq!(refused.to_string(), "the flow `pipeline` has no plan that could be changed");
}

#[test]
fn what_a_step_showed_is_remembered_in_the_words_of_the_next_thought() {
    let mut script = observing();
    let mut next = call_tool("list_files", json!({"directory": "."}));
    next["thought"] = json!("a.py imports Flask; the folder may hold more.");
    script.say(next);
    assert_eq!(script.state().history[0].summary, "a.py imports Flask; the folder may hold more.");
    for n in 0..4 {
        script.tool_gives(OutcomeStatus::Done, json!([]));
        script.say(call_tool("list_files", json!({"directory": n.to_string()})));
    }
    script.tool_gives(OutcomeStatus::Done, json!([]));
    let user = script.model_call().user;
    let line = "read_file {\"file_path\":\"a.py\"}: done. a.py imports Flask; the folder may hold more.";
    assert!(user.contains(line), "{user}");
}
