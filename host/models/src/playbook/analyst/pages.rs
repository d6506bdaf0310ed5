//! The pages of what a tool returned bit by bit, put together again by the folder that was asked
//! for.

use super::results::{Observation, is_complete, list, number, tidy};
use super::wording::{code, plural};
use serde_json::Value;

/// Names of what was skipped that are told.
const SKIPPED: usize = 3;

/// The pages of one answer, the first one first.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Series<'o> {
    /// The folder or file that was asked for.
    pub(in crate::playbook) directory: String,
    pages: Vec<&'o Observation>,
}

/// Every answer of a tool, oldest first. A page follows on the latest answer for its folder; a
/// first page begins a new one.
pub(in crate::playbook) fn series<'o>(observations: &'o [Observation], tool: &str) -> Vec<Series<'o>> {
    let mut found: Vec<Series<'o>> = Vec::new();
    for seen in observations.iter().filter(|seen| seen.tool == tool && seen.is_done()) {
        let directory = asked(&seen.input);
        let latest = found.iter_mut().rev().find(|series| series.directory == directory);
        match latest {
            Some(series) if number(&seen.input, "skip") > 0 => series.pages.push(seen),
            _ => found.push(Series { directory, pages: vec![seen] }),
        }
    }
    found
}

/// The answer on the most: later ones take the place of earlier ones that are no larger.
pub(in crate::playbook) fn broadest<'o>(
    observations: &'o [Observation],
    tool: &str,
    size: &str,
) -> Option<Series<'o>> {
    let all = series(observations, tool);
    all.into_iter().max_by_key(|series| number(series.first_value(), size))
}

/// The folder that a call asks for; `.` for the project's.
pub(in crate::playbook) fn asked(input: &Value) -> String {
    let told = input.get("directory").and_then(Value::as_str).map(tidy).unwrap_or_default();
    let told = told.trim_end_matches('/');
    if told.is_empty() { ".".to_owned() } else { told.to_owned() }
}

impl<'o> Series<'o> {
    /// The values of its pages with their steps.
    pub(in crate::playbook) fn values(&self) -> impl Iterator<Item = (u64, &'o Value)> + '_ {
        self.pages.iter().map(|seen| (seen.step, &seen.value))
    }

    /// The step of the first page.
    pub(in crate::playbook) fn step(&self) -> u64 {
        self.pages.first().map_or(0, |seen| seen.step)
    }

    /// What only the first page holds.
    pub(in crate::playbook) fn first_value(&self) -> &'o Value {
        self.pages.first().map_or(&Value::Null, |seen| &seen.value)
    }

    /// Where the page begins that nobody asked for yet.
    pub(in crate::playbook) fn next(&self) -> Option<u64> {
        let last = self.pages.iter().max_by_key(|seen| number(&seen.input, "skip"))?;
        let next = last.value.get("next")?.as_u64()?;
        (next > number(&last.input, "skip")).then_some(next)
    }

    /// Whether the tool came to its end on every page.
    pub(in crate::playbook) fn is_complete(&self) -> bool {
        self.pages.iter().all(|seen| is_complete(&seen.value))
    }

    /// What wasn't looked at, `2 files: a.bin (not text), …`; none where nothing was passed over.
    pub(in crate::playbook) fn skipped(&self) -> Option<String> {
        let all: Vec<(&str, &str)> = list(self.first_value(), "skipped")
            .filter_map(|one| Some((one.get("path")?.as_str()?, one.get("reason")?.as_str()?)))
            .collect();
        let names: Vec<String> =
            all.iter().take(SKIPPED).map(|(path, reason)| format!("{} ({reason})", code(path))).collect();
        let more = all.len().saturating_sub(SKIPPED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!all.is_empty()).then(|| format!("{}{more}", names.join(", ")))
    }

    /// What a statement about all of it is limited to; none where all of it is known. What comes on
    /// several pages says how much of how much was shown.
    pub(in crate::playbook) fn partial(&self, paged: Option<(u64, u64, &str)>) -> Option<String> {
        let mut gaps = Vec::new();
        if self.directory != "." {
            gaps.push(code(&self.directory));
        }
        if let Some((shown, total, word)) = paged.filter(|(shown, total, _)| shown < total) {
            gaps.push(format!("the first {shown} of {}", plural(total, word)));
        }
        if !self.is_complete() {
            gaps.push("what time and size sufficed for".to_owned());
        }
        (!gaps.is_empty()).then(|| gaps.join(", "))
    }
}
