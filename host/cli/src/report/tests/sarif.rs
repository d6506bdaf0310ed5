//! Reports as SARIF.

use super::full;
use crate::report::{Report, Source, Statement, sarif};
use ringfence_models::playbook::analyst::{Card, Concern, Confidence, Evidence, Finding, Item, Severity};
use serde_json::Value;

/// A place that a rule found in a file of this kind.
pub(super) fn item(file: &str, text: &str, setting: &str) -> Item {
    Item {
        text: text.to_owned(),
        detail: String::new(),
        evidence: Evidence { step: 1, file: Some(file.to_owned()), lines: Some((3, 3)) },
        finding: Some(Finding {
            message: "SQL is put together from text".to_owned(),
            columns: (5, 17),
            content: "ab12".to_owned(),
            fingerprint: format!("print of {file}"),
            setting: setting.to_owned(),
        }),
    }
}

/// What one rule found in these places.
pub(super) fn finding(id: &str, severity: Severity, items: Vec<Item>) -> Statement {
    Statement {
        source: Source::Analyst,
        topic: id.to_owned(),
        text: "SQL is put together from text.".to_owned(),
        why: Some("Whoever controls a part of the text controls the statement.".to_owned()),
        severity: Some(severity),
        concern: Some(Concern::Security),
        rule: Some(Card {
            id: id.to_owned(),
            language: "Python".to_owned(),
            confidence: Confidence::Medium,
            cwe: Some("CWE-89".to_owned()),
            fix: "Pass the values as parameters.".to_owned(),
            origin: "standard".to_owned(),
        }),
        partial: None,
        evidence: items.iter().map(|item| item.evidence.clone()).collect(),
        items,
        omitted: 0,
        remarks: Vec::new(),
    }
}

pub(super) fn with(findings: Vec<Statement>) -> Report {
    Report { findings, ..full().carry_out().report() }
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

/// What the official schema says against it.
fn faults(log: &Value) -> Vec<String> {
    let schema = include_str!("../../../tests/schemas/sarif-schema-2.1.0.json");
    // The standard's pattern has a bare `]`, which only some readers of patterns take literally.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn a_log_has_the_findings_with_their_rules_and_places() {
    let mut report = full().carry_out().report();
    let places =
        vec![item("src/a b.py", "db.execute(q)", "product"), item("tests/t.py", "db.execute(q)", "test")];
    report.findings.push(finding("python-sql-injection", Severity::High, places));
    let mut log = sarif(&report);
    assert_eq!(faults(&log), Vec::<String>::new());
    log["runs"][0]["tool"]["driver"]["version"] = "[version]".into();
    insta::assert_json_snapshot!("sarif", log);
}

#[test]
fn what_is_found_outside_of_product_code_is_a_note_and_comes_last() {
    let places = vec![item("tests/t.py", "x", "test"), item("src/a.py", "x", "product")];
    let log = sarif(&with(vec![finding("r", Severity::High, places)]));
    let levels: Vec<_> = results(&log).iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "note"]);
}

#[test]
fn a_log_holds_the_5000_worst_results() {
    let mild = (0..5_000).map(|n| item(&format!("a{n}.py"), "x", "product")).collect();
    let bad = vec![item("bad.py", "x", "product")];
    let log = sarif(&with(vec![finding("mild", Severity::Low, mild), finding("bad", Severity::High, bad)]));
    assert_eq!(results(&log).len(), 5_000);
    assert_eq!(results(&log)[0]["ruleId"], "bad");
}

#[test]
fn equal_lines_of_a_file_have_different_line_hashes() {
    let places = vec![item("a.py", "x = 1", "product"), item("a.py", "x = 1", "product")];
    let log = sarif(&with(vec![finding("r", Severity::Low, places)]));
    let print = |at: usize| &results(&log)[at]["partialFingerprints"]["primaryLocationLineHash"];
    assert_ne!(print(0), print(1));
}

#[test]
fn hostile_names_and_lines_leave_a_log_valid_and_bounded() {
    let name = "</script>\"><img src=x>/\u{202e}\u{1b}[31m.py";
    let line = "x".repeat(1_000_000);
    let log = sarif(&with(vec![finding("r", Severity::High, vec![item(name, &line, "product")])]));
    assert_eq!(faults(&log), Vec::<String>::new());
    let place = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "%3C/script%3E%22%3E%3Cimg%20src%3Dx%3E/%E2%80%AE%1B%5B31m.py");
    assert!(log.to_string().len() < 20_000);
    let endless = item(&"n".repeat(1_000_000), "x", "product");
    assert!(results(&sarif(&with(vec![finding("r", Severity::High, vec![endless])]))).is_empty());
}

#[test]
fn a_log_names_no_folder_of_this_machine() {
    assert!(!sarif(&full().carry_out().report()).to_string().contains("/home/anna"));
}
