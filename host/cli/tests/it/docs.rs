//! What the documents show works as it is shown.

use crate::program::Home;

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

#[test]
fn every_key_of_the_configuration_is_documented() {
    // Known to the language, and refused by this version.
    let refused = ["roles", "env", "secrets", "keyring"];
    let home = Home::new();
    for table in
        ["", "[grants]", "[limits]", "[tools.x]", "[models]", "[models.plan]", "[experts.x]", "[secrets.x]"]
    {
        home.write("project/ringfence.toml", format!("{table}\nnonsense = 1\n"));
        let said = home.run(["tool", "list", "project"]);
        let (_, known) = said.err.split_once("expected one of ").unwrap_or_else(|| panic!("{said}"));
        let keys: Vec<_> = known.lines().next().unwrap_or_default().split('`').skip(1).step_by(2).collect();
        assert!(keys.len() > 3, "{said}");
        for key in keys.into_iter().filter(|key| !refused.contains(key)) {
            let documented = [format!("`{key}`"), format!("`[{key}"), format!(".{key}]`")];
            assert!(documented.iter().any(|form| CONFIGURATION.contains(form)), "{table} {key}");
        }
    }
}
