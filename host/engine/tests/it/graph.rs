//! The drawn graphs: whatever comes in, no other transition occurs, nothing panics, and a saved
//! state, or one rebuilt from its journal, goes on as the run itself.

use crate::random::{Move, event, moves};
use crate::script::*;
use crate::sound::{is_sound, lanes};
use proptest::prelude::*;
use ringfence_engine::StageName::{
    Conversing, Deciding, Delegating, Evaluating, Executing, Failed, Finished, Initializing, Observing,
    PausedForReview, Planning, Reflecting, Thinking,
};
use ringfence_engine::*;

/// The graphs in the docs of `flow/`, as a table. A run is never left in `Initializing`; what a
/// review or a detour held back may be anything of the same flow.
fn is_drawn(flow: Flow, from: StageName, to: StageName) -> bool {
    let stages: &[StageName] = match flow {
        Flow::Staged => &[Planning, Deciding, Executing, Evaluating, Delegating],
        Flow::Pipeline => &[Thinking, Executing, Observing],
        Flow::React => &[Conversing, Executing],
    };
    let aside = matches!(to, Reflecting | PausedForReview | Failed);
    let held = aside || to == Finished || stages.contains(&to);
    match (flow, from) {
        (_, Initializing) => false,
        (_, Finished | Failed) => from == to,
        (_, PausedForReview | Reflecting) => held,
        (Flow::Staged, Planning) => aside || matches!(to, Planning | Deciding | Delegating | Finished),
        (Flow::Staged, Deciding) => aside || matches!(to, Deciding | Executing),
        (Flow::Staged, Executing) => aside || matches!(to, Executing | Evaluating),
        (Flow::Staged, Evaluating) => aside || matches!(to, Evaluating | Deciding | Planning | Delegating),
        (Flow::Staged, Delegating) => aside || matches!(to, Delegating | Planning | Deciding),
        (Flow::Pipeline, Thinking) => aside || matches!(to, Thinking | Executing | Finished),
        (Flow::Pipeline, Executing) => aside || matches!(to, Executing | Observing),
        (Flow::Pipeline, Observing) => aside || matches!(to, Observing | Executing | Thinking | Finished),
        (Flow::React, Conversing) => aside || matches!(to, Conversing | Executing | Finished),
        (Flow::React, Executing) => aside || matches!(to, Executing | Conversing),
        (Flow::Staged, Thinking | Observing | Conversing)
        | (Flow::Pipeline, Planning | Deciding | Evaluating | Delegating | Conversing)
        | (Flow::React, Planning | Deciding | Evaluating | Delegating | Thinking | Observing) => false,
    }
}

/// The same for a delegated run: no planner, and its last task ends it.
fn is_drawn_below(from: StageName, to: StageName) -> bool {
    match (from, to) {
        (_, Planning | Delegating) => false,
        (Evaluating, Finished) => true,
        _ => is_drawn(Flow::Staged, from, to),
    }
}

/// A way to start a run.
#[derive(Debug, Clone)]
struct Start {
    pauses: u8,
    parallel: u32,
    iterations: u32,
    tokens: Option<u64>,
    fails: bool,
    reflect_after: Option<u32>,
}

fn starts() -> impl Strategy<Value = Start> {
    let tokens = prop_oneof![3 => Just(None), 1 => (2_000..60_000_u64).prop_map(Some)];
    let after = prop_oneof![Just(None), (2..6_u32).prop_map(Some)];
    (0..128_u8, 1..4_u32, 4..40_u32, tokens, any::<bool>(), after).prop_map(
        |(pauses, parallel, iterations, tokens, fails, reflect_after)| Start {
            // No pause at all is worth as much as any mixture of them.
            pauses: if pauses < 40 { 0 } else { pauses },
            parallel,
            iterations,
            tokens,
            fails,
            reflect_after,
        },
    )
}

fn settings_of(flow: Flow, start: &Start) -> Settings {
    let mut settings = in_flow(flow, with_writes());
    let points = PausePoint::ALL.into_iter().enumerate();
    settings.pause = points.filter(|(n, _)| start.pauses >> n & 1 == 1).map(|(_, point)| point).collect();
    settings.parallel = start.parallel;
    settings.on_stage_failure = if start.fails { OnStageFailure::Fail } else { OnStageFailure::Pause };
    let limits = &mut settings.limits;
    limits.stagnation = 3;
    limits.iterations = start.iterations;
    limits.tokens = start.tokens;
    limits.reflect_after = start.reflect_after;
    settings
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

fn stays_in_the_graph(before: &State, after: &State, choice: &Move) -> Result<(), TestCaseError> {
    let (from, to) = (before.stage.name(), after.stage.name());
    let planned_anew = *choice == Move::Replan && matches!(to, Planning | Deciding | Delegating | Failed);
    prop_assert!(planned_anew || is_drawn(before.settings.flow, from, to), "{} → {}", from, to);
    for lane in lanes(&before.stage) {
        // Joined, or planned anew: then it is gone. The same id may come again in a new one.
        let Some(same) = lanes(&after.stage).iter().find(|other| other.task == lane.task) else { continue };
        let (from, to) = (lane.state.stage.name(), same.state.stage.name());
        prop_assert!(planned_anew || is_drawn_below(from, to), "below: {} → {}", from, to);
    }
    Ok(())
}

fn holds(flow: Flow, start: &Start, choices: &[Move]) -> Result<(), TestCaseError> {
    let first = Event { at: Timestamp(0), worked_ms: None, kind: started(settings_of(flow, start)) };
    let (mut run, _) = Run::start(first.clone()).expect("the settings are fine");
    let mut journal = vec![first];
    is_sound(&run).map_err(TestCaseError::fail)?;
    for (index, choice) in choices.iter().enumerate() {
        let before = run.state().clone();
        let at = Timestamp(index as i64);
        let event = Event { at, worked_ms: None, kind: event(&before, index, choice) };
        let saved = serde_json::to_string(&before).expect("serializes");
        let mut restored = Run::from_state(serde_json::from_str(&saved).expect("deserializes"));
        prop_assert_eq!(restored.state(), &before);
        let outcome = run.apply(event.clone());
        prop_assert_eq!(&restored.apply(event.clone()), &outcome);
        prop_assert_eq!(restored.state(), run.state());
        match outcome {
            Ok(owed) => {
                journal.push(event);
                prop_assert_eq!(&owed, &run.owed());
                let (replayed, owed_again) = Run::replay(journal.clone()).expect("the journal replays");
                prop_assert_eq!(replayed.state(), run.state());
                prop_assert_eq!(owed_again, owed);
                stays_in_the_graph(&before, run.state(), choice)?;
            }
            Err(_) => prop_assert_eq!(&before, run.state()),
        }
        if *choice == Move::Resume && waits_for_a_person(&before.stage) {
            prop_assert_eq!(&before.stage, &run.state().stage, "an open review stays as it is");
        }
        is_sound(&run).map_err(|why| TestCaseError::fail(format!("{why}, after {choice:?}")))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_event_leads_a_staged_run_outside_the_drawn_graph(
        start in starts(),
        choices in prop::collection::vec(moves(), 1..60),
    ) {
        holds(Flow::Staged, &start, &choices)?;
    }

    #[test]
    fn no_event_leads_a_pipeline_outside_the_drawn_graph(
        start in starts(),
        choices in prop::collection::vec(moves(), 1..60),
    ) {
        holds(Flow::Pipeline, &start, &choices)?;
    }

    #[test]
    fn no_event_leads_a_conversation_outside_the_drawn_graph(
        start in starts(),
        choices in prop::collection::vec(moves(), 1..60),
    ) {
        holds(Flow::React, &start, &choices)?;
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,200}", shape in 0..4_u8, flow in 0..3_usize) {
        let text = match shape {
            0 => text,
            1 => format!("{{\"reasoning\": \"{text}"),
            2 => format!("```json\n{{\"reasoning\": {text}}}\n```"),
            _ => format!("{{\"reasoning\": '{text}', \"new_sub_tasks\": [{text}]}}"),
        };
        let mut script = Script::start(in_flow(Flow::ALL[flow], settings()));
        if Flow::ALL[flow] == Flow::React {
            script.turn(&[("1", "read_file", &text)]);
        } else {
            script.say_text(&text);
        }
    }
}

#[test]
fn random_runs_reach_every_stage() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    let all = (starts(), prop::collection::vec(moves(), 60..80));
    for flow in Flow::ALL {
        for _ in 0..120 {
            let (start, choices) = all.new_tree(&mut runner).expect("a run").current();
            let first = Event { at: Timestamp(0), worked_ms: None, kind: started(settings_of(flow, &start)) };
            let (mut run, _) = Run::start(first).expect("the settings are fine");
            for (index, choice) in choices.iter().enumerate() {
                let kind = event(run.state(), index, choice);
                // Refused ones are part of it.
                let _ = run.apply(Event { at: Timestamp(index as i64), worked_ms: None, kind });
                seen.insert(run.state().stage.name());
            }
        }
    }
    let reached = [
        Planning,
        Deciding,
        Executing,
        Evaluating,
        Thinking,
        Observing,
        Conversing,
        Delegating,
        Reflecting,
        PausedForReview,
        Finished,
        Failed,
    ];
    assert_eq!(seen, reached.into_iter().collect());
}
