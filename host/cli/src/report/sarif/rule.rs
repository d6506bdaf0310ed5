//! The rules that a log's results name.

use super::super::Statement;
use super::super::safe::clip;
use super::{MESSAGE, level};
use ringfence_models::playbook::analyst::{Card, Concern, Confidence, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The rules so far, in the order in which they were first named.
#[derive(Default)]
pub(super) struct Rules {
    places: BTreeMap<String, usize>,
    descriptors: Vec<Value>,
}

impl Rules {
    /// Where the rule of a finding is in the list; it is added if it is new.
    pub(super) fn index(&mut self, finding: &Statement) -> usize {
        if let Some(place) = self.places.get(&finding.topic) {
            return *place;
        }
        let place = self.descriptors.len();
        self.places.insert(finding.topic.clone(), place);
        self.descriptors.push(descriptor(finding));
        place
    }

    pub(super) fn descriptors(self) -> Vec<Value> {
        self.descriptors
    }
}

fn descriptor(finding: &Statement) -> Value {
    // What a model found has no rule: what one of its findings says doesn't hold for the others.
    if finding.topic == "model" {
        let text = "Found by a model; the places that it names were checked against the run's journal.";
        return json!({
            "id": "model", "name": "Model",
            "shortDescription": { "text": "Found by a model" },
            "fullDescription": { "text": text },
            "help": { "text": text, "markdown": text },
            "defaultConfiguration": { "level": "warning" },
            "properties": { "precision": "low", "tags": ["model"] },
        });
    }
    let message = finding.items.iter().find_map(|item| item.finding.as_ref()).map(|found| &found.message);
    let short = message.filter(|message| !message.is_empty()).unwrap_or(&finding.text);
    let why = finding.why.as_deref().unwrap_or(&finding.text);
    let fix = finding.rule.as_ref().map_or("", |card| card.fix.as_str());
    let help = if fix.is_empty() { why.to_owned() } else { format!("{why}\n\n{fix}") };
    json!({
        "id": finding.topic,
        "name": name(&finding.topic),
        "shortDescription": { "text": clip(short, MESSAGE) },
        "fullDescription": { "text": clip(why, MESSAGE) },
        "help": { "text": help, "markdown": super::super::safe::paragraphs(&help) },
        "defaultConfiguration": { "level": level(finding.severity) },
        "properties": properties(finding),
    })
}

fn properties(finding: &Statement) -> Value {
    let card = finding.rule.as_ref();
    let mut tags = Vec::new();
    if let Some(concern) = finding.concern {
        tags.push(concern.name().to_owned());
    }
    tags.extend(card.and_then(weakness));
    let mut properties = json!({ "tags": tags });
    if let Some(card) = card {
        properties["precision"] = json!(match card.confidence {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        });
    }
    if finding.concern == Some(Concern::Security) {
        properties["security-severity"] = json!(match finding.severity {
            Some(Severity::High) => "8.0",
            Some(Severity::Medium) => "5.5",
            Some(Severity::Low) => "3.0",
            Some(Severity::Info) | None => "1.0",
        });
    }
    properties
}

/// `CWE-89` as code scanning tags it; nothing for what isn't a number of that list.
fn weakness(card: &Card) -> Option<String> {
    let number: u32 = card.cwe.as_deref()?.strip_prefix("CWE-")?.parse().ok()?;
    Some(format!("external/cwe/cwe-{number:03}"))
}

/// `python-sql-injection` as `PythonSqlInjection`.
fn name(id: &str) -> String {
    id.split(|c: char| !c.is_alphanumeric())
        .filter_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
        })
        .collect()
}
