//! Variables of the environment: some are granted, and a key stands beside them.

use crate::bench::{Fence, SECRET, lay_out, product};
use crate::guests::Guest;
use crate::threat::threats;
use ringfence_tests::product::{Ended, Product};
use ringfence_tests::teller::TELLER;
use serde_json::{Value, json};
use std::fs;

threats! {
    "Reading variables that weren't granted, where others were",
        EmptyWorld, "those that are granted and set, and nothing else of the host's"
        => EveryLanguage variables_beside_the_granted_ones;
    "The same through the real binary, with a key beside a variable that a flag grants",
        EmptyWorld, "the granted variable; the receipt has its name and not its value"
        => EveryLanguage a_key_beside_a_granted_variable;
    "Reading granted variables in a call that is to be deterministic",
        EmptyWorld, "no variable"
        => EveryLanguage variables_in_a_deterministic_call;
    "A project's file that grants itself `OPENAI_API_KEY`: to all tools, to one, to a role",
        Trust, "no variable; `policy check` and `policy show` name what is asked for in vain"
        => Binary a_project_that_grants_itself_a_key;
    "A variable that holds the value of a secret, granted by the user's own flag",
        Trust, "which secret it is the value of; nothing runs"
        => Binary a_variable_that_is_a_secret_s_value;
}

/// What a guest tells of its environment, without what its language's own start leaves there.
fn told(surroundings: &Value) -> Vec<String> {
    let lines = surroundings.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned());
    let own =
        |line: &String| line == "folder /" || line.starts_with("PYTHON") || line.starts_with("COMPONENTIZE");
    lines.filter(|line| !own(line)).collect()
}

fn variables_beside_the_granted_ones(guest: &Guest) {
    let fence = Fence::seeing(&["LANG", "TZ"], &[("LANG", "de_DE.UTF-8"), ("OPENAI_API_KEY", SECRET)]);
    let called = fence.call(guest, "surroundings", json!({}));
    assert_eq!(told(called.done()), ["LANG=de_DE.UTF-8"], "{called}");
    let names = json!(called.report.receipt)["env"].clone();
    assert_eq!(names, json!(["LANG"]), "{called}");
    let without = Fence::seeing(&[], &[("LANG", "de_DE.UTF-8")]).call(guest, "surroundings", json!({}));
    assert_eq!(told(without.done()), [""; 0], "{without}");
}

fn variables_in_a_deterministic_call(guest: &Guest) {
    let fence = Fence::seeing(&["LANG"], &[("LANG", "de_DE.UTF-8")]).made_deterministic();
    let called = fence.call(guest, "surroundings", json!({}));
    assert_eq!(told(called.done()), [""; 0], "{called}");
    assert!(called.report.receipt.env.is_empty(), "{called}");
}

fn a_key_beside_a_granted_variable(guest: &Guest) {
    let product = product();
    lay_out(&product.home().join("project"));
    let component = guest.file.to_str().unwrap();
    let arguments = ["tool", "call", "surroundings", "--project", "project", "--dir", "src", "--component"];
    let arguments =
        [&arguments[..], &[component, "--receipt", "--quiet", "--allow-env", "GREETING"]].concat();
    let environment = [("GREETING", "good-morning".to_owned()), ("OPENAI_API_KEY", SECRET.to_owned())];
    let ended = product.run(&arguments, &environment);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(told(&serde_json::from_str(&ended.stdout).unwrap()), ["GREETING=good-morning"]);
    let receipt: Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(receipt["env"], json!(["GREETING"]));
    for hidden in [SECRET, "good-morning"] {
        assert!(!ended.stderr.contains(hidden), "{ended:?}");
    }
    assert!(!ended.stdout.contains(SECRET), "{ended:?}");
}

/// A project with a component that tells its environment, and a file that asks for this.
fn project(asks: &str) -> Product {
    let product = product();
    let project = product.home().join("project");
    lay_out(&project);
    fs::write(project.join("teller.wasm"), wat::parse_str(TELLER).unwrap()).unwrap();
    fs::write(project.join("ringfence.toml"), format!("components = [\"teller.wasm\"]\n{asks}")).unwrap();
    product
}

const KEY: &str = "OPENAI_API_KEY";

fn run(product: &Product, arguments: &[&str]) -> Ended {
    let environment = [(KEY, SECRET.to_owned()), ("GREETING", "good-morning".to_owned())];
    let ended = product.run(arguments, &environment);
    assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{ended:?}");
    ended
}

/// The hash that `policy check` prints, by which the project's file can be confirmed.
fn hash_in(checked: &Ended) -> String {
    let hash = checked.stdout.lines().find_map(|line| line.strip_prefix("hash: "));
    hash.unwrap_or_else(|| panic!("no hash in {checked:?}")).to_owned()
}

fn a_project_that_grants_itself_a_key() {
    for asks in [
        format!("[grants]\nenv = [\"{KEY}\"]\n"),
        format!("[tools.variables]\nenv = [\"{KEY}\"]\n"),
        format!("[roles.reader]\ntools = [\"variables\"]\nenv = [\"{KEY}\"]\n"),
    ] {
        let product = project(&asks);
        let checked = run(&product, &["policy", "check", "project"]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
        let in_vain = format!("names `{KEY}` of the environment; no tool sees that");
        assert!(checked.stdout.contains(&in_vain), "{checked:?}");
        let hash = hash_in(&checked);
        let role: &[&str] = if asks.contains("[roles") { &["--role", "reader"] } else { &[] };
        let call = |more: &[&str]| {
            let call = ["tool", "call", "variables", "--project", "project", "--trust", &hash];
            run(&product, &[&call[..], role, more].concat())
        };
        let called = call(&[]);
        assert_eq!((called.code, called.stdout.as_str()), (Some(0), "[]\n"), "{called:?}");
        let shown = run(&product, &["policy", "show", "project"]);
        assert!(shown.stdout.contains(&in_vain), "{shown:?}");
        // The user's word stands; what the project says of one tool or role only narrows it.
        let called = call(&["--allow-env", "GREETING"]);
        let sees = if asks.starts_with("[grants]") { "[[\"GREETING\",\"good-morning\"]]\n" } else { "[]\n" };
        assert_eq!(called.stdout, sees, "{called:?}");
    }
}

fn a_variable_that_is_a_secret_s_value() {
    let product = project("");
    let own = product.home().join(".config/ringfence");
    fs::create_dir_all(&own).unwrap();
    let secret =
        format!("[secrets.model]\nenv = \"{KEY}\"\nhost = \"https://a.example\"\nheader = \"x-key\"\n");
    fs::write(own.join("config.toml"), secret).unwrap();
    let hash = hash_in(&run(&product, &["policy", "check", "project"]));
    let call = ["tool", "call", "variables", "--project", "project", "--trust", &hash];
    for arguments in [&call[..], &["run", "project", "--yes"]] {
        let ended = run(&product, &[arguments, &["--allow-env", KEY]].concat());
        assert!(ended.code == Some(2) && ended.stdout.is_empty(), "{ended:?}");
        assert!(ended.stderr.contains("it is the value of the secret `model`"), "{ended:?}");
    }
}
