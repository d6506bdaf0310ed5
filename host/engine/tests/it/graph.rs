//! The drawn graph: whatever comes in, no other transition occurs, nothing panics, and a saved
//! state goes on as the run itself.

use crate::script::*;
use proptest::prelude::*;
use ringfence_engine::StageName::{
    Deciding, Evaluating, Executing, Failed, Finished, PausedForReview, Planning,
};
use ringfence_engine::*;
use serde_json::{Value, json};

/// The graph in the docs of `flow/staged.rs`, as a table. A run is never left in `Initializing`.
fn is_drawn(from: StageName, to: StageName) -> bool {
    match from {
        StageName::Initializing => to == Planning,
        Planning => matches!(to, Planning | Deciding | Finished | PausedForReview | Failed),
        Deciding => matches!(to, Deciding | Executing | PausedForReview | Failed),
        Executing => matches!(to, Executing | Evaluating | PausedForReview | Failed),
        Evaluating => matches!(to, Evaluating | Deciding | Planning | PausedForReview | Failed),
        PausedForReview => to != StageName::Initializing,
        Finished => to == Finished,
        Failed => to == Failed,
    }
}

/// What a random driver does next; numbers choose among what is there.
#[derive(Debug, Clone)]
enum Move {
    Say(usize),
    Stop(StopReason),
    FailModel,
    Tool(OutcomeStatus),
    Answer(usize),
    Interrupt,
    Resume,
    Start,
    WrongCall(u64),
    WrongReview(u64),
}

fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        12 => (0..replies().len()).prop_map(Move::Say),
        1 => prop_oneof![Just(StopReason::Length), Just(StopReason::Refusal)].prop_map(Move::Stop),
        1 => Just(Move::FailModel),
        6 => prop_oneof![
            4 => Just(OutcomeStatus::Done),
            1 => Just(OutcomeStatus::Failed),
            1 => Just(OutcomeStatus::Denied),
        ].prop_map(Move::Tool),
        8 => (0..answers(None).len()).prop_map(Move::Answer),
        1 => Just(Move::Interrupt),
        1 => Just(Move::Resume),
        1 => Just(Move::Start),
        1 => (0..50_u64).prop_map(Move::WrongCall),
        1 => (0..20_u64).prop_map(Move::WrongReview),
    ]
}

fn replies() -> Vec<Value> {
    vec![
        plan(&[task("a", "x"), task("b", "y")]),
        plan(&[task("c", "x")]),
        plan(&[task("d", "x"), json!({"id": "e", "description": "y", "depends_on": []})]),
        plan(&[]),
        achieved(),
        decide("read_file", json!({"file_path": "a.py"})),
        decide("list_files", json!({"directory": "."})),
        decide("post", json!({"text": "t"})),
        decide("nothing", json!({})),
        decide("read_file", json!({"wrong": true})),
        ask_human("what?"),
        judge("completed", "fine"),
        judge("needs_more_work", "more"),
        judge("failed", "no"),
        json!("nonsense"),
    ]
}

fn answers(hash: Option<PlanHash>) -> Vec<Answer> {
    vec![
        Answer::Approve { plan: None },
        Answer::Approve { plan: hash },
        Answer::Approve { plan: Some("stale".into()) },
        Answer::EditPlan { tasks: vec![planned("p"), planned("q")] },
        Answer::EditPlan { tasks: vec![] },
        Answer::AddTasks { tasks: vec![planned("r")] },
        Answer::EditCall { input: json!({"file_path": "b.py"}) },
        Answer::EditCall { input: json!(null) },
        Answer::Reject { reason: "no".to_owned() },
        Answer::Reply { text: "so".to_owned() },
        Answer::Abort,
    ]
}

fn event(state: &State, choice: &Move) -> EventKind {
    let call = pending(&state.stage).unwrap_or(CallId(1));
    let (review, hash) = match &state.stage {
        Stage::PausedForReview { review, .. } => match &review.subject {
            Subject::Plan { plan } => (review.id, Some(plan.hash.clone())),
            _ => (review.id, None),
        },
        _ => (ReviewId(1), None),
    };
    match choice {
        Move::Say(n) => {
            EventKind::ModelReplied { call, reply: reply(&replies()[*n].to_string(), StopReason::End) }
        }
        Move::Stop(stop) => EventKind::ModelReplied { call, reply: reply("{}", *stop) },
        Move::FailModel => EventKind::ModelFailed {
            call,
            failure: ModelFailure { message: "gone".to_owned(), transient: true },
        },
        Move::Tool(status) => EventKind::ToolFinished { call, outcome: outcome(*status, json!("v")) },
        Move::Answer(n) => EventKind::Answered { review, answer: answers(hash)[*n].clone() },
        Move::Interrupt => EventKind::Interrupted,
        Move::Resume => EventKind::Resumed,
        Move::Start => started(settings()),
        Move::WrongCall(n) => {
            EventKind::ToolFinished { call: CallId(*n), outcome: outcome(OutcomeStatus::Done, json!(n)) }
        }
        Move::WrongReview(n) => {
            EventKind::Answered { review: ReviewId(*n), answer: Answer::Approve { plan: None } }
        }
    }
}

/// A review that only an answer closes.
fn waits_for_a_person(stage: &Stage) -> bool {
    match stage {
        Stage::PausedForReview { review, .. } => {
            !matches!(review.subject, Subject::Interrupted | Subject::StageFailed { unreachable: true, .. })
        }
        _ => false,
    }
}

/// What must hold of every state.
fn is_sound(state: &State) -> Result<(), TestCaseError> {
    let working = matches!(state.stage.name(), Deciding | Executing | Evaluating);
    prop_assert!(!working || !state.stack.is_empty(), "work without a task");
    prop_assert!(state.iterations <= state.settings.limits.iterations);
    prop_assert!(state.watch.trail.len() <= state.settings.limits.stagnation as usize);
    let mut ids: Vec<_> = state.stack.iter().chain(&state.done).map(|t| &t.planned.id).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    prop_assert_eq!(ids.len(), all, "a task twice");
    let steps: Vec<_> = state.history.iter().map(|a| a.step).collect();
    prop_assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "steps out of order");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_event_leads_outside_the_drawn_graph(
        choices in prop::collection::vec(moves(), 1..60),
        pauses in 0..4_u8,
    ) {
        let mut settings = with_egress();
        settings.limits.stagnation = 3;
        if pauses & 1 != 0 {
            settings.pause.insert(PausePoint::AfterPlan);
        }
        if pauses & 2 != 0 {
            settings.pause.insert(PausePoint::BeforeTool);
        }
        let first = Event { at: Timestamp(0), kind: started(settings) };
        let (mut run, _) = Run::start(first.clone()).expect("the settings are fine");
        let mut journal = vec![first];
        for (index, choice) in choices.iter().enumerate() {
            let before = run.state().clone();
            let at = Timestamp(index as i64);
            let event = Event { at, kind: event(&before, choice) };
            // A run from the saved state goes on as the run itself.
            let saved = serde_json::to_string(&before).expect("serializes");
            let mut restored = Run::from_state(serde_json::from_str(&saved).expect("deserializes"));
            let outcome = run.apply(event.clone());
            prop_assert_eq!(&restored.apply(event.clone()), &outcome);
            prop_assert_eq!(restored.state(), run.state());
            match outcome {
                Ok(owed) => {
                    journal.push(event);
                    prop_assert_eq!(owed.len(), 1, "something is always owed, and one thing");
                    let (from, to) = (before.stage.name(), run.state().stage.name());
                    prop_assert!(is_drawn(from, to), "{} → {}", from, to);
                }
                Err(_) => prop_assert_eq!(&before, run.state()),
            }
            if matches!(choice, Move::Resume) && waits_for_a_person(&before.stage) {
                prop_assert_eq!(&before.stage, &run.state().stage, "an open review stays as it is");
            }
            is_sound(run.state())?;
        }
        let (replayed, owed) = Run::replay(journal).expect("the journal replays");
        prop_assert_eq!(replayed.state(), run.state());
        prop_assert_eq!(owed, run.owed());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,200}", shape in 0..4_u8) {
        let text = match shape {
            0 => text,
            1 => format!("{{\"reasoning\": \"{text}"),
            2 => format!("```json\n{{\"reasoning\": {text}}}\n```"),
            _ => format!("{{\"reasoning\": '{text}', \"new_sub_tasks\": [{text}]}}"),
        };
        let mut script = Script::start(settings());
        script.say_text(&text);
    }
}
