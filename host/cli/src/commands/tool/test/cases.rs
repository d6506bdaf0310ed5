//! A tool's own cases: calls with the answers that its author expects.
//!
//! Owns: `tests/cases.toml`, and whether an answer is the expected one. Doesn't own: making the calls.

use crate::config::language::nearest;
use crate::exit::Refusal;
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::{CallReport, GrantPath, Outcome};
use serde::Deserialize;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Bytes of the file at most.
const FILE_BYTES: u64 = 1 << 20;
/// Characters of a value in a message.
const SHOWN: usize = 400;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cases {
    /// The folder that calls see, relative to the file; none for the made-up one.
    project: Option<String>,
    /// In the file's order.
    #[serde(default, rename = "case")]
    pub(super) all: Vec<Case>,
}

/// One call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What it shows, as a sentence.
    pub(super) name: String,
    /// The tool; can be left out where there is only one.
    pub(super) tool: Option<String>,
    /// Its arguments.
    #[serde(default)]
    input: toml::Table,
    /// Exactly this result.
    done: Option<toml::Value>,
    /// An error with this in its text.
    failed: Option<String>,
    /// A refusal of the fence.
    denied: Option<bool>,
}

/// Reads a file; none if it isn't there.
pub(super) fn read(path: &Path) -> Result<Option<Cases>> {
    let shown = path.display();
    let text = match std::fs::metadata(path) {
        Ok(meta) if meta.len() > FILE_BYTES => {
            return Err(Refusal::usage(format!("{shown} has more than {FILE_BYTES} bytes")).into());
        }
        Ok(_) => std::fs::read_to_string(path),
        Err(error) => Err(error),
    };
    let text = match text {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Refusal::usage(format!("{shown} can't be read: {error}")).into()),
    };
    let cases: Cases = toml::from_str(&text).map_err(|error| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Refusal::usage(format!("{shown}, line {line}: {}", told(error.message())))
    })?;
    for case in &cases.all {
        let ends = [case.done.is_some(), case.failed.is_some(), case.denied.is_some()];
        if ends.iter().filter(|said| **said).count() != 1 || case.denied == Some(false) {
            let what = format!("{shown}: the case `{}` wants one end", one_line(&case.name, 200));
            let hint = "say `done = …` with the result, `failed = \"part of the error\"`, or `denied = true`";
            return Err(Refusal::usage(what).hint(hint).into());
        }
    }
    Ok(Some(cases))
}

/// What the reader says, with what was likely meant.
fn told(message: &str) -> String {
    let words: Vec<_> = message.split('`').skip(1).step_by(2).collect();
    let meant = match words.split_first() {
        Some((asked, known)) if message.starts_with("unknown field") => nearest(asked, known.iter().copied()),
        Some(_) | None => None,
    };
    match meant {
        Some(meant) => format!("{message}; did you mean `{meant}`?"),
        None => message.to_owned(),
    }
}

impl Cases {
    /// The folder that calls see, seen from this file; none for the made-up one.
    pub(super) fn project(&self, file: &Path) -> Result<Option<PathBuf>> {
        let Some(named) = &self.project else { return Ok(None) };
        // Whoever wrote the file isn't always whoever runs it.
        let inside = GrantPath::parse(named).map_err(|error| {
            Refusal::usage(format!("{}: `project`: {error}", file.display()))
                .hint("name a folder beside the file, or below it")
        })?;
        let beside = file.parent().unwrap_or_else(|| Path::new("."));
        Ok(Some(beside.join(inside.to_string())))
    }
}

impl Case {
    /// Its arguments.
    pub(super) fn input(&self) -> Result<Value> {
        Ok(serde_json::to_value(&self.input)?)
    }

    /// Whether this is what it expects; else what is different.
    pub(super) fn judge(&self, report: &CallReport) -> Result<(), String> {
        let message = one_line(&report.outcome.message(&report.receipt), SHOWN);
        let other = |wanted: &str| Err(format!("wanted {wanted}, got {}", ended(&report.outcome, &message)));
        match (&report.outcome, &self.done, &self.failed) {
            (Outcome::Done(value), Some(wanted), _) => {
                let wanted = serde_json::to_value(wanted).map_err(|error| error.to_string())?;
                match same(&wanted, value) {
                    true => Ok(()),
                    false => other(&one_line(&wanted.to_string(), SHOWN)),
                }
            }
            (Outcome::Failed(error), _, Some(wanted)) => {
                let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
                match text.contains(wanted.as_str()) {
                    true => Ok(()),
                    false => other(&format!("an error with {wanted:?}")),
                }
            }
            (Outcome::Denied { crash: None, .. }, None, None) => Ok(()),
            (_, Some(wanted), _) => other(&one_line(&serde_json::json!(wanted).to_string(), SHOWN)),
            (_, None, Some(wanted)) => other(&format!("an error with {wanted:?}")),
            (_, None, None) => other("a refusal of the fence"),
        }
    }
}

/// How a call ended, in words.
pub(super) fn ended(outcome: &Outcome, message: &str) -> String {
    match outcome {
        Outcome::Done(value) => one_line(&value.to_string(), SHOWN),
        Outcome::Failed(_) => format!("the error {message}"),
        Outcome::Trapped(_) => format!("a crash: {message}"),
        Outcome::Denied { .. } => format!("a refusal of the fence: {message}"),
        Outcome::Exceeded(_) => format!("a limit: {message}"),
        Outcome::Cancelled => "no answer: it was cancelled".to_owned(),
    }
}

/// Whether a result is the expected one. TOML has no null: what it leaves out is nothing. A whole number
/// is the same with and without a point.
fn same(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(value)) => {
            wanted.iter().all(|(key, wanted)| same(wanted, value.get(key).unwrap_or(&Value::Null)))
                && value.iter().all(|(key, value)| wanted.contains_key(key) || value.is_null())
        }
        (Value::Object(wanted), Value::Null) => wanted.is_empty(),
        (Value::Array(wanted), Value::Array(value)) => {
            wanted.len() == value.len() && wanted.iter().zip(value).all(|(wanted, value)| same(wanted, value))
        }
        (Value::Number(wanted), Value::Number(value)) => wanted == value || wanted.as_f64() == value.as_f64(),
        // Beyond what JSON's readers keep exact, a number is a text.
        (Value::Number(wanted), Value::String(value)) => wanted.to_string() == *value,
        (wanted, value) => wanted == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_is_compared_as_far_as_toml_can_say_it() {
        for (wanted, value) in [
            (json!(3), json!(3)),
            (json!(3.0), json!(3)),
            (json!({}), json!(null)),
            (json!({"a": [1]}), json!({"a": [1], "column": null})),
            (json!(9_007_199_254_740_993_i64), json!("9007199254740993")),
        ] {
            assert!(same(&wanted, &value), "{wanted} {value}");
        }
        for (wanted, value) in [
            (json!(3), json!(4)),
            (json!("3"), json!(3)),
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
            (json!({"a": 1, "b": 2}), json!({"a": 1})),
            (json!([1]), json!([1, 2])),
            (json!({}), json!("")),
        ] {
            assert!(!same(&wanted, &value), "{wanted} {value}");
        }
    }

    #[test]
    fn a_mistake_in_the_file_names_its_line_and_what_was_meant() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.toml");
        assert!(read(&path).unwrap().is_none());
        for (text, wanted) in [
            (
                "proejct = \"x\"",
                "line 1: unknown field `proejct`, expected `project` or `case`; did you mean `project`?",
            ),
            ("[[case]]\nname = \"a\"\ndome = 1", "did you mean `done`?"),
            ("[[case]]\ntool = \"a\"\ndone = 1", "missing field `name`"),
            ("[[case]]\nname = \"a\"", "the case `a` wants one end"),
            ("[[case]]\nname = \"a\"\ndone = 1\nfailed = \"x\"", "the case `a` wants one end"),
            ("[[case]]\nname = \"a\"\ndenied = false", "the case `a` wants one end"),
            ("[[case", "line 1: "),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        std::fs::write(&path, "project = \"../..\"").unwrap();
        assert!(read(&path).unwrap().unwrap().project(&path).is_err());
    }
}
