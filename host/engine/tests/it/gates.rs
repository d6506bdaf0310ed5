//! Pause points and every other review: what each answer leads to, and what a refused one is told.

use crate::script::*;
use ringfence_engine::StageName::{
    Conversing, Deciding, Evaluating, Executing, Failed, Finished, Observing, Planning, Reflecting, Thinking,
};
use ringfence_engine::*;
use serde_json::json;
use std::collections::BTreeSet;

/// Every answer, with the word that a person gives it by.
fn answers() -> Vec<(&'static str, Answer)> {
    vec![
        ("approve", Answer::Approve { plan: None }),
        ("edit", Answer::EditPlan { tasks: vec![planned("mine")] }),
        ("edit", Answer::EditCall { input: json!({"file_path": "b.py"}) }),
        ("edit", Answer::EditAnswer { text: "better".to_owned() }),
        ("add", Answer::AddTasks { tasks: vec![planned("more")] }),
        ("reject", Answer::Reject { reason: "no".to_owned() }),
        ("answer", Answer::Reply { text: "so".to_owned() }),
        ("abort", Answer::Abort),
    ]
}

/// A review takes these answers, and each leads there; every other one is refused with their names.
fn takes(script: &Script, expected: &[(&str, StageName)]) {
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    let mut refusals = Vec::new();
    for (word, answer) in answers() {
        let mut tried = script.clone();
        match tried.try_answer(answer.clone()) {
            Ok(_) => {
                taken.insert(word);
                let to = expected.iter().find(|(known, _)| *known == word).map(|(_, to)| *to);
                assert_eq!(Some(tried.stage()), to, "{word} to {:?}", script.review().subject);
            }
            Err(Refused::UnfitAnswer { takes, .. }) => refusals.push(takes),
            Err(other) => panic!("{word}: {other}"),
        }
    }
    let known: BTreeSet<&str> = expected.iter().map(|(word, _)| *word).collect();
    assert_eq!(taken, known, "{:?}", script.review().subject);
    for refusal in refusals {
        let said: BTreeSet<&str> = refusal.split(", ").flat_map(|words| words.split(" or ")).collect();
        assert_eq!(said, known, "what is refused says what it takes: {:?}", script.review().subject);
    }
}

fn reading(settings: Settings) -> Script {
    let mut script = deciding(settings);
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    script
}

#[test]
fn a_plan_takes_every_answer() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    takes(
        &script,
        &[
            ("approve", Deciding),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Planning),
            ("answer", Planning),
            ("abort", Failed),
        ],
    );
}

#[test]
fn a_call_takes_another_input_but_no_other_plan() {
    let expected = [
        ("approve", Executing),
        ("edit", Executing),
        ("add", Executing),
        ("reject", Deciding),
        ("answer", Deciding),
        ("abort", Failed),
    ];
    takes(&reading(pausing(settings(), &[PausePoint::BeforeTool])), &expected);

    let mut pipeline = Script::start(in_flow(Flow::Pipeline, pausing(settings(), &[PausePoint::BeforeTool])));
    pipeline.say(call_tool("read_file", json!({"file_path": "a.py"})));
    let expected = expected.map(|(word, to)| (word, if to == Deciding { Thinking } else { to }));
    takes(&pipeline, &expected);

    let mut react = Script::start(in_flow(Flow::React, pausing(settings(), &[PausePoint::BeforeTool])));
    react.turn(&[("1", "read_file", "{\"file_path\": \"a.py\"}")]);
    let expected = expected.map(|(word, to)| (word, if to == Thinking { Conversing } else { to }));
    takes(&react, &expected);
}

#[test]
fn a_judgement_takes_every_answer() {
    let mut script = evaluating(pausing(settings(), &[PausePoint::AfterEvaluate]));
    script.say(judge("needs_more_work", "half"));
    takes(
        &script,
        &[
            ("approve", Deciding),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Deciding),
            ("answer", Evaluating),
            ("abort", Failed),
        ],
    );
}

#[test]
fn the_end_takes_another_plan_where_there_is_one_and_another_answer_where_there_is_one() {
    let mut staged = Script::start(pausing(settings(), &[PausePoint::BeforeFinish]));
    staged.say(achieved());
    takes(
        &staged,
        &[
            ("approve", Finished),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Planning),
            ("answer", Planning),
            ("abort", Failed),
        ],
    );
    for (flow, goes_on) in [(Flow::Pipeline, Thinking), (Flow::React, Conversing)] {
        let mut script = Script::start(in_flow(flow, pausing(settings(), &[PausePoint::BeforeFinish])));
        match flow {
            Flow::React => script.say_text("Flask."),
            Flow::Staged | Flow::Pipeline => script.say(final_answer("Flask.")),
        };
        takes(
            &script,
            &[
                ("approve", Finished),
                ("edit", Finished),
                ("add", goes_on),
                ("reject", goes_on),
                ("answer", goes_on),
                ("abort", Failed),
            ],
        );
    }
}

#[test]
fn a_question_takes_an_answer_or_none() {
    let mut staged = deciding(without_pauses());
    staged.say(ask_human("which?"));
    takes(&staged, &[("answer", Deciding), ("reject", Deciding), ("abort", Failed)]);
    let mut react = Script::start(in_flow(Flow::React, without_pauses()));
    react.turn(&[("1", "human_help", "{\"question\": \"which?\"}")]);
    takes(&react, &[("answer", Conversing), ("reject", Conversing), ("abort", Failed)]);
}

/// A run that repeated itself, was reviewed, and repeated itself again.
fn stagnating(flow: Flow) -> Script {
    let mut settings = in_flow(flow, without_pauses());
    settings.limits.stagnation = 2;
    let mut script = match flow {
        Flow::Staged => deciding(settings),
        Flow::Pipeline | Flow::React => Script::start(settings),
    };
    for _ in 0..20 {
        match (script.stage(), flow) {
            (StageName::PausedForReview, _) => break,
            (Reflecting, _) => script.say(reflection("do something else")),
            (Executing, _) => script.tool_gives(OutcomeStatus::Failed, json!("x")),
            (Evaluating, _) => script.say(judge("needs_more_work", "again")),
            (_, Flow::Staged) => script.say(decide("read_file", json!({"file_path": "a.py"}))),
            (_, Flow::Pipeline) => script.say(call_tool("read_file", json!({"file_path": "a.py"}))),
            (_, Flow::React) => script.turn(&[("1", "read_file", "{\"file_path\": \"a.py\"}")]),
        };
    }
    assert!(matches!(script.review().subject, Subject::Stagnation { .. }));
    script
}

#[test]
fn a_repetition_takes_advice_and_where_there_are_tasks_gives_one_up() {
    takes(
        &stagnating(Flow::Staged),
        &[
            ("approve", Evaluating),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Planning),
            ("answer", Deciding),
            ("abort", Failed),
        ],
    );
    for (flow, then, goes_on) in
        [(Flow::Pipeline, Observing, Thinking), (Flow::React, Conversing, Conversing)]
    {
        takes(
            &stagnating(flow),
            &[
                ("approve", then),
                ("add", goes_on),
                ("reject", goes_on),
                ("answer", goes_on),
                ("abort", Failed),
            ],
        );
    }
}

#[test]
fn a_call_in_doubt_takes_what_became_of_it() {
    let mut script = deciding(with_writes());
    script.say(decide("write_file", json!({"file_path": "a.py", "content": "x"})));
    script.send(EventKind::Resumed { rates: None });
    let input = json!({"file_path": "b.py", "content": "x"});
    let mut edited = script.clone();
    edited.answer(Answer::EditCall { input });
    assert_eq!(edited.stage(), Executing);
    let refused = script.try_answer(Answer::EditCall { input: json!({"file_path": "b.py"}) });
    assert!(matches!(refused, Err(Refused::Input { .. })), "the input must fit the tool");
    for (answer, to) in [
        (Answer::Approve { plan: None }, Some(Executing)),
        (Answer::Reject { reason: "no".to_owned() }, Some(Evaluating)),
        (Answer::Reply { text: "it is there".to_owned() }, Some(Evaluating)),
        (Answer::Abort, Some(Failed)),
        (Answer::EditPlan { tasks: vec![] }, None),
        (Answer::AddTasks { tasks: vec![planned("more")] }, None),
    ] {
        let mut tried = script.clone();
        let taken = tried.try_answer(answer).ok().map(|_| tried.stage());
        assert_eq!(taken, to);
    }
}

#[test]
fn a_failed_stage_takes_what_helps_it() {
    let planner = |mut script: Script| {
        script.nothing_usable();
        script
    };
    takes(
        &planner(Script::start(settings())),
        &[
            ("approve", Planning),
            ("edit", Deciding),
            ("add", Deciding),
            ("answer", Planning),
            ("abort", Failed),
        ],
    );
    takes(
        &planner(deciding(without_pauses())),
        &[
            ("approve", Deciding),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Planning),
            ("answer", Deciding),
            ("abort", Failed),
        ],
    );
    let mut evaluator = evaluating(without_pauses());
    evaluator.model_fails();
    takes(
        &evaluator,
        &[
            ("approve", Evaluating),
            ("edit", Deciding),
            ("add", Deciding),
            ("reject", Planning),
            ("answer", Evaluating),
            ("abort", Failed),
        ],
    );
    let mut react = Script::start(in_flow(Flow::React, without_pauses()));
    react.model_fails();
    takes(&react, &[("approve", Conversing), ("answer", Conversing), ("abort", Failed)]);
    let mut pipeline = Script::start(in_flow(Flow::Pipeline, without_pauses()));
    pipeline.model_fails();
    takes(&pipeline, &[("approve", Thinking), ("answer", Thinking), ("abort", Failed)]);
}

#[test]
fn a_review_of_the_memory_out_of_reach_takes_a_plan_too() {
    let mut settings = without_pauses();
    settings.limits.reflect_after = Some(1);
    let mut script = evaluating(settings);
    script.say(judge("needs_more_work", "half"));
    script.model_fails();
    takes(
        &script,
        &[
            ("approve", Reflecting),
            ("edit", Deciding),
            ("add", Deciding),
            ("answer", Reflecting),
            ("abort", Failed),
        ],
    );
}

#[test]
fn an_interruption_takes_words_or_none() {
    let mut script = evaluating(without_pauses());
    script.send(EventKind::Interrupted);
    takes(&script, &[("approve", Evaluating), ("answer", Evaluating), ("abort", Failed)]);
}

#[test]
fn each_pause_point_holds_what_it_is_for_and_nothing_else() {
    let calls = [
        ("read_file", json!({"file_path": "a.py"})),
        ("write_file", json!({"file_path": "a.py", "content": "x"})),
        ("post", json!({"text": "t"})),
    ];
    for (point, held, why) in [
        (PausePoint::BeforeTool, [true, true, true], Cause::BeforeTool),
        (PausePoint::BeforeWrite, [false, true, false], Cause::BeforeWrite),
        (PausePoint::BeforeEgress, [false, false, true], Cause::BeforeEgress),
        (PausePoint::OnLowConfidence, [false, false, false], Cause::OnLowConfidence),
        (PausePoint::AfterEvaluate, [false, false, false], Cause::AfterEvaluate),
        (PausePoint::BeforeFinish, [false, false, false], Cause::BeforeTool),
    ] {
        for ((tool, input), held) in calls.iter().zip(held) {
            let mut script = deciding(pausing(with_writes(), &[point]));
            script.say(decide(tool, input.clone()));
            match script.reviews().first() {
                Some(Review { subject: Subject::Call { why: seen, .. }, .. }) => {
                    assert!(held, "{point:?} held {tool}");
                    assert_eq!(*seen, why);
                    assert_eq!(seen.pause_point(), Some(point));
                }
                Some(other) => panic!("{other:?}"),
                None => assert!(!held, "{point:?} let {tool} through"),
            }
        }
    }
}

#[test]
fn an_approved_call_is_put_to_a_person_again_before_it_is_made_where_such_calls_are_seen() {
    let writing = || decide("write_file", json!({"file_path": "a.py", "content": "x"}));
    let mut script = deciding(pausing(with_writes(), &[PausePoint::BeforeWrite]));
    script.say(writing());
    let first = script.review();
    script.answer(Answer::EditCall { input: json!({"file_path": "a.py", "content": "y"}) });
    let call = script.tool_call();
    script.send(EventKind::ProposedAgain { call: call.call });
    assert!(script.tool_calls().is_empty(), "it isn't due any more");
    let second = script.review();
    assert_ne!(first.id, second.id);
    assert_eq!(second.subject, Subject::Call { call: call.clone(), why: Cause::BeforeWrite });
    let again = script.try_send(EventKind::ProposedAgain { call: call.call });
    assert!(matches!(again, Err(Refused::NotPending { .. })), "{again:?}");
    script.approve();
    assert_eq!(script.tool_call(), call);
    script.send(EventKind::ProposedAgain { call: call.call });
    script.answer(Answer::Reject { reason: "no".to_owned() });
    assert_eq!(script.stage(), Deciding);

    let mut script = deciding(with_writes());
    script.say(writing());
    let call = script.tool_call().call;
    let refused = script.try_send(EventKind::ProposedAgain { call });
    assert!(matches!(refused, Err(Refused::NotPending { .. })), "nobody sees such calls: {refused:?}");
}

#[test]
fn a_decision_or_judgement_that_the_model_isnt_sure_of_is_held_where_that_was_asked_for() {
    let unsure = |mut value: serde_json::Value| {
        value["confidence"] = json!("low");
        value
    };
    let mut script = deciding(pausing(settings(), &[PausePoint::OnLowConfidence]));
    script.say(unsure(decide("read_file", json!({"file_path": "a.py"}))));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::OnLowConfidence, .. }));
    script.approve();
    script.tool_gives(OutcomeStatus::Done, json!("x"));
    script.say(unsure(judge("completed", "done, perhaps")));
    let Subject::Judgement { why, verdict, summary, task, .. } = script.review().subject else {
        panic!("the judgement waits");
    };
    assert_eq!((why, verdict.status), (Cause::OnLowConfidence, Progress::Completed));
    assert_eq!((summary.as_str(), task), ("done, perhaps", "a".into()));
    script.answer(Answer::Reject { reason: "it isn't".to_owned() });
    assert_eq!(script.state().stack.len(), 2, "the task is open again");
    assert!(script.model_call().user.contains("A person rejected the judgement on a: it isn't"));

    let mut pipeline =
        Script::start(in_flow(Flow::Pipeline, pausing(settings(), &[PausePoint::OnLowConfidence])));
    pipeline.say(unsure(call_tool("read_file", json!({"file_path": "a.py"}))));
    assert!(matches!(pipeline.review().subject, Subject::Call { why: Cause::OnLowConfidence, .. }));
}

#[test]
fn a_judgement_that_nobody_gave_is_of_low_confidence_and_held() {
    let mut script = evaluating(pausing(settings(), &[PausePoint::OnLowConfidence]));
    script.say_text("no");
    script.say_text("no");
    assert!(matches!(script.review().subject, Subject::Judgement { why: Cause::OnLowConfidence, .. }));
}

#[test]
fn an_end_with_the_last_iteration_still_waits_for_the_person() {
    let mut settings = pausing(settings(), &[PausePoint::BeforeFinish]);
    settings.limits.iterations = 1;
    let mut script = Script::start(settings);
    script.say(achieved());
    assert!(matches!(script.review().subject, Subject::Finish { .. }));
    let mut rejected = script.clone();
    script.approve();
    assert_eq!(script.ending(), Ending::Achieved);
    rejected.answer(Answer::Reject { reason: "no".to_owned() });
    assert!(matches!(rejected.ending(), Ending::Limit { .. }), "nothing is left to go on with");
}
