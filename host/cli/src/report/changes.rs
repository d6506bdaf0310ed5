//! What the run changed, place by place, and what became of it.

use super::sections::{list, receipts, text};
use super::{Changed, Journal};
use ringfence_engine::{SettledAt, Settling};
use serde_json::Value;
use std::collections::BTreeMap;

/// The last change of each place, in the order of the paths.
pub(super) fn changes(journal: &Journal<'_>) -> Vec<Changed> {
    let mut changes: BTreeMap<String, Changed> = BTreeMap::new();
    for (step, _, receipt) in receipts(journal) {
        for written in list(receipt, "written") {
            let path = text(written, "path");
            let hash = |side: &str| written.get(side).and_then(Value::as_str).map(str::to_owned);
            let earlier = changes.get(&path);
            let before = earlier.map_or_else(|| hash("before"), |earlier| earlier.before.clone());
            let from = written.get("from").and_then(Value::as_str).map(str::to_owned);
            let status = settled(&journal.state.settled, step, &path).map_or("staged", Settling::name);
            let changed = Changed {
                path: path.clone(),
                change: text(written, "change"),
                from,
                before,
                after: hash("after"),
                step,
                status: status.to_owned(),
            };
            changes.insert(path, changed);
        }
    }
    changes.into_values().collect()
}

/// What a person did with a change that this step made.
fn settled(all: &[SettledAt], step: u64, path: &str) -> Option<Settling> {
    let concerns = |it: &&SettledAt| {
        step < it.before.0
            && it.settled.paths.as_ref().is_none_or(|paths| paths.iter().any(|settled| settled == path))
    };
    all.iter().find(concerns).map(|it| it.settled.how)
}
