//! Whether what a call read is what it read before.
//!
//! Held against each other: which files both receipts list as opened, and the hashes of what was
//! read. Where a receipt tells no hash, the time of the file's last change does, which nobody but
//! the system sets. A receipt names no folder that was only listed, so the same is asked of
//! everything in the granted folders.

use super::fold::EndedCall;
use ringfence_engine::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files and folders that are looked at for one call.
const MAX_ENTRIES: usize = 100_000;
/// Of a listing, only these don't say that it changed: no guest sees the first, and git writes to
/// the other whenever it looks around.
const OWN_BUSINESS: [&str; 2] = [".ringfence", ".git"];

/// What a call read that has changed since it was recorded: paths in the project, possibly just
/// some of them.
pub(super) fn changed(ended: &EndedCall, now: Option<&Value>, project: &Path) -> Vec<String> {
    let receipt = ended.receipt.as_ref().map(|(_, receipt)| receipt);
    let (recorded, now) = (opened(receipt), opened(now));
    let paths: BTreeSet<&str> = recorded.keys().chain(now.keys()).copied().collect();
    let differs = |path: &&str| match (recorded.get(path), now.get(path)) {
        (Some(before), Some(after)) if before.is_string() => before != after,
        (Some(_), Some(_)) => {
            project.join(path).symlink_metadata().map_or(true, |found| is_younger(&found, ended.at))
        }
        (None, _) | (_, None) => true,
    };
    let opened: Vec<_> = paths.into_iter().filter(differs).map(str::to_owned).collect();
    if !opened.is_empty() {
        return opened;
    }
    let granted = receipt.and_then(|receipt| receipt["dirs"].as_array()).into_iter().flatten();
    let granted = granted.filter_map(|dir| dir["path"].as_str());
    changed_below(project, granted, ended.at).into_iter().collect()
}

/// The files that a receipt lists, by path, with the hash of what was read where it tells one.
fn opened(receipt: Option<&Value>) -> BTreeMap<&str, &Value> {
    let list = receipt.and_then(|receipt| receipt["opened"].as_array()).into_iter().flatten();
    list.filter_map(|entry| Some((entry["path"].as_str()?, &entry["hash"]))).collect()
}

/// The first thing found in these folders that was changed, put there or removed since.
fn changed_below<'g>(
    project: &Path,
    granted: impl Iterator<Item = &'g str>,
    since: Timestamp,
) -> Option<String> {
    let mut left = MAX_ENTRIES;
    let mut folders: Vec<PathBuf> = granted.map(|path| project.join(path)).collect();
    while let Some(folder) = folders.pop() {
        let shown = || match folder.strip_prefix(project).unwrap_or(&folder).display().to_string() {
            root if root.is_empty() => ".".to_owned(),
            path => path,
        };
        match folder.symlink_metadata() {
            Ok(found) if !is_younger(&found, since) => {}
            Ok(_) | Err(_) => return Some(shown()),
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if OWN_BUSINESS.iter().any(|name| entry.file_name() == **name) {
                continue;
            }
            left = left.checked_sub(1)?;
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                folders.push(entry.path());
            } else if is_younger(&found, since) {
                let path = entry.path();
                return Some(path.strip_prefix(project).unwrap_or(&path).display().to_string());
            }
        }
    }
    None
}

fn is_younger(found: &Metadata, than: Timestamp) -> bool {
    let changed_ms = found.ctime().saturating_mul(1_000).saturating_add(found.ctime_nsec() / 1_000_000);
    changed_ms >= than.0
}
