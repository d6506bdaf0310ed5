//! A tool's own cases: calls with the answers that its author expects.
//!
//! Owns: `tests/cases.toml`, and whether an answer is the expected one. Doesn't own: making the calls.

use super::beneath;
use crate::config::language::nearest;
use crate::exit::Refusal;
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::{CallReport, GrantPath, Outcome};
use ringfence_toolchain::{MAX_TEXT, read_opened, text};
use serde::Deserialize;
use serde_json::Value;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

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

/// Where the file lies.
#[derive(Debug)]
pub(super) struct Place {
    /// A folder of the user's word: whatever the file says leads nowhere else.
    root: PathBuf,
    /// The way from there, through no link.
    way: PathBuf,
    /// As it is shown.
    shown: PathBuf,
}

impl Place {
    /// The usual one, beside a component.
    pub(super) fn beside(component: &Path) -> Self {
        let root = component.parent().filter(|folder| !folder.as_os_str().is_empty());
        let root = root.unwrap_or_else(|| Path::new(".")).to_owned();
        let way = PathBuf::from("tests/cases.toml");
        Self { shown: component.with_file_name(&way), root, way }
    }

    /// One that the user names, who may name a link.
    pub(super) fn named(path: &Path) -> Result<Self> {
        let refused = |error: Error| match error.kind() {
            ErrorKind::NotFound => Refusal::usage(format!("{} isn't there", path.display())),
            _ => Refusal::usage(format!("{} can't be read: {error}", path.display())),
        };
        let real = path.canonicalize().map_err(refused)?;
        let (Some(root), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(Refusal::usage(format!("{} is no file", path.display())).into());
        };
        Ok(Self { root: root.to_owned(), way: name.into(), shown: path.to_owned() })
    }

    /// As it is shown.
    pub(super) fn display(&self) -> std::path::Display<'_> {
        self.shown.display()
    }
}

/// Reads a file; none if it isn't there.
pub(super) fn read(place: &Place) -> Result<Option<Cases>> {
    let shown = place.display();
    let opened = beneath::file(&place.root, &place.way);
    let text = match opened.and_then(|file| text(read_opened(file, MAX_TEXT)?)) {
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
    pub(super) fn project(&self, place: &Place) -> Result<Option<PathBuf>> {
        let Some(named) = &self.project else { return Ok(None) };
        let refused = |error: &dyn std::fmt::Display| {
            Refusal::usage(format!("{}: `project`: {error}", place.display()))
                .hint("name a folder beside the file, or below it")
        };
        let inside = GrantPath::parse(named).map_err(|error| refused(&error))?;
        let way = place.way.with_file_name(inside.to_string());
        let folder = place.root.join(&way);
        match beneath::folder(&place.root, &way) {
            Ok(_) => Ok(Some(folder)),
            Err(error) => Err(refused(&format!("{}: {error}", folder.display())).into()),
        }
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
        let path = folder.path().join("tests/cases.toml");
        let place = Place::beside(&folder.path().join("tool.wasm"));
        assert!(read(&place).unwrap().is_none());
        std::fs::create_dir(folder.path().join("tests")).unwrap();
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
            let error = read(&place).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        std::fs::write(&path, "project = \"../..\"").unwrap();
        assert!(read(&place).unwrap().unwrap().project(&place).is_err());
    }

    #[test]
    fn the_folder_of_the_cases_is_reached_through_no_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for made in ["private/inner", "tool/tests/own/inner"] {
            std::fs::create_dir_all(root.join(made)).unwrap();
        }
        symlink(root.join("private"), root.join("tool/tests/lnk")).unwrap();
        symlink("own", root.join("tool/tests/near")).unwrap();
        let file = root.join("tool/tests/cases.toml");
        let named = |project: &str| -> Result<Option<PathBuf>> {
            std::fs::write(&file, format!("project = \"{project}\""))?;
            let places = [Place::beside(&root.join("tool/tool.wasm")), Place::named(&file)?];
            let [first, second] = places.map(|place| read(&place)?.unwrap().project(&place));
            assert_eq!(first.is_ok(), second.is_ok());
            first
        };
        assert_eq!(named("own/inner").unwrap(), Some(root.join("tool/tests/own/inner")));
        for link in ["lnk", "lnk/inner", "near"] {
            let said = named(link).unwrap_err().to_string();
            assert!(said.contains("it is a link or lies behind one"), "{said}");
        }
        std::fs::rename(root.join("tool/tests"), root.join("elsewhere")).unwrap();
        symlink("../elsewhere", root.join("tool/tests")).unwrap();
        let said = read(&Place::beside(&root.join("tool/tool.wasm"))).unwrap_err().to_string();
        assert!(said.contains("it is a link or lies behind one"), "{said}");
    }

    #[test]
    fn cases_that_are_no_ordinary_file_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("cases.toml");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for strange in [&*pipe, folder.path(), Path::new("/dev/zero")] {
            let said = read(&Place::named(strange).unwrap()).unwrap_err().to_string();
            assert!(said.ends_with("can't be read: it is not an ordinary file"), "{said}");
        }
        std::fs::remove_file(&pipe).unwrap();
        std::fs::write(&pipe, vec![b'#'; 2 << 20]).unwrap();
        let said = read(&Place::named(&pipe).unwrap()).unwrap_err().to_string();
        assert!(said.contains("has more than 1048576 bytes"), "{said}");
    }
}
