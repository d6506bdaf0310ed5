//! `show --json`.

use super::Shown;
use super::trace::Logged;
use crate::amounts::money;
use crate::driven_by::DrivenBy;
use serde_json::{Map, Value, json};

/// Everything that is known of a run.
pub(super) fn whole(shown: &Shown) -> Value {
    let Shown { journal, state, trace, resume, .. } = shown;
    let receipts: Map<_, _> =
        journal.receipts.iter().map(|stored| (stored.id.0.clone(), stored.receipt.clone())).collect();
    let limits = &state.settings.limits;
    let budget = |used: u64, limit: Option<u64>| json!({ "used": used, "limit": limit });
    let waits_for: Vec<Value> = shown
        .questions()
        .into_iter()
        .map(|(review, task, commands)| json!({ "review": review, "task": task, "commands": commands }))
        .collect();
    let ended = state.stage.ending().is_some();
    json!({
        "id": journal.run.id,
        "stage": journal.run.stage,
        "goal": journal.run.goal,
        "project": journal.run.project.display().to_string(),
        "model": journal.run.model,
        "flow": state.settings.flow,
        "role": shown.role,
        "granted": state.granted,
        "parent": journal.run.parent.as_ref().map(|parent| json!({ "run": parent.run, "event": parent.event })),
        "created_ms": journal.run.created,
        "updated_ms": journal.run.updated,
        "since": { "event": trace.since.0, "at_ms": trace.since.1 },
        "ending": state.stage.ending(),
        "driven_by": shown.driven_by.as_ref().map(DrivenBy::json),
        "budgets": {
            "iterations": budget(state.iterations.into(), Some(limits.iterations.into())),
            "working_ms": budget(state.clock.active_ms, limits.wall_clock_ms),
            "tokens": budget(state.spent.tokens.total(), limits.tokens),
            "money": json!({ "used": money(state), "limit": limits.money }),
        },
        "waits_for": waits_for,
        "resume": (!ended).then_some(resume),
        "steps": trace.steps.iter().map(|(step, event)| json!({ "step": step, "event": event })).collect::<Vec<_>>(),
        "log": trace.log.iter().map(entry).collect::<Vec<_>>(),
        "state": state,
        "receipts": receipts,
        "events": journal.events.len(),
    })
}

fn entry(logged: &Logged) -> Value {
    json!({
        "number": logged.number,
        "at": logged.at,
        "event": logged.kind,
        "stage": logged.stage,
        "steps": logged.steps,
        "line": logged.line,
    })
}
