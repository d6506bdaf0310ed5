//! Runs and events for the tests.

use ringfence_engine::*;
use ringfence_store::{Entry, Intent, NewRun, Store};
use serde_json::Value;
use std::collections::BTreeMap;
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
        on_stage_failure: OnStageFailure::default(),
        parallel: 1,
        tools: Vec::new(),
        prompts: prompts(),
        experts: BTreeMap::new(),
        rates: Rates::default(),
        memories: Vec::new(),
        metadata: Value::Null,
    }
}

/// The shortest that a stage can be asked with.
fn prompts() -> Prompts {
    let short = || "Rules.\n=== user ===\n{{ goal }}".to_owned();
    Prompts {
        plan: short(),
        decide: short(),
        evaluate: short(),
        reason: short(),
        converse: short(),
        reflect: short(),
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
        worked_ms: None,
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
    let outcome =
        ToolOutcome { status: OutcomeStatus::Done, value, message: String::new(), receipt, transient: false };
    let kind = EventKind::ToolFinished { call: CallId(call), outcome };
    Event { at: Timestamp(2_000), worked_ms: None, kind }
}

/// The wish for that call.
pub(crate) fn wish(call: u64) -> Intent {
    let tool = "list_files".to_owned();
    Intent::CallTool { call: CallId(call), step: StepId(call), tool, attempt: 1 }
}

/// The same, larger by so many bytes.
pub(crate) fn padded_wish(call: u64, bytes: usize) -> Intent {
    let tool = "z".repeat(bytes);
    Intent::CallTool { call: CallId(call), step: StepId(call), tool, attempt: 1 }
}

pub(crate) fn entry<'a>(event: &'a Event, stage: &'a Stage) -> Entry<'a> {
    Entry { event, intents: &[], receipts: &[], stage }
}

pub(crate) fn planning() -> Stage {
    Stage::Planning(asking(1))
}

pub(crate) fn asking(call: u64) -> Asking {
    let prompt = PromptDigest("0".repeat(32));
    Asking { call: CallId(call), reask: None, recovers: None, max_tokens: 16_000, prompt }
}
