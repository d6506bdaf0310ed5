//! A loop that the real engine carries out: one task that always needs more work, with another
//! file each time.

use crate::cost::{Measured, Took};
use crate::record::{BYTES, STEPS, event, finished, new_run, padded, receipts, replied, started};
use ringfence_engine::*;
use ringfence_store::{Durability, Entry, Intent, Store};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Steps after which the kinds of steps come round.
pub(crate) fn cycle(flow: Flow) -> usize {
    match flow {
        // Decide, execute, evaluate.
        Flow::Staged => 3,
        // Think, and call.
        Flow::Pipeline | Flow::React => 2,
    }
}

pub(crate) fn drive(home: &Path, flow: Flow) -> Measured {
    let store = Store::open_with(&home.join("runs.db"), Durability::Full).expect("a new store");
    let started = started(flow);
    let (mut run, mut owed) = Run::start(started.clone()).expect("a run that can begin");
    let intents = intents(&owed);
    let first = Entry { event: &started, intents: &intents, receipts: &[], stage: &run.state().stage };
    let mut lease = store.create_run(&new_run(), &first).expect("a new run");
    let mut times = Vec::new();
    for step in 1..=STEPS {
        let event = event(answer(&owed, step));
        let (receipts, folded) = (receipts(&event), event.clone());
        let began = Instant::now();
        owed = run.apply(folded).expect("the event fits");
        let intents = self::intents(&owed);
        let engine = began.elapsed();
        let stage = &run.state().stage;
        let entry = Entry { event: &event, intents: &intents, receipts: &receipts, stage };
        lease.append(&entry).expect("the step is journaled");
        times.push(Took { engine, store: began.elapsed() - engine });
    }
    assert!(run.state().stage.ending().is_none(), "the loop is still going");
    Measured::of(times, home)
}

fn intents(owed: &[Effect]) -> Vec<Intent> {
    owed.iter().map(Effect::intent).collect()
}

/// What comes back for what is owed.
fn answer(owed: &[Effect], step: u64) -> EventKind {
    match owed {
        [Effect::CallModel(ModelCall { call, stage, .. })] => said(*call, *stage, step),
        [Effect::CallTool(ToolCall { call, .. })] => finished(*call),
        other => panic!("at step {step} the loop owes {other:?}"),
    }
}

fn said(call: CallId, stage: ModelStage, step: u64) -> EventKind {
    let input = json!({"file_path": format!("src/file_{step}.rs")});
    let reply = |with: &dyn Fn(String) -> Value| replied(call, padded(with).to_string(), Vec::new());
    match stage {
        ModelStage::Plan => reply(&|why| {
            let tasks = json!([{"id": "task_1", "description": "look at every file"}]);
            json!({"reasoning": why, "new_sub_tasks": tasks, "is_goal_achieved": false})
        }),
        ModelStage::Decide => reply(&|why| {
            json!({"reasoning": why, "action": "read_file", "action_input": input, "confidence": "high",
                "query_to_human": ""})
        }),
        ModelStage::Evaluate => reply(&|why| {
            json!({"reasoning": why, "sub_task_status": "needs_more_work", "confidence": "high",
                "summary": format!("file {step} is read"), "suggested_next_step": "read the next"})
        }),
        ModelStage::Reason => reply(&|why| {
            let details = json!({"tool_name": "read_file", "tool_input": input});
            json!({"thought": why, "decision": "CALL_TOOL", "details": details, "confidence": "high"})
        }),
        ModelStage::Converse => {
            let arguments = input.to_string();
            let text = "x".repeat(BYTES - arguments.len());
            let request = ToolRequest { id: format!("call_{step}"), name: "read_file".into(), arguments };
            replied(call, text, vec![request])
        }
        ModelStage::Reflect => panic!("at step {step} the loop reviews its work"),
    }
}
