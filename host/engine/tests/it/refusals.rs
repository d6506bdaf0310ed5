//! Events that don't fit: refused with a reason for a person, the state untouched.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

#[test]
fn a_run_begins_with_its_start_and_has_only_one() {
    let first = Event { at: Timestamp(0), worked_ms: None, kind: EventKind::Resumed { rates: None } };
    assert_eq!(Run::start(first).unwrap_err(), Refused::NotStarted);
    let mut script = Script::start(settings());
    assert_eq!(script.try_send(started(settings())), Err(Refused::StartedAgain));
}

#[test]
fn the_same_answer_twice_is_refused() {
    let mut script = Script::start(settings());
    let call = script.model_call().call;
    script.say(plan(&[task("a", "x")]));
    let again = EventKind::ModelReplied { call, reply: reply("{}", StopReason::End) };
    assert_eq!(script.try_send(again), Err(Refused::NotPending { call }));
    let review = script.review().id;
    script.approve();
    let approve = Answer::Approve { plan: None };
    let twice = EventKind::Answered { review, answer: approve };
    let refused = script.try_send(twice).unwrap_err();
    assert_eq!(refused, Refused::NothingAsked { review });
    assert_eq!(refused.to_string(), "review 1 isn't open: the run waits for no answer");
}

#[test]
fn an_answer_to_an_older_review_is_refused() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    let old = script.review().id;
    script.answer(Answer::Reject { reason: "other".to_owned() });
    script.say(plan(&[task("b", "y")]));
    let open = script.review().id;
    let answer = Answer::Approve { plan: None };
    let refused = script.try_send(EventKind::Answered { review: old, answer });
    assert_eq!(refused, Err(Refused::OtherReview { given: old, open }));
}

#[test]
fn an_approval_of_a_plan_that_is_no_longer_current_is_refused() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    let Subject::Plan { plan: old } = script.review().subject else {
        panic!("a plan waits");
    };
    script.answer(Answer::Reject { reason: "other".to_owned() });
    script.say(plan(&[task("b", "y")]));
    let refused = script.try_answer(Answer::Approve { plan: Some(old.hash) }).unwrap_err();
    assert!(matches!(refused, Refused::StaleApproval { .. }));
    assert!(refused.to_string().ends_with("look at it again"));
    script.approve();
}

#[test]
fn answers_that_dont_fit_the_question_are_refused_with_those_that_do() {
    let mut script = deciding(settings());
    script.say(ask_human("which?"));
    let refused = script.try_answer(Answer::Approve { plan: None }).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a question can't be answered with `approve`; it takes answer, reject or abort"
    );
    assert!(script.try_answer(Answer::Reply { text: "  ".to_owned() }).is_err());
    assert!(script.try_answer(Answer::Reply { text: "x".repeat(32_001) }).is_err());
    let edit = Answer::EditPlan { tasks: vec![] };
    assert!(matches!(script.try_answer(edit), Err(Refused::UnfitAnswer { .. })));
}

#[test]
fn a_hash_approves_nothing_but_a_plan() {
    let mut script = Script::start(settings());
    script.send(EventKind::Interrupted);
    let refused = script.try_answer(Answer::Approve { plan: Some("abc".into()) });
    assert!(matches!(refused, Err(Refused::UnfitAnswer { .. })));
}

#[test]
fn calls_that_arent_pending_are_refused() {
    let mut script = executing(settings());
    let call = CallId(999);
    let outcome = outcome(OutcomeStatus::Done, json!(1));
    let other = EventKind::ToolFinished { call, outcome };
    assert_eq!(script.try_send(other), Err(Refused::NotPending { call }));
    let failure = ModelFailure::unpaid("", false);
    let failed = EventKind::ModelFailed { call: script.tool_call().call, failure };
    assert!(matches!(script.try_send(failed), Err(Refused::NotPending { .. })));
}

#[test]
fn nothing_can_be_added_to_a_run_that_is_over() {
    let mut script = Script::start(settings());
    let call = script.model_call().call;
    script.say(achieved());
    let late = EventKind::ModelReplied { call, reply: reply("{}", StopReason::End) };
    assert_eq!(script.try_send(late), Err(Refused::Ended));
    let answer = EventKind::Answered { review: ReviewId(1), answer: Answer::Abort };
    assert_eq!(script.try_send(answer), Err(Refused::Ended));
}

fn refused(change: impl FnOnce(&mut Settings)) -> String {
    let mut settings = settings();
    change(&mut settings);
    let first = Event { at: Timestamp(0), worked_ms: None, kind: started(settings) };
    Run::start(first).expect_err("these settings can't be run with").to_string()
}

#[test]
fn settings_that_cant_be_honoured_are_refused_before_anything_happens() {
    insta::assert_snapshot!(
        [
            refused(|s| s.limits.iterations = 0),
            refused(|s| s.limits.tokens = Some(0)),
            refused(|s| s.limits.wall_clock_ms = Some(0)),
            refused(|s| s.limits.stagnation = 1),
            refused(|s| s.limits.money = Some(0)),
            refused(|s| s.limits.reflect_after = Some(0)),
            refused(|s| s.limits.reply_tokens = 0),
            refused(|s| s.parallel = 0),
            refused(|s| s.limits.stage_ms = [(ModelStage::Plan, 0)].into()),
            refused(|s| s.tools[0].timeout_ms = Some(0)),
            refused(|s| s.tools[1].name = "read_file".to_owned()),
            refused(|s| s.tools[1].name = "human_help".to_owned()),
            refused(|s| s.tools[1].name = "two words".to_owned()),
            refused(|s| s.tools[1].input_schema = json!({"type": 5})),
            refused(|s| s.tools[1].input_schema = json!({"$ref": "https://example.com/s.json"})),
        ]
        .join("\n")
    );
}

#[test]
fn a_goal_must_say_something() {
    let kind = EventKind::Started { run: "r".into(), goal: " ".to_owned(), settings: Box::new(settings()) };
    let refused = Run::start(Event { at: Timestamp(0), worked_ms: None, kind }).unwrap_err();
    assert_eq!(refused.to_string(), "the goal: is empty; say what is to be achieved");
}

#[test]
fn a_journal_that_doesnt_replay_names_the_event() {
    assert_eq!(Run::replay([]).unwrap_err(), ReplayError::Empty);
    let script = Script::start(settings());
    let mut journal = script.journal.clone();
    let answer = Answer::Abort;
    journal.push(Event {
        at: Timestamp(9),
        worked_ms: None,
        kind: EventKind::Answered { review: ReviewId(7), answer },
    });
    assert_eq!(
        Run::replay(journal).unwrap_err().to_string(),
        "event 2 of the journal doesn't fit the ones before it: review 7 isn't open: the run waits for no answer"
    );
}
