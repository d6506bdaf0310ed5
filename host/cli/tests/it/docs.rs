//! What the documents show works as it is shown.

use crate::program::Home;
use serde_json::Value;

const README: &str = include_str!("../../../../README.md");
const LOOP: &str = include_str!("../../../../docs/loop.md");
const CONFIGURATION: &str = include_str!("../../../../docs/configuration.md");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/my_project");

/// The TOML in a document that has this line.
fn toml_with(document: &'static str, line: &str) -> &'static str {
    let mut blocks = document.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains(line)).unwrap_or_else(|| panic!("no TOML with {line}"))
}

#[test]
fn the_example_configuration_works_on_the_sample_project() {
    let home = Home::new();
    home.write(".config/ringfence/config.toml", toml_with(README, "[grants]"));
    let said = home.run(["run", SAMPLE, "--yes", "--quiet"]);
    assert!(said.code == 0 && said.out.contains("Granted: shop (read)"), "{said}");
}

#[test]
fn the_example_of_prices_makes_a_limit_of_money_one_that_can_be_kept() {
    let home = Home::new();
    for model in ["openai:my-model", "openai:another-model"] {
        let run = || {
            let elsewhere = ["--base-url", "http://127.0.0.1:1", "--model-timeout", "300ms"];
            let words = ["run", SAMPLE, "A goal", "--model", model, "--max-money", "1"];
            home.run(words.iter().chain(&elsewhere))
        };
        let _ = std::fs::remove_file(home.path().join(".config/ringfence/models.toml"));
        let refused = run();
        assert!(refused.code == 2 && refused.err.contains("/.config/ringfence/models.toml"), "{refused}");
        home.write(".config/ringfence/models.toml", toml_with(LOOP, "price"));
        let unreachable = run();
        assert_eq!(unreachable.code, 5, "{unreachable}");
    }
}

/// Every key of a schema, with those of the tables in it.
fn keys(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                found.extend(properties.keys().cloned());
            }
            map.values().for_each(|below| keys(below, found));
        }
        Value::Array(items) => items.iter().for_each(|below| keys(below, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_key_of_the_configuration_is_documented() {
    let said = Home::new().run(["policy", "schema"]);
    let mut known = Vec::new();
    keys(&serde_json::from_str(&said.out).expect("JSON"), &mut known);
    assert!(known.len() > 40, "{known:?}");
    for key in known {
        let documented = [format!("`{key}`"), format!("`[{key}"), format!(".{key}]`"), format!("{key} =")];
        assert!(documented.iter().any(|form| CONFIGURATION.contains(form)), "{key}");
    }
}
