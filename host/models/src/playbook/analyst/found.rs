//! What `find_problems` showed: places and rules, of all calls together.

use super::claim::{Concern, Confidence, Evidence, Finding, Severity};
use super::pages::{Series, series};
use super::results::{Observation, list, maybe, number, small, text, tidy};
use super::setting::Setting;
use serde_json::Value;
use std::collections::BTreeMap;

/// Every place and every rule.
#[derive(Debug, Default)]
pub(in crate::playbook) struct Found<'o> {
    /// Each answer that counts, oldest first.
    pub(in crate::playbook) series: Vec<Series<'o>>,
    pub(in crate::playbook) places: Vec<Place>,
    /// By id.
    pub(in crate::playbook) rules: BTreeMap<String, Rule>,
}

/// A place that a rule found.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Place {
    pub(in crate::playbook) rule: String,
    pub(in crate::playbook) path: String,
    /// The line where it starts, without secrets.
    pub(in crate::playbook) excerpt: String,
    /// The function or class that it is in.
    pub(in crate::playbook) symbol: Option<String>,
    pub(in crate::playbook) setting: Setting,
    pub(in crate::playbook) evidence: Evidence,
    pub(in crate::playbook) finding: Finding,
}

/// A rule.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Rule {
    pub(in crate::playbook) language: String,
    pub(in crate::playbook) severity: Severity,
    pub(in crate::playbook) confidence: Confidence,
    pub(in crate::playbook) concern: Concern,
    pub(in crate::playbook) cwe: Option<String>,
    pub(in crate::playbook) message: String,
    pub(in crate::playbook) why: String,
    pub(in crate::playbook) fix: String,
    pub(in crate::playbook) origin: String,
}

impl<'o> Found<'o> {
    /// What all calls found. A later answer takes the place of an earlier one on the same files.
    pub(in crate::playbook) fn of(observations: &'o [Observation]) -> Self {
        let mut found = Self::default();
        for series in series(observations, "find_problems") {
            found.series.retain(|had| !within(&had.directory, &series.directory));
            found.places.retain(|had| !within(&had.path, &series.directory));
            for (step, page) in series.values() {
                found.rules.extend(list(page, "rules").filter_map(rule));
                for place in list(page, "found").filter_map(|told| place(step, told)) {
                    // Pages may overlap where files changed between them.
                    if !found.places.iter().any(|had| had.is_same(&place)) {
                        found.places.push(place);
                    }
                }
            }
            found.series.push(series);
        }
        found
    }
}

impl Rule {
    /// A rule of which only what it says is known.
    pub(in crate::playbook) fn unknown(message: &str) -> Self {
        Self {
            language: String::new(),
            severity: Severity::Medium,
            confidence: Confidence::Medium,
            concern: Concern::Correctness,
            cwe: None,
            message: message.to_owned(),
            why: String::new(),
            fix: String::new(),
            origin: String::new(),
        }
    }
}

impl Place {
    fn is_same(&self, other: &Self) -> bool {
        self.rule == other.rule
            && self.path == other.path
            && self.evidence.lines == other.evidence.lines
            && self.finding.columns == other.finding.columns
    }
}

/// Whether a path lies in a folder, or is it.
fn within(path: &str, directory: &str) -> bool {
    directory == "."
        || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn place(step: u64, told: &Value) -> Option<Place> {
    let path = tidy(told.get("path")?.as_str()?);
    let setting = Setting::named(&text(told, "setting"));
    let finding = Finding {
        message: text(told, "message"),
        columns: (small(told, "first_column").max(1), small(told, "last_column").max(1)),
        content: text(told, "content"),
        fingerprint: text(told, "fingerprint"),
        setting: setting.name().to_owned(),
    };
    let (first, last) = (small(told, "first_line").max(1), small(told, "last_line"));
    Some(Place {
        rule: maybe(told, "rule")?,
        excerpt: text(told, "excerpt"),
        symbol: maybe(told, "symbol").filter(|symbol| !symbol.is_empty()),
        setting,
        evidence: Evidence::lines(step, &path, first, last),
        finding,
        path,
    })
}

fn rule(told: &Value) -> Option<(String, Rule)> {
    let rule = Rule {
        language: text(told, "language"),
        severity: match text(told, "severity").as_str() {
            "high" => Severity::High,
            "low" => Severity::Low,
            "info" => Severity::Info,
            _ => Severity::Medium,
        },
        confidence: match text(told, "confidence").as_str() {
            "high" => Confidence::High,
            "low" => Confidence::Low,
            _ => Confidence::Medium,
        },
        concern: match text(told, "concern").as_str() {
            "security" => Concern::Security,
            "performance" => Concern::Performance,
            "maintainability" => Concern::Maintainability,
            _ => Concern::Correctness,
        },
        cwe: maybe(told, "cwe").filter(|cwe| !cwe.is_empty()),
        message: text(told, "message"),
        why: text(told, "why"),
        fix: text(told, "fix"),
        origin: text(told, "origin"),
    };
    Some((maybe(told, "id")?, rule))
}

/// How many there are in all, shown or not.
pub(in crate::playbook) fn total(series: &Series<'_>) -> u64 {
    number(series.first_value(), "total")
}
