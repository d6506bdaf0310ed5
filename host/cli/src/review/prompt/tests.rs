//! A person with a script, at every kind of question.

use super::person::Person;
use super::{Said, answered};
use crate::rehearsal::{Rehearsal, decide, plan, reason};
use crate::review::Verdict;
use anyhow::Result;
use ringfence_engine::{
    Answer, Cause, Confidence, Effect, Flow, ModelStage, PausePoint, Progress, Review, Run, State, StepId,
    Subject,
};
use serde_json::json;
use std::collections::VecDeque;

/// Types these lines and saves these texts.
#[derive(Default)]
struct Scripted {
    lines: VecDeque<&'static str>,
    texts: VecDeque<String>,
    opened: Vec<String>,
    told: String,
}

impl Scripted {
    fn types(lines: &[&'static str]) -> Self {
        Self { lines: lines.iter().copied().collect(), ..Self::default() }
    }

    fn saves(mut self, text: &str) -> Self {
        self.texts.push_back(text.to_owned());
        self
    }
}

impl Person for Scripted {
    fn line(&mut self, prompt: &str) -> Result<Option<String>> {
        self.told.push_str(prompt);
        Ok(self.lines.pop_front().map(str::to_owned))
    }

    fn say(&mut self, line: &str) {
        self.told.push_str(line);
        self.told.push('\n');
    }

    fn edit(&mut self, text: &str, _: &str) -> Result<String> {
        self.opened.push(text.to_owned());
        Ok(self.texts.pop_front().expect("a text to save"))
    }
}

fn open(run: &Run) -> Review {
    match run.owed().remove(0) {
        Effect::AskPerson(review) => review,
        other => panic!("it asks nobody but owes {other:?}"),
    }
}

fn said(run: &Run, person: &mut Scripted) -> Verdict {
    match answered(person, &open(run), run.state()).expect("an answer") {
        Said::Verdict(verdict) => verdict,
        Said::ApproveAllCalls => panic!("all calls were approved"),
    }
}

fn answer(run: &Run, person: &mut Scripted) -> Answer {
    match said(run, person) {
        Verdict::Answered(answer) => answer,
        Verdict::Later => panic!("no answer: {}", person.told),
    }
}

fn planned() -> Run {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan]);
    run.reply(plan(&["a", "b"], false));
    run.run
}

fn proposed() -> Run {
    let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::BeforeTool]);
    run.reply(plan(&["a", "b"], false)).reply(decide("write_file", json!({ "path": "a" })));
    run.run
}

#[test]
fn a_plan_can_be_thought_through_again_with_words() {
    let answer = answer(&planned(), &mut Scripted::types(&["t", "only the tests"]));
    assert_eq!(answer, Answer::Reply { text: "only the tests".to_owned() });
}

#[test]
fn a_plan_that_can_t_be_read_is_opened_again_as_it_was_typed() {
    let typed = "[[tasks]]\nid = 'a'\ndescripton = 'x'\n";
    let mut person =
        Scripted::types(&["e", "e", "y"]).saves(typed).saves("[[tasks]]\nid = 'a'\ndescription = 'x'\n");
    let Answer::EditPlan { tasks } = answer(&planned(), &mut person) else { panic!("no edit") };
    assert_eq!(person.opened[1], typed);
    assert_eq!(tasks.len(), 1);
}

#[test]
fn a_plan_that_the_run_refuses_stays_open_with_the_changes() {
    let circle = "[[tasks]]\nid = 'a'\ndescription = 'x'\ndepends_on = ['b']\n[[tasks]]\nid = 'b'\n\
                  description = 'y'\ndepends_on = ['a']\n";
    let mut person = Scripted::types(&["e", "y", "r", "2", "y"]).saves(circle);
    let Answer::EditPlan { tasks } = answer(&planned(), &mut person) else { panic!("no edit") };
    assert_eq!(tasks.len(), 1);
}

#[test]
fn a_task_that_is_added_gets_the_next_number() {
    let Answer::EditPlan { tasks } = answer(&planned(), &mut Scripted::types(&["a", "More", "y"])) else {
        panic!("no edit")
    };
    assert_eq!(tasks[2].id.0, "added_3");
}

#[test]
fn changes_are_not_lost_without_a_question() {
    let mut person = Scripted::types(&["a", "More", "q", "n", "n", "y", "no good"]);
    assert_eq!(answer(&planned(), &mut person), Answer::Reject { reason: "no good".to_owned() });
    assert!(person.told.contains("Your changes to the plan are lost"), "{}", person.told);
}

#[test]
fn a_call_can_be_approved_with_all_others_or_with_a_task_added() {
    let run = proposed();
    let all = answered(&mut Scripted::types(&["all"]), &open(&run), run.state()).unwrap();
    assert!(matches!(all, Said::ApproveAllCalls));
    let Answer::AddTasks { tasks } = answer(&run, &mut Scripted::types(&["a", "Check it"])) else {
        panic!("no task")
    };
    assert_eq!((tasks[0].id.0.as_str(), tasks[0].description.as_str()), ("added_3", "Check it"));
}

#[test]
fn an_input_that_the_tool_refuses_is_opened_again() {
    let mut person =
        Scripted::types(&["e", "e", "e"]).saves("{").saves("{\"file\": 1}").saves("{\"path\": \"b\"}");
    let answer = answer(&proposed(), &mut person);
    assert_eq!(answer, Answer::EditCall { input: json!({ "path": "b" }) });
    assert_eq!(person.opened[1..], ["{", "{\"file\": 1}"]);
    assert!(person.told.contains("doesn't fit write_file"), "{}", person.told);
}

#[test]
fn an_answer_can_be_edited_before_the_end() {
    let mut run = Rehearsal::flow(Flow::Pipeline, &[PausePoint::BeforeFinish]);
    run.reply(reason("FINAL_ANSWER", json!({ "answer": "41" })));
    let run = run.run;
    let mut person = Scripted::types(&["e"]).saves("42\n");
    assert_eq!(answer(&run, &mut person), Answer::EditAnswer { text: "42".to_owned() });
    let mut person = Scripted::types(&["n", "show your work"]);
    assert_eq!(answer(&run, &mut person), Answer::Reject { reason: "show your work".to_owned() });
}

#[test]
fn a_question_takes_words_and_can_be_declined() {
    let mut run = Rehearsal::flow(Flow::Staged, &[]);
    run.reply(plan(&["a"], false)).reply(json!({ "reasoning": "so", "action": "human_help",
        "action_input": {}, "confidence": "low", "query_to_human": "Which?" }));
    let run = run.run;
    assert_eq!(answer(&run, &mut Scripted::types(&["n"])), Answer::Reply { text: "n".to_owned() });
    let declined = answer(&run, &mut Scripted::types(&["-", "ask the code"]));
    assert_eq!(declined, Answer::Reject { reason: "ask the code".to_owned() });
    assert_eq!(said(&run, &mut Scripted::types(&[])), Verdict::Later);
}

/// The same run, waiting for something else.
fn waiting(state: &State, subject: Subject) -> String {
    super::Menu::of(&subject, state).expect("choices").line()
}

#[test]
fn every_question_offers_what_its_answers_are() {
    let (staged, react) = (planned(), Rehearsal::flow(Flow::React, &[]).run);
    let Subject::Call { call, .. } = open(&proposed()).subject else { panic!("no call") };
    let finish = |answer: Option<&str>| Subject::Finish {
        answer: answer.map(str::to_owned),
        reasoning: String::new(),
    };
    let failed = |stage| Subject::StageFailed { stage, why: String::new(), unreachable: false };
    let judgement = Subject::Judgement {
        step: StepId(1),
        task: "a".into(),
        verdict: ringfence_engine::Verdict {
            status: Progress::Completed,
            suggestion: String::new(),
            confidence: Confidence::High,
        },
        summary: String::new(),
        why: Cause::AfterEvaluate,
    };
    let stagnation = || Subject::Stagnation { seen: "a".to_owned() };
    let lines = [
        ("plan", waiting(staged.state(), open(&staged).subject)),
        ("call", waiting(staged.state(), Subject::Call { call: call.clone(), why: Cause::BeforeTool })),
        (
            "call after reading and receiving",
            waiting(staged.state(), Subject::Call { call: call.clone(), why: Cause::ReadAndReceived }),
        ),
        ("judgement", waiting(staged.state(), judgement)),
        ("finish, staged", waiting(staged.state(), finish(None))),
        ("finish, react", waiting(react.state(), finish(Some("42")))),
        ("stagnation, staged", waiting(staged.state(), stagnation())),
        ("stagnation, react", waiting(react.state(), stagnation())),
        ("unknown outcome", waiting(staged.state(), Subject::UnknownOutcome { call })),
        ("stage failed, plan", waiting(staged.state(), failed(ModelStage::Plan))),
        ("stage failed, decide", waiting(staged.state(), failed(ModelStage::Decide))),
        ("stage failed, react", waiting(react.state(), failed(ModelStage::Converse))),
        ("interrupted", waiting(react.state(), Subject::Interrupted)),
    ];
    let lines: String = lines.iter().map(|(what, line)| format!("{what}\n  {line}\n")).collect();
    insta::assert_snapshot!(lines);
}
