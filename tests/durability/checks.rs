//! What must hold of every life, however often its processes were killed.

use crate::life::Life;
use crate::scenario::Scenario;
use crate::world::Moment;
use ringfence_engine::{
    Answer, CallId, Effect, Event, EventKind, Intent, Review, ReviewId, Run, StepId, Subject,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Asserts that a life that was disturbed came to the same as one that wasn't.
pub(crate) fn same(scenario: &Scenario, life: &Life, undisturbed: &Life, what: &str) {
    effects_happened_once(life, undisturbed, what);
    intents_came_first(life, what);
    let told = told(life);
    assert_eq!(
        compared(scenario, life, &told),
        compared(scenario, undisturbed, &told),
        "{what}: the final state"
    );
    assert_eq!(
        receipts(scenario, life, &told),
        receipts(scenario, undisturbed, &told),
        "{what}: the receipts"
    );
    let reviews = |life: &Life| life.state.next.review;
    assert_eq!(reviews(life), reviews(undisturbed) + doubts(life).len() as u64, "{what}: reviews");
}

/// Whether anybody had to be asked what became of a call.
pub(crate) fn was_in_doubt(life: &Life) -> bool {
    !doubts(life).is_empty()
}

/// Nothing is written or sent twice, nothing is left out, and no try of a call is made twice.
fn effects_happened_once(life: &Life, undisturbed: &Life, what: &str) {
    let effects = |life: &Life| -> Vec<String> {
        let took = life.marks.iter().filter(|mark| mark.moment == Moment::TookEffect);
        let mut all: Vec<_> = took.map(|mark| format!("{} {}", mark.tool, mark.input)).collect();
        all.sort();
        all
    };
    assert_eq!(effects(life), effects(undisturbed), "{what}: what was written and sent");
    let mut begun = BTreeSet::new();
    for mark in life.marks.iter().filter(|mark| mark.moment == Moment::Began) {
        assert!(mark.intended, "{what}: no intent of {mark:?}");
        assert!(begun.insert((mark.call, mark.attempt)), "{what}: made twice: {mark:?}");
    }
}

/// Whatever came back had been meant to happen in an event before.
fn intents_came_first(life: &Life, what: &str) {
    let (mut calls, mut reviews) = (BTreeSet::<CallId>::new(), BTreeSet::<ReviewId>::new());
    for recorded in &life.journal.events {
        let meant = match &recorded.event.kind {
            EventKind::ModelReplied { call, .. }
            | EventKind::ModelFailed { call, .. }
            | EventKind::ModelDropped { call, .. }
            | EventKind::ToolFinished { call, .. }
            | EventKind::ProposedAgain { call } => calls.contains(call),
            EventKind::Answered { review, .. } => reviews.contains(review),
            EventKind::Started { .. }
            | EventKind::Resumed { .. }
            | EventKind::Granted(_)
            | EventKind::ChangesSettled(_) => true,
            EventKind::Interrupted | EventKind::Replanned { .. } => false,
        };
        assert!(meant, "{what}: nothing was to come of {recorded:?}");
        for intent in &recorded.intents {
            match intent {
                Intent::CallModel { call, .. } | Intent::CallTool { call, .. } => drop(calls.insert(*call)),
                Intent::AskPerson { review } => drop(reviews.insert(*review)),
                Intent::Finish => {}
            }
        }
    }
}

/// Every question about an unknown outcome, with the step that it was about.
fn doubts(life: &Life) -> BTreeMap<ReviewId, StepId> {
    let mut found = BTreeMap::new();
    let mut note = |owed: Vec<Effect>| {
        for effect in owed {
            if let Effect::AskPerson(Review { id, subject: Subject::UnknownOutcome { call } }) = effect {
                found.insert(id, call.step);
            }
        }
    };
    let mut events = life.journal.events.iter().map(|recorded| recorded.event.clone());
    let first: Event = events.next().expect("a first event");
    let (mut run, _) = Run::start(first).expect("a run");
    for event in events {
        note(run.apply(event).expect("an event that fits"));
    }
    found
}

/// The actions, by their place in the history, of which a person told what came: those have no
/// receipt.
fn told(life: &Life) -> BTreeSet<usize> {
    let doubts = doubts(life);
    let replies = life.journal.events.iter().filter_map(|recorded| match &recorded.event.kind {
        EventKind::Answered { review, answer: Answer::Reply { .. } } => doubts.get(review),
        _ => None,
    });
    let steps: BTreeSet<StepId> = replies.copied().collect();
    let history = life.state.history.iter().enumerate();
    history.filter(|(_, action)| steps.contains(&action.step)).map(|(place, _)| place).collect()
}

/// The state without what may differ: clocks, the number of reviews, the try in a receipt's name.
/// Of tasks worked on at the same time the ids too: they are given in the order of the answers.
fn compared(scenario: &Scenario, life: &Life, told: &BTreeSet<usize>) -> Value {
    let mut state = serde_json::to_value(&life.state).expect("a state is JSON");
    state["clock"] = Value::Null;
    state["next"]["review"] = Value::Null;
    let renamed = renamed(scenario, life);
    for (place, action) in state["history"].as_array_mut().expect("a history").iter_mut().enumerate() {
        action["step"] = json!(renamed[&life.state.history[place].step]);
        if action["deed"].get("receipt").is_some() {
            action["deed"]["receipt"] = json!(!told.contains(&place));
        }
    }
    for (place, task) in state["done"].as_array_mut().expect("a list").iter_mut().enumerate() {
        let steps = life.state.done[place].steps.iter();
        task["steps"] = steps.map(|step| renamed[step]).collect();
    }
    state
}

fn renamed(scenario: &Scenario, life: &Life) -> BTreeMap<StepId, u64> {
    let history = life.state.history.iter().zip(1..);
    let name = |step: StepId, place| if scenario.parallel > 1 { place } else { step.0 };
    history.map(|(action, place)| (action.step, name(action.step, place))).collect()
}

/// Every receipt by the call that it is of, those left out that a person's words stand for.
fn receipts(scenario: &Scenario, life: &Life, told: &BTreeSet<usize>) -> Vec<String> {
    let words: Vec<String> = life
        .state
        .history
        .iter()
        .enumerate()
        .filter(|(place, _)| told.contains(place))
        .filter_map(|(_, action)| {
            let deed = serde_json::to_value(&action.deed).expect("a deed is JSON");
            Some(format!("{} {}", deed.get("tool")?.as_str()?, deed["input"]))
        })
        .collect();
    let mut all: Vec<_> = life
        .journal
        .receipts
        .iter()
        .filter(|stored| {
            let made = &stored.receipt;
            !words.contains(&format!("{} {}", made["tool"].as_str().unwrap_or_default(), made["input"]))
        })
        .map(|stored| {
            let call = stored.id.0.split('.').next().unwrap_or_default();
            let call = if scenario.parallel > 1 { "" } else { call };
            format!("{call} {}", stored.receipt)
        })
        .collect();
    all.sort();
    all
}
