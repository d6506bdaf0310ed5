//! Other names and descriptions for tools, from configuration.

use crate::program::Home;
use crate::tool::component;
use serde_json::Value;

/// A project whose configuration names two copies of one component.
fn home(config: &str) -> Home {
    let home = Home::new();
    home.write("project/tools/one.wasm", component());
    home.write("project/tools/two.wasm", component());
    home.write("project/ringfence.toml", config);
    home
}

/// The hash that confirms the project as it is.
fn hash(home: &Home) -> String {
    let said = home.run(["policy", "check", "project"]);
    said.out
        .lines()
        .find_map(|line| line.strip_prefix("hash: "))
        .unwrap_or_else(|| panic!("{said}"))
        .to_owned()
}

fn listed(home: &Home, hash: &str) -> Vec<(String, String)> {
    let said = home.run(["tool", "list", "project", "--json", "--trust", hash]);
    let tools: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said}"));
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
    tools.as_array().unwrap().iter().map(|tool| (text(tool, "name"), text(tool, "description"))).collect()
}

fn described<'l>(listed: &'l [(String, String)], name: &str) -> &'l str {
    &listed.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}: {listed:?}")).1
}

const TWO: &str = r#"components = [
    "tools/one.wasm",
    { path = "./tools/two.wasm", tools = { add = { name = "plus", description = "Adds two numbers." }, boom = { name = "bang" }, spin_forever = { name = "spin" } } },
]

[tools.bang]
description = "Ends\u001b[2J at once."

[tools.read_file]
description = "The project's word."
"#;

#[test]
fn tools_of_two_equal_components_are_used_under_other_names() {
    let home = home(TWO);
    let hash = hash(&home);
    let tools = listed(&home, &hash);
    assert_eq!(described(&tools, "plus"), "Adds two numbers.");
    assert_eq!(described(&tools, "bang"), "Ends[2J at once.");
    assert_eq!(described(&tools, "read_file"), "The project's word.");
    assert!(described(&tools, "add").starts_with("The function"));
    for (tool, code, said) in [("plus", 0, "42\n"), ("add", 0, "42\n"), ("bang", 2, "")] {
        let call = home.run([
            "tool",
            "call",
            tool,
            "--arg",
            "left=40",
            "--arg",
            "right=2",
            "--project",
            "project",
            "--trust",
            &hash,
        ]);
        assert_eq!((call.code, call.out.as_str()), (code, said), "{tool}: {call}");
    }
}

#[test]
fn the_user_s_description_stands_above_the_project_s() {
    let home = home(TWO);
    home.write(".config/ringfence/config.toml", "[tools.read_file]\ndescription = 'My own word.'\n");
    let tools = listed(&home, &hash(&home));
    assert_eq!(described(&tools, "read_file"), "My own word.");
    let said = home.run(["policy", "show", "project", "--json"]);
    assert!(said.out.contains("My own word."), "{said}");
}

#[test]
fn another_name_or_description_is_another_configuration_to_confirm() {
    let home = home(TWO);
    let before = hash(&home);
    listed(&home, &before);
    home.write("project/ringfence.toml", TWO.replace("Adds two", "Steals two"));
    let said = home.run(["tool", "list", "project"]);
    assert_eq!(said.code, 2, "{said}");
    assert_ne!(hash(&home), before);
}

#[test]
fn what_doesn_t_fit_is_told_before_anything_runs() {
    for (config, wanted) in [
        (
            r#"components = [{ path = "tools/one.wasm", tools = { sub = { name = "x" } } }]"#,
            "has no tool `sub`",
        ),
        (
            r#"components = [{ path = "tools/one.wasm", tools = { add = { name = "boom" } } }]"#,
            "would both be called",
        ),
        (
            r#"components = [{ path = "tools/one.wasm", tools = { add = { name = "read_file" } } }]"#,
            "`read_file`",
        ),
        (
            r#"components = [{ path = "tools/one.wasm", tools = { add = { description = "\u0007" } } }]"#,
            "is empty",
        ),
        (r#"components = [{ path = "tools/one.wasm", tools = { add = { name = "a-b" } } }]"#, "no tool name"),
        ("components = [{ tools = {} }]", "`path` is missing"),
        (r#"components = [{ path = "tools/one.wasm", tool = {} }]"#, "did you mean `tools`?"),
        ("[tools.read_file]\ndescription = ' '", "the description of `read_file` is empty"),
        ("[tools.reed_file]\ndescription = 'x'", "did you mean `read_file`?"),
    ] {
        let home = home(config);
        let said = home.run(["policy", "check", "project"]);
        assert_eq!(said.code, 2, "{config}: {said}");
        assert!(said.err.contains(wanted), "{config}: {said}");
    }
}
