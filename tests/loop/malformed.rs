//! What models return when asked for JSON, shape by shape, through the whole loop.
//!
//! Each run goes through every stage with every shape of a row: first the shape, then a healthy
//! reply where one is asked for. Three rules are checked over all of them: the raw text is in the
//! journal and in no later prompt, nothing is substituted for what couldn't be read, and there is
//! one re-ask at most.

mod conversation;
mod never;
mod rows;

use crate::{journaled, of_kind, run_of, sample, shown};
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi, Stage};
use serde_json::{Value, json};

/// Stands in every reply that can't be used, so that it can be found again.
const MARK: &str = "zebra";

/// What has to become of a reply.
#[derive(Debug, Clone)]
enum Becomes {
    /// It is used; with this repair in the notes, or none.
    Used(Option<&'static str>),
    /// It is asked for once more, and this is said of it.
    Asked(String),
    /// It is no call that can be made: the model is told this, and chooses again.
    Told(String),
}

/// What is sent in place of a stage's good reply; none where the shape has no place there.
type Shape = fn(Stage, Value) -> Option<(Answer, Becomes)>;

/// One request that is to come, and its answer.
struct Turn {
    stage: Stage,
    answer: Answer,
    becomes: Becomes,
}

/// Holds shapes against the stages of the staged flow and of the pipeline.
fn hold(shapes: &[Shape]) {
    let input = |index: usize| json!({ "directory": ".", "max_entries": 10 + index });
    let calls: Vec<Value> = (0..shapes.len()).map(input).collect();

    let mut turns = Vec::new();
    for (index, shape) in shapes.iter().enumerate() {
        for stage in [Stage::Plan, Stage::Decide, Stage::Evaluate] {
            turns.extend(turns_of(stage, *shape, &good(stage, index, &calls[index])));
        }
    }
    let end = json!({ "reasoning": "done", "new_sub_tasks": [], "is_goal_achieved": true });
    turns.push(healthy(Stage::Plan, end));
    check("staged", turns, &calls);

    let mut turns = Vec::new();
    for (index, shape) in shapes.iter().enumerate() {
        turns.extend(turns_of(Stage::Reason, *shape, &good(Stage::Reason, index, &calls[index])));
    }
    let end = json!({ "thought": "done", "decision": "FINAL_ANSWER", "details": { "answer": "All seen." } });
    turns.push(healthy(Stage::Reason, end));
    check("pipeline", turns, &calls);
}

fn healthy(stage: Stage, reply: Value) -> Turn {
    Turn { stage, answer: Answer::Json(reply), becomes: Becomes::Used(None) }
}

/// The shape, and the good reply where that is asked for after it.
fn turns_of(stage: Stage, shape: Shape, good: &Value) -> Vec<Turn> {
    let Some((answer, becomes)) = shape(stage, good.clone()) else {
        return vec![healthy(stage, good.clone())];
    };
    if let Becomes::Used(_) = becomes {
        return vec![Turn { stage, answer, becomes }];
    }
    // No word of a reply that isn't used may come up again.
    let answer = shape(stage, marked(stage, good.clone())).map_or(answer, |(answer, _)| answer);
    vec![Turn { stage, answer, becomes }, healthy(stage, good.clone())]
}

/// A stage's good reply: one task, one call, one judgement.
fn good(stage: Stage, index: usize, input: &Value) -> Value {
    match stage {
        Stage::Plan => json!({
            "reasoning": "one more",
            "new_sub_tasks": [{ "id": format!("task_{index}"), "description": "List some files" }],
            "is_goal_achieved": false,
        }),
        Stage::Decide => json!({
            "reasoning": "it is needed", "action": "list_files", "confidence": "high", "action_input": input,
        }),
        Stage::Evaluate => json!({
            "reasoning": "it is there", "sub_task_status": "completed", "summary": "listed",
            "suggested_next_step": "", "confidence": "high",
        }),
        Stage::Reason => json!({
            "thought": "it is needed", "decision": "CALL_TOOL", "confidence": "high",
            "details": { "tool_name": "list_files", "tool_input": input },
        }),
        Stage::Reflect | Stage::Converse => Value::Null,
    }
}

/// The key that each reply has first: the model's reasons.
fn first(stage: Stage) -> &'static str {
    if stage == Stage::Reason { "thought" } else { "reasoning" }
}

/// Where a tool's input stands in a reply.
fn input_of(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Decide => Some("/action_input"),
        Stage::Reason => Some("/details/tool_input"),
        Stage::Plan | Stage::Evaluate | Stage::Reflect | Stage::Converse => None,
    }
}

/// The reply with the mark in all that it says.
fn marked(stage: Stage, mut reply: Value) -> Value {
    reply[first(stage)] = json!(MARK);
    for place in ["/new_sub_tasks/0/description", "/summary", "/suggested_next_step"] {
        if let Some(text) = reply.pointer_mut(place) {
            *text = json!(MARK);
        }
    }
    if let Some(input) = input_of(stage).and_then(|place| reply.pointer_mut(place)) {
        input["directory"] = json!(MARK);
    }
    reply
}

/// Drives a run through these turns and checks what became of each.
fn check(flow: &str, turns: Vec<Turn>, calls: &[Value]) {
    let product = sample();
    let server = MessagesApi::queue(turns.iter().map(|turn| turn.answer.clone()));
    let ended = product.run(&run_of(&["--flow", flow, "--max-iterations", "500"]), &server.env());
    let asked = server.asked();
    let stages: Vec<_> = asked.iter().filter_map(|asked| asked.stage).collect();
    let planned: Vec<_> = turns.iter().map(|turn| turn.stage).collect();
    assert_eq!(stages, planned, "{ended:?}");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new());

    let (events, shown) = (journaled(&product), shown(&product));
    assert_eq!(shown["stage"], "finished");
    let replies = of_kind(&events, "model_replied");
    assert_eq!(replies.len(), turns.len());
    for (number, (turn, event)) in turns.iter().zip(&replies).enumerate() {
        let kept = event["reply"]["text"].as_str().expect("a text");
        was_kept(&turn.answer, kept);
        became(turn, kept, &notes_on(&shown, &event["call"]), asked.get(number + 1));
    }
    for asked in &asked {
        assert!(!asked.user.contains(MARK) && !asked.system.contains(MARK), "{}", asked.user);
    }
    let reasked = turns.iter().filter(|turn| matches!(turn.becomes, Becomes::Asked(_))).count();
    assert_eq!(asked.iter().filter(|asked| is_reask(asked)).count(), reasked, "one re-ask for each, no more");
    // Neither a malformed call nor an empty one was made.
    let made = shown["state"]["history"].as_array().expect("a history");
    let made: Vec<&Value> = made.iter().map(|action| &action["deed"]["input"]).collect();
    assert_eq!(made, calls.iter().collect::<Vec<_>>());
}

fn is_reask(asked: &Asked) -> bool {
    asked.user.contains("Your last answer could not be used")
}

/// The journal has the raw text. What is valid JSON may have been led back to the schema that was
/// asked for.
fn was_kept(answer: &Answer, kept: &str) {
    if let Answer::Text { text, .. } = answer
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
    {
        assert_eq!(kept, text);
    }
}

fn became(turn: &Turn, kept: &str, notes: &[String], next: Option<&Asked>) {
    let Turn { stage, becomes, .. } = turn;
    let noted = |words: &str| notes.iter().any(|note| note.contains(words));
    let next = || next.unwrap_or_else(|| panic!("{stage:?}: nothing was asked after {kept}"));
    match becomes {
        Becomes::Used(None) => assert!(notes.is_empty(), "{stage:?}: {kept}: {notes:?}"),
        Becomes::Used(Some(repair)) => {
            assert!(noted("repaired: ") && noted(repair), "{stage:?}: {kept}: {notes:?}");
        }
        Becomes::Asked(said) => {
            assert!(noted(&format!("unusable reply: {said}")), "{stage:?}: {kept}: {notes:?}");
            let words = format!("Your last answer could not be used: {said}");
            assert!(next().user.contains(&words), "{stage:?}: no `{words}` in\n{}", next().user);
        }
        Becomes::Told(said) => {
            assert!(noted(said), "{stage:?}: {kept}: {notes:?}");
            let seen = next().section("What happened last").unwrap_or_default();
            assert!(seen.contains(said), "{stage:?}: no `{said}` in\n{seen}");
            assert!(
                seen.contains("Known actions: analyze_code, list_files, read_file, human_help."),
                "{seen}"
            );
        }
    }
}

/// What was noted of one call.
fn notes_on(shown: &Value, call: &Value) -> Vec<String> {
    let notes = shown["state"]["notes"].as_array().into_iter().flatten();
    let of_call = notes.filter(|note| note["call"] == *call);
    of_call.filter_map(|note| note["text"].as_str()).map(str::to_owned).collect()
}
