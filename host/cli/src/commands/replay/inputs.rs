//! Whether what a call read is what it read before.
//!
//! Held against each other: which files both receipts list as opened, and the hashes of what was
//! read. Where a receipt tells none, the time of the file's last change does, which nobody but the
//! system sets.

use super::fold::EndedCall;
use ringfence_engine::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What a call read that has changed since it was recorded: paths in the project.
pub(super) fn changed(ended: &EndedCall, now: Option<&Value>, project: &Path) -> Vec<String> {
    let recorded = opened(ended.receipt.as_ref().map(|(_, receipt)| receipt));
    let now = opened(now);
    let paths: BTreeSet<&str> = recorded.keys().chain(now.keys()).copied().collect();
    let differs = |path: &&str| match (recorded.get(path), now.get(path)) {
        (Some(before), Some(after)) if before.is_string() => before != after,
        (Some(_), Some(_)) => is_younger(&project.join(path), ended.at),
        (None, _) | (_, None) => true,
    };
    let shown = |path: &str| if path.is_empty() { ".".to_owned() } else { path.to_owned() };
    paths.into_iter().filter(differs).map(shown).collect()
}

/// The files that a receipt lists, by path, with the hash of what was read where it tells one.
fn opened(receipt: Option<&Value>) -> BTreeMap<&str, &Value> {
    let list = receipt.and_then(|receipt| receipt["opened"].as_array()).into_iter().flatten();
    list.filter_map(|entry| Some((entry["path"].as_str()?, &entry["hash"]))).collect()
}

/// Whether a file was changed, put there or removed after this moment.
fn is_younger(path: &Path, than: Timestamp) -> bool {
    let Ok(found) = path.symlink_metadata() else { return true };
    let changed_ms = found.ctime().saturating_mul(1_000).saturating_add(found.ctime_nsec() / 1_000_000);
    changed_ms >= than.0
}
