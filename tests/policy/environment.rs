//! Variables of the environment: who grants them, what is on record, and what stops a run.

use crate::{asking, asks_first_and_calls, configure, outcomes, sample, shown};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::product::{Ended, Product};
use ringfence_tests::teller::TELLER;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

const VALUE: &str = "zebra-greeting-4711";

/// The sample, with a component beside it that tells its environment.
fn with_teller() -> Product {
    let product = sample();
    fs::write(product.home().join("teller.wasm"), wat::parse_str(TELLER).expect("a component")).unwrap();
    product
}

fn told(product: &Product, run: &str) -> Value {
    shown(product, run)["state"]["history"][1]["deed"]["value"].clone()
}

#[test]
fn a_variable_is_granted_as_a_folder_is_and_read_afresh_by_whoever_goes_on() {
    let model = asks_first_and_calls("variables", json!({}));
    let (product, server) = (with_teller(), MessagesApi::start(model));
    let waiting = asking(&product, &server, &["--component", "teller.wasm"]);
    let run = waiting.run_id();
    let granted = product.run(&["grant", run, "--allow-env", "GREETING"], &[]);
    assert_eq!(
        (granted.code, granted.stdout.as_str()),
        (Some(0), "granted: GREETING of the environment\n"),
        "{granted:?}"
    );
    assert!(granted.stderr.contains("note: `GREETING` is granted, and isn't set"), "{granted:?}");
    let grant = json!({ "what": "variable", "name": "GREETING" });
    assert_eq!(shown(&product, run)["granted"][0]["grant"], grant);
    for (name, why) in
        [("GREETING", "granted already"), ("TOKEN=zebra", "\"TOKEN=\" is no name of a variable")]
    {
        let again = product.run(&["grant", run, "--allow-env", name], &[]);
        assert!(again.code == Some(2) && again.stderr.contains(why), "{again:?}");
        assert!(!again.stderr.contains("zebra"), "{again:?}");
    }
    let environment = [&server.env()[..], &[("GREETING", "good evening".to_owned())]].concat();
    let ended = product.run_printed(granted.printed_command("--answer"), &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(outcomes(&shown(&product, run)), ["done"]);
    assert_eq!(told(&product, run), json!([["GREETING", "good evening"]]));
    let words = "Variables of the environment that tools could see: `GREETING`.";
    assert!(ended.stdout.contains(words), "{}", ended.stdout);
}

#[test]
fn a_run_keeps_the_names_and_no_value() {
    let model = asks_first_and_calls("variables", json!({}));
    let (product, server) = (with_teller(), MessagesApi::start(model));
    let run =
        ["run", "my_project", "Greet", "--yes", "--component", "teller.wasm", "--allow-env", "GREETING"];
    let environment = [&server.env()[..], &[("GREETING", VALUE.to_owned())]].concat();
    let waiting = product.run(&run, &environment);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let terms = shown(&product, waiting.run_id())["state"]["settings"]["metadata"]["grants"]["env"].clone();
    assert_eq!(terms, json!(["GREETING"]));
    assert!(!holds(product.home(), VALUE.as_bytes()), "the value was written somewhere");
    assert!(holds(product.home(), b"GREETING"), "the search finds what is there");
    // It isn't set any more.
    let command = waiting.printed_command("--answer").replace("TEXT", "yes");
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(told(&product, waiting.run_id()), json!([]));
}

/// Whether a file below a folder has these bytes.
fn holds(folder: &Path, words: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| match path.is_dir() {
        true => holds(&path, words),
        false => fs::read(&path).unwrap().windows(words.len()).any(|found| found == words),
    })
}

#[test]
fn a_value_that_no_tool_could_be_given_stops_a_run_before_it_begins() {
    let product = sample();
    let values = [
        (OsString::from_vec(b"zebra-\xff".to_vec()), "is not UTF-8"),
        ("zebra-".repeat(6_000).into(), "has 36000 bytes"),
    ];
    for (value, why) in values {
        let mut run = product.command(&["run", "my_project", "--yes", "--allow-env", "GREETING"]);
        let output = run.env("GREETING", value).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("`GREETING` of the environment") && said.contains(why), "{said}");
        assert!(!said.contains("zebra"), "{said}");
    }
    assert_eq!(product.run(&["runs", "--json"], &[]).stdout.trim(), "[]");
}

#[test]
fn what_decides_about_a_variable_is_explained_and_what_is_named_in_vain_is_noted() {
    let product = with_teller();
    configure(&product, "components = [\"../../teller.wasm\"]\n[grants]\nenv = [\"GREETING\", \"LANG\"]\n");
    let asks = "[grants]\nenv = [\"GREETING\", \"OPENAI_API_KEY\"]\n";
    fs::write(product.home().join("my_project/ringfence.toml"), asks).unwrap();
    let environment = [("OPENAI_API_KEY", VALUE.to_owned())];
    let run = |arguments: &[&str]| -> Ended {
        let ended = product.run(arguments, &environment);
        assert!(!ended.stdout.contains(VALUE) && !ended.stderr.contains(VALUE), "{ended:?}");
        ended
    };
    let checked = run(&["policy", "check", "my_project"]);
    let notes: Vec<_> = checked.stdout.lines().filter(|line| line.starts_with("note: ")).collect();
    assert_eq!(
        notes,
        [
            "note: ringfence.toml, line 2, column 1 names `OPENAI_API_KEY` of the environment; no tool sees that, since ringfence.toml can't grant it: only your own configuration or --allow-env can",
            "note: `GREETING` is granted, and isn't set",
        ],
        "{checked:?}"
    );
    let hash = checked.stdout.lines().find_map(|line| line.strip_prefix("hash: ")).unwrap();
    let explain = |name: &str, more: &[&str]| {
        let explain = ["policy", "explain", "--env", name, "--project", "my_project", "--trust", hash];
        let ended = run(&[&explain[..], more].concat());
        (ended.code, ended.stdout)
    };
    let granted = "yes: variables can see GREETING\n  it is granted, and isn't set now\n";
    assert_eq!(explain("GREETING", &[]), (Some(0), granted.to_owned()));
    let (code, said) = explain("OPENAI_API_KEY", &[]);
    assert!(code == Some(1) && said.contains("names it, which grants nothing"), "{said}");
    let flags = said.lines().find_map(|line| line.trim().strip_prefix("would allow it: ")).unwrap();
    assert_eq!(flags, "--allow-env GREETING --allow-env OPENAI_API_KEY");
    let flags: Vec<_> = flags.split(' ').collect();
    assert_eq!(explain("OPENAI_API_KEY", &flags).0, Some(0));
    let (code, said) = explain("GREETING", &["--tool", "read_file"]);
    assert!(code == Some(1) && said.contains("one of the standard tools"), "{said}");
    let shown = run(&["policy", "show", "my_project", "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["env_in_vain"], json!(["OPENAI_API_KEY"]));
    let tool = |name: &str| {
        let tools = shown["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap().clone()
    };
    assert_eq!((&tool("variables")["env"], &tool("read_file")["env"]), (&json!(["GREETING"]), &json!([])));
    let text = run(&["policy", "show", "my_project", "--tool", "variables"]).stdout;
    assert!(text.contains("see `GREETING` of the environment"), "{text}");
}
