//! Standing still: each pattern, what is done about it, and that honest work raises no alarm.

use crate::script::*;
use ringfence_engine::*;
use serde_json::{Value, json};

fn window(n: u32) -> Settings {
    let mut settings = without_pauses();
    settings.limits.stagnation = n;
    settings.limits.reflect_after = None;
    settings.limits.iterations = 100;
    settings
}

/// A call with its outcome, judged as needing more work.
fn act(script: &mut Script, input: Value, status: OutcomeStatus) {
    script.say(decide("read_file", input));
    script.tool_gives(status, json!("x"));
    if script.stage() == StageName::Evaluating {
        script.say(judge("needs_more_work", "again"));
    }
}

fn same(script: &mut Script) {
    act(script, json!({"file_path": "a.py"}), OutcomeStatus::Done);
}

fn seen(script: &Script) -> String {
    match &script.state().stage {
        Stage::Reflecting { why, .. } => why.clone(),
        Stage::PausedForReview { review: Review { subject: Subject::Stagnation { seen }, .. }, .. } => {
            seen.clone()
        }
        other => panic!("it stands still, not {other:?}"),
    }
}

#[test]
fn the_same_call_again_and_again_is_first_reflected_and_then_shown_to_a_person() {
    let mut script = deciding(window(5));
    for _ in 0..4 {
        same(&mut script);
        assert_eq!(script.stage(), StageName::Deciding);
    }
    same(&mut script);
    assert_eq!(script.stage(), StageName::Reflecting);
    assert!(seen(&script).starts_with("the same action 5 times in a row: read_file"), "{}", seen(&script));
    script.say(reflection("look at setup.py"));
    script.say(judge("needs_more_work", "again"));
    for _ in 0..4 {
        same(&mut script);
        assert_eq!(script.stage(), StageName::Deciding, "it counts afresh");
    }
    same(&mut script);
    assert!(
        matches!(script.review().subject, Subject::Stagnation { .. }),
        "the second time a person is asked"
    );
    assert_eq!(script.state().history.len(), 10);
    script.approve();
    assert_eq!(script.stage(), StageName::Evaluating, "it goes on where it was");
    script.say(judge("needs_more_work", "again"));
    for _ in 0..4 {
        same(&mut script);
        assert_eq!(script.stage(), StageName::Deciding);
    }
    same(&mut script);
    assert_eq!(script.stage(), StageName::Reflecting, "a person said to go on: it begins again");
}

#[test]
fn two_calls_that_take_turns_are_seen() {
    let mut script = deciding(window(5));
    let files = ["a.py", "b.py"];
    for n in 0..6 {
        assert_eq!(script.stage(), StageName::Deciding, "after {n}");
        act(&mut script, json!({"file_path": files[n % 2]}), OutcomeStatus::Done);
    }
    assert!(seen(&script).starts_with("two actions took turns 3 times: "), "{}", seen(&script));
    assert!(seen(&script).contains("a.py") && seen(&script).contains("b.py"));
}

#[test]
fn the_same_error_with_other_inputs_is_seen() {
    let mut script = deciding(window(5));
    for n in 0..5 {
        assert_eq!(script.stage(), StageName::Deciding, "after {n}");
        act(&mut script, json!({"file_path": format!("{n}.py")}), OutcomeStatus::Denied);
    }
    assert!(seen(&script).starts_with("the same error 5 times in a row, the last: read_file"));
    assert!(seen(&script).contains("denied"));
}

#[test]
fn errors_of_several_kinds_are_not_one_error() {
    let mut script = deciding(window(4));
    let kinds = [OutcomeStatus::Failed, OutcomeStatus::Denied, OutcomeStatus::Exceeded];
    for n in 0..9 {
        act(&mut script, json!({"file_path": format!("{n}.py")}), kinds[n % 3]);
    }
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn many_equal_calls_in_one_turn_are_seen_before_they_are_made() {
    let mut settings = in_flow(Flow::React, window(3));
    settings.limits.stagnation = 3;
    let mut script = Script::start(settings);
    let input = "{\"file_path\": \"a.py\"}";
    let calls: Vec<_> = ["1", "2", "3"].map(|id| (id, "read_file", input)).into();
    script.turn(&calls);
    assert_eq!(seen(&script), "the same call 3 times in one turn: read_file {\"file_path\":\"a.py\"}");
    assert_eq!(script.state().spent.tool_calls, 0);
}

#[test]
fn the_same_unfit_choice_is_a_repetition_too() {
    let mut script = deciding(window(5));
    for _ in 0..5 {
        script.say(decide("run_shell", json!({"command": "ls"})));
    }
    assert!(seen(&script).contains("run_shell"), "{}", seen(&script));
}

#[test]
fn unreadable_arguments_again_and_again_are_a_repetition_too() {
    let mut settings = in_flow(Flow::React, window(5));
    settings.limits.stagnation = 3;
    let mut script = Script::start(settings);
    for n in 0..3 {
        script.turn(&[("1", "read_file", &format!("{{\"file_path\": \"{n}"))]);
    }
    assert!(seen(&script).contains("read_file null: unfit"), "{}", seen(&script));
}

#[test]
fn the_order_of_keys_makes_no_other_call() {
    let mut script = deciding(window(2));
    act(&mut script, json!({"file_path": "a", "max_lines": 1}), OutcomeStatus::Done);
    script
        .say_text(r#"{"reasoning":"r","action":"read_file","action_input":{"max_lines":1,"file_path":"a"}}"#);
    script.tool_gives(OutcomeStatus::Done, json!(2));
    assert_eq!(script.stage(), StageName::Reflecting);
}

#[test]
fn another_outcome_makes_another_action() {
    let mut script = deciding(window(3));
    let kinds = [OutcomeStatus::Done, OutcomeStatus::Done, OutcomeStatus::Failed];
    for n in 0..9 {
        act(&mut script, json!({"file_path": "a.py"}), kinds[n % 3]);
    }
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn a_tool_that_polls_may_be_called_again_and_again() {
    let mut settings = window(3);
    settings.tools[0].polling = true;
    let mut script = deciding(settings.clone());
    (0..8).for_each(|_| same(&mut script));
    assert_eq!((script.stage(), script.state().watch.trail.len()), (StageName::Deciding, 0));

    let mut settings = in_flow(Flow::React, settings);
    settings.limits.stagnation = 3;
    let mut react = Script::start(settings);
    let calls: Vec<_> = ["1", "2", "3"].map(|id| (id, "read_file", "{\"file_path\": \"a\"}")).into();
    react.turn(&calls);
    assert_eq!(react.stage(), StageName::Executing);
}

/// Repeated, reviewed, repeated: a person is asked.
fn asked() -> Script {
    let mut script = deciding(window(2));
    same(&mut script);
    same(&mut script);
    script.say(reflection("look elsewhere"));
    script.say(judge("needs_more_work", "again"));
    same(&mut script);
    same(&mut script);
    assert!(matches!(script.review().subject, Subject::Stagnation { .. }));
    script
}

#[test]
fn advice_against_a_repetition_reaches_the_decider() {
    let mut script = asked();
    script.answer(Answer::Reply { text: "look at setup.py instead".to_owned() });
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Decide);
    assert!(call.user.contains("look at setup.py instead"));
    assert_eq!(script.state().watch.trail, []);
}

#[test]
fn a_task_that_repeats_itself_can_be_given_up() {
    let mut script = asked();
    script.answer(Answer::Reject { reason: "not worth it".to_owned() });
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    assert_eq!(script.state().done[0].status, TaskStatus::Failed);
    assert!(script.state().done[0].summary.contains("not worth it"));
}

#[test]
fn a_plan_that_a_person_changes_against_it_goes_on_at_once() {
    let mut script = asked();
    script.answer(Answer::EditPlan { tasks: vec![planned("mine")] });
    assert_eq!(script.stage(), StageName::Deciding, "no second alarm for what they saw");
    assert_eq!(script.model_call().facts["task"]["id"], "mine");
}

#[test]
fn a_repetition_that_is_under_review_stays_under_the_same_review() {
    let mut script = asked();
    let review = script.review();
    script.send(EventKind::Resumed { rates: None });
    script.send(EventKind::Interrupted);
    assert_eq!(script.review(), review);
    script.approve();
    assert_eq!(script.stage(), StageName::Evaluating);
}

/// Works through a script of calls in a flow with the usual guards; gives how often it was stopped.
fn alarms(flow: Flow, calls: &[(&str, Value, OutcomeStatus, &str)]) -> usize {
    let mut settings = in_flow(flow, with_writes());
    settings.limits.iterations = 500;
    settings.limits.stagnation = 5;
    settings.limits.reflect_after = Some(12);
    let mut script = Script::start(settings);
    if flow == Flow::Staged {
        script.say(plan(&(0..60).map(|n| task(&format!("t{n}"), "look")).collect::<Vec<_>>()));
    }
    let mut alarms = 0;
    for (n, (tool, input, status, verdict)) in calls.iter().enumerate() {
        match flow {
            Flow::Staged => script.say(decide(tool, input.clone())),
            Flow::Pipeline => script.say(call_tool(tool, input.clone())),
            Flow::React => script.turn(&[(&n.to_string(), tool, &input.to_string())]),
        };
        while script.stage() == StageName::Executing {
            script.tool_gives(*status, json!(n));
        }
        for _ in 0..2 {
            if matches!(script.stage(), StageName::Reflecting | StageName::PausedForReview) {
                alarms += 1;
                match script.stage() {
                    StageName::Reflecting => script.say(reflection("go on")),
                    _ => script.approve(),
                };
            }
            if script.stage() == StageName::Evaluating {
                script.say(judge(verdict, "so far"));
            }
        }
    }
    alarms
}

#[test]
fn honest_work_raises_no_alarm() {
    use OutcomeStatus::{Done, Failed};
    let read = |file: &str, verdict: &'static str| ("read_file", json!({"file_path": file}), Done, verdict);
    let list =
        |folder: &str, verdict: &'static str| ("list_files", json!({"directory": folder}), Done, verdict);
    // Many files, one after the other.
    let tour: Vec<_> = (0..30)
        .map(|n| read(&format!("{n}.py"), if n % 3 == 2 { "completed" } else { "needs_more_work" }))
        .collect();
    // Each task begins by looking at the same folder.
    let habit: Vec<_> = (0..24)
        .map(|n| match n % 2 {
            0 => list(".", "needs_more_work"),
            _ => read(&format!("{n}.py"), "completed"),
        })
        .collect();
    // One call settles each task, and it is always the same one.
    let one: Vec<_> = (0..12).map(|_| list(".", "completed")).collect();
    // Guessing names of files, most of which aren't there.
    let guesses: Vec<_> = (0..20)
        .map(|n| match n % 4 {
            3 => read(&format!("{n}.py"), "completed"),
            _ => ("read_file", json!({"file_path": format!("{n}.cfg")}), Failed, "needs_more_work"),
        })
        .collect();
    // Write, read, write, read: the inputs differ.
    let edits: Vec<_> = (0..20)
        .map(|n| match n % 2 {
            0 => (
                "write_file",
                json!({"file_path": "a.py", "content": n.to_string()}),
                Done,
                "needs_more_work",
            ),
            _ => read("a.py", if n % 4 == 3 { "completed" } else { "needs_more_work" }),
        })
        .collect();
    for (name, calls) in
        [("tour", &tour), ("habit", &habit), ("one", &one), ("guesses", &guesses), ("edits", &edits)]
    {
        assert_eq!(alarms(Flow::Staged, calls), 0, "{name}");
    }
    // Without a judge an equal call that brings what is known is no work.
    for flow in [Flow::Pipeline, Flow::React] {
        for (name, calls) in [("tour", &tour), ("habit", &habit), ("guesses", &guesses), ("edits", &edits)] {
            assert_eq!(alarms(flow, calls), 0, "{name} in {flow:?}");
        }
    }
}

#[test]
fn guesses_of_one_turn_are_no_repetition_since_none_was_made_in_the_light_of_another() {
    let mut script = Script::start(in_flow(Flow::React, without_pauses()));
    let names = ["README", "setup.py", "pyproject.toml", "package.json", "Cargo.toml", "go.mod"];
    let inputs: Vec<String> = names.map(|name| json!({"file_path": name}).to_string()).into();
    let calls: Vec<_> =
        names.iter().zip(&inputs).map(|(id, input)| (*id, "read_file", input.as_str())).collect();
    script.turn(&calls);
    while script.stage() == StageName::Executing {
        script.tool_gives(OutcomeStatus::Failed, json!("no such file"));
    }
    assert_eq!(script.stage(), StageName::Conversing);
    assert_eq!(script.state().watch.trail.len(), 1);
}
