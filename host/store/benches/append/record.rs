//! Records of one size, and what both kinds of measurement begin a run with.

use ringfence_engine::*;
use ringfence_store::NewRun;
use serde::Serialize;
use serde_json::{Value, json};

/// Steps of a run.
pub(crate) const STEPS: u64 = 1_000;
/// Bytes of a model's reply, a tool's value, a receipt.
pub(crate) const BYTES: usize = 500;

const GOAL: &str = "say what there is";

/// The value whose JSON has the size of a record.
pub(crate) fn padded<T: Serialize>(with: impl Fn(String) -> T) -> T {
    let bare = serde_json::to_string(&with(String::new())).expect("it can be written").len();
    with("x".repeat(BYTES - bare))
}

pub(crate) fn event(kind: EventKind) -> Event {
    Event { at: Timestamp(1_700_000_000_000), worked_ms: Some(1), kind }
}

pub(crate) fn replied(call: CallId, text: String, calls: Vec<ToolRequest>) -> EventKind {
    let reply = ModelReply {
        text,
        stop: if calls.is_empty() { StopReason::End } else { StopReason::ToolUse },
        calls,
        content: None,
        usage: Usage { input_tokens: 4_000, cached_tokens: 3_000, output_tokens: 200 },
        cost: None,
        model: "a-model".into(),
    };
    EventKind::ModelReplied { call, reply }
}

pub(crate) fn finished(call: CallId) -> EventKind {
    let outcome = ToolOutcome {
        status: OutcomeStatus::Done,
        value: padded(Value::String),
        message: String::new(),
        receipt: Some(receipt_id(call)),
        transient: false,
    };
    EventKind::ToolFinished { call, outcome }
}

/// The receipts that go with an event.
pub(crate) fn receipts(event: &Event) -> Vec<(ReceiptId, Value)> {
    match event.kind {
        EventKind::ToolFinished { call, .. } => {
            vec![(receipt_id(call), padded(|text| json!({"tool": "read_file", "text": text})))]
        }
        _ => Vec::new(),
    }
}

fn receipt_id(call: CallId) -> ReceiptId {
    ReceiptId(format!("receipt-{call}"))
}

pub(crate) fn started(flow: Flow) -> Event {
    let tool = ToolSpec {
        name: "read_file".into(),
        description: "Reads a file of the project.".into(),
        input_schema: json!({"type": "object", "properties": {"file_path": {"type": "string"}},
            "required": ["file_path"], "additionalProperties": false}),
        can: ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true },
        timeout_ms: None,
        polling: false,
    };
    let settings = Settings {
        flow,
        // Nothing ends the loop, and nothing takes it aside.
        limits: Limits { iterations: u32::MAX, reflect_after: None, ..Limits::of(flow) },
        pause: Default::default(),
        on_stage_failure: Default::default(),
        parallel: 1,
        tools: vec![tool],
        prompts: Prompts::default(),
        experts: Default::default(),
        rates: Default::default(),
        memories: Vec::new(),
        metadata: Value::Null,
    };
    event(EventKind::Started { run: "bench".into(), goal: GOAL.into(), settings: Box::new(settings) })
}

pub(crate) fn new_run() -> NewRun {
    NewRun {
        id: "bench".into(),
        project: "/srv/project".into(),
        goal: GOAL.into(),
        model: "none".into(),
        created: Timestamp(1_700_000_000_000),
        parent: None,
    }
}
