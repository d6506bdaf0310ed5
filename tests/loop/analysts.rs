//! Models of different worth at the same analysis: what each of them leaves in the report.

use crate::{product, run_ids, shown, tools_called};
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};

const ANALYSIS: &[&str] = &[
    "run",
    "my_project",
    "Analyse the stack, the structure and the problems of this project.",
    "--yes",
    "--flow",
    "staged",
];

/// A task that one call settles: its id, the call, and what is claimed of it by the step's number.
struct Task {
    id: &'static str,
    call: fn() -> (&'static str, Value),
    claims: fn(u64) -> Value,
}

fn place(step: u64, file: &str, first: u32, last: u32) -> Value {
    json!([{ "step": step, "file": file, "first_line": first, "last_line": last }])
}

fn problem(text: &str, evidence: Value) -> Value {
    json!({ "about": "problem", "severity": "high", "text": text, "evidence": evidence })
}

/// A model that plans these tasks, carries each out with one call and then is done.
fn through(tasks: &'static [Task]) -> impl FnMut(&Asked) -> Answer + Send + 'static {
    move |asked| {
        let top = asked.section("The task on top").unwrap_or_default();
        let task = tasks.iter().find(|task| top.contains(task.id));
        Answer::Json(match (asked.stage, task) {
            (Some(Stage::Decide), Some(task)) => {
                let (tool, input) = (task.call)();
                json!({ "reasoning": "It settles the task.", "action": tool, "action_input": input, "confidence": "high" })
            }
            (Some(Stage::Evaluate), Some(task)) => json!({
                "reasoning": "The result settles it.",
                "sub_task_status": "completed",
                "summary": "Looked at.",
                "suggested_next_step": "",
                "confidence": "high",
                "claims": (task.claims)(step_of(asked)),
            }),
            _ if asked.section("Tasks done with").is_some() => {
                json!({ "reasoning": "All is done.", "new_sub_tasks": [], "is_goal_achieved": true, "answer": "See the report." })
            }
            _ => {
                let planned = tasks
                    .iter()
                    .map(|task| json!({ "id": task.id, "description": format!("Do {}", task.id) }));
                json!({ "reasoning": "First the whole, then the places.", "new_sub_tasks": planned.collect::<Vec<_>>(), "is_goal_achieved": false })
            }
        })
    }
}

/// The number of the step that an evaluation is about.
fn step_of(asked: &Asked) -> u64 {
    let action = asked.section("The action").expect("an evaluation shows an action");
    let digits: String =
        action.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().expect("an action begins with its step")
}

fn run(server: &MessagesApi) -> (Product, Ended) {
    let product = product();
    product.copy_of("examples/my_project");
    let ended = product.run(ANALYSIS, &server.env());
    assert_eq!(server.refused(), Vec::<String>::new(), "the real API would have refused these");
    (product, ended)
}

fn report(product: &Product) -> Value {
    let run = &run_ids(product)[0];
    let ended = product.run(&["report", run, "--format", "json"], &[]);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

fn texts<'r>(report: &'r Value, section: &str) -> Vec<&'r str> {
    let all = report[section].as_array().expect("a list");
    all.iter().filter_map(|one| one["text"].as_str()).collect()
}

const COMPETENT: &[Task] = &[
    Task { id: "stack", call: || ("detect_stack", json!({})), claims: |_| json!([]) },
    Task { id: "structure", call: || ("map_code", json!({})), claims: |_| json!([]) },
    Task { id: "problems", call: || ("find_problems", json!({})), claims: |_| json!([]) },
    Task {
        id: "worst",
        call: || ("read_file", json!({ "file_path": "shop/db/store.py" })),
        claims: |step| {
            json!([problem(
                "The statement is put together from what the request says.",
                place(step, "shop/db/store.py", 26, 28)
            )])
        },
    },
];

#[test]
fn a_competent_model_s_report_has_what_the_tools_found_and_its_remarks_beside_it() {
    let server = MessagesApi::start(through(COMPETENT));
    let (product, ended) = run(&server);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)), ["detect_stack", "map_code", "find_problems", "read_file"]);
    let report = report(&product);
    assert!(texts(&report, "stack").iter().any(|text| text.contains("Flask")), "{report}");
    let findings = report["findings"].as_array().expect("a list");
    let remarked: Vec<&Value> =
        findings.iter().filter(|one| one["remarks"].as_array().is_some_and(|all| !all.is_empty())).collect();
    assert_eq!(remarked.len(), 1, "the model's word stands with the rule's finding: {findings:?}");
    assert_eq!(remarked[0]["source"], "analyst");
    assert!(findings.len() > 3, "{findings:?}");
    assert_eq!(report["notes"], json!([]), "nothing was dropped");
}

#[test]
fn a_model_that_is_done_at_once_leaves_a_report_that_says_that_nothing_was_looked_at() {
    let server = MessagesApi::start(|_: &Asked| {
        Answer::Json(json!({
            "reasoning": "I know such projects.",
            "new_sub_tasks": [],
            "is_goal_achieved": true,
            "answer": "A fine project in Haskell without problems.",
        }))
    });
    let (product, ended) = run(&server);
    let report = report(&product);
    for section in ["stack", "modules", "findings"] {
        assert_eq!(texts(&report, section), Vec::<&str>::new());
    }
    assert!(ended.stdout.contains("nothing of it was checked"), "{}", ended.stdout);
    assert!(ended.stdout.contains("No tool was called"), "{}", ended.stdout);
}

#[test]
fn a_model_that_asks_for_the_same_file_again_and_again_is_stopped_for_a_person() {
    let server = MessagesApi::start(|asked: &Asked| {
        Answer::Json(match asked.stage {
            Some(Stage::Decide) => json!({
                "reasoning": "Once more.", "action": "read_file", "confidence": "high",
                "action_input": { "file_path": "README.md" },
            }),
            Some(Stage::Evaluate) => json!({
                "reasoning": "Not yet.", "sub_task_status": "needs_more_work", "summary": "Read it.",
                "suggested_next_step": "Read it again.", "confidence": "high",
            }),
            Some(Stage::Reflect) => json!({
                "assessment": "It goes on.", "instruction": "Read README.md.", "confidence": "low",
            }),
            _ => json!({
                "reasoning": "Reading is good.", "is_goal_achieved": false,
                "new_sub_tasks": [{ "id": "read", "description": "Read the documentation" }],
            }),
        })
    });
    let (product, ended) = run(&server);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let calls = tools_called(&shown(&product));
    assert!(calls.len() <= 12, "it was stopped: {calls:?}");
    let report = report(&product);
    assert_eq!(report["outcome"]["status"], "waiting");
    assert!(report["reflection"].is_object(), "one review came first: {report}");
}

const WRONG: &[Task] = &[
    Task {
        id: "problems",
        call: || ("find_problems", json!({})),
        claims: |step| {
            json!([
                problem("A back door in the payment module.", place(step, "shop/payment.py", 3, 3)),
                problem("A race in the store.", place(step + 40, "shop/db/store.py", 27, 27)),
                problem("A buffer overflow far below.", place(step, "shop/db/store.py", 4000, 4001)),
                problem("Nothing shows this.", json!([])),
            ])
        },
    },
    Task {
        id: "entry",
        call: || ("read_file", json!({ "file_path": "shop/main.py" })),
        claims: |step| {
            json!([problem("A hole behind the end of the file.", place(step, "shop/main.py", 900, 900))])
        },
    },
];

#[test]
fn what_a_wrong_model_invents_is_dropped_and_the_report_says_so() {
    let mut invented = false;
    let mut honest = through(WRONG);
    let server = MessagesApi::start(move |asked: &Asked| {
        // A tool that nobody offers, once.
        if asked.stage == Some(Stage::Decide) && !std::mem::replace(&mut invented, true) {
            return Answer::Json(json!({
                "reasoning": "A deeper look.", "action": "audit_everything", "confidence": "high",
                "action_input": { "depth": "all" },
            }));
        }
        honest(asked)
    });
    let (product, ended) = run(&server);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(tools_called(&shown(&product)), ["find_problems", "read_file"]);
    let report = report(&product);
    let all = report["findings"].to_string();
    for invention in ["back door", "A race", "overflow", "Nothing shows", "A hole"] {
        assert!(!all.contains(invention), "{all}");
    }
    assert!(report["findings"].as_array().is_some_and(|found| !found.is_empty()), "the rules' findings stay");
    let notes: Vec<_> =
        report["notes"].as_array().expect("a list").iter().map(|note| note["text"].to_string()).collect();
    let dropped = notes.iter().filter(|note| note.contains("claim dropped")).count();
    assert_eq!(dropped, 5, "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("no tool of the chosen name")), "{notes:?}");
    assert!(ended.stdout.contains("claim dropped"), "{}", ended.stdout);
}
