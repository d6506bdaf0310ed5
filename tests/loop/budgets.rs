//! Budgets and deadlines: kept before they are crossed, told afterwards.

use crate::{configure, journaled, of_kind, run_of, sample, shown, tools_called};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, Called, KEY, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

/// What `show` tells of the only run.
fn told(product: &Product) -> String {
    let id = shown(product)["id"].as_str().expect("an id").to_owned();
    product.run(&["show", &id], &[]).stdout
}

/// The sum over all replies.
fn used(product: &Product, of: impl Fn(&Value) -> u64) -> u64 {
    of_kind(&journaled(product), "model_replied").iter().map(|event| of(&event["reply"])).sum()
}

fn tokens(reply: &Value) -> u64 {
    ["input_tokens", "output_tokens"].iter().filter_map(|name| reply["usage"][name].as_u64()).sum()
}

/// Ended by a limit, with a report, and told by `show`.
fn stopped(product: &Product, ended: &Ended, said: &str) {
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains(said), "no `{said}` in {}", ended.stderr);
    assert!(ended.stdout.contains("Outcome"), "there is a report: {}", ended.stdout);
    assert_eq!(shown(product)["state"]["stage"]["ending"]["ending"], "limit");
    let told = told(product);
    assert!(told.contains("Stopped by a limit") && told.contains(said), "{told}");
}

#[test]
fn a_budget_of_tokens_ends_a_run_before_the_call_that_would_cross_it() {
    for flow in ["staged", "pipeline", "react"] {
        let (free, server) = (sample(), MessagesApi::start(script()));
        let ended = free.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let (whole, calls) = (used(&free, tokens), server.asked().len());
        for cap in [whole / 3, whole * 4 / 5] {
            let (product, server) = (sample(), MessagesApi::start(script()));
            let word = cap.to_string();
            let ended = product.run(&run_of(&["--flow", flow, "--max-tokens", &word]), &server.env());
            stopped(&product, &ended, "tokens");
            let spent = used(&product, tokens);
            assert!(spent <= cap, "{flow}: {spent} of {cap}");
            assert!(server.asked().len() < calls, "{flow}: not every call was made");
            let (mut left, replies) = (cap, journaled(&product));
            for (asked, event) in server.asked().iter().zip(of_kind(&replies, "model_replied")) {
                let most = asked.body["max_tokens"].as_u64().expect("a cap");
                assert!(most <= left, "{flow}: a reply could have crossed the budget: {most} of {left}");
                left -= tokens(&event["reply"]);
            }
        }
    }
}

#[test]
fn what_was_spent_before_a_pause_counts_after_it() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let mut arguments = run_of(&["--pause", "after_plan", "--max-tokens", "4000"]);
    arguments.retain(|word| *word != "--yes");
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    stopped(&product, &ended, "of 4000 tokens");
    assert!(used(&product, tokens) <= 4000);
}

#[test]
fn a_budget_too_small_for_one_call_asks_nobody() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    let ended = product.run(&run_of(&["--max-tokens", "300"]), &server.env());
    stopped(&product, &ended, "of 300 tokens 300 are left");
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn a_budget_of_money_ends_a_run_before_the_call_that_would_cross_it() {
    const PRICES: &str = "[anthropic.\"claude-sonnet-5-5\".price]\ninput = 40.0\noutput = 200.0\ncached = 4.0\ncache_write = 50.0\n";
    let cost = |reply: &Value| reply["cost"].as_u64().unwrap_or_default();
    let (free, server) = (sample(), MessagesApi::start(script()));
    configure(&free, "models.toml", PRICES);
    let ended = free.run(&run_of(&[]), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (whole, calls) = (used(&free, cost), server.asked().len());
    assert_eq!(shown(&free)["state"]["spent"]["money"], json!(whole));
    for cap in [whole / 2, whole] {
        let (product, server) = (sample(), MessagesApi::start(script()));
        configure(&product, "models.toml", PRICES);
        let word = format!("{}.{:06}", cap / 1_000_000, cap % 1_000_000);
        let ended = product.run(&run_of(&["--max-money", &word]), &server.env());
        stopped(&product, &ended, "too little for the next call");
        let spent = used(&product, cost);
        assert!(spent <= cap && spent > 0, "{spent} of {cap}");
        assert!(server.asked().len() < calls);
    }
}

#[test]
fn a_limit_of_money_with_an_unknown_price_is_refused_and_one_that_is_listed_is_kept() {
    let server = MessagesApi::start(script());
    let environment = [("OPENAI_API_KEY", KEY.to_owned())];
    let url = server.chat_url();
    let arguments = run_of(&["--model", "openai:local", "--base-url", &url, "--max-money", "0.10"]);
    let product = sample();
    let refused = product.run(&arguments, &environment);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("list its price, or limit tokens instead"), "{}", refused.stderr);
    assert!(refused.stderr.contains("/ringfence/models.toml"), "{}", refused.stderr);
    assert_eq!(server.asked().len(), 0);
    assert_eq!(product.run(&["runs", "--json"], &[]).stdout.trim(), "[]", "no run was kept");
    configure(&product, "models.toml", "[openai.local.price]\ninput = 100.0\noutput = 100.0\n");
    let ended = product.run(&arguments, &environment);
    stopped(&product, &ended, "too little for the next call");
    assert!(shown(&product)["state"]["spent"]["money"].as_u64().is_some_and(|spent| spent <= 100_000));
}

#[test]
fn an_answer_given_with_another_model_is_held_to_the_budget_too() {
    let server = MessagesApi::start(script());
    let product = sample();
    let mut arguments = run_of(&["--max-money", "1"]);
    arguments.retain(|word| *word != "--yes");
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let url = server.chat_url();
    let environment = [("OPENAI_API_KEY", KEY.to_owned())];
    let dearer = format!("{} --model openai:local --base-url {url}", waiting.printed_command("--approve"));
    let refused = product.run_printed(&dearer, &environment);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("list its price, or limit tokens instead"), "{}", refused.stderr);
    assert_eq!(shown(&product)["stage"], "paused_for_review");
    configure(&product, "models.toml", "[openai.local.price]\ninput = 900.0\noutput = 900.0\n");
    let ended = product.run_printed(&dearer, &environment);
    stopped(&product, &ended, "too little for the next call");
}

#[test]
fn a_budget_of_time_ends_a_run_that_waits_for_a_silent_server() {
    let server = MessagesApi::start(|asked| if asked.number == 0 { answer(asked) } else { Answer::Hang });
    let product = sample();
    let ended = product.run(&run_of(&["--max-time", "1500ms"]), &server.env());
    stopped(&product, &ended, "1500 ms of working time are used up");
    assert!(server.asked().len() <= 2, "nothing is asked after the end");
}

#[test]
fn a_model_that_takes_too_long_is_not_waited_for_and_the_run_can_go_on() {
    let mut silent = true;
    let server = MessagesApi::start(move |asked| match std::mem::take(&mut silent) {
        true => Answer::Hang,
        false => answer(asked),
    });
    let product = sample();
    let ended = product.run(&run_of(&["--model-timeout", "2s"]), &server.env());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stderr.contains("gave no answer within 2 s"), "{}", ended.stderr);
    assert!(told(&product).contains("gave no answer within 2 s"));
    let command = format!("{} --yes", ended.printed_command("resume"));
    let again = product.run_printed(&command, &server.env());
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}

#[test]
fn a_stage_s_own_time_holds_for_that_stage_alone() {
    let server = MessagesApi::start(|asked| match asked.stage {
        Some(Stage::Evaluate) => Answer::HangInBody,
        _ => answer(asked),
    });
    let product = sample();
    configure(&product, "config.toml", "[limits.stage_timeouts]\nevaluate = \"300ms\"\n");
    let ended = product.run(&run_of(&[]), &server.env());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stderr.contains("(evaluate)"), "{}", ended.stderr);
    assert!(ended.stderr.contains("gave no answer within 0.3 s"), "{}", ended.stderr);
    let limits = &shown(&product)["state"]["settings"]["limits"];
    assert_eq!(limits["stage_ms"], json!({ "evaluate": 300 }));
    assert_eq!(limits["model_call_ms"], 120_000);
}

#[test]
fn a_tool_that_runs_out_of_its_own_time_is_stopped_and_told_and_the_run_goes_on() {
    const ENDLESS: &str = r#"(component
        (core module $m (func (export "spin") (loop $again (br $again))))
        (core instance $i (instantiate $m))
        (func (export "spin") (canon lift (core func $i "spin"))))"#;
    let product = sample();
    let component = product.home().join("endless.wasm");
    fs::write(&component, wat::parse_str(ENDLESS).unwrap()).unwrap();
    configure(
        &product,
        "config.toml",
        "components = [\"../../endless.wasm\"]\n[limits]\ntool_timeout = \"20s\"\n[tools.spin]\ntimeout = \"200ms\"\n",
    );
    let server = MessagesApi::queue([
        Answer::calls("", [Called::new("spin", "{}"), Called::new("list_files", "{\"directory\": \".\"}")]),
        Answer::text("It never ends."),
    ]);
    let mut arguments = run_of(&["--flow", "react"]);
    arguments[5] = "spin,list_files";
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), ["spin", "list_files"]);
    let statuses: Vec<_> = shown["state"]["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(|action| &action["deed"]["status"])
        .collect();
    assert_eq!(statuses, ["exceeded", "done"]);
    assert!(server.asked()[1].user.contains("it exceeded its limit of time"), "{}", server.asked()[1].user);
    assert!(told(&product).contains("spin {} exceeded"), "{}", told(&product));
}
