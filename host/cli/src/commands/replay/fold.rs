//! The journal folded again, event by event.
//!
//! Owns: holding what was wished for against what this version wishes for, and collecting the tool
//! calls that ended. Doesn't own: making them again.

use super::verdict::Finding;
use crate::driver::intents;
use ringfence_engine::{
    CallId, Effect, Event, EventKind, Intent, ReceiptId, Run, Timestamp, ToolCall, ToolOutcome,
};
use ringfence_store::{Journal, Recorded};
use serde_json::Value;
use std::collections::BTreeMap;

/// What folding brought.
pub(super) struct Folded {
    /// The run as it is in the end; none if its first event doesn't fold.
    pub(super) run: Option<Run>,
    /// Model calls that were answered or failed.
    pub(super) model_calls: u64,
    /// Tool calls that ended, in order.
    pub(super) ended: Vec<EndedCall>,
    /// What this version makes differently.
    pub(super) findings: Vec<Finding>,
    /// Whether the journal holds no wishes to compare with, being of an older version.
    pub(super) unknown_intents: bool,
}

/// A tool call with what was recorded of it.
pub(super) struct EndedCall {
    pub(super) call: ToolCall,
    pub(super) outcome: ToolOutcome,
    pub(super) at: Timestamp,
    pub(super) receipt: Option<(ReceiptId, Value)>,
}

/// Folds a whole journal, as far as it folds.
pub(super) fn fold(journal: &Journal) -> Folded {
    let unknown_intents = journal.events.first().is_some_and(|first| first.intents.is_empty());
    let mut folded =
        Folded { run: None, model_calls: 0, ended: Vec::new(), findings: Vec::new(), unknown_intents };
    let mut receipts: BTreeMap<&str, &Value> =
        journal.receipts.iter().map(|stored| (stored.id.0.as_str(), &stored.receipt)).collect();
    // The latest form of each tool call: an answer may come when it isn't owed any more.
    let mut called: BTreeMap<CallId, ToolCall> = BTreeMap::new();
    let mut owed: Vec<Effect> = Vec::new();
    for Recorded { seq, event, intents: recorded } in &journal.events {
        folded.take(event, &called, &mut receipts);
        let now = match apply(&mut folded.run, event) {
            Ok(now) => now,
            Err(why) => {
                folded.findings.push(Finding::Unfit { event: *seq, why });
                return folded;
            }
        };
        if !unknown_intents {
            compare(*seq, recorded, &intents(&owed, &now), &mut folded.findings);
        }
        owed = now;
        for effect in &owed {
            if let Effect::CallTool(call) = effect {
                called.insert(call.call, call.clone());
            }
        }
    }
    let stage = folded.run.as_ref().map(|run| run.state().stage.name());
    if let Some(stage) = stage.filter(|stage| *stage != journal.run.stage) {
        folded.findings.push(Finding::Stage { listed: journal.run.stage, folded: stage });
    }
    folded
}

impl Folded {
    fn take(
        &mut self,
        event: &Event,
        called: &BTreeMap<CallId, ToolCall>,
        receipts: &mut BTreeMap<&str, &Value>,
    ) {
        match &event.kind {
            EventKind::ModelReplied { .. } | EventKind::ModelFailed { .. } => self.model_calls += 1,
            EventKind::ToolFinished { call, outcome } => {
                let Some(call) = called.get(call) else { return };
                let receipt = outcome
                    .receipt
                    .as_ref()
                    .and_then(|id| Some((id.clone(), (*receipts.get(id.0.as_str())?).clone())));
                let (call, outcome) = (call.clone(), outcome.clone());
                self.ended.push(EndedCall { call, outcome, at: event.at, receipt });
            }
            EventKind::Started { .. }
            | EventKind::ModelDropped { .. }
            | EventKind::ProposedAgain { .. }
            | EventKind::Answered { .. }
            | EventKind::Interrupted
            | EventKind::Resumed { .. }
            | EventKind::Granted(_)
            | EventKind::ChangesSettled(_)
            | EventKind::Replanned { .. } => {}
        }
    }
}

fn apply(run: &mut Option<Run>, event: &Event) -> Result<Vec<Effect>, String> {
    match run {
        Some(run) => run.apply(event.clone()).map_err(|refused| refused.to_string()),
        None => {
            let (begun, owed) = Run::replay([event.clone()]).map_err(|error| error.to_string())?;
            *run = Some(begun);
            Ok(owed)
        }
    }
}

/// A differing prompt is told as such; anything else as what was and is wished for.
fn compare(event: u64, recorded: &[Intent], now: &[Intent], findings: &mut Vec<Finding>) {
    let mut others = recorded.len() != now.len();
    for (old, new) in recorded.iter().zip(now) {
        match (old, new) {
            (
                Intent::CallModel { call, stage, prompt: old, max_tokens: old_cap },
                Intent::CallModel { call: same, stage: asks, prompt: new, max_tokens: cap },
            ) if call == same && stage == asks => {
                if old != new {
                    findings.push(Finding::Prompt { event, call: *call, stage: *stage });
                }
                others |= old_cap != cap;
            }
            (old, new) => others |= old != new,
        }
    }
    if others {
        findings.push(Finding::Intents { event, recorded: recorded.to_vec(), now: now.to_vec() });
    }
}
