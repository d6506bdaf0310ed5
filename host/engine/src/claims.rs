//! Claims: statements for the report. One is kept only if the action history bears it out.
//!
//! Every place that a claim points at must be a finished tool call of this run, and a file that it
//! names must occur in that call's input or result, its lines among those that the result shows. What
//! doesn't hold is dropped and said.

use crate::bounds;
use crate::event::OutcomeStatus;
use crate::id::StepId;
use crate::reply;
use crate::schema;
use crate::scope::Scope;
use crate::shown::Shown;
use crate::state::{Claim, ClaimKind, Deed, Evidence, Severity, State};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct Raw {
    about: ClaimKind,
    text: String,
    severity: Option<Severity>,
    evidence: Vec<RawEvidence>,
}

#[derive(Debug, Deserialize)]
struct RawEvidence {
    step: u64,
    file: Option<String>,
    first_line: Option<u32>,
    last_line: Option<u32>,
}

/// What holds of a reply's claims, and what was dropped of them, a line each.
pub(crate) struct Taken {
    claims: Vec<Claim>,
    dropped: Vec<String>,
}

/// Checks a reply's claims against the record.
pub(crate) fn take(scope: Scope<'_>, claims: Value) -> Taken {
    let mut taken = Taken { claims: Vec::new(), dropped: Vec::new() };
    let items = match claims {
        Value::Null => return taken,
        Value::Array(items) => items,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            taken.dropped.push("claims dropped: $.claims: expected an array".to_owned());
            return taken;
        }
    };
    if items.len() > bounds::CLAIMS {
        let more = items.len() - bounds::CLAIMS;
        taken.dropped.push(format!("{more} claims dropped: at most {} are taken at once", bounds::CLAIMS));
    }
    let schema = schema::claim();
    for (index, item) in items.into_iter().take(bounds::CLAIMS).enumerate() {
        match check(scope, index, item, &schema) {
            Ok(claim) => taken.claims.push(claim),
            Err(why) => taken.dropped.push(format!("claim dropped: {why}")),
        }
    }
    taken
}

/// Adds the claims to the state; says what was dropped.
pub(crate) fn keep(state: &mut State, taken: Taken) -> Vec<String> {
    let Taken { claims, mut dropped } = taken;
    for claim in claims {
        if state.claims.len() >= bounds::CLAIMS_OF_A_RUN {
            dropped.push(format!("claim dropped: a run holds at most {}", bounds::CLAIMS_OF_A_RUN));
            break;
        }
        if !state.claims.contains(&claim) {
            state.claims.push(claim);
        }
    }
    dropped
}

fn check(scope: Scope<'_>, index: usize, mut item: Value, schema: &Value) -> Result<Claim, String> {
    let root = format!("$.claims[{index}]");
    reply::coerce(&mut item, schema, &mut Vec::new());
    if let Some(why) = reply::mismatch(&item, schema, &root) {
        return Err(why);
    }
    let raw: Raw = serde_json::from_value(item).map_err(|error| format!("{root}: {error}"))?;
    let text = raw.text.trim();
    if text.is_empty() {
        return Err(format!("{root}.text: is empty"));
    }
    if raw.evidence.is_empty() {
        return Err(format!("{root}.evidence: names no place that shows it"));
    }
    if raw.evidence.len() > bounds::EVIDENCE {
        return Err(format!("{root}.evidence: has more than {} places", bounds::EVIDENCE));
    }
    let mut evidence = Vec::new();
    for (nth, place) in raw.evidence.into_iter().enumerate() {
        let root = format!("{root}.evidence[{nth}]");
        evidence.push(place_that_holds(scope, &root, place)?);
    }
    Ok(Claim { about: raw.about, text: bounds::cut(text, bounds::CLAIM), severity: raw.severity, evidence })
}

fn place_that_holds(scope: Scope<'_>, root: &str, raw: RawEvidence) -> Result<Evidence, String> {
    let step = StepId(raw.step);
    let deed = scope.history().find(|action| action.step == step).map(|action| &action.deed);
    let (input, value) = match deed {
        Some(Deed::Tool { input, value, status: OutcomeStatus::Done, .. }) => (input, value),
        Some(Deed::Tool { .. }) => return Err(format!("{root}.step: step {step} has no result")),
        Some(Deed::Human { .. } | Deed::Rejected { .. }) => {
            return Err(format!("{root}.step: step {step} isn't a tool call"));
        }
        None => return Err(format!("{root}.step: there is no step {step}")),
    };
    let file = match raw.file.as_deref().map(plain) {
        None | Some("") => None,
        Some(file) if file.len() > bounds::PATH_BYTES => {
            return Err(format!("{root}.file: has more than {} bytes", bounds::PATH_BYTES));
        }
        Some(file) if occurs(file, input, value) => Some(file.to_owned()),
        Some(_) => return Err(format!("{root}.file: doesn't occur in step {step}")),
    };
    let lines = match (raw.first_line, raw.last_line) {
        (None, None) => None,
        (Some(first), None) if first >= 1 => Some((first, first)),
        (Some(first), Some(last)) if first >= 1 && first <= last => Some((first, last)),
        (Some(_) | None, _) => {
            return Err(format!("{root}: first_line and last_line aren't a range from 1"));
        }
    };
    if let (Some(file), Some(lines)) = (&file, lines)
        && let Some(why) = Shown::of(value, file).contradicts(lines)
    {
        return Err(format!("{root}: names {why} (step {step})"));
    }
    Ok(Evidence { step, file, lines })
}

/// A path without the ways of writing that mean nothing.
fn plain(path: &str) -> &str {
    let mut path = path.trim();
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix('/')) {
        path = rest;
    }
    path.strip_suffix('/').unwrap_or(path)
}

/// Whether a step names the file: as a whole somewhere in its input or value, or as a folder in
/// the input and the rest of the path in the value.
fn occurs(file: &str, input: &Value, value: &Value) -> bool {
    if any_text(input, &|text| names(text, file)) || any_text(value, &|text| names(text, file)) {
        return true;
    }
    file.match_indices('/').any(|(at, _)| {
        let folder = file.get(..at).unwrap_or_default();
        let rest = file.get(at + 1..).unwrap_or_default();
        any_text(input, &|text| plain(text) == folder) && any_text(value, &|text| plain(text) == rest)
    })
}

fn any_text(value: &Value, test: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => test(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, test)),
        Value::Object(map) => map.iter().any(|(key, item)| test(key) || any_text(item, test)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a text names a path, as against a longer name that it is a part of.
fn names(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + found.len()..).unwrap_or_default();
        begins_path(before) && ends_path(after)
    })
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn begins_path(before: &str) -> bool {
    let root = before.strip_suffix("./").or_else(|| before.strip_suffix('/')).unwrap_or(before);
    let last = root.chars().next_back();
    last.is_none_or(|c| !in_name(c) && c != '/')
}

fn ends_path(after: &str) -> bool {
    let mut rest = after.chars();
    match rest.next() {
        // A full stop at the end of a sentence isn't a part of the name.
        Some('.') => rest.next().is_none_or(|c| !in_name(c)),
        next => next.is_none_or(|c| !in_name(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_occurs_only_as_a_whole_name() {
        assert!(names("src/app.py", "src/app.py"));
        assert!(names("see ./src/app.py:12.", "src/app.py"));
        assert!(names("in /src/app.py.", "src/app.py"));
        assert!(names("src/app.py", "src"));
        assert!(!names("src/app.pyc", "src/app.py"));
        assert!(!names("lib/src/app.py", "src/app.py"));
        assert!(!names("data.py", "a.py"));
    }

    #[test]
    fn a_listed_name_counts_below_the_folder_that_was_listed() {
        let input = json!({"directory": "./src"});
        let value = json!({"entries": [{"path": "app.py"}]});
        assert!(occurs("src/app.py", &input, &value));
        assert!(!occurs("lib/app.py", &input, &value));
    }
}
