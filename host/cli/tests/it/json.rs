//! What `--json` prints, by its shape: names and types of all fields, as they are documented.

use crate::program::Home;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeMap;

/// Every kind of line with its fields; values of one field that differ in type stand side by side.
fn shapes(lines: &str) -> String {
    let mut kinds: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut order = Vec::new();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let word = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let kind = [word("/type"), word("/halt"), word("/review/subject/subject"), word("/event/event")];
        let kind: Vec<_> = kind.into_iter().filter(|part| !part.is_empty()).collect();
        let kind = kind.join(" ");
        if !order.contains(&kind) {
            order.push(kind.clone());
        }
        fields(&value, String::new(), kinds.entry(kind).or_default());
    }
    let mut text = String::new();
    for kind in order {
        text.push_str(&format!("{kind}\n"));
        for (field, types) in &kinds[&kind] {
            text.push_str(&format!("  {field}: {types}\n"));
        }
    }
    text
}

/// Fields whose content is a tool's, a receipt's or the driver's, or is described elsewhere.
const CLOSED: [&str; 6] =
    ["input", "event.outcome.value", "event.settings", "report", "input_schema", "review.subject.call.input"];

fn fields(value: &Value, path: String, found: &mut BTreeMap<String, String>) {
    let mut see = |name: &str| {
        let types = found.entry(path.clone()).or_default();
        if !types.split(" or ").any(|known| known == name) {
            if !types.is_empty() {
                types.push_str(" or ");
            }
            types.push_str(name);
        }
    };
    if CLOSED.contains(&path.as_str()) {
        return see("…");
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                fields(value, path, found);
            }
        }
        Value::Array(items) if items.is_empty() => see("[]"),
        Value::Array(items) => {
            for item in items {
                fields(item, format!("{path}[]"), found);
            }
        }
        Value::String(_) => see("text"),
        Value::Number(_) => see("number"),
        Value::Bool(_) => see("boolean"),
        Value::Null => see("null"),
    }
}

fn project() -> Home {
    let home = Home::new();
    home.write("project/app.py", "import os\n\n\ndef run(name):\n    os.system(\"ls \" + name)\n");
    home
}

#[test]
fn the_lines_of_a_run_have_the_documented_shape() {
    let said = project().run(["run", "project", "--model", "playbook", "--yes", "--json"]);
    assert_eq!(said.code, 0, "{said}");
    // Whether code is compiled depends on what ran before.
    let lines: String = said
        .out
        .lines()
        .filter(|line| !line.contains("\"type\":\"compil"))
        .fold(String::new(), |lines, line| format!("{lines}{line}\n"));
    assert_snapshot!(shapes(&lines));
}

#[test]
fn a_run_that_waits_says_for_what_and_what_answers_it() {
    let home = project();
    let said =
        home.run(["run", "project", "--model", "playbook", "--json", "--pause", "after_plan,before_tool"]);
    assert_eq!(said.code, 3, "{said}");
    let last: Value = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["answers"].as_array().unwrap().len(), 6);
    let run = last["run"].as_str().unwrap();
    let said = home.run(["resume", run, "--approve", "--json"]);
    assert_eq!(said.code, 3, "{said}");
    assert_snapshot!(shapes(said.out.lines().last().unwrap()));
}
