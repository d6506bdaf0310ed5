//! Plans: versions, dependencies, what a planner and a person can do with them.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn open(script: &Script) -> Vec<&str> {
    script.state().stack.iter().rev().map(|t| t.planned.id.0.as_str()).collect()
}

#[test]
fn dependencies_decide_the_order_where_they_are_given() {
    let mut script = Script::start(without_pauses());
    script.say(plan(&[
        json!({"id": "late", "description": "x", "depends_on": ["early"]}),
        json!({"id": "free", "description": "x", "depends_on": []}),
        json!({"id": "early", "description": "x", "depends_on": []}),
    ]));
    assert_eq!(open(&script), ["free", "early", "late"]);
}

#[test]
fn a_plan_with_bad_ids_is_asked_for_again_and_then_left_to_a_person() {
    let mut script = Script::start(settings());
    script.say(plan(&[json!({"id": "a", "description": "x", "depends_on": ["nowhere"]})]));
    let again = script.model_call();
    assert_eq!(again.stage, ModelStage::Plan);
    assert!(again.user.contains("$.new_sub_tasks[0].depends_on[0]: there is no task \"nowhere\""));
    script.say(plan(&[task("a", "x"), task("a", "y")]));
    assert!(script.model_call().user.contains("$.new_sub_tasks[1].id"), "it is recovered once");
    script.say_text("no");
    script.say(plan(&[task("a", "x"), task("a", "y")]));
    let Subject::StageFailed { stage, why, unreachable } = script.review().subject else {
        panic!("a person is asked");
    };
    assert_eq!(stage, ModelStage::Plan);
    assert!(!unreachable);
    assert!(why.contains("$.new_sub_tasks[1].id"), "{why}");
    assert_eq!(script.state().iterations, 0, "no stage was carried out");
    script.answer(Answer::EditPlan { tasks: vec![planned("mine")] });
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(open(&script), ["mine"]);
}

#[test]
fn a_failed_stage_can_be_asked_again() {
    let mut script = Script::start(settings());
    script.nothing_usable();
    script.approve();
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Plan);
    assert!(!call.user.contains("could not be used"), "it begins afresh");
}

#[test]
fn a_plan_without_new_tasks_never_pauses() {
    let mut script = Script::start(settings());
    script.say(plan(&[]));
    assert_eq!(script.model_call().stage, ModelStage::Plan, "it is asked once more");
    script.say(plan(&[]));
    let Ending::Failed { why } = script.ending() else {
        panic!("a planner without tasks ends the run");
    };
    assert!(why.contains("first look, then judge"), "{why}");
}

#[test]
fn a_planner_that_finds_a_task_at_the_second_asking_goes_on() {
    let mut script = Script::start(without_pauses());
    script.say(plan(&[]));
    script.say(plan(&[task("a", "look")]));
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(script.state().watch.empty_plans, 0);
}

#[test]
fn a_goal_that_is_achieved_at_once_finishes_without_a_pause() {
    let mut script = Script::start(settings());
    script.say(achieved());
    assert_eq!(script.ending(), Ending::Achieved);
}

#[test]
fn achieved_and_more_to_do_contradict_each_other() {
    let mut script = Script::start(settings());
    let mut both = plan(&[task("a", "x")]);
    both["is_goal_achieved"] = json!(true);
    script.say(both);
    assert!(script.model_call().user.contains("$.is_goal_achieved"));
}

#[test]
fn a_failed_task_is_popped_and_the_planner_is_asked() {
    let mut script = evaluating(without_pauses());
    script.say(judge("failed", "it can't be read"));
    let call = script.model_call();
    assert_eq!(call.stage, ModelStage::Plan);
    assert!(call.user.contains("it can't be read"));
    assert_eq!(script.state().done[0].status, TaskStatus::Failed);
    script.say(plan(&[task("c", "another way")]));
    assert_eq!(open(&script), ["c", "b"], "new tasks come before the open ones");
}

#[test]
fn after_a_failed_task_the_open_ones_go_on_if_nothing_is_added() {
    let mut script = evaluating(settings());
    script.say(judge("failed", "it can't be read"));
    script.say(plan(&[]));
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(open(&script), ["b"]);
}

#[test]
fn the_ids_of_tasks_that_are_done_with_cant_be_used_again() {
    let mut script = evaluating(without_pauses());
    script.say(judge("failed", "no"));
    script.say(plan(&[task("a", "the same again")]));
    assert!(script.model_call().user.contains("choose a new id"));
}

#[test]
fn added_tasks_come_after_the_proposed_ones() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x"), task("b", "y")]));
    script.answer(Answer::AddTasks { tasks: vec![planned("c")] });
    assert_eq!(open(&script), ["a", "b", "c"]);
    assert!(script.state().plans[1].approved);
}

#[test]
fn removing_a_task_frees_what_waited_for_it() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x"), json!({"id": "b", "description": "y", "depends_on": ["a"]})]));
    let mut b = planned("b");
    b.depends_on = Some(vec!["a".into()]);
    script.answer(Answer::EditPlan { tasks: vec![b] });
    assert_eq!(open(&script), ["b"]);
    assert_eq!(script.state().stack[0].planned.depends_on, Some(vec![]));
}

#[test]
fn removing_every_task_asks_the_planner() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    script.answer(Answer::EditPlan { tasks: vec![] });
    assert_eq!(script.model_call().stage, ModelStage::Plan);
}

#[test]
fn a_persons_plan_is_checked_like_any_other() {
    let mut script = Script::start(settings());
    script.say(plan(&[task("a", "x")]));
    let mut lost = planned("b");
    lost.depends_on = Some(vec!["nowhere".into()]);
    let refused = script.try_answer(Answer::EditPlan { tasks: vec![lost] }).unwrap_err();
    assert_eq!(refused.to_string(), "tasks[0].depends_on[0]: there is no task \"nowhere\"");
    let twice = vec![planned("b"), planned("b")];
    assert!(script.try_answer(Answer::EditPlan { tasks: twice }).is_err());
    let mut empty = planned("b");
    empty.description = " ".to_owned();
    assert!(script.try_answer(Answer::AddTasks { tasks: vec![empty] }).is_err());
}

#[test]
fn a_plan_is_bounded() {
    let mut script = Script::start(settings());
    let many: Vec<_> = (0..101).map(|n| task(&format!("t{n}"), "x")).collect();
    script.say(plan(&many));
    assert!(script.model_call().user.contains("at most 100 can be added"));
    script.say(plan(&[task("a", &"x".repeat(2_001))]));
    assert!(script.model_call().user.contains("[0].description: has more than 2000 characters"));
    assert_eq!(script.state().plans, []);
}

#[test]
fn an_open_task_that_a_person_keeps_keeps_what_was_done_for_it() {
    let mut script = evaluating(settings());
    script.say(judge("needs_more_work", "half of it"));
    script.say(decide("list_files", json!({"directory": "."})));
    script.tool_gives(OutcomeStatus::Done, json!([]));
    script.say(judge("completed", "all of it"));
    assert_eq!(script.state().done[0].steps, [StepId(1), StepId(2)]);
}

#[test]
fn the_planner_s_answer_is_the_run_s_and_a_person_may_see_it_first() {
    let mut settings = without_pauses();
    settings.pause.insert(PausePoint::BeforeFinish);
    let mut script = Script::start(settings);
    let mut reply = achieved();
    reply["answer"] = json!("There are 42.");
    script.say(reply.clone());
    let Subject::Finish { answer, .. } = script.review().subject else { panic!("the end is shown") };
    assert_eq!(answer.as_deref(), Some("There are 42."));
    script.answer(Answer::Reject { reason: "count again".to_owned() });
    assert_eq!(script.state().answer, None, "it is no answer any more");
    script.say(reply);
    script.approve();
    assert_eq!(script.ending(), Ending::Achieved);
    assert_eq!(script.state().answer.as_deref(), Some("There are 42."));
}
