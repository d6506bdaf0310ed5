//! What a rule says of itself beside what it looks for.
//!
//! Owns: the words for severity, confidence and concern, and reading them leniently from a rule of
//! anybody's. Doesn't own: what the rule matches (`rule_set`).

use crate::excerpt::bounded;
use ast_grep_config::{SerializableRuleConfig, Severity as Level};
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most bytes of a sentence, and of an explanation.
const SENTENCE: usize = 300;
const EXPLANATION: usize = 1500;

/// How bad a problem is if it is one, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Likely to hurt.
    High,
    /// Should be looked at.
    Medium,
    /// Unlikely to hurt.
    Low,
    /// Worth knowing.
    Info,
}

/// How sure a rule is of what it finds, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// What it finds is a problem as a rule.
    High,
    /// Often.
    Medium,
    /// It shows where to look.
    Low,
}

/// What a problem endangers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// What an attacker can do.
    Security,
    /// Time and memory.
    Performance,
    /// Right results.
    Correctness,
    /// How well the code can be understood and changed.
    Maintainability,
}

/// A rule as a person is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// Its language, as ast-grep names it.
    pub language: String,
    /// How bad what it finds is.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it endangers.
    pub concern: Concern,
    /// The weakness in MITRE's list.
    pub cwe: Option<String>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Why that matters.
    pub why: String,
    /// What to do instead.
    pub fix: String,
    /// `standard`, `project`, or the path of its file.
    pub origin: String,
}

/// What a rule says of how it is to be run and reported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Directions {
    /// Further languages that it is run on.
    pub(crate) also: Vec<String>,
    /// What it matches holds a secret.
    pub(crate) secret: bool,
    /// What it finds in tests counts as much as elsewhere.
    pub(crate) tests: bool,
    /// Less sure rules that need not report the same place.
    pub(crate) supersedes: Vec<String>,
}

impl Card {
    /// What a rule says, with what it leaves out filled in.
    pub(crate) fn of(rule: &SerializableRuleConfig<SupportLang>, origin: &str) -> (Self, Directions) {
        let metadata = serde_json::to_value(&rule.metadata).unwrap_or_default();
        let said = |key: &str| text(metadata.get(key));
        let message = if rule.message.trim().is_empty() { &rule.id } else { &rule.message };
        let fix = said("fix").or_else(|| rule.fix.as_ref().and_then(replacement));
        let card = Self {
            id: rule.id.clone(),
            language: rule.language.to_string(),
            severity: match rule.severity {
                Level::Error => Severity::High,
                Level::Warning => Severity::Medium,
                Level::Info => Severity::Low,
                Level::Hint | Level::Off => Severity::Info,
            },
            confidence: match said("confidence").map(|said| said.to_lowercase()).as_deref() {
                Some("high") => Confidence::High,
                Some("low") => Confidence::Low,
                Some(_) | None => Confidence::Medium,
            },
            concern: match said("concern").map(|said| said.to_lowercase()).as_deref() {
                Some("security") => Concern::Security,
                Some("performance") => Concern::Performance,
                Some("maintainability") => Concern::Maintainability,
                Some(_) | None => Concern::Correctness,
            },
            cwe: said("cwe").map(|cwe| bounded(cwe, SENTENCE)),
            message: bounded(message.trim().to_owned(), SENTENCE),
            why: bounded(rule.note.as_deref().unwrap_or_default().trim().to_owned(), EXPLANATION),
            fix: bounded(fix.unwrap_or_default().trim().to_owned(), EXPLANATION),
            origin: origin.to_owned(),
        };
        let yes = |key: &str| metadata.get(key).and_then(Value::as_bool).unwrap_or(false);
        let directions = Directions {
            also: list(metadata.get("also")),
            secret: yes("secret"),
            tests: yes("tests"),
            supersedes: list(metadata.get("supersedes")),
        };
        (card, directions)
    }
}

/// ast-grep's own `fix`, in words.
fn replacement(fix: &impl Serialize) -> Option<String> {
    let fix = serde_json::to_value(fix).ok()?;
    let template = fix.as_str().or_else(|| fix.get("template")?.as_str())?;
    Some(if template.is_empty() { "Remove it.".to_owned() } else { format!("Replace it with: {template}") })
}

/// A text, or the first one of a list.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => text(all.first()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

fn list(value: Option<&Value>) -> Vec<String> {
    let all = value.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| Some(one.as_str()?.to_owned())).collect()
}
