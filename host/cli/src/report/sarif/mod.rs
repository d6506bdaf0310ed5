//! A report's findings as SARIF 2.1.0, for editors and code scanning.
//!
//! Owns the shape of the log: rules, results, places. Doesn't own what is a finding or how bad it
//! is. Paths are relative to the project; no path of this machine is in it.

mod place;
mod rule;

use super::safe::clip;
use super::{Report, Source, Statement, Status};
use place::Files;
use ringfence_models::playbook::analyst::{Evidence, Item, Severity};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Most results in a log: what code scanning shows of one.
const RESULTS: usize = 5_000;
/// Longest path in bytes: no system opens a longer one.
const PATH: usize = 4_096;
/// Most characters of a fingerprint.
const FINGERPRINT: usize = 128;
/// Most characters of a message.
const MESSAGE: usize = 1_000;
/// The schema that the log follows.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A place that a finding is about.
struct Hit<'a> {
    finding: &'a Statement,
    item: Option<&'a Item>,
    evidence: &'a Evidence,
}

/// The report as a SARIF log: one run, with at most 5,000 results, the worst. What was found outside
/// of product code is there as a note.
pub fn sarif(report: &Report) -> Value {
    let mut hits: Vec<Hit<'_>> = report.findings.iter().flat_map(hits).collect();
    // A stable sort: the report's own order is kept among equals.
    hits.sort_by_key(|hit| (!hit.in_product(), std::cmp::Reverse(hit.finding.severity)));
    hits.truncate(RESULTS);
    let mut rules = rule::Rules::default();
    let mut files = Files::default();
    let mut seen = BTreeMap::new();
    let results: Vec<Value> = hits.iter().map(|hit| result(hit, &mut rules, &mut files, &mut seen)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ringfence",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.descriptors(),
            } },
            "automationDetails": { "id": format!("ringfence/{}", report.run) },
            "invocations": [invocation(report)],
            "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The project's folder." } } },
            "columnKind": "unicodeCodePoints",
            "artifacts": files.artifacts(),
            "results": results,
        }],
    })
}

impl Hit<'_> {
    /// Whether it is in code of the product; where nothing says otherwise it is.
    fn in_product(&self) -> bool {
        self.item.and_then(|item| item.finding.as_ref()).is_none_or(|finding| finding.setting == "product")
    }

    fn message(&self) -> &str {
        match self.item.and_then(|item| item.finding.as_ref()) {
            Some(finding) if !finding.message.is_empty() => &finding.message,
            Some(_) | None => &self.finding.text,
        }
    }

    fn level(&self) -> &'static str {
        if self.in_product() { level(self.finding.severity) } else { "note" }
    }
}

/// A finding's places: its items, else what it cites. A result of code scanning has to be in a file.
fn hits(finding: &Statement) -> Vec<Hit<'_>> {
    let hits: Vec<Hit<'_>> = if finding.items.is_empty() {
        finding.evidence.iter().map(|evidence| Hit { finding, item: None, evidence }).collect()
    } else {
        finding.items.iter().map(|item| Hit { finding, item: Some(item), evidence: &item.evidence }).collect()
    };
    hits.into_iter().filter(|hit| hit.evidence.file.as_ref().is_some_and(|file| file.len() <= PATH)).collect()
}

fn result(
    hit: &Hit<'_>,
    rules: &mut rule::Rules,
    files: &mut Files,
    seen: &mut BTreeMap<String, u32>,
) -> Value {
    let index = rules.index(hit.finding);
    let id = &hit.finding.topic;
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), json!(id));
    result.insert("ruleIndex".to_owned(), json!(index));
    result.insert("level".to_owned(), json!(hit.level()));
    result.insert("message".to_owned(), json!({ "text": clip(hit.message(), MESSAGE) }));
    let location = files.location(hit.evidence, hit.item);
    result.insert("locations".to_owned(), json!([location]));
    let file = hit.evidence.file.as_deref().unwrap_or_default();
    let line = hit.item.map_or(hit.finding.text.as_str(), |item| item.text.as_str()).trim();
    let line = hash(&[id, file, line]);
    let occurrence = seen.entry(line.clone()).or_default();
    *occurrence += 1;
    let own = match hit.item.and_then(|item| item.finding.as_ref()) {
        Some(finding) => clip(&finding.fingerprint, FINGERPRINT),
        None => format!("{line}:{occurrence}"),
    };
    result.insert(
        "partialFingerprints".to_owned(),
        json!({ "primaryLocationLineHash": format!("{line}:{occurrence}"), "ringfence/v1": own }),
    );
    let source = match hit.finding.source {
        Source::Analyst => "analyst",
        Source::Model => "model",
    };
    result.insert("properties".to_owned(), json!({ "source": source, "step": hit.evidence.step }));
    Value::Object(result)
}

fn invocation(report: &Report) -> Value {
    let ended = match report.outcome.status {
        Status::Finished | Status::Failed | Status::Limit | Status::Aborted => true,
        Status::Waiting | Status::Unfinished => false,
    };
    let mut invocation = json!({
        "executionSuccessful": report.outcome.status == Status::Finished,
        "startTimeUtc": report.started,
    });
    if ended {
        invocation["endTimeUtc"] = json!(report.latest);
    }
    invocation
}

/// SARIF's word for how bad it is.
fn level(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::High) => "error",
        Some(Severity::Medium) => "warning",
        Some(Severity::Low | Severity::Info) | None => "note",
    }
}

/// 16 hex digits over the parts.
fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
