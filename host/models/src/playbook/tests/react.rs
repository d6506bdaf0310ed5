use super::ALL;
use super::folder::{Folder, sample};
use super::taskless::{Road, react};
use crate::playbook::Playbook;
use crate::{Ask, Ledger, MicroDollars, Model, Request, Stop, Usage};
use serde_json::{Value, json};

const LIMITS: [u32; 6] = [3, 4, 5, 10, 15, 30];

#[test]
fn the_answer_comes_in_time_however_few_turns_there_are() {
    let cut = Folder { shows: Some(6), ..sample() };
    for folder in [sample(), cut, Folder::default()] {
        for limit in LIMITS {
            let walk = react(&folder, &Road { limit, ..Road::default() });
            assert!(!walk.observations.is_empty(), "{limit}: nothing was looked at");
            assert!(walk.answer().contains("## Technology stack"), "{}", walk.answer());
        }
    }
}

#[test]
fn ten_turns_have_room_for_the_whole_analysis_as_calls_are_made_together() {
    let walk = react(&sample(), &Road { limit: 10, ..Road::default() });
    assert_eq!(walk.turns.first(), Some(&3), "none of the three needs to know what another brings");
    assert_eq!(walk.turns.len(), 2, "then the core files: {:?}", walk.turns);
    for said in ["flask", "shop/main.py", "shop/db/store.py:27", "shop/api/products.py:19"] {
        assert!(walk.answer().contains(said), "no {said} in\n{}", walk.answer());
    }
    assert!(!walk.answer().contains("left no room"), "{}", walk.answer());
}

#[test]
fn both_flows_without_tasks_come_to_the_same_answer_where_there_is_room() {
    let (turns, stages) = (Road { limit: 100, ..Road::default() }, Road { limit: 100, ..Road::default() });
    let problems = |answer: &str| {
        let from = answer.find("## Possible problems").unwrap();
        answer[from..].split("\n\n").nth(1).unwrap().to_owned()
    };
    let react = react(&sample(), &turns);
    let pipeline = super::taskless::pipeline(&sample(), &stages);
    assert_eq!(problems(react.answer()), problems(pipeline.answer()));
}

#[test]
fn nothing_works_so_nothing_is_reported() {
    let folder = Folder { broken: ALL.to_vec(), ..sample() };
    for limit in LIMITS {
        let walk = react(&folder, &Road { limit, ..Road::default() });
        assert!(walk.answer().starts_with("Nothing can be reported"), "{}", walk.answer());
    }
    let walk = react(&sample(), &Road { tools: &[], ..Road::default() });
    assert_eq!(walk.iterations, 1);
    assert!(walk.answer().contains("None of the tools"), "{}", walk.answer());
}

#[test]
fn rejected_calls_and_ends_never_make_it_repeat_a_call() {
    let rejects = |_: &str, input: &Value| input.to_string().len().is_multiple_of(2);
    for limit in LIMITS {
        for rejects in [&rejects as &dyn Fn(&str, &Value) -> bool, &|_, _| true, &|_, _| false] {
            let walk = react(&sample(), &Road { limit, rejects, again: 3, ..Road::default() });
            assert!(walk.answers.len() == 4 || walk.iterations == limit);
        }
    }
}

fn request(ask: Ask, stage: &str) -> Request {
    let tools: Vec<Value> = ALL.iter().map(|name| json!({ "name": name })).collect();
    let facts = json!({
        "flow": "react", "stage": stage, "tools": tools, "iterations": { "used": 2, "limit": 10 },
    });
    Request {
        stage: stage.to_owned(),
        expert: None,
        ask,
        facts,
        max_tokens: 1000,
        tries: None,
        ledger: Ledger::default(),
    }
}

fn conversation() -> Ask {
    Ask::Conversation { system: String::new(), turns: Vec::new(), tools: Vec::new() }
}

#[tokio::test]
async fn a_turn_with_calls_waits_for_their_results_and_costs_nothing() {
    let reply = Playbook.complete(request(conversation(), "converse")).await.unwrap();
    assert_eq!((reply.stop, reply.content, reply.usage), (Stop::ToolUse, None, Usage::default()));
    assert_eq!(reply.cost, Some(MicroDollars(0)));
    let [call, _, _] = reply.calls.as_slice() else { panic!("{:?}", reply.calls) };
    assert_eq!((call.id.as_str(), call.name.as_str()), ("call_9", "detect_stack"));
}

#[tokio::test]
async fn a_stage_asked_for_as_a_conversation_and_a_turn_asked_for_as_a_stage_are_refused() {
    let stage = Ask::Stage { system: String::new(), user: String::new(), schema: Value::Null };
    assert!(Playbook.complete(request(stage, "converse")).await.is_err());
    assert!(Playbook.complete(request(conversation(), "reason")).await.is_err());
}
