//! Runs and events for the tests.

use ringfence_engine::*;
use ringfence_store::{Entry, Intent, NewRun, Store};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("runs.db")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.file()).expect("a new store")
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        flow: Flow::Staged,
        limits: Limits::default(),
        pause: [PausePoint::AfterPlan].into(),
        tools: Vec::new(),
        prompts: Prompts { plan: "plan".into(), decide: "decide".into(), evaluate: "evaluate".into() },
        metadata: Value::Null,
    }
}

pub(crate) fn new_run(id: &str) -> NewRun {
    NewRun {
        id: RunId::from(id),
        project: PathBuf::from("/srv/my project"),
        goal: "分析主要技术栈".into(),
        model: "playbook".into(),
        created: Timestamp(1_000),
        parent: None,
    }
}

pub(crate) fn started(id: &str) -> Event {
    Event {
        at: Timestamp(1_000),
        kind: EventKind::Started {
            run: RunId::from(id),
            goal: "分析主要技术栈".into(),
            settings: Box::new(settings()),
        },
    }
}

/// A call that ended without a receipt.
pub(crate) fn tool_finished(call: u64, value: Value) -> Event {
    finished(call, value, None)
}

/// A call that ended and left receipt `r` with its number.
pub(crate) fn receipted(call: u64, value: Value) -> Event {
    finished(call, value, Some(receipt_id(call)))
}

pub(crate) fn receipt_id(call: u64) -> ReceiptId {
    ReceiptId(format!("r{call}"))
}

fn finished(call: u64, value: Value, receipt: Option<ReceiptId>) -> Event {
    let outcome = ToolOutcome { status: OutcomeStatus::Done, value, message: String::new(), receipt };
    Event { at: Timestamp(2_000), kind: EventKind::ToolFinished { call: CallId(call), outcome } }
}

pub(crate) fn tool_call(call: u64) -> ToolCall {
    ToolCall {
        call: CallId(call),
        step: StepId(call),
        task: TaskId::from("list"),
        tool: "list_files".into(),
        input: json!({"directory": "."}),
        can: ToolFacts { reads: true, writes: false, egress: false, deterministic: false },
        attempt: 1,
        timeout_ms: 30_000,
        reasoning: String::new(),
        confidence: Confidence::default(),
    }
}

/// The wish for that call.
pub(crate) fn wish(call: u64) -> Intent {
    Intent::CallTool(tool_call(call))
}

/// The same, larger by so many bytes.
pub(crate) fn padded_wish(call: u64, bytes: usize) -> Intent {
    Intent::CallTool(ToolCall { reasoning: "z".repeat(bytes), ..tool_call(call) })
}

pub(crate) fn entry<'a>(event: &'a Event, stage: &'a Stage) -> Entry<'a> {
    Entry { event, intents: &[], receipts: &[], stage }
}

pub(crate) fn planning() -> Stage {
    Stage::Planning(Asking { call: CallId(1), reask: None, max_tokens: 16_000 })
}
