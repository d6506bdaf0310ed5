//! Budgets: tokens and money kept before they are spent, working time by a clock that may sleep.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn limited(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = without_pauses();
    change(&mut settings);
    settings
}

fn which(script: &Script) -> String {
    match script.ending() {
        Ending::Limit { which } => which,
        other => panic!("a limit ends it, not {other:?}"),
    }
}

/// Prices by which a prompt's tokens cost little and a reply's much.
fn rates() -> Rates {
    Rates { default: Some(Rate { input: 1_000_000, output: 5_000_000 }), ..Rates::default() }
}

/// A reply that used so many tokens.
fn using(script: &mut Script, value: serde_json::Value, input: u64, output: u64) {
    let call = script.model_call().call;
    let usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
    let reply = ModelReply { usage, ..reply(&value.to_string(), StopReason::End) };
    script.send(EventKind::ModelReplied { call, reply });
}

#[test]
fn a_run_ends_before_the_call_that_would_cross_its_tokens() {
    let mut script = Script::start(limited(|s| s.limits.tokens = Some(10_000)));
    using(&mut script, plan(&[task("a", "x")]), 8_600, 500);
    let said = which(&script);
    assert!(said.starts_with("of 10000 tokens 900 are left, and the next call needs about "), "{said}");
    assert!(script.state().spent.tokens.total() < 10_000);
    assert_eq!(script.state().plans.len(), 1, "what was done stays");
}

#[test]
fn a_budget_that_the_first_call_would_cross_is_told_before_it() {
    let script = Script::start(limited(|s| s.limits.tokens = Some(100)));
    assert!(which(&script).contains("of 100 tokens 100 are left"));
    assert_eq!(script.state().spent.model_calls, 0);
}

#[test]
fn the_replys_cap_shrinks_to_what_is_left() {
    let free = Script::start(without_pauses()).model_call().max_tokens;
    let mut script = Script::start(limited(|s| s.limits.tokens = Some(12_000)));
    let first = script.model_call().max_tokens;
    assert!((256..12_000).contains(&first) && first < free, "{first}");
    using(&mut script, plan(&[task("a", "x")]), 4_000, 1_000);
    let second = script.model_call().max_tokens;
    assert!((256..first).contains(&second), "{second}");
}

#[test]
fn a_call_has_as_many_tries_as_the_budgets_have_room_for() {
    let tries = |script: &Script| {
        let call = script.model_call();
        let prompt = script.run.prompt(call.call).expect("it is owed");
        script.run.tries(call.call, &prompt)
    };
    assert_eq!(tries(&Script::start(without_pauses())), u32::MAX);
    let tokens = |cap: u64| Script::start(limited(|s| s.limits.tokens = Some(cap)));
    assert_eq!(tries(&tokens(12_000)), 1, "the reply's cap takes all that is left");
    assert!((2..=1_000_000 / 16_000).contains(&tries(&tokens(1_000_000))));
    let money = Script::start(limited(|s| {
        s.limits.money = Some(200_000);
        s.rates = rates();
    }));
    let most = u64::from(money.model_call().max_tokens) * 5;
    assert!((1..=200_000 / most).contains(&tries(&money).into()), "{most}");
}

#[test]
fn a_cap_that_is_raised_after_a_cut_stays_within_the_budget() {
    let mut script = Script::start(limited(|s| s.limits.tokens = Some(30_000)));
    script.say_and_stop("{", StopReason::Length);
    let again = script.model_call();
    assert!(u64::from(again.max_tokens) + script.state().spent.tokens.total() < 30_000, "{again:?}");
}

#[test]
fn a_call_that_used_more_than_was_reckoned_ends_the_run_too() {
    let mut script = Script::start(limited(|s| s.limits.tokens = Some(20_000)));
    using(&mut script, plan(&[task("a", "x")]), 25_000, 1);
    assert_eq!(which(&script), "20000 tokens are used up (25001 used)");
}

#[test]
fn money_is_kept_before_it_is_spent() {
    let mut script = Script::start(limited(|s| {
        s.limits.money = Some(20_000);
        s.rates = rates();
    }));
    let cap = u64::from(script.model_call().max_tokens);
    assert!(cap * 5 <= 20_000, "{cap}");
    using(&mut script, plan(&[task("a", "x")]), 2_000, 3_200);
    assert_eq!(script.state().spent.money, 2_000 + 16_000);
    assert_eq!(which(&script), "of $0.02 $0.002 are left, too little for the next call");
}

#[test]
fn what_a_provider_says_that_a_call_cost_counts_more_than_the_list() {
    let mut script = Script::start(limited(|s| s.rates = rates()));
    let call = script.model_call().call;
    let text = plan(&[task("a", "x")]).to_string();
    let reply = ModelReply { cost: Some(7), ..reply(&text, StopReason::End) };
    script.send(EventKind::ModelReplied { call, reply });
    assert_eq!(script.state().spent.money, 7);
    script.say(decide("read_file", json!({"file_path": "a"})));
    assert_eq!(script.state().spent.money, 7 + 150, "100 in and 10 out by the list");
}

#[test]
fn what_a_failed_call_used_counts_against_the_budgets() {
    let mut script = Script::start(limited(|s| {
        s.limits.tokens = Some(20_000);
        s.rates = rates();
    }));
    let cap = script.model_call().max_tokens;
    let mut fails = |input: u64, output: u64, cost| {
        let usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
        let call = script.model_call().call;
        let failure = ModelFailure { usage, cost, ..ModelFailure::unpaid("gone", true) };
        script.send(EventKind::ModelFailed { call, failure });
        script.send(EventKind::Resumed { rates: None });
        script.clone()
    };
    let after = fails(3_000, 1_000, None);
    let Spent { tokens, money, model_calls, .. } = &after.state().spent;
    assert_eq!((tokens.total(), *money, *model_calls), (4_000, 3_000 + 5_000, 0));
    assert!(after.model_call().max_tokens < cap, "the cap shrinks with what is left");
    let after = fails(15_000, 500, Some(7));
    assert_eq!(after.state().spent.money, 8_007, "the provider's own word counts more than the list");
    assert!(which(&after).starts_with("of 20000 tokens 500 are left"), "{}", which(&after));
}

#[test]
fn what_a_call_had_used_that_was_given_up_counts_and_changes_nothing_else() {
    let mut script = Script::start(limited(|s| {
        s.limits.tokens = Some(20_000);
        s.rates = rates();
    }));
    let (call, before) = (script.model_call(), script.state().stage.clone());
    let dropped = |call, output_tokens, cost| {
        let usage = Usage { input_tokens: 3_000, cached_tokens: 0, output_tokens };
        EventKind::ModelDropped { call, usage, cost }
    };
    script.send(dropped(call.call, 1_000, Some(9)));
    let Spent { tokens, money, model_calls, .. } = &script.state().spent;
    assert_eq!((tokens.total(), *money, *model_calls), (4_000, 9, 0));
    assert_eq!((&script.state().stage, script.model_call().call), (&before, call.call));
    script.send(EventKind::Interrupted);
    script.send(dropped(call.call, 12_500, None));
    script.send(EventKind::Resumed { rates: None });
    assert!(which(&script).starts_with("of 20000 tokens 500 are left"), "{}", which(&script));
    script.send(dropped(call.call, 1, None));
    assert_eq!(script.state().spent.tokens.total(), 22_501, "after the end too");
    let unknown = CallId(call.call.0 + 7);
    assert_eq!(script.try_send(dropped(unknown, 1, None)), Err(Refused::NotPending { call: unknown }));
}

#[test]
fn a_failure_of_an_older_journal_used_nothing() {
    let old =
        json!({ "event": "model_failed", "call": 1, "failure": { "message": "gone", "transient": true } });
    let EventKind::ModelFailed { failure, .. } = serde_json::from_value(old.clone()).unwrap() else {
        panic!("a failure is read as one")
    };
    assert_eq!(failure, ModelFailure::unpaid("gone", true));
    let call = serde_json::from_value(old["call"].clone()).unwrap();
    assert_eq!(serde_json::to_value(EventKind::ModelFailed { call, failure }).unwrap(), old);
}

#[test]
fn stages_and_experts_have_prices_of_their_own() {
    let mut settings = limited(|s| s.rates = rates());
    settings.rates.stages.insert(ModelStage::Decide, Some(Rate { input: 2_000_000, output: 0 }));
    settings.rates.experts.insert("audit".to_owned(), Some(Rate { input: 3_000_000, output: 0 }));
    settings.experts.insert("audit".to_owned(), Expert::default());
    let mut script = Script::start(settings);
    script.say(plan(&[task("a", "x"), json!({"id": "b", "description": "y", "kind": "audit"})]));
    script.say(decide("read_file", json!({"file_path": "a"})));
    assert_eq!(script.state().spent.money, 150 + 200);
    script.tool_gives(OutcomeStatus::Done, json!(1));
    script.say(judge("completed", "done"));
    script.say(decide("read_file", json!({"file_path": "a"})));
    assert_eq!(script.state().spent.money, 150 + 200 + 150 + 300, "the expert's price counts");
}

#[test]
fn a_limit_of_money_needs_prices() {
    let refused = |settings: Settings| {
        let first = Event { at: Timestamp(0), worked_ms: None, kind: started(settings) };
        Run::start(first).expect_err("the limit can't be kept").to_string()
    };
    let unknown = "the limit of money: can't be kept: what a model costs isn't known; \
                   list its price, or limit tokens instead";
    assert_eq!(refused(limited(|s| s.limits.money = Some(1_000_000))), unknown);
    let one_stage = limited(|s| {
        s.limits.money = Some(1_000_000);
        s.rates = rates();
        s.rates.stages.insert(ModelStage::Reflect, None);
    });
    assert_eq!(refused(one_stage), unknown, "each stage's model needs one");
    let one_expert = limited(|s| {
        s.limits.money = Some(1_000_000);
        s.rates = rates();
        s.rates.experts.insert("audit".to_owned(), None);
    });
    assert_eq!(refused(one_expert), unknown);
}

#[test]
fn a_resumption_with_models_of_unknown_price_cant_keep_a_limit_of_money() {
    let mut script = Script::start(limited(|s| {
        s.limits.money = Some(1_000_000);
        s.rates = rates();
    }));
    let refused = script.try_send(EventKind::Resumed { rates: Some(Rates::default()) }).unwrap_err();
    assert!(refused.to_string().starts_with("the limit of money: can't be kept"), "{refused}");
    let dear = Rates { default: Some(Rate { input: 9_000_000, output: 9_000_000 }), ..Rates::default() };
    script.send(EventKind::Resumed { rates: Some(dear.clone()) });
    assert_eq!(script.state().settings.rates, dear);
    assert!(u64::from(script.model_call().max_tokens) * 9 < 1_000_000);
}

#[test]
fn models_that_cost_nothing_never_reach_a_limit_of_money() {
    let mut script = Script::start(limited(|s| {
        s.limits.money = Some(1);
        s.rates.default = Some(Rate { input: 0, output: 0 });
    }));
    script.say(plan(&[task("a", "x")]));
    assert_eq!(script.stage(), StageName::Deciding);
    assert_eq!(script.model_call().max_tokens, 16_000);
}

#[test]
fn a_sleeping_machine_uses_no_working_time() {
    let mut script = deciding(limited(|s| s.limits.wall_clock_ms = Some(10_000)));
    script.now += 8 * 3_600_000;
    script.worked_ms = Some(500);
    script.say(decide("read_file", json!({"file_path": "a"})));
    assert_eq!(script.state().clock.active_ms, 1_500, "what was worked, not what passed");
    script.worked_ms = Some(8_500);
    script.tool_gives(OutcomeStatus::Done, json!(1));
    assert_eq!(which(&script), "10000 ms of working time are used up");
}

#[test]
fn no_time_counts_in_a_pause_whatever_the_clock_says() {
    let mut settings = limited(|s| s.limits.wall_clock_ms = Some(10_000));
    settings.pause = [PausePoint::AfterPlan].into();
    let mut script = Script::start(settings);
    script.say(plan(&[task("a", "x")]));
    script.worked_ms = Some(1_000_000);
    script.approve();
    assert_eq!((script.stage(), script.state().clock.active_ms), (StageName::Deciding, 1_000));
}

#[test]
fn every_flow_keeps_its_iterations() {
    for flow in Flow::ALL {
        let mut settings = in_flow(flow, without_pauses());
        settings.limits.iterations = 5;
        let mut script = Script::start(settings);
        for n in 0..30 {
            let file = format!("{n}.py");
            match script.stage() {
                StageName::Failed => break,
                StageName::Planning => script.say(plan(&[task("a", "x")])),
                StageName::Executing => script.tool_gives(OutcomeStatus::Done, json!(1)),
                StageName::Evaluating => script.say(judge("needs_more_work", "more")),
                StageName::Deciding => script.say(decide("read_file", json!({"file_path": file}))),
                StageName::Conversing => {
                    script.turn(&[("1", "read_file", &json!({"file_path": file}).to_string())])
                }
                _ => script.say(call_tool("read_file", json!({"file_path": file}))),
            };
        }
        assert_eq!(which(&script), "5 iterations are used up", "{flow:?}");
        assert_eq!(script.state().iterations, 5);
    }
}
