//! What delegated runs share, and how their results join.

use super::*;

#[test]
fn tasks_that_wait_for_none_begin_together() {
    let script = delegating(without_pauses());
    let asked: Vec<_> = script.model_calls().iter().map(|call| call.facts["task"]["id"].clone()).collect();
    assert_eq!(asked, ["a", "b", "c"]);
    let open: Vec<_> = script.state().stack.iter().map(|task| task.planned.id.0.as_str()).collect();
    assert_eq!(open, ["last"], "what waits for them stays");
}

#[test]
fn as_many_as_are_allowed_begin_and_the_others_follow() {
    let mut script = Script::start(Settings { parallel: 2, ..without_pauses() });
    script.say(plan(&[free("a"), free("b"), free("c")]));
    assert_eq!(script.model_calls().len(), 2);
    works(&mut script, "b", "completed");
    assert_eq!(script.model_calls().len(), 1, "c waits for the join");
    works(&mut script, "a", "completed");
    assert_eq!(script.stage(), StageName::Deciding, "one task alone needs no delegation");
    assert_eq!(script.model_call().facts["task"]["id"], "c");
}

#[test]
fn one_task_at_a_time_is_what_happens_unless_more_is_asked_for() {
    let mut script = Script::start(without_pauses());
    script.say(plan(&[free("a"), free("b")]));
    assert_eq!((script.stage(), script.model_calls().len()), (StageName::Deciding, 1));
}

#[test]
fn a_plan_that_waits_for_approval_is_delegated_when_it_is_approved() {
    let mut script = Script::start(parallel(settings()));
    script.say(plan(&[free("a"), free("b")]));
    script.approve();
    assert_eq!(script.stage(), StageName::Delegating);
}

#[test]
fn results_join_in_the_order_of_the_plan_whatever_ends_first() {
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]];
    let mut joined = orders.map(|order| {
        let mut script = delegating(without_pauses());
        for task in order {
            works(&mut script, task, "completed");
        }
        assert_eq!(script.model_call().facts["task"]["id"], "last");
        script
    });
    for script in &joined {
        let all = [("a", TaskStatus::Completed), ("b", TaskStatus::Completed), ("c", TaskStatus::Completed)];
        assert_eq!(done(script), all);
        let tasks: Vec<_> = script.state().history.iter().map(|action| action.task.0.as_str()).collect();
        assert_eq!(tasks, ["a", "b", "c"]);
        let user = script.model_call().user;
        assert!(user.contains("a is completed: a shows it\nb is completed: b shows it"), "{user}");
    }
    let last = &mut joined[0];
    works(last, "last", "completed");
    last.say(achieved());
    assert_eq!(last.ending(), Ending::Achieved);
    assert_eq!(last.state().iterations, 14, "two plans and four times three stages");
    assert_eq!(last.state().spent.model_calls, 10);
}

#[test]
fn stages_interleave_and_each_lane_goes_its_own_way() {
    let mut script = delegating(without_pauses());
    let a = reads(&mut script, "a").call;
    let b = reads(&mut script, "b").call;
    script.tool_ends(b, OutcomeStatus::Done, json!("b"));
    assert_eq!(stage(&script, "a"), StageName::Executing);
    assert_eq!(stage(&script, "b"), StageName::Evaluating);
    assert_eq!(stage(&script, "c"), StageName::Deciding);
    says(&mut script, "b", judge("needs_more_work", "more"));
    script.tool_ends(a, OutcomeStatus::Done, json!("a"));
    assert_eq!(stage(&script, "b"), StageName::Deciding);
    assert_eq!(script.run.owed().len(), 3);
}

#[test]
fn a_task_that_fails_brings_the_planner_and_the_others_finish_first() {
    let mut script = delegating(without_pauses());
    works(&mut script, "b", "failed");
    assert_eq!(script.stage(), StageName::Delegating);
    works(&mut script, "a", "completed");
    works(&mut script, "c", "completed");
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    assert_eq!(done(&script)[1], ("b", TaskStatus::Failed));
    assert!(script.model_call().user.contains("b failed: b shows it"));
}

#[test]
fn iterations_are_shared_and_never_exceeded() {
    let mut settings = without_pauses();
    settings.limits.iterations = 8;
    let mut script = delegating(settings);
    let shares: Vec<u32> =
        lanes(&script.state().stage).iter().map(|lane| lane.state.settings.limits.iterations).collect();
    assert_eq!(shares, [2, 2, 2], "equal parts of the seven that are left");
    let a = reads(&mut script, "a").call;
    script.tool_ends(a, OutcomeStatus::Done, json!("a"));
    assert_eq!(stage(&script, "a"), StageName::Failed, "its part is used up");
    for task in ["b", "c"] {
        let call = reads(&mut script, task).call;
        script.tool_ends(call, OutcomeStatus::Done, json!(task));
    }
    assert_eq!(script.stage(), StageName::Planning, "one is left for the planner");
    assert_eq!(script.state().iterations, 7);
}

#[test]
fn tokens_and_money_are_shared() {
    let mut settings = without_pauses();
    settings.limits.tokens = Some(90_110);
    settings.limits.money = Some(3_000_000);
    settings.rates.default = Some(Rate { input: 1_000_000, output: 5_000_000 });
    let script = delegating(settings);
    for lane in lanes(&script.state().stage) {
        let limits = &lane.state.settings.limits;
        assert_eq!(limits.tokens, Some(30_000));
        assert_eq!(limits.money, Some((3_000_000 - 150) / 3));
    }
    assert_eq!(script.state().spent.money, 150);
}

#[test]
fn what_a_lane_spends_counts_in_the_run_above() {
    let mut script = delegating(without_pauses());
    let before = script.state().spent.clone();
    works(&mut script, "b", "completed");
    let spent = &script.state().spent;
    assert_eq!(spent.model_calls, before.model_calls + 2);
    assert_eq!(spent.tool_calls, before.tool_calls + 1);
    assert_eq!(spent.tokens.total(), before.tokens.total() + 220);
}

#[test]
fn what_a_given_up_call_of_a_lane_used_counts_in_both() {
    let mut script = delegating(without_pauses());
    let before = script.state().spent.tokens.total();
    let call = script.model_call().call;
    let usage = Usage { input_tokens: 100, cached_tokens: 0, output_tokens: 7 };
    script.send(EventKind::ModelDropped { call, usage, cost: None });
    assert_eq!(script.state().spent.tokens.total(), before + 107);
    let of_lanes = script.state().stage.lanes().iter().map(|lane| lane.state.spent.tokens.total());
    assert_eq!(of_lanes.collect::<Vec<_>>(), [107, 0, 0]);
}

#[test]
fn a_lane_that_reaches_its_limit_ends_alone() {
    let mut settings = without_pauses();
    settings.limits.iterations = 22;
    let mut script = delegating(settings);
    for _ in 0..2 {
        works(&mut script, "a", "needs_more_work");
    }
    says(&mut script, "a", decide("read_file", json!({"file_path": "a.py"})));
    assert_eq!(stage(&script, "a"), StageName::Failed, "seven stages are its part");
    works(&mut script, "b", "completed");
    works(&mut script, "c", "completed");
    assert_eq!(script.model_call().stage, ModelStage::Plan, "the planner decides about a");
    assert!(script.state().done[0].summary.starts_with("was given up when its part of the budget"));
}

#[test]
fn working_time_that_is_used_up_ends_all_lanes_with_the_event_that_crosses_it() {
    let mut settings = without_pauses();
    settings.limits.wall_clock_ms = Some(60_000);
    let mut script = delegating(settings);
    script.now += 100_000;
    says(&mut script, "a", decide("read_file", json!({"file_path": "a.py"})));
    assert!(matches!(script.ending(), Ending::Limit { .. }), "{:?}", script.stage());
    assert_eq!(script.state().done.len(), 3, "what they did is in the record");
}

#[test]
fn calls_in_lanes_have_no_more_time_than_the_run() {
    let mut settings = without_pauses();
    settings.limits.wall_clock_ms = Some(10_000);
    let mut script = delegating(settings);
    let call = reads(&mut script, "a");
    assert_eq!(call.timeout_ms, 10_000 - 2_000);
    assert_eq!(asked(&script, "b").timeout_ms, 8_000);
}

#[test]
fn claims_of_a_lane_may_cite_the_steps_of_the_run_above() {
    let mut script = Script::start(parallel(without_pauses()));
    script.say(plan(&[task("first", "list")]));
    script.round(decide("list_files", json!({"directory": "."})), json!(["setup.py"]), judge("failed", "no"));
    script.say(plan(&[free("a"), free("b")]));
    assert!(asked(&script, "a").user.contains("setup.py"), "it sees the record above");
    let call = reads(&mut script, "a").call;
    script.tool_ends(call, OutcomeStatus::Done, json!("x"));
    let mut verdict = judge("completed", "done");
    let own = lanes(&script.state().stage)[0].state.history[0].step.0;
    verdict["claims"] = json!([
        {"about": "module", "text": "There is a setup.", "evidence": [{"step": 1, "file": "setup.py"}]},
        {"about": "module", "text": "There is a.", "evidence": [{"step": own, "file": "a.py"}]},
        {"about": "module", "text": "Invented.", "evidence": [{"step": own + 1}]},
    ]);
    says(&mut script, "a", verdict);
    works(&mut script, "b", "completed");
    let texts: Vec<_> = script.state().claims.iter().map(|claim| claim.text.as_str()).collect();
    assert_eq!(texts, ["There is a setup.", "There is a."]);
}

#[test]
fn what_one_lane_received_holds_the_egress_of_another() {
    let mut script = delegating(with_egress());
    says(&mut script, "a", decide("post", json!({"text": "t"})));
    let a = script.tool_call().call;
    script.tool_ends(a, OutcomeStatus::Done, json!("a page"));
    let b = reads(&mut script, "b").call;
    script.tool_ends(b, OutcomeStatus::Done, json!("a secret"));
    says(&mut script, "c", decide("post", json!({"text": "u"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::ReadAndReceived, .. }));
}

#[test]
fn a_lane_that_fails_is_told_to_the_planner() {
    let mut script = delegating(Settings { on_stage_failure: OnStageFailure::Fail, ..without_pauses() });
    for _ in 0..4 {
        let call = asked(&script, "b").call;
        script.send(EventKind::ModelReplied { call, reply: reply("no", StopReason::End) });
    }
    assert_eq!(stage(&script, "b"), StageName::Failed);
    works(&mut script, "a", "completed");
    works(&mut script, "c", "completed");
    assert_eq!(script.model_call().stage, ModelStage::Plan);
    assert!(script.model_call().user.contains("b failed: failed"), "{}", script.model_call().user);
}
