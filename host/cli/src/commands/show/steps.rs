//! The record of a run's actions, each with the event that recorded it.

use super::Shown;
use crate::lanes;
use crate::terminal::{one_line, plain};
use ringfence_engine::{Action, Confidence, Deed, Flow, Progress, ReceiptId, Verdict};
use ringfence_store::StoredReceipt;
use std::collections::BTreeSet;
use std::fmt::Write;

/// So many of a long list are shown.
pub(super) const LAST: usize = 20;

/// The last steps, or all of them; nothing where there is none.
pub(super) fn section(shown: &Shown) -> String {
    let state = &shown.state;
    let below = lanes::lanes(state).iter().flat_map(|lane| &lane.state.history);
    let mut actions: Vec<&Action> = state.history.iter().chain(below).collect();
    actions.sort_by_key(|action| action.step);
    let mut text = String::new();
    if actions.is_empty() {
        return text;
    }
    let hidden = if shown.all { 0 } else { actions.len().saturating_sub(LAST) };
    let _ = match hidden {
        0 => writeln!(text, "\nsteps"),
        _ => writeln!(text, "\nsteps (the last {LAST} of {}; all of them with --all)", actions.len()),
    };
    let cached = cached(&shown.journal.receipts);
    for action in actions.into_iter().skip(hidden) {
        let event = shown.trace.steps.get(&action.step).copied().unwrap_or(0);
        let task = match state.settings.flow {
            Flow::Staged => format!("{}  ", plain(&action.task.0)),
            Flow::Pipeline | Flow::React => String::new(),
        };
        let _ = writeln!(
            text,
            "  {:>3}  event {event:<4}  {task}{}",
            action.step.0,
            deed_line(&action.deed, &cached)
        );
        if !action.summary.trim().is_empty() {
            let verdict = action.verdict.as_ref().map_or_else(String::new, verdict);
            let _ = writeln!(text, "       {verdict}{}", one_line(&action.summary, 200));
        }
    }
    let _ = writeln!(text, "To begin another run from an event:\n  {}", plain(&shown.fork));
    text
}

fn verdict(verdict: &Verdict) -> String {
    let status = match verdict.status {
        Progress::Completed => "completed",
        Progress::Failed => "failed",
        Progress::NeedsMoreWork => "needs more work",
    };
    let sure = match verdict.confidence {
        Confidence::Low => ", not sure",
        Confidence::Medium | Confidence::High => "",
    };
    format!("{status}{sure}: ")
}

/// The receipts of calls that were answered by earlier, equal ones.
fn cached(receipts: &[StoredReceipt]) -> BTreeSet<&ReceiptId> {
    let cached = receipts.iter().filter(|stored| !stored.receipt["cached"].is_null());
    cached.map(|stored| &stored.id).collect()
}

fn deed_line(deed: &Deed, cached: &BTreeSet<&ReceiptId>) -> String {
    match deed {
        Deed::Tool { tool, input, status, message, receipt, .. } => {
            let receipt = receipt.as_ref().map_or_else(String::new, |receipt| {
                let how = if cached.contains(receipt) { ", cached" } else { "" };
                format!(" [{receipt}{how}]")
            });
            let input = one_line(&input.to_string(), 160);
            let mut line = format!("{} {input} {}{receipt}", plain(tool), status.name());
            if !message.is_empty() {
                let _ = write!(line, " {}", one_line(message, 200));
            }
            line
        }
        Deed::Human { question, answer } => {
            format!("asked: {} — {}", one_line(question, 160), one_line(answer, 160))
        }
        Deed::Rejected { tool, input, reason } => {
            format!(
                "rejected: {} {} — {}",
                plain(tool),
                one_line(&input.to_string(), 160),
                one_line(reason, 160)
            )
        }
    }
}
