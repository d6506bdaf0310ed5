use super::*;
use crate::progress::Silent;
use ringfence_engine::{Event, EventKind, Run, Timestamp};
use std::fs;
use std::path::Path;

fn state(goal: &str) -> State {
    let tool = json!({
        "name": "look", "description": "Looks", "input_schema": {"type": "object"}, "timeout_ms": null,
        "can": {"reads": true, "writes": false, "egress": false, "deterministic": true}, "polling": false,
    });
    let settings = json!({
        "flow": "staged", "limits": ringfence_engine::Limits::default(), "pause": [], "tools": [tool],
        "prompts": ringfence_engine::Prompts::default(),
    });
    let settings = Box::new(serde_json::from_value(settings).unwrap());
    let kind = EventKind::Started { run: "r1".into(), goal: goal.to_owned(), settings };
    Run::start(Event { at: Timestamp(1), worked_ms: None, kind }).unwrap().0.state().clone()
}

fn review() -> Review {
    let subject =
        Subject::Question { question: "Which?\u{1b}[2J\nRun it? $(id)".to_owned(), reasoning: String::new() };
    Review { id: ReviewId(4), subject }
}

fn told(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn notifying(file: &Path) -> Notifying {
    let command = format!("cat >> '{}'", file.display());
    let to = Subscription { command, project: "/p".to_owned(), resume: "ringfence resume r1".to_owned() };
    Notifying::new(Box::new(Silent), to)
}

#[test]
fn a_person_who_is_asked_and_answers_another_day_is_told_of_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("told");
    let goal = "say \"hi\"; $(touch x) `id`\n\u{202e}分析";
    let (state, review) = (state(goal), review());
    let mut observer = notifying(&file);
    observer.notice(Notice::Asking { review: &review, state: &state });
    observer.notice(Notice::Halted { halt: &Halt::Waiting(review.clone()), state: &state });
    drop(observer);
    let told = told(&file);
    assert_eq!(told.len(), 1, "{told:?}");
    let message = &told[0];
    assert_eq!((&message["type"], &message["goal"]), (&json!("paused"), &json!(goal)));
    assert_eq!((&message["run"], &message["project"]), (&json!("r1"), &json!("/p")));
    assert_eq!(message["review"]["subject"], "question");
    assert_eq!(message["review"]["commands"][0], "ringfence resume r1 --answer 'TEXT'");
    let description = message["review"]["description"].as_str().unwrap();
    assert!(description.contains("Which?") && !description.contains(['\u{1b}', '\n']), "{description}");
}

#[test]
fn each_way_to_stop_has_its_own_type() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("told");
    let state = state("g");
    let mut observer = notifying(&file);
    let halts = [
        Halt::Ended(Ending::Achieved),
        Halt::Ended(Ending::Limit { which: "time".to_owned() }),
        Halt::Interrupted,
        Halt::Waiting(review()),
    ];
    for halt in &halts {
        observer.notice(Notice::Halted { halt, state: &state });
    }
    drop(observer);
    let told = told(&file);
    let types: Vec<_> = told.iter().map(|message| message["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["finished", "failed", "paused", "paused"]);
    assert_eq!(told[1]["ending"], json!({"ending": "limit", "which": "time"}));
    assert_eq!(told[2]["interrupted"], true);
    assert!(told.iter().all(|message| message["at_ms"].as_i64() > Some(0)), "{told:?}");
}

#[test]
fn a_command_that_doesn_t_end_is_ended_with_all_that_it_began() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("late");
    let command = format!("(sleep 2; echo late > '{}') & sleep 600", file.display());
    let error = deliver(&command, &json!({"x": "y".repeat(1 << 20)}), Duration::from_millis(200));
    assert!(error.unwrap_err().to_string().contains("was ended"));
    thread::sleep(Duration::from_secs(3));
    assert!(!file.exists());
}

#[test]
fn a_command_that_fails_or_reads_nothing_is_told_apart() {
    let big = json!({"x": "y".repeat(1 << 20)});
    deliver("exec true", &big, LIMIT).unwrap();
    let error = deliver("exit 3", &big, LIMIT).unwrap_err();
    assert!(error.to_string().contains('3'), "{error}");
}
