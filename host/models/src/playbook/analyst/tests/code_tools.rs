//! Claims from results of the tools for code.

use super::{of, seen};
use crate::playbook::analyst::{Claim, Observation, Severity, claims, graph};
use serde_json::{Value, json};

fn result(tool: &str) -> Value {
    let text = match tool {
        "detect_stack" => include_str!("results/detect_stack.json"),
        "map_code" => include_str!("results/map_code.json"),
        "find_problems" => include_str!("results/find_problems.json"),
        other => panic!("no result of {other}"),
    };
    serde_json::from_str(text).expect("JSON")
}

fn answer(step: u64, tool: &str) -> Observation {
    seen(step, tool, json!({ "directory": "." }), result(tool))
}

fn all() -> Vec<Observation> {
    vec![answer(1, "detect_stack"), answer(2, "map_code"), answer(3, "find_problems")]
}

/// A result with some fields changed.
fn changed(step: u64, tool: &str, input: Value, changes: Value) -> Observation {
    let mut value = result(tool);
    value.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    seen(step, tool, input, value)
}

/// Claims as a person would read them, with the places of their parts.
fn told(claims: &[Claim]) -> String {
    let mut lines = Vec::new();
    for claim in claims {
        let severity = claim.severity.map_or_else(String::new, |severity| format!(" {}", severity.name()));
        lines.push(format!("[{}{severity}] {}", claim.topic, claim.text));
        for item in &claim.items {
            let place = &item.evidence;
            let line = place.lines.map_or_else(String::new, |lines| format!(":{}-{}", lines.0, lines.1));
            let file = place.file.as_deref().unwrap_or("-");
            lines.push(format!("    {} | {} | step {} {file}{line}", item.text, item.detail, place.step));
        }
    }
    lines.join("\n")
}

#[test]
fn what_the_three_tools_show_is_told_with_its_places() {
    insta::assert_snapshot!(told(&claims(&all())));
}

#[test]
fn a_rules_claim_carries_its_card_and_what_is_known_of_each_place() {
    let claims = claims(&all());
    insta::assert_json_snapshot!(of(&claims, "python-sql-injection"));
}

#[test]
fn the_graph_has_packages_imports_and_no_circle_where_layers_differ() {
    let graph = graph(&all()).unwrap();
    assert_eq!((graph.step, graph.packages.len(), graph.omitted), (2, 3, 0));
    let edges: Vec<(&str, &str)> =
        graph.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    assert_eq!(edges, [("shop", "shop/db"), ("tests", "shop")]);
    assert!(graph.cycles.is_empty());
    assert_eq!(crate::playbook::analyst::graph(&[answer(1, "detect_stack")]), None);
}

#[test]
fn packages_that_import_each_other_are_a_circle_of_the_graph() {
    let package = |path: &str, layer: u32, to: &[&str]| {
        let imports: Vec<Value> =
            to.iter().map(|to| json!({ "to": to, "count": 1, "path": "x.py", "line": 1 })).collect();
        json!({ "path": path, "name": path, "files": 1, "code_lines": 1, "setting": "product", "imports": imports,
                "layer": layer })
    };
    let packages = [
        package("top", 1, &["a"]),
        package("a", 0, &["b"]),
        package("b", 0, &["c"]),
        package("c", 0, &["a", "gone"]),
        package("d", 0, &[]),
    ];
    let map = changed(1, "map_code", json!({}), json!({ "packages": packages, "total_packages": 7 }));
    let graph = graph(&[map]).unwrap();
    assert_eq!(graph.cycles, [["a", "b", "c"]]);
    assert_eq!(
        (graph.edges.len(), graph.omitted),
        (4, 2),
        "imports of packages that aren't listed are left out"
    );
}

#[test]
fn a_later_search_takes_the_place_of_an_earlier_one_on_the_same_files() {
    let fixed = json!({ "found": [], "total": 0, "next": null });
    let again = changed(4, "find_problems", json!({ "directory": "shop/db/" }), fixed);
    let claims = claims(&[all(), vec![again]].concat());
    let files: Vec<_> =
        of(&claims, "python-sql-injection").items.iter().map(|item| &item.evidence.file).collect();
    assert!(!files.contains(&&Some("shop/db/store.py".to_owned())), "{files:?}");
    assert_eq!(files.len(), 2);
}

#[test]
fn pages_are_one_answer_and_a_place_on_two_of_them_is_one() {
    let rest = json!({ "found": [result("find_problems")["found"][4]], "next": null });
    let page = changed(4, "find_problems", json!({ "directory": ".", "skip": 5 }), rest);
    let claims = claims(&[all(), vec![page]].concat());
    assert_eq!(of(&claims, "python-open-redirect").items.len(), 1);
    assert!(
        of(&claims, "coverage").text.contains("6 of 9 places are listed"),
        "{}",
        of(&claims, "coverage").text
    );
}

#[test]
fn a_place_whose_rule_was_lost_is_told_by_its_own_message() {
    let cut = changed(3, "find_problems", json!({}), json!({ "rules": "…[cut: 10 of 20 bytes]" }));
    let claims = claims(&[cut]);
    let claim = of(&claims, "python-sql-injection");
    assert!(claim.text.starts_with("SQL is put together from text: 2 places in 2 files"), "{}", claim.text);
    assert_eq!(claim.severity, Some(Severity::Medium));
}

#[test]
fn a_search_that_ended_early_or_of_a_folder_only_is_no_whole_search() {
    let part = json!({ "complete": false, "skipped": [], "next": null, "total": 5 });
    let claims = claims(&[changed(3, "find_problems", json!({ "directory": "shop" }), part)]);
    let coverage = of(&claims, "coverage");
    assert_eq!(coverage.partial.as_deref(), Some("only `shop`; step 3 ended early"));
}

#[test]
fn a_failed_search_that_was_made_up_for_leaves_no_gap() {
    let mut failed = answer(3, "find_problems");
    failed.status = "exceeded".to_owned();
    failed.message = "too slow".to_owned();
    let alone = claims(std::slice::from_ref(&failed));
    assert_eq!(
        of(&alone, "not-searched").text,
        "Problems were not searched for: 1 search gave no result (step 3, exceeded: too slow)."
    );
    let whole = json!({ "skipped": [], "next": null, "total": 5 });
    let made_up = changed(4, "find_problems", json!({ "directory": "." }), whole);
    assert_eq!(of(&claims(&[failed, made_up]), "coverage").partial, None);
}

#[test]
fn the_map_of_the_most_files_counts() {
    let part = changed(4, "map_code", json!({ "directory": "shop" }), json!({ "total": 2, "packages": [] }));
    let both = graph(&[answer(2, "map_code"), part]).unwrap();
    assert_eq!((both.step, both.packages.len()), (2, 3));
}
