//! Forks: the beginning of one run's journal under another name, and a plan of a person's own.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

/// The journal's first events, begun by a run of another name.
fn forked(journal: &[Event], events: usize) -> Run {
    let mut journal: Vec<Event> = journal[..events].to_vec();
    if let EventKind::Started { run, .. } = &mut journal[0].kind {
        *run = "run-2".into();
    }
    Run::replay(journal).expect("a prefix replays").0
}

/// Each flow's run to its end.
fn whole() -> [Script; 3] {
    let mut staged = Script::start(Settings { parallel: 2, ..without_pauses() });
    staged.say(plan(&[free("a"), free("b")]));
    for task in ["a", "b"] {
        let asks = |call: &Asked| call.facts["task"]["id"] == task;
        let call = staged.model_calls().into_iter().find(asks).expect("it is asked").call;
        staged.say_to(call, decide("read_file", json!({"file_path": "a.py"})));
        staged.tool_gives(OutcomeStatus::Done, json!(1));
        let call = staged.model_calls().into_iter().find(asks).expect("it is asked").call;
        staged.say_to(call, judge("completed", "done"));
    }
    staged.say(achieved());

    let mut pipeline = Script::start(in_flow(Flow::Pipeline, without_pauses()));
    pipeline.say(call_tool("read_file", json!({"file_path": "a.py"})));
    pipeline.tool_gives(OutcomeStatus::Done, json!(1));
    pipeline.say(need_more_info("which?"));
    pipeline.answer(Answer::Reply { text: "both".to_owned() });
    pipeline.say(final_answer("done"));

    let mut react = Script::start(in_flow(Flow::React, without_pauses()));
    react.turn(&[("1", "read_file", "{\"file_path\": \"a.py\"}"), ("2", "nothing", "{}")]);
    react.tool_gives(OutcomeStatus::Done, json!(1));
    react.say_text("done");
    [staged, pipeline, react]
}

/// The state with the fork's own name taken out, wherever it stands.
fn nameless(state: &State) -> String {
    let text = serde_json::to_string(state).expect("the state serializes");
    text.replace("run-1", "run").replace("run-2", "run")
}

#[test]
fn every_beginning_of_a_journal_folds_the_same_under_another_name() {
    for script in whole() {
        for events in 1..=script.journal.len() {
            let (original, _) = Run::replay(script.journal[..events].to_vec()).expect("a prefix replays");
            let fork = forked(&script.journal, events);
            assert_eq!(fork.state().run, "run-2".into());
            assert_eq!(nameless(fork.state()), nameless(original.state()));
            assert_eq!(fork.owed(), original.owed(), "what is owed doesn't depend on the name");
        }
    }
}

#[test]
fn a_fork_goes_on_by_itself() {
    let script = deciding(without_pauses());
    let mut fork = forked(&script.journal, script.journal.len());
    let kind = EventKind::Replanned { tasks: vec![planned("mine"), planned("b")] };
    fork.apply(Event { at: Timestamp(9_000), worked_ms: None, kind }).expect("a plan of their own");
    let open: Vec<_> = fork.state().stack.iter().rev().map(|task| task.planned.id.0.as_str()).collect();
    assert_eq!(open, ["mine", "b"]);
    assert_eq!(script.state().stack.len(), 2, "the original is as it was");
}

#[test]
fn a_plan_of_a_persons_own_is_a_version_of_theirs_and_drops_what_was_under_way() {
    for mut script in [Script::start(settings()), deciding(settings()), executing(settings())] {
        let versions = script.state().plans.len();
        let pending = script.run.owed();
        script.send(EventKind::Replanned { tasks: vec![planned("mine")] });
        assert_eq!(script.stage(), StageName::Deciding);
        let plan = script.state().plans.last().expect("a version").clone();
        assert_eq!((plan.author, plan.approved), (Author::Person, true));
        assert_eq!(script.state().plans.len(), versions + 1);
        let late = match &pending[0] {
            Effect::CallModel(call) => {
                EventKind::ModelReplied { call: call.call, reply: reply("{}", StopReason::End) }
            }
            Effect::CallTool(call) => {
                EventKind::ToolFinished { call: call.call, outcome: outcome(OutcomeStatus::Done, json!(1)) }
            }
            other => panic!("{other:?}"),
        };
        assert!(matches!(script.try_send(late), Err(Refused::NotPending { .. })));
    }
}

#[test]
fn an_empty_plan_of_a_persons_own_asks_the_planner() {
    let mut script = deciding(without_pauses());
    script.send(EventKind::Replanned { tasks: vec![] });
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    assert!(script.model_call().user.contains("A person removed all open tasks"));
}

#[test]
fn a_plan_of_a_persons_own_answers_a_plan_that_waits() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    script.send(EventKind::Replanned { tasks: vec![planned("mine")] });
    assert_eq!(script.model_call().facts["task"]["id"], "mine");
}

#[test]
fn a_plan_of_a_persons_own_is_checked() {
    let mut script = evaluating(without_pauses());
    script.say(judge("completed", "done"));
    let refused = script.try_send(EventKind::Replanned { tasks: vec![planned("a")] }).unwrap_err();
    assert!(refused.to_string().contains("done with; choose a new id"), "{refused}");
}

#[test]
fn independent_tasks_of_a_persons_own_begin_together() {
    let mut script = deciding(Settings { parallel: 2, ..without_pauses() });
    let apart = |id: &str| PlannedTask { depends_on: Some(vec![]), ..planned(id) };
    script.send(EventKind::Replanned { tasks: vec![apart("x"), apart("y")] });
    assert_eq!((script.stage(), script.model_calls().len()), (StageName::Delegating, 2));
}
