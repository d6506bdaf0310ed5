//! Model calls whose answer nobody waits for any more: what they used counts all the same.

use crate::{configure, journaled, of_kind, run_of, sample, shown, signal};
use ringfence_tests::messages_api::worked_example::{answer, script};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product, wait};
use serde_json::Value;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// A server that stops in the middle of its answers from the given request on.
fn stops_from(number: usize) -> MessagesApi {
    MessagesApi::start(move |asked| if asked.number < number { answer(asked) } else { Answer::HangInBody })
}

fn tokens(usage: &Value) -> u64 {
    ["input_tokens", "output_tokens"].iter().filter_map(|name| usage[name].as_u64()).sum()
}

/// What all replies, failures and dropped calls say they used.
fn all(product: &Product) -> u64 {
    let events = journaled(product);
    let replied = of_kind(&events, "model_replied").into_iter().map(|event| tokens(&event["reply"]["usage"]));
    let failed = of_kind(&events, "model_failed").into_iter().map(|event| tokens(&event["failure"]["usage"]));
    let dropped = of_kind(&events, "model_dropped").into_iter().map(|event| tokens(&event["usage"]));
    replied.chain(failed).chain(dropped).sum()
}

fn spent(product: &Product) -> u64 {
    tokens(&shown(product)["state"]["spent"]["tokens"])
}

fn begun_and_stopped(product: &Product, arguments: &[&str], how: &str) -> Ended {
    let server = stops_from(0);
    let child = product.start(arguments, &server.env());
    assert!(server.wait_for(1, PATIENCE));
    signal(&child, how);
    wait(child)
}

#[test]
fn what_a_call_used_counts_that_ctrl_c_gave_up() {
    let (product, server) = (sample(), stops_from(2));
    let child = product.start(&run_of(&["--parallel", "2"]), &server.env());
    assert!(server.wait_for(3, PATIENCE));
    signal(&child, "-INT");
    let interrupted = wait(child);
    assert_eq!(interrupted.code, Some(130), "{interrupted:?}");
    let events = journaled(&product);
    let dropped = of_kind(&events, "model_dropped");
    assert_eq!(dropped.len(), 1, "{events:?}");
    assert!(dropped[0]["usage"]["input_tokens"].as_u64() > Some(100), "{dropped:?}");
    assert_eq!(spent(&product), all(&product));
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let told = product.run(&["show", &id, "--events"], &[]).stdout;
    assert!(told.contains("given up in the middle; "), "{told}");
}

#[test]
fn interruptions_don_t_lead_past_a_budget() {
    let product = sample();
    let mut ended = begun_and_stopped(&product, &run_of(&["--max-tokens", "9000"]), "-INT");
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let mut asked = 1;
    while ended.code == Some(130) {
        assert!(asked < 20, "the budget ends it");
        let server = stops_from(0);
        let mut child = product.start(&["resume", &id, "--yes"], &server.env());
        while server.asked().is_empty() && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        asked += server.asked().len();
        if !server.asked().is_empty() {
            signal(&child, "-INT");
        }
        ended = wait(child);
    }
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(asked > 1, "there was room for more than one");
    assert!(spent(&product) <= 9_000, "{}", spent(&product));
    assert_eq!(spent(&product), all(&product));
}

#[test]
fn a_call_under_way_in_a_killed_process_has_used_its_prompt() {
    let product = sample();
    begun_and_stopped(&product, &run_of(&[]), "-KILL");
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let server = MessagesApi::start(script());
    let ended = product.run(&["resume", &id, "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let events = journaled(&product);
    let kinds: Vec<_> = events.iter().filter_map(|event| event["event"].as_str()).take(3).collect();
    assert_eq!(kinds, ["started", "model_dropped", "resumed"]);
    assert_eq!(spent(&product), all(&product));
}

#[test]
fn a_fork_that_nobody_drove_has_used_nothing() {
    let (product, server) = (sample(), MessagesApi::start(script()));
    assert_eq!(product.run(&run_of(&[]), &server.env()).code, Some(0));
    let id = shown(&product)["id"].as_str().expect("an id").to_owned();
    let forked = product.run(&["fork", &id, "--at", "1", "--no-run"], &[]);
    assert_eq!(forked.code, Some(0), "{forked:?}");
    let fork = forked.stdout.trim();
    let ended = product.run(&["resume", fork, "--yes"], &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told = product.run(&["show", fork, "--events"], &[]).stdout;
    assert!(told.contains("resumed") && !told.contains("given up"), "{told}");
}

#[test]
fn a_call_that_took_too_long_has_used_its_prompt() {
    let server = MessagesApi::start(|asked| match asked.stage {
        Some(Stage::Evaluate) => Answer::HangInBody,
        _ => answer(asked),
    });
    let product = sample();
    configure(&product, "config.toml", "[limits.stage_timeouts]\nevaluate = \"300ms\"\n");
    assert_eq!(product.run(&run_of(&[]), &server.env()).code, Some(5));
    let events = journaled(&product);
    let failed = of_kind(&events, "model_failed");
    assert!(tokens(&failed[0]["failure"]["usage"]) > 100, "{failed:?}");
    assert_eq!(spent(&product), all(&product));
}
