//! The world outside of the process: tools that leave marks in a file, so that whatever happens to
//! the process and its journal, it can be told what really was done.

use crate::rig;
use anyhow::Result;
use async_trait::async_trait;
use ringfence::driver::{Executed, Executor, Readied};
use ringfence::failpoint;
use ringfence_engine::{
    CallId, EventKind, Intent, OutcomeStatus, ReceiptId, ToolCall, ToolFacts, ToolOutcome, ToolSpec,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tools, by what they do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Reads, gives equal answers, can be repeated.
    Look,
    /// The same, and fails in passing until two of its failures are in the journal.
    Peek,
    /// Writes.
    Note,
    /// Sends something off the machine.
    Send,
}

impl Tool {
    pub(crate) const ALL: [Self; 4] = [Self::Look, Self::Peek, Self::Note, Self::Send];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Peek => "peek",
            Self::Note => "note",
            Self::Send => "send",
        }
    }

    pub(crate) fn called(name: &str) -> Self {
        let tool = Self::ALL.into_iter().find(|tool| tool.name() == name);
        tool.unwrap_or_else(|| panic!("no tool `{name}`"))
    }

    pub(crate) fn can(self) -> ToolFacts {
        match self {
            Self::Look | Self::Peek => {
                ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true }
            }
            Self::Note => {
                ToolFacts { reads: false, writes: true, staged: false, egress: false, deterministic: false }
            }
            Self::Send => {
                ToolFacts { reads: false, writes: false, staged: false, egress: true, deterministic: false }
            }
        }
    }

    pub(crate) fn spec(self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: format!("{self:?}s at something."),
            input_schema: json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {"at": {"type": "string"}},
                "required": ["at"],
            }),
            can: self.can(),
            timeout_ms: None,
            polling: false,
        }
    }

    /// What it gives: the words of a person who saw it happen are the same.
    pub(crate) fn result(self, input: &Value) -> String {
        format!("{} at {}", self.name(), input["at"].as_str().unwrap_or_default())
    }
}

/// How far a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Moment {
    Began,
    /// Only of tools that change something: it is changed.
    TookEffect,
    Ended,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) moment: Moment,
    pub(crate) call: CallId,
    pub(crate) attempt: u32,
    pub(crate) tool: String,
    pub(crate) input: Value,
    /// Whether the journal had this very call among its intents.
    pub(crate) intended: bool,
}

/// The tools at work; what they leave lies in one folder beside the journal.
pub(crate) struct Hands {
    pub(crate) folder: PathBuf,
}

impl Hands {
    fn leave(&self, moment: Moment, call: &ToolCall, intended: bool) -> Result<()> {
        let (tool, input) = (call.tool.clone(), call.input.clone());
        let mark = Mark { moment, call: call.call, attempt: call.attempt, tool, input, intended };
        let line = serde_json::to_string(&mark)? + "\n";
        let mut file = OpenOptions::new().create(true).append(true).open(marks_file(&self.folder))?;
        file.write_all(line.as_bytes())?;
        Ok(file.sync_data()?)
    }

    fn is_intended(&self, call: &ToolCall) -> bool {
        let is_it = |intent: &Intent| match intent {
            Intent::CallTool { call: id, attempt, .. } => *id == call.call && *attempt == call.attempt,
            Intent::CallModel { .. } | Intent::AskPerson { .. } | Intent::Finish => false,
        };
        rig::recorded(&self.folder).iter().any(|recorded| recorded.intents.iter().any(is_it))
    }

    fn stumbles(&self, call: &ToolCall) -> bool {
        let failed = |kind: &EventKind| match kind {
            EventKind::ToolFinished { call: id, outcome } => *id == call.call && outcome.transient,
            _ => false,
        };
        rig::recorded(&self.folder).iter().filter(|recorded| failed(&recorded.event.kind)).count() < 2
    }
}

#[async_trait]
impl Executor for Hands {
    fn cold(&self, tool: &str) -> Option<String> {
        let readied = self.folder.join(format!("readied-{tool}"));
        (Tool::called(tool) == Tool::Note && !readied.exists()).then(|| tool.to_owned())
    }

    async fn ready(&self, tool: &str) -> Result<Readied> {
        failpoint::hit("readying");
        fs::write(self.folder.join(format!("readied-{tool}")), "")?;
        failpoint::hit("readied");
        Ok(Readied { took: Duration::ZERO })
    }

    async fn call(&self, call: &ToolCall) -> Result<Executed> {
        let tool = Tool::called(&call.tool);
        self.leave(Moment::Began, call, self.is_intended(call))?;
        failpoint::hit("tool began");
        if !tool.can().repeatable() {
            self.leave(Moment::TookEffect, call, true)?;
            failpoint::hit("tool took effect");
        }
        // Whatever else is under way may come first.
        tokio::task::yield_now().await;
        let stumbled = tool == Tool::Peek && self.stumbles(call);
        self.leave(Moment::Ended, call, true)?;
        Ok(executed(call, stumbled))
    }
}

/// What a call comes to, with a receipt as the sandbox names it.
pub(crate) fn executed(call: &ToolCall, stumbled: bool) -> Executed {
    let id = match call.attempt {
        0 | 1 => ReceiptId(format!("r{}", call.call)),
        attempt => ReceiptId(format!("r{}.{attempt}", call.call)),
    };
    let (status, value, message) = match stumbled {
        true => (OutcomeStatus::Failed, Value::Null, "the pool is full".to_owned()),
        false => {
            let result = Tool::called(&call.tool).result(&call.input);
            (OutcomeStatus::Done, Value::String(result), String::new())
        }
    };
    let outcome = ToolOutcome { status, value, message, receipt: Some(id.clone()), transient: stumbled };
    let receipt = json!({"tool": call.tool, "input": call.input, "stumbled": stumbled});
    Executed { outcome, receipt: Some((id, receipt)), turn: None }
}

fn marks_file(folder: &Path) -> PathBuf {
    folder.join("marks.jsonl")
}

/// Everything that was left, in order.
pub(crate) fn marks(folder: &Path) -> Vec<Mark> {
    let text = fs::read_to_string(marks_file(folder)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole mark")).collect()
}
