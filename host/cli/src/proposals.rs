//! What calls that wait for approval would change: kept to be shown, and to be held to.
//!
//! Several can wait or be approved at a time, of one turn or of tasks side by side, so each call has
//! a file of its own. Owns: the files and how many there are. Doesn't own: making a call to see what
//! it changes (`executor`), who approves.

use crate::staging::{Effect, cant, read, replace};
use anyhow::{Context, Result};
use ringfence_engine::{CallId, ReviewId, RunId, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// So many are kept, the latest: more calls never wait at a time.
const KEPT: usize = 256;

/// The proposals of one run.
#[derive(Debug)]
pub(crate) struct Proposals {
    folder: PathBuf,
}

/// What a call that waits for approval would change.
#[derive(Debug, Serialize, Deserialize)]
struct Proposed {
    input: Value,
    diff: String,
    effect: Effect,
}

/// Which proposal: a call that is asked about again has another review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    call: u64,
    review: u64,
}

impl Name {
    fn of(call: CallId, review: ReviewId) -> Self {
        Self { call: call.0, review: review.0 }
    }

    fn parse(file: &str) -> Option<Self> {
        let (call, review) = file.strip_suffix(".json")?.split_once('-')?;
        Some(Self { call: call.parse().ok()?, review: review.parse().ok()? })
    }

    fn file(self) -> String {
        format!("{}-{}.json", self.call, self.review)
    }
}

impl Proposals {
    /// Those of a run, in the folder of the stages.
    pub(crate) fn of(run: &RunId, stages: &Path) -> Self {
        Self { folder: stages.join(format!("{run}.proposed")) }
    }

    /// Keeps one; the oldest makes room.
    pub(crate) fn keep(&self, review: ReviewId, call: &ToolCall, diff: String, effect: Effect) -> Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| cant("made", &self.folder));
            }
            Ok(()) | Err(_) => {}
        }
        let path = self.folder.join(Name::of(call.call, review).file());
        replace(&path, &Proposed { input: call.input.clone(), diff, effect })?;
        let names = self.names()?;
        for old in names.iter().take(names.len().saturating_sub(KEPT)) {
            let path = self.folder.join(old.file());
            fs::remove_file(&path).with_context(|| cant("removed", &path))?;
        }
        Ok(())
    }

    /// What was shown last of this very call; none where nothing was.
    pub(crate) fn approved(&self, call: &ToolCall) -> Result<Option<Effect>> {
        let names = self.names()?;
        let Some(name) = names.iter().rev().find(|name| name.call == call.call.0) else { return Ok(None) };
        let shown = read::<Proposed>(&self.folder.join(name.file()))?;
        Ok(shown.filter(|shown| shown.input == call.input).map(|shown| shown.effect))
    }

    /// The diff that was kept for a review; none where it isn't known.
    pub(crate) fn diff(&self, review: ReviewId) -> Option<String> {
        let name = self.names().ok()?.into_iter().find(|name| name.review == review.0)?;
        Some(read::<Proposed>(&self.folder.join(name.file())).ok()??.diff)
    }

    /// All of them, the oldest first.
    fn names(&self) -> Result<Vec<Name>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| cant("read", &self.folder)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.with_context(|| cant("read", &self.folder))?;
            names.extend(entry.file_name().to_str().and_then(Name::parse));
        }
        names.sort_unstable();
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: u64) -> ToolCall {
        serde_json::from_value(json!({
            "call": id, "step": 1, "task": "t", "tool": "write_file", "input": { "path": format!("{id}") },
            "timeout_ms": 1000, "attempt": 1, "reasoning": "", "confidence": "high",
            "can": { "reads": true, "writes": true, "egress": false, "deterministic": false },
        }))
        .unwrap()
    }

    fn effect(place: &str) -> Effect {
        vec![(place.to_owned(), None)]
    }

    #[test]
    fn each_call_that_waits_is_held_to_what_was_shown_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Proposals::of(&"run-1".into(), folder.path());
        for id in [3, 4] {
            kept.keep(ReviewId(id + 10), &call(id), format!("diff {id}"), effect(&id.to_string())).unwrap();
        }
        for id in [3, 4] {
            assert_eq!(kept.approved(&call(id)).unwrap(), Some(effect(&id.to_string())));
            assert_eq!(kept.diff(ReviewId(id + 10)), Some(format!("diff {id}")));
        }
        let other = ToolCall { input: json!({ "path": "elsewhere" }), ..call(3) };
        assert_eq!(kept.approved(&other).unwrap(), None);
        assert_eq!(Proposals::of(&"run-2".into(), folder.path()).approved(&call(3)).unwrap(), None);
    }

    #[test]
    fn a_call_that_was_asked_about_again_is_held_to_what_was_shown_last() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Proposals::of(&"run-1".into(), folder.path());
        for review in [9, 10] {
            kept.keep(ReviewId(review), &call(3), String::new(), effect(&review.to_string())).unwrap();
        }
        assert_eq!(kept.approved(&call(3)).unwrap(), Some(effect("10")));
    }

    #[test]
    fn the_oldest_proposals_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Proposals::of(&"run-1".into(), folder.path());
        for id in 0..KEPT as u64 + 3 {
            kept.keep(ReviewId(id), &call(id), String::new(), effect("x")).unwrap();
        }
        assert_eq!(kept.names().unwrap().len(), KEPT);
        assert_eq!(kept.approved(&call(2)).unwrap(), None);
        assert!(kept.approved(&call(3)).unwrap().is_some());
    }
}
