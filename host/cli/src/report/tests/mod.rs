//! Reports made from runs that the engine carried out, with scripted models and tools.

mod flows;
mod honest;
mod html;
mod journal;
mod sarif;
mod shown;

use super::{FORMAT, Report, Status, markdown};
use journal::{Script, call, evaluated, planned};
use serde_json::json;

/// A run with all that a report can show.
fn full() -> Script {
    let text = "[project]\nname = \"shop\"\nversion = \"0.3.0\"\ndependencies = [\n    \"flask>=3.0\",\n]\n";
    Script::new("分析这个项目的主要技术栈和潜在问题。")
        .reply(planned(&[("list", "列出文件"), ("read", "Read the manifest"), ("look", "Look for problems")]))
        .approve()
        .reply(call("list_files", json!({ "directory": ".", "recursive": true })))
        .tool(json!({
            "directory": ".", "total": 3, "files": 2, "directories": 1, "cut": false, "ignored": 0,
            "unreadable": [], "complete": true, "entries": [
                { "path": "pyproject.toml", "kind": "file", "size": 90 },
                { "path": "shop", "kind": "directory", "size": 0 },
                { "path": "shop/main.py", "kind": "file", "size": 120 },
            ],
        }))
        .reply(evaluated("completed", "三个条目：一个 Python 包。", json!([])))
        .reply(call("read_file", json!({ "file_path": "../secret" })))
        .denied("../secret")
        .reply(evaluated("needs_more_work", "The path was wrong.", json!([])))
        .reply(call("read_file", json!({ "file_path": "pyproject.toml" })))
        .tool(
            json!({ "path": "pyproject.toml", "text": text, "first_line": 1, "last_line": 6, "total_lines": 6,
            "cut": false, "shortened_lines": 0, "lossy": false, "size": 90 }),
        )
        .reply(evaluated(
            "completed",
            "It uses <b>Flask</b> | and \u{1b}[31mred\u{1b}[0m text",
            json!([{ "about": "stack", "text": "A small Flask service.",
                "evidence": [{ "step": 3, "file": "pyproject.toml", "first_line": 4, "last_line": 6 }] }]),
        ))
        .reply(call("find_problems", json!({ "directory": "." })))
        .tool(problems())
        .reply(evaluated(
            "completed",
            "One command injection.",
            json!([
                { "about": "problem", "text": "run() passes user input to a shell.", "severity": "high",
                  "evidence": [{ "step": 4, "file": "shop/main.py", "first_line": 6, "last_line": 7 }] },
                { "about": "problem", "text": "No tests for run().", "severity": "low",
                  "evidence": [{ "step": 1 }] },
            ]),
        ))
        .reply(json!({ "reasoning": "done", "new_sub_tasks": [], "is_goal_achieved": true }))
}

/// What rules found; the value of a secret is left out by the tool.
fn problems() -> serde_json::Value {
    let place = |rule: &str, line: u32, message: &str, excerpt: &str| {
        json!({ "rule": rule, "path": "shop/main.py", "first_line": line, "first_column": 1, "last_line": line,
            "last_column": 24, "message": message, "excerpt": excerpt, "setting": "product", "symbol": "run",
            "content": "aa11", "fingerprint": rule })
    };
    let rule = |id: &str, severity: &str, message: &str, cwe: &str| {
        json!({ "id": id, "language": "Python", "severity": severity, "confidence": "high", "concern": "security",
            "cwe": cwe, "message": message, "why": "It can be misused.", "fix": "Do without.", "origin": "standard" })
    };
    json!({
        "directory": ".", "total": 2, "next": null, "rules_run": 70, "suppressed": 0, "set_apart": 0, "skipped": [],
        "complete": true, "searched": [{ "language": "python", "files": 1, "rules": 70 }],
        "found": [
            place("python-shell", 7, "A command goes through the shell", "os.system(\"ls \" + name)"),
            place("python-secret", 3, "A key stands in the code", "API_KEY = \"…\""),
        ],
        "rules": [
            rule("python-shell", "high", "A command goes through the shell", "CWE-78"),
            rule("python-secret", "medium", "A key stands in the code", "CWE-798"),
        ],
    })
}

#[test]
fn a_report_shows_all_that_a_run_found_and_did() {
    let run = full().carry_out();
    let report = run.report();
    assert_eq!(report.format, FORMAT);
    assert_eq!(report.outcome.status, Status::Finished);
    insta::assert_json_snapshot!("full", report);
    insta::assert_snapshot!("full_markdown", markdown(&report));
}

#[test]
fn the_same_journal_gives_the_same_report() {
    assert_eq!(full().carry_out().report(), full().carry_out().report());
}

#[test]
fn a_report_can_be_read_back() {
    let report = full().carry_out().report();
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn what_the_analyst_and_the_model_both_say_is_said_once() {
    let report = full().carry_out().report();
    let shell: Vec<_> = report.findings.iter().filter(|finding| finding.text.contains("shell")).collect();
    assert_eq!(shell.len(), 1);
    assert_eq!(shell[0].remarks, ["run() passes user input to a shell. (high)"]);
}

#[test]
fn a_secret_in_the_project_is_not_in_its_report() {
    let report = full().carry_out().report();
    let text = format!("{}{}", serde_json::to_string(&report).unwrap(), markdown(&report));
    assert!(text.contains("API_KEY") && !text.contains("9f8a7b6c"));
}

#[test]
fn every_statement_names_a_step_that_exists() {
    let report = full().carry_out().report();
    let steps: Vec<u64> = report.steps.iter().map(|step| step.step).collect();
    let all = [&report.stack, &report.modules, &report.findings, &report.coverage];
    for statement in all.into_iter().flatten() {
        assert!(!statement.evidence.is_empty(), "{}", statement.text);
        assert!(statement.evidence.iter().all(|place| steps.contains(&place.step)), "{}", statement.text);
    }
}

#[test]
fn a_run_that_waits_says_for_whom() {
    let report = Script::new("A goal").reply(planned(&[("a", "Do a")])).carry_out().report();
    assert_eq!(report.outcome.status, Status::Waiting);
    assert!(report.outcome.text.contains("approve the plan"), "{}", report.outcome.text);
    assert!(markdown(&report).contains("did not finish"));
    assert_eq!(report.tasks[0].status, "proposed");
}

#[test]
fn a_run_that_failed_says_why() {
    let script = Script::new("A goal").reply(planned(&[("a", "Do a")])).abort();
    let report = script.carry_out().report();
    assert_eq!(report.outcome.status, Status::Aborted);
    insta::assert_snapshot!("aborted_markdown", markdown(&report));
}
