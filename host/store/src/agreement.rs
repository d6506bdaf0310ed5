//! What the rows of a run say of each other.
//!
//! A digest tells that a row was changed, not that one is gone. Owns: holding the rows of one
//! run against each other, when they are written and when they are read. Doesn't own: what an
//! event means, whether the stage in a list is the one that the events lead to.

use crate::read::{Journal, Recorded, StoredReceipt};
use ringfence_engine::{Event, EventKind, ReceiptId, RunId};
use serde_json::Value;

/// Whether the first event starts this run with this goal; otherwise what is wrong.
pub(crate) fn check_start(run: &RunId, goal: &str, first: &Event) -> Result<(), &'static str> {
    let EventKind::Started { run: started, goal: wanted, .. } = &first.kind else {
        return Err("its first event isn't its start");
    };
    if started != run {
        return Err("its first event starts another run");
    }
    if wanted != goal {
        return Err("its goal isn't the one that it was started with");
    }
    Ok(())
}

/// Whether the receipts are those that the event names; otherwise what is wrong.
pub(crate) fn check_step(event: &Event, receipts: &[(ReceiptId, Value)]) -> Result<(), String> {
    let named = named(event);
    if let Some((stray, _)) = receipts.iter().find(|(id, _)| Some(id) != named) {
        return Err(format!("the event doesn't name receipt {stray}"));
    }
    match named {
        Some(named) if receipts.is_empty() => {
            Err(format!("the event names receipt {named}, which isn't given"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The receipt that an event names; the only place that knows which events name one.
fn named(event: &Event) -> Option<&ReceiptId> {
    match &event.kind {
        EventKind::ToolFinished { outcome, .. } => outcome.receipt.as_ref(),
        EventKind::Started { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ModelDropped { .. }
        | EventKind::ProposedAgain { .. }
        | EventKind::Answered { .. }
        | EventKind::Interrupted
        | EventKind::Resumed { .. }
        | EventKind::Granted(_)
        | EventKind::ChangesSettled(_)
        | EventKind::Replanned { .. } => None,
    }
}

/// Whether the rows of a run, each of them sound, belong together; otherwise what is wrong.
pub(crate) fn check(journal: &Journal) -> Result<(), String> {
    let Journal { run, events, receipts } = journal;
    let id = &run.id;
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Err(format!("run {id} has no events"));
    };
    if run.events != last.seq {
        return Err(format!("run {id} has {} events and counts {}", last.seq, run.events));
    }
    check_start(id, &run.goal, &first.event).map_err(|why| format!("run {id}: {why}"))?;
    if run.updated != last.event.at {
        return Err(format!("run {id} isn't dated by its latest event"));
    }
    check_receipts(id, events, receipts)
}

/// Each event's receipt is there, and each receipt is an event's. Both are in the order of
/// their events.
fn check_receipts(run: &RunId, events: &[Recorded], receipts: &[StoredReceipt]) -> Result<(), String> {
    let mut stored = receipts.iter().peekable();
    for Recorded { seq, event, .. } in events {
        let own = stored.next_if(|receipt| receipt.seq == *seq);
        match (named(event), own) {
            (Some(named), Some(own)) if *named == own.id => {}
            (Some(named), _) => {
                return Err(format!("receipt {} of run {run} is missing, which event {seq} names", named.0));
            }
            (None, Some(own)) => return Err(stray(run, own)),
            (None, None) => {}
        }
    }
    stored.next().map_or(Ok(()), |left| Err(stray(run, left)))
}

fn stray(run: &RunId, receipt: &StoredReceipt) -> String {
    format!("receipt {} of run {run} is named by no event", receipt.id.0)
}
