//! Deterministic calls: answered by an earlier one while nothing has changed, and made otherwise.

use crate::program::{Home, Said};
use crate::tool::component;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const ANSWERS: &str = ".local/state/ringfence/answers.db";

/// A project whose tools are deterministic by the user's word.
fn project() -> Home {
    let home = Home::new();
    home.write("project/src/main.rs", "fn main() {}\n");
    home.write("adder.wasm", component());
    home.write(".config/ringfence/config.toml", "[grants]\ndeterministic = true\n");
    home
}

/// Calls a tool; says what it said, and its receipt.
fn call(home: &Home, words: &[&str]) -> (Said, Value) {
    let said = home.run(["tool", "call", "--project", "project", "--receipt"].iter().chain(words));
    let begin = said.err.find('{').unwrap_or_else(|| panic!("no receipt in\n{said}"));
    let receipt = serde_json::from_str(&said.err[begin..]).unwrap_or_else(|error| panic!("{error}:\n{said}"));
    (said, receipt)
}

const READ: [&str; 3] = ["read_file", "--arg", "file_path=src/main.rs"];

#[test]
fn an_equal_call_is_answered_by_the_first_until_the_file_changes() {
    let home = project();
    let (made, first) = call(&home, &READ);
    assert_eq!((made.code, &first["cached"]), (0, &Value::Null), "{made}");
    let (again, second) = call(&home, &READ);
    assert_eq!((again.code, &again.out), (0, &made.out));
    assert!(second["cached"]["from_ms"].as_u64().is_some_and(|ms| ms > 1_600_000_000_000), "{again}");
    assert_eq!(second["opened"], first["opened"]);
    assert_eq!(second["cpu_us"], 0, "no guest ran");

    home.write("project/src/main.rs", "fn main() { other(); }\n");
    let (said, third) = call(&home, &READ);
    assert!(third["cached"].is_null() && said.out.contains("other()"), "{said}");
    let (_, fourth) = call(&home, &READ);
    assert!(!fourth["cached"].is_null(), "the new answer is kept");
}

#[test]
fn the_order_of_arguments_doesn_t_matter() {
    let home = project();
    let add = |words: [&str; 4]| call(&home, &[&["add", "--component", "adder.wasm"], &words[..]].concat());
    let (_, first) = add(["--arg", "left=1", "--arg", "right=2"]);
    let (said, second) = add(["--arg", "right=2", "--arg", "left=1"]);
    assert!(first["cached"].is_null() && !second["cached"].is_null(), "{said}");
    assert_eq!(said.out, "3\n");
    let (said, other) = add(["--arg", "right=1", "--arg", "left=1"]);
    assert!(other["cached"].is_null(), "{said}");
}

#[test]
fn no_cache_makes_the_call() {
    let home = project();
    call(&home, &READ);
    let (said, receipt) = call(&home, &[&READ[..], &["--no-cache"]].concat());
    assert!(said.code == 0 && receipt["cached"].is_null(), "{said}");
}

#[test]
fn other_grants_masks_or_limits_make_the_call() {
    let home = project();
    call(&home, &READ);
    for other in [&["--dir", "src"][..], &["--mask", "*.csv"], &["--timeout", "25s"]] {
        let (said, receipt) = call(&home, &[&READ[..], other].concat());
        assert!(said.code == 0 && receipt["cached"].is_null(), "{other:?}: {said}");
    }
    let (_, receipt) = call(&home, &READ);
    assert!(!receipt["cached"].is_null(), "the first answer is still there");
}

#[test]
fn nothing_is_kept_where_tools_aren_t_deterministic_by_policy() {
    let home = project();
    home.write(".config/ringfence/config.toml", "[tools.list_files]\ndeterministic = true\n");
    for _ in 0..2 {
        let (said, receipt) = call(&home, &READ);
        assert!(said.code == 0 && receipt["cached"].is_null(), "{said}");
    }
    let list = ["list_files", "--arg", "directory=src"];
    call(&home, &list);
    assert!(!call(&home, &list).1["cached"].is_null());
    home.write("project/src/new.rs", "");
    let (said, receipt) = call(&home, &list);
    assert!(receipt["cached"].is_null() && said.out.contains("new.rs"), "{said}");
}

#[test]
fn answers_are_kept_for_this_user_alone() {
    let home = project();
    call(&home, &READ);
    let mode = |path: &str| fs::metadata(home.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(ANSWERS), mode(".local/state/ringfence")), (0o600, 0o700));
}

#[test]
fn a_file_of_answers_that_can_t_be_used_is_a_warning_and_the_call_is_made() {
    let spoilings: [fn(&Path); 2] = [
        |path| fs::write(path, "nonsense ".repeat(1_000)).unwrap(),
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
    ];
    for spoil in spoilings {
        let home = project();
        call(&home, &READ);
        spoil(&home.path().join(ANSWERS));
        let said = home.run(["tool", "call", "--project", "project"].iter().chain(&READ));
        assert!(said.code == 0 && said.out.contains("fn main"), "{said}");
    }
}

#[test]
fn a_call_that_ends_at_a_limit_says_which_how_much_and_what_raises_it() {
    let home = project();
    home.write(".config/ringfence/config.toml", "[limits]\ncpu = \"30ms\"\n");
    let words = ["tool", "call", "--component", "adder.wasm", "spin_forever", "--project", "project"];
    let said = home.run(words);
    assert_eq!(said.code, 4, "{said}");
    assert!(
        said.err.contains(
            "stopped: the tool was stopped: it exceeded its limit of processor time (30 ms allowed, "
        ),
        "{said}"
    );
    assert!(said.err.contains("[limits] cpu or [tools.NAME] cpu can allow more"), "{said}");
    let said = home.run(words.iter().chain(&["--receipt"]));
    let receipt: Value = serde_json::from_str(&said.err[said.err.find('{').unwrap()..]).unwrap();
    assert_eq!((&receipt["exceeded"]["which"], &receipt["exceeded"]["limit"]), (&"cpu".into(), &30.into()));
    assert!(receipt["exceeded"]["used"].as_u64() >= Some(30), "{receipt}");
}

#[test]
fn a_tool_can_be_made_deterministic_and_not_freed_from_it() {
    let home = project();
    home.write("project/ringfence.toml", "[tools.read_file]\ndeterministic = false\n");
    let said = home.run(["tool", "list", "project"]);
    assert_eq!(said.code, 2, "{said}");
    let trust = said.err.split_whitespace().skip_while(|word| *word != "--trust").nth(1).expect("a hash");
    let said = home.run(["tool", "list", "project", "--trust", trust]);
    assert!(said.code == 2 && said.err.contains("asks not to be deterministic"), "{said}");
}
