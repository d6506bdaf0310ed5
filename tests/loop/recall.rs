//! Runs whose tools are deterministic: what one run has read, the next needn't read again.

use crate::{configure, run_ids, sample, shown_of};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

fn run(product: &Product) -> Ended {
    let ended = product.run(&["run", "my_project", "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

/// The receipts of the latest run: all of them, and those of calls that were answered by others.
fn receipts(product: &Product) -> (usize, Vec<Value>) {
    let shown = shown_of(product, &run_ids(product)[0]);
    let all: Vec<_> = shown["receipts"].as_object().expect("receipts").values().cloned().collect();
    (all.len(), all.into_iter().filter(|receipt| !receipt["cached"].is_null()).collect())
}

#[test]
fn a_second_run_is_answered_by_the_first_and_comes_out_the_same() {
    let product = sample();
    configure(&product, "config.toml", "[grants]\ndeterministic = true\n");
    let first = run(&product);
    let (calls, cached) = receipts(&product);
    assert!(calls > 5 && cached.is_empty(), "{calls} calls, {cached:?}");

    let second = run(&product);
    let (again, cached) = receipts(&product);
    assert_eq!((again, cached.len()), (calls, calls));
    let of_run = |ended: &Ended| ended.stdout.replace(ended.run_id(), "ID");
    let findings = |text: String| text.lines().filter(|line| line.contains("shop/")).count();
    assert_eq!(findings(of_run(&first)), findings(of_run(&second)));
    let page = product.run(&["show", second.run_id()], &[]);
    assert!(page.stdout.contains(", cached]"), "{}", page.stdout);

    fs::write(product.home().join("my_project/shop/main.py"), "print('other')\n").unwrap();
    let third = run(&product);
    let (calls, cached) = receipts(&product);
    assert!(!cached.is_empty() && cached.len() < calls, "{} of {calls}", cached.len());
    let opened = |receipt: &Value| receipt["opened"].as_array().cloned().unwrap_or_default();
    let changed = json!("shop/main.py");
    assert!(
        !cached
            .iter()
            .flat_map(opened)
            .any(|opened| opened["path"] == changed && opened["read"] != "nothing")
    );
    assert_ne!(of_run(&third), of_run(&first));
}

#[test]
fn a_replay_makes_the_calls_itself() {
    let product = sample();
    configure(&product, "config.toml", "[grants]\ndeterministic = true\n");
    let ended = run(&product);
    let answers = product.home().join(".local/state/ringfence/answers.db");
    fs::remove_file(&answers).expect("answers were kept");
    let replayed = product.run(&["replay", ended.run_id(), "--json"], &[]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let found: Value = serde_json::from_str(&replayed.stdout).expect("JSON");
    assert_eq!(found["tool_calls"]["re_executed"], found["tool_calls"]["equal"]);
    assert!(found["tool_calls"]["equal"].as_u64() > Some(5), "{found}");
    assert!(!answers.exists(), "no answer was looked for");
}

#[test]
fn runs_whose_tools_aren_t_deterministic_by_policy_keep_nothing() {
    let product = sample();
    run(&product);
    run(&product);
    assert!(receipts(&product).1.is_empty());
    assert!(!product.home().join(".local/state/ringfence/answers.db").exists());
}
