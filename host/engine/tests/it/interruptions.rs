//! Interruptions, crashes, models out of reach, calls whose outcome nobody knows.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

#[test]
fn a_model_call_that_was_under_way_is_simply_asked_again() {
    let mut script = deciding(without_pauses());
    let before = script.model_call();
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.model_call(), before);
}

#[test]
fn a_reading_call_that_was_under_way_is_made_again_under_its_own_id() {
    let mut script = executing(without_pauses());
    let before = script.tool_call();
    script.send(EventKind::Resumed { rates: None });
    let again = script.tool_call();
    assert_eq!((again.call, again.step, again.attempt), (before.call, before.step, 2));
    script.tool_gives(OutcomeStatus::Done, json!("x"));
    assert_eq!(script.state().history.len(), 1);
}

fn posting() -> Script {
    let mut script = deciding(with_egress());
    script.say(decide("post", json!({"text": "hello"})));
    script
}

#[test]
fn a_call_with_egress_whose_outcome_is_unknown_asks_a_person() {
    let mut script = posting();
    let before = script.tool_call();
    script.send(EventKind::Resumed { rates: None });
    let Subject::UnknownOutcome { call } = script.review().subject else {
        panic!("a person is asked");
    };
    assert_eq!((call.call, call.attempt), (before.call, 2));
    script.send(EventKind::Resumed { rates: None });
    assert!(matches!(script.review().subject, Subject::UnknownOutcome { .. }), "it stays open");
    script.approve();
    assert_eq!(script.tool_call(), call);
}

#[test]
fn a_call_whose_outcome_is_unknown_can_be_taken_as_failed() {
    let mut script = posting();
    script.send(EventKind::Resumed { rates: None });
    let call = script.state().next.call;
    script.answer(Answer::Reject { reason: "it arrived twice once".to_owned() });
    assert_eq!(script.model_call().stage, ModelStage::Evaluate);
    let Deed::Tool { status, message, .. } = &script.state().history[0].deed else {
        panic!("the call is in the history");
    };
    assert_eq!(*status, OutcomeStatus::Failed);
    assert!(message.contains("it arrived twice once"));
    assert!(script.state().next.call > call);
}

#[test]
fn a_late_answer_to_a_call_in_doubt_is_refused() {
    let mut script = posting();
    let call = script.tool_call().call;
    script.send(EventKind::Resumed { rates: None });
    let late = EventKind::ToolFinished { call, outcome: outcome(OutcomeStatus::Done, json!("sent")) };
    assert_eq!(script.try_send(late), Err(Refused::NotPending { call }));
}

#[test]
fn an_interruption_pauses_any_stage_and_a_resumption_goes_on() {
    for mut script in
        [Script::start(settings()), deciding(settings()), executing(settings()), evaluating(settings())]
    {
        let stage = script.stage();
        script.send(EventKind::Interrupted);
        assert_eq!(script.review().subject, Subject::Interrupted);
        script.send(EventKind::Interrupted);
        let mut approved = script.clone();
        script.send(EventKind::Resumed { rates: None });
        assert_eq!(script.stage(), stage);
        approved.approve();
        assert_eq!(approved.state().stage, script.state().stage);
    }
}

#[test]
fn an_interrupted_call_is_unknown_when_the_run_goes_on() {
    let mut script = posting();
    script.send(EventKind::Interrupted);
    script.approve();
    assert!(matches!(script.review().subject, Subject::UnknownOutcome { .. }));
}

#[test]
fn an_answer_that_was_on_its_way_when_the_run_was_interrupted_isnt_lost() {
    let mut script = posting();
    let call = script.tool_call().call;
    script.send(EventKind::Interrupted);
    let late = EventKind::ToolFinished { call, outcome: outcome(OutcomeStatus::Done, json!("sent")) };
    script.send(late.clone());
    assert_eq!(script.review().subject, Subject::Interrupted, "it stays interrupted");
    assert_eq!(script.state().history.len(), 1);
    assert_eq!(script.try_send(late), Err(Refused::NotPending { call }));
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.stage(), StageName::Evaluating);
}

#[test]
fn a_plan_that_arrives_during_an_interruption_is_reviewed_afterwards() {
    let mut script = Script::start(settings());
    let call = script.model_call().call;
    script.send(EventKind::Interrupted);
    script.send(EventKind::ModelReplied {
        call,
        reply: reply(&plan(&[task("a", "x")]).to_string(), StopReason::End),
    });
    assert_eq!(script.review().subject, Subject::Interrupted);
    script.send(EventKind::Resumed { rates: None });
    assert!(matches!(script.review().subject, Subject::Plan { .. }));
    script.approve();
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn an_interruption_keeps_a_review_that_is_open() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    let review = script.review();
    script.send(EventKind::Interrupted);
    assert_eq!(script.review(), review);
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.review(), review);
}

#[test]
fn a_model_out_of_reach_pauses_the_run_and_nothing_is_lost() {
    for mut script in [Script::start(settings()), deciding(settings()), evaluating(settings())] {
        let before = script.model_call();
        script.model_fails();
        let Subject::StageFailed { stage, unreachable: true, why } = script.review().subject else {
            panic!("the run waits");
        };
        assert_eq!(stage, before.stage);
        assert_eq!(why, "the server could not be reached");
        script.send(EventKind::Resumed { rates: None });
        let again = script.model_call();
        assert_eq!((again.stage, &again.user), (before.stage, &before.user));
        assert_ne!(again.call, before.call, "an answered call isn't asked again");
    }
}

#[test]
fn a_resumption_leaves_a_failed_stage_to_a_person() {
    let mut script = Script::start(settings());
    script.nothing_usable();
    script.send(EventKind::Resumed { rates: None });
    assert!(matches!(script.review().subject, Subject::StageFailed { unreachable: false, .. }));
}

#[test]
fn a_person_can_end_a_run_from_every_review() {
    let mut stagnating = deciding(without_pauses());
    for _ in 0..2 {
        for _ in 0..5 {
            stagnating.say(decide("nothing", json!({})));
        }
        if stagnating.stage() == StageName::Reflecting {
            stagnating.say(reflection("read a.py"));
        }
    }
    let mut asking = deciding(without_pauses());
    asking.say(ask_human("?"));
    let mut planned = Script::start(settings());
    planned.say(plan(&[task("a", "x")]));
    let mut unknown = posting();
    unknown.send(EventKind::Resumed { rates: None });
    let mut interrupted = posting();
    interrupted.send(EventKind::Interrupted);
    for mut script in [stagnating, asking, planned, unknown, interrupted] {
        script.answer(Answer::Abort);
        assert_eq!(script.ending(), Ending::Aborted);
    }
}

#[test]
fn a_run_that_is_over_shows_its_end_again() {
    let mut script = Script::start(settings());
    script.say(achieved());
    let state = script.state().clone();
    assert_eq!(script.send(EventKind::Resumed { rates: None }), [Effect::Finish(Ending::Achieved)]);
    assert_eq!(script.state(), &state);
    assert_eq!(script.try_send(EventKind::Interrupted), Err(Refused::Ended));
}
