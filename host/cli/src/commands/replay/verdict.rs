//! What a replay found, as data and in words.

use super::difference::first;
use crate::terminal::one_line;
use ringfence_engine::{CallId, Intent, ModelStage, OutcomeStatus, StageName, StepId};
use serde_json::{Value, json};

/// Characters of a value that is shown.
const SHOWN: usize = 120;

/// Something that this version makes differently from what is recorded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Finding {
    /// An event doesn't fit the ones before it.
    Unfit { event: u64, why: String },
    /// A request to a model says something else.
    Prompt { event: u64, call: CallId, stage: ModelStage },
    /// Something else is wished for.
    Intents { event: u64, recorded: Vec<Intent>, now: Vec<Intent> },
    /// The run is listed in another stage.
    Stage { listed: StageName, folded: StageName },
}

impl Finding {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Unfit { event, why } => {
                format!(
                    "event {event} doesn't fit the ones before it: {}; it was written by another version, or \
                     is damaged",
                    one_line(why, 400)
                )
            }
            Self::Prompt { event, call, stage } => {
                format!(
                    "event {event}: the prompt of call {call} ({}) is made differently by this version",
                    stage.name()
                )
            }
            Self::Intents { event, recorded, now } => {
                format!(
                    "event {event}: what follows from it was {} and is {} now",
                    listed(recorded),
                    listed(now)
                )
            }
            Self::Stage { listed, folded } => format!("the run is listed as {listed} and is {folded}"),
        }
    }

    pub(super) fn json(&self) -> Value {
        match self {
            Self::Unfit { event, why } => json!({"difference": "unfit", "event": event, "why": why}),
            Self::Prompt { event, call, stage } => {
                json!({"difference": "prompt", "event": event, "call": call, "stage": stage})
            }
            Self::Intents { event, recorded, now } => {
                json!({"difference": "intents", "event": event, "recorded": recorded, "now": now})
            }
            Self::Stage { listed, folded } => {
                json!({"difference": "stage", "recorded": listed, "now": folded})
            }
        }
    }
}

/// A tool call, and how it compares with what was recorded of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compared {
    pub(super) step: StepId,
    pub(super) call: CallId,
    pub(super) tool: String,
    pub(super) verdict: Verdict,
}

/// How a tool call compares.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// It ended as recorded, with the same value.
    Equal,
    /// It ended otherwise, on files that have changed since; these.
    Changed(Vec<String>),
    /// It ended otherwise on equal files.
    Different { recorded: Outcome, now: Outcome },
    /// It wasn't made again, for this reason.
    Skipped(String),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) status: OutcomeStatus,
    pub(super) value: Value,
}

impl Compared {
    /// One line, safe for a terminal; none where there is nothing to say of this call alone.
    pub(super) fn text(&self) -> Option<String> {
        let who = format!("step {} ({})", self.step, one_line(&self.tool, 80));
        Some(match &self.verdict {
            Verdict::Equal | Verdict::Skipped(_) => return None,
            Verdict::Changed(paths) => {
                let shown: Vec<_> = paths.iter().take(5).map(|path| one_line(path, 80)).collect();
                let more = match paths.len().saturating_sub(shown.len()) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("{who}: inputs changed: {}{more}", shown.join(", "))
            }
            Verdict::Different { recorded, now } if recorded.status != now.status => format!(
                "{who}: ended {} and ends {} now: {} and {}",
                recorded.status.name(),
                now.status.name(),
                shown(Some(&recorded.value)),
                shown(Some(&now.value))
            ),
            Verdict::Different { recorded, now } => match first(&recorded.value, &now.value) {
                None => format!("{who}: differs"),
                Some(found) => format!(
                    "{who}: {} was {} and is {} now",
                    one_line(&found.path, SHOWN),
                    shown(found.recorded),
                    shown(found.now)
                ),
            },
        })
    }

    pub(super) fn json(&self) -> Value {
        let mut line = json!({"step": self.step, "call": self.call, "tool": self.tool});
        match &self.verdict {
            Verdict::Equal => line["verdict"] = json!("equal"),
            Verdict::Changed(paths) => {
                line["verdict"] = json!("inputs_changed");
                line["inputs"] = json!(paths);
            }
            Verdict::Skipped(why) => {
                line["verdict"] = json!("skipped");
                line["why"] = json!(why);
            }
            Verdict::Different { recorded, now } => {
                line["verdict"] = json!("different");
                line["recorded_status"] = json!(recorded.status);
                line["status"] = json!(now.status);
                if let Some(found) = first(&recorded.value, &now.value) {
                    line["path"] = json!(found.path);
                    line["recorded"] = json!(found.recorded);
                    line["now"] = json!(found.now);
                }
            }
        }
        line
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| one_line(&value.to_string(), SHOWN))
}

fn listed(intents: &[Intent]) -> String {
    let words: Vec<_> = intents
        .iter()
        .map(|intent| match intent {
            Intent::CallModel { call, stage, max_tokens, .. } => {
                format!("model call {call} ({}, {max_tokens} tokens at most)", stage.name())
            }
            Intent::CallTool { call, tool, attempt, .. } => {
                format!("tool call {call} ({}, try {attempt})", one_line(tool, 80))
            }
            Intent::AskPerson { review } => format!("review {review}"),
            Intent::Finish => "the end".to_owned(),
        })
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
