//! What people, interruptions and crashes do to delegated runs.

use super::*;

#[test]
fn a_lane_that_pauses_holds_no_other_lane() {
    let mut script = delegating(pausing(settings(), &[PausePoint::BeforeTool]));
    says(&mut script, "b", decide("read_file", json!({"file_path": "b.py"})));
    assert!(matches!(script.review().subject, Subject::Call { call, .. } if call.task == "b".into()));
    assert_eq!(script.model_calls().len(), 2, "a and c go on");
    says(&mut script, "a", decide("read_file", json!({"file_path": "a.py"})));
    assert_eq!(script.reviews().len(), 2, "two reviews at once");
    let of_b =
        |review: &Review| matches!(&review.subject, Subject::Call { call, .. } if call.task == "b".into());
    let review = script.reviews().into_iter().find(of_b).expect("b's review").id;
    script.send(EventKind::Answered { review, answer: Answer::Approve { plan: None } });
    assert_eq!(script.tool_calls().len(), 1);
    assert_eq!(script.tool_call().task, "b".into());
}

#[test]
fn a_question_of_a_lane_is_answered_for_that_lane() {
    let mut script = delegating(without_pauses());
    says(&mut script, "b", ask_human("which?"));
    script.answer(Answer::Reply { text: "the second".to_owned() });
    assert!(asked(&script, "b").user.contains("the second"));
    assert!(!asked(&script, "a").user.contains("the second"));
    for task in ["a", "b", "c"] {
        works(&mut script, task, "completed");
    }
    assert!(script.model_call().user.contains("the second"), "after the join everyone is shown it");
    assert_eq!(script.state().said.len(), 1);
}

#[test]
fn an_abort_in_a_lane_ends_the_run_and_keeps_what_all_did() {
    let mut script = delegating(without_pauses());
    works(&mut script, "a", "completed");
    reads(&mut script, "c");
    says(&mut script, "b", ask_human("which?"));
    script.answer(Answer::Abort);
    assert_eq!(script.ending(), Ending::Aborted);
    assert_eq!(
        done(&script),
        [("a", TaskStatus::Completed), ("b", TaskStatus::Failed), ("c", TaskStatus::Failed)]
    );
    assert_eq!(script.state().history.len(), 1);
    assert!(script.state().done[2].summary.contains("stopped in the middle"));
}

#[test]
fn an_abort_of_the_interrupted_run_keeps_what_the_lanes_did() {
    let mut script = delegating(without_pauses());
    works(&mut script, "a", "completed");
    script.send(EventKind::Interrupted);
    script.answer(Answer::Abort);
    assert_eq!(script.ending(), Ending::Aborted);
    assert_eq!(script.state().history.len(), 1);
    assert_eq!(script.state().done.len(), 3);
}

#[test]
fn an_interruption_and_a_resumption_take_every_lane_up() {
    let mut script = delegating(with_egress());
    let a = reads(&mut script, "a");
    says(&mut script, "b", decide("post", json!({"text": "t"})));
    let before = asked(&script, "c");
    script.send(EventKind::Interrupted);
    assert_eq!(script.review().subject, Subject::Interrupted);
    assert_eq!(script.run.owed().len(), 1);
    script.send(EventKind::Resumed { rates: None });
    let again = script.tool_call();
    assert_eq!((again.call, again.attempt), (a.call, 2), "a read is made again under its own id");
    let reviews = script.reviews();
    assert!(matches!(&reviews[0].subject, Subject::UnknownOutcome { call } if call.task == "b".into()));
    assert_eq!(asked(&script, "c"), before, "a model is asked the same again");
}

#[test]
fn results_that_arrive_under_an_interruption_are_kept_and_even_join() {
    let mut script = delegating(without_pauses());
    let calls: Vec<_> = ["a", "b", "c"].map(|task| reads(&mut script, task).call).into();
    script.send(EventKind::Interrupted);
    for call in calls {
        script.tool_ends(call, OutcomeStatus::Done, json!("late"));
    }
    assert_eq!(script.review().subject, Subject::Interrupted);
    script.approve();
    assert!(["a", "b", "c"].iter().all(|task| stage(&script, task) == StageName::Evaluating));

    let calls: Vec<_> = script.model_calls().iter().map(|call| call.call).collect();
    script.send(EventKind::Interrupted);
    for call in calls {
        script.say_to(call, judge("completed", "done"));
    }
    assert_eq!(script.review().subject, Subject::Interrupted, "it stays interrupted");
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.model_call().facts["task"]["id"], "last");
}

#[test]
fn words_to_an_interrupted_run_reach_every_lane() {
    let mut script = delegating(without_pauses());
    script.send(EventKind::Interrupted);
    script.answer(Answer::Reply { text: "leave the tests out".to_owned() });
    assert!(["a", "b", "c"].iter().all(|task| asked(&script, task).user.contains("leave the tests out")));
}

#[test]
fn prices_of_a_resumption_hold_in_every_lane() {
    let mut settings = without_pauses();
    settings.limits.money = Some(3_000_000);
    settings.rates.default = Some(Rate { input: 1, output: 1 });
    let mut script = delegating(settings);
    let dear = Rates { default: Some(Rate { input: 1_000_000, output: 10_000_000 }), ..Rates::default() };
    script.send(EventKind::Resumed { rates: Some(dear) });
    let before = script.state().spent.money;
    reads(&mut script, "a");
    assert_eq!(script.state().spent.money - before, 200, "100 in, 10 out");
}

#[test]
fn tasks_that_a_person_adds_in_a_lane_have_ids_of_their_own() {
    let mut script = delegating(pausing(settings(), &[PausePoint::BeforeTool]));
    says(&mut script, "b", decide("read_file", json!({"file_path": "b.py"})));
    for taken in ["a", "last", "b"] {
        let refused = script.try_answer(Answer::AddTasks { tasks: vec![planned(taken)] });
        assert!(matches!(refused, Err(Refused::Tasks(_))), "{taken}");
    }
    script.answer(Answer::AddTasks { tasks: vec![planned("more")] });
    let call = script.tool_call().call;
    script.tool_ends(call, OutcomeStatus::Done, json!("x"));
    says(&mut script, "b", judge("completed", "done"));
    assert_eq!(stage(&script, "b"), StageName::Deciding, "the lane works on what was added");
    says(&mut script, "more", decide("read_file", json!({"file_path": "more.py"})));
    script.approve();
    let call = script.tool_call().call;
    script.tool_ends(call, OutcomeStatus::Done, json!("x"));
    says(&mut script, "more", judge("completed", "done"));
    assert_eq!(stage(&script, "b"), StageName::Finished);
}

#[test]
fn a_plan_of_a_persons_own_takes_the_lanes_back() {
    let mut script = delegating(without_pauses());
    works(&mut script, "a", "completed");
    works(&mut script, "b", "needs_more_work");
    let taken = script.try_send(EventKind::Replanned { tasks: vec![planned("a")] });
    assert!(matches!(taken, Err(Refused::Tasks(_))), "a is done with");
    script.send(EventKind::Replanned { tasks: vec![planned("b"), planned("mine")] });
    assert_eq!((script.stage(), done(&script)), (StageName::Deciding, vec![("a", TaskStatus::Completed)]));
    assert_eq!(script.state().history.len(), 2, "what was done stays in the record");
    let b = script.state().stack.last().expect("b is open").clone();
    assert_eq!((b.planned.id, b.steps.len()), ("b".into(), 1), "it keeps what was done for it");
}

#[test]
fn a_model_out_of_reach_pauses_its_lane_until_the_resumption() {
    let mut script = delegating(without_pauses());
    let call = asked(&script, "b").call;
    let failure = ModelFailure::unpaid("gone", true);
    script.send(EventKind::ModelFailed { call, failure });
    assert_eq!(stage(&script, "b"), StageName::PausedForReview);
    assert_eq!(script.model_calls().len(), 2);
    script.send(EventKind::Resumed { rates: None });
    assert_eq!(script.model_calls().len(), 3);
    assert_eq!(stage(&script, "b"), StageName::Deciding);
}

#[test]
fn a_saved_state_with_lanes_goes_on_as_the_run_itself() {
    let mut script = delegating(with_egress());
    reads(&mut script, "a");
    says(&mut script, "b", ask_human("which?"));
    let saved = serde_json::to_string(script.state()).expect("the state serializes");
    let state: State = serde_json::from_str(&saved).expect("the state deserializes");
    let mut restored = Script { run: Run::from_state(state), ..script.clone() };
    for one in [&mut script, &mut restored] {
        one.answer(Answer::Reply { text: "both".to_owned() });
        works(one, "c", "completed");
    }
    assert_eq!(restored.state(), script.state());
}
