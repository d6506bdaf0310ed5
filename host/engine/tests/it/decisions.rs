//! Decisions: tools, people, and what can't be carried out.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn before_tool() -> Settings {
    Settings { pause: [PausePoint::BeforeTool].into(), ..settings() }
}

#[test]
fn a_persons_answer_is_kept_and_the_task_is_decided_again() {
    let mut script = deciding(without_pauses());
    script.say(ask_human("which folder?"));
    let Subject::Question { question, reasoning } = script.review().subject else {
        panic!("the question waits");
    };
    assert_eq!((question.as_str(), reasoning.as_str()), ("which folder?", "no tool can tell"));
    script.answer(Answer::Reply { text: "src".to_owned() });
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Decide);
    assert!(call.user.contains("the person said: src"));
    assert!(matches!(&script.state().history[0].deed, Deed::Human { answer, .. } if answer == "src"));
}

#[test]
fn a_question_can_be_declined() {
    let mut script = deciding(without_pauses());
    script.say(ask_human("which folder?"));
    script.answer(Answer::Reject { reason: "find out yourself".to_owned() });
    assert!(script.model_call().user.contains("declined to answer: find out yourself"));
}

#[test]
fn a_question_needs_words() {
    let mut script = deciding(without_pauses());
    script.say(ask_human(" "));
    assert!(script.model_call().user.contains("$.query_to_human: is missing"));
    script.say(ask_human(&"?".repeat(4_001)));
    let recovered = script.model_call();
    assert!(recovered.user.contains("$.query_to_human: has more than 4000 characters"), "{}", recovered.user);
    assert_eq!(script.state().history, []);
}

#[test]
fn an_unknown_tool_gets_an_observation_that_names_the_known_ones() {
    let mut script = deciding(without_pauses());
    script.say(decide("run_shell", json!({"command": "ls"})));
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Decide);
    assert!(call.user.contains("Known actions: read_file, list_files, analyze_code, human_help."));
    assert!(!call.user.contains("run_shell"), "the bad name isn't shown again");
    assert_eq!(script.state().iterations, 2, "it was a stage carried out");
    assert_eq!(script.state().history, [], "nothing was done");
}

#[test]
fn two_names_run_together_are_said_to_be_two() {
    let mut script = deciding(without_pauses());
    script.say(decide("read_filelist_files", json!({})));
    assert!(script.model_call().user.contains("several names in one"));
}

#[test]
fn an_input_that_doesnt_fit_gets_an_observation_with_its_path() {
    let mut script = deciding(without_pauses());
    script.say(decide("read_file", json!({"path": "a.py"})));
    let call = script.model_call();
    assert!(
        call.user.contains("$.action_input.path: isn't a key that is known here")
            || call.user.contains("$.action_input.file_path: is missing"),
        "{}",
        call.user
    );
    script.say(decide("read_file", json!({"file_path": "a.py", "max_lines": 0})));
    assert!(script.model_call().user.contains("$.action_input.max_lines: must be at least 1"));
    assert_eq!(script.state().history, []);
}

#[test]
fn an_input_under_another_name_is_never_taken_as_empty() {
    let mut script = deciding(without_pauses());
    script.say(json!({"reasoning": "r", "action": "read_file", "confidence": "high",
        "parameters": {"file_path": "a.py"}}));
    let call = script.model_call();
    assert!(
        call.user
            .contains("`parameters` isn't a key of the reply; the tool's input goes into `action_input`")
    );
    assert!(call.user.contains("Known actions: read_file"));
}

#[test]
fn a_missing_input_is_asked_for_again() {
    let mut script = deciding(without_pauses());
    script.say(json!({"reasoning": "r", "action": "read_file", "confidence": "high"}));
    assert!(script.model_call().user.contains("$.action_input: is missing; read_file needs an object"));
}

#[test]
fn inputs_are_coerced_by_the_tools_own_schema() {
    let mut script = deciding(without_pauses());
    script.say(decide("READ_FILE", json!("{\"file_path\": \"a.py\", \"max_lines\": \"200000\"}")));
    let call = script.tool_call();
    assert_eq!(call.tool, "read_file");
    assert_eq!(call.input, json!({"file_path": "a.py", "max_lines": 200_000}));
    assert!(!script.state().notes.is_empty(), "each repair is noted");
}

#[test]
fn null_for_an_optional_parameter_is_its_absence() {
    let mut script = deciding(without_pauses());
    script.say(decide("read_file", json!({"file_path": "a.py", "max_lines": null})));
    assert_eq!(script.tool_call().input, json!({"file_path": "a.py"}));
}

#[test]
fn a_call_waits_for_approval_where_that_was_asked_for() {
    let mut script = deciding(before_tool());
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    let Subject::Call { call, .. } = script.review().subject else {
        panic!("the call waits");
    };
    assert_eq!(call.reasoning, "it shows what is there");
    assert_eq!(call.confidence, Confidence::High);
    script.approve();
    assert_eq!(script.tool_call(), call);
}

#[test]
fn an_edited_call_is_made_as_it_was_edited() {
    let mut script = deciding(before_tool());
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    let refused = script.try_answer(Answer::EditCall { input: json!({"file": "b.py"}) });
    assert!(refused.unwrap_err().to_string().starts_with("the input doesn't fit read_file: $."));
    script.answer(Answer::EditCall { input: json!({"file_path": "b.py"}) });
    assert_eq!(script.tool_call().input, json!({"file_path": "b.py"}));
}

#[test]
fn a_rejected_call_is_in_the_history_and_decided_again() {
    let mut script = deciding(before_tool());
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    script.answer(Answer::Reject { reason: "not that file".to_owned() });
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Decide);
    assert!(call.user.contains("not that file"));
    assert_eq!(call.facts["rejected"][0]["reason"], "not that file");
    assert!(matches!(&script.state().history[0].deed, Deed::Rejected { .. }));
    assert_eq!(script.state().spent.tool_calls, 0);
}

#[test]
fn a_call_that_failed_is_judged_with_its_error() {
    let mut script = executing(without_pauses());
    script.tool_gives(OutcomeStatus::Denied, json!({"refused": "/etc/passwd"}));
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Evaluate);
    assert!(call.user.contains("read_file {\"file_path\":\"a.py\"}: denied"));
    assert!(call.user.contains("it was denied"));
    assert!(call.user.contains("/etc/passwd"));
}

#[test]
fn a_task_that_needs_more_work_is_decided_again() {
    let mut script = evaluating(without_pauses());
    script.say(judge("needs_more_work", "half of it"));
    let call = script.model_call();
    assert_eq!(call.facts["task"]["id"], "a");
    assert!(call.user.contains("a needs more work: half of it"));
    assert_eq!(
        script.state().history[0].verdict,
        Some(Verdict {
            status: Progress::NeedsMoreWork,
            suggestion: "go on".to_owned(),
            confidence: Confidence::High,
        })
    );
}

#[test]
fn only_claims_that_the_history_bears_out_are_kept() {
    let mut script = evaluating(without_pauses());
    let claim = |step: u64, file: &str| {
        json!({"about": "STACK", "text": "It uses Flask.", "severity": null,
            "evidence": [{"step": step, "file": file}]})
    };
    let mut verdict = judge("completed", "Flask");
    verdict["claims"] = json!([
        claim(1, "./a.py"),
        claim(1, "/a.py"),
        claim(2, "a.py"),
        claim(1, "data.py"),
        {"about": "stack", "text": "No place.", "evidence": []},
        {"about": "stack", "text": "Bad lines.",
            "evidence": [{"step": 1, "first_line": 9, "last_line": 3}]},
        {"about": "gossip", "text": "x", "evidence": [{"step": 1}]},
        "not a claim",
    ]);
    script.say(verdict);
    assert_eq!(script.state().claims.len(), 1, "equal claims count once");
    assert_eq!(script.state().claims[0].evidence[0].file.as_deref(), Some("a.py"));
    let notes = notes(&script);
    assert_eq!(notes.len(), 6, "{notes:#?}");
    assert!(notes.iter().all(|note| note.starts_with("claim dropped: $.claims[")));
    assert!(notes[0].contains("there is no step 2"));
    assert!(notes[1].contains("doesn't occur in step 1"));
}

#[test]
fn a_call_that_failed_supports_no_claim() {
    let mut script = executing(without_pauses());
    script.tool_gives(OutcomeStatus::Failed, json!("no such file a.py"));
    let mut verdict = judge("failed", "no file");
    verdict["claims"] = json!([{"about": "stack", "text": "x", "evidence": [{"step": 1}]}]);
    script.say(verdict);
    assert_eq!(script.state().claims, []);
    assert!(notes(&script)[0].contains("has no result"));
}

#[test]
fn claims_that_are_no_list_take_nothing_else_with_them() {
    let mut script = evaluating(without_pauses());
    let mut verdict = judge("completed", "done");
    verdict["claims"] = json!("none");
    script.say(verdict);
    assert_eq!(script.state().done.len(), 1);
}
