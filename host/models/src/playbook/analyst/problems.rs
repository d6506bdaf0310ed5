//! Claims about possible problems: lines that match the shape of a known one, in what searches
//! found and in what was read; and what the outlines themselves show.

use super::claim::merge;
use super::inventory::Language;
use super::manifest::Manifest;
use super::outline::clip;
use super::results::{Observation, outlines, searches, texts};
use super::wording::plural;
use super::{About, Claim, Concern, Evidence, Item, Severity, versions};
use crate::playbook::place::Place;
use crate::playbook::rules::{Rule, judge};
use std::collections::BTreeMap;

/// So many places of one rule are listed; the rest is counted.
const PLACES: usize = 50;
/// A function this long is hard to follow.
const LONG_FUNCTION: u32 = 150;

pub(super) fn claims(observations: &[Observation], manifests: &[Manifest]) -> Vec<Claim> {
    let mut seen: BTreeMap<&'static str, Seen> = BTreeMap::new();
    let mut aside: BTreeMap<Place, u64> = BTreeMap::new();
    let mut steps: Vec<Evidence> = Vec::new();
    for line in lines(observations) {
        note(&line, &mut seen, &mut aside, &mut steps);
    }
    let mut claims: Vec<Claim> =
        seen.into_values().filter(|seen| !seen.places.is_empty()).map(Seen::claim).collect();
    claims.extend(versions::claims(manifests));
    claims.extend(long_functions(observations));
    claims.extend(unparsed(observations));
    claims
        .sort_by(|a, b| b.severity.cmp(&a.severity).then(rank(a).cmp(&rank(b))).then(a.topic.cmp(&b.topic)));
    claims.extend(set_aside(&aside, steps));
    claims
}

fn rank(claim: &Claim) -> u8 {
    match claim.concern {
        Some(Concern::Security) => 0,
        Some(Concern::Performance) => 1,
        Some(Concern::Correctness) => 2,
        Some(Concern::Maintainability) => 3,
        None => 4,
    }
}

/// A line that a tool showed.
struct Line {
    step: u64,
    path: String,
    number: u32,
    text: String,
    next: Vec<String>,
}

/// Each line of each file once, from the step that showed it first.
fn lines(observations: &[Observation]) -> Vec<Line> {
    let mut lines: BTreeMap<(String, u32), Line> = BTreeMap::new();
    let mut add = |line: Line| {
        let key = (line.path.clone(), line.number);
        lines.entry(key).and_modify(|had| had.step = had.step.min(line.step)).or_insert(line);
    };
    for search in searches(observations) {
        for found in search.matches {
            add(Line {
                step: search.step,
                path: found.path,
                number: found.line,
                text: found.text,
                next: found.after,
            });
        }
    }
    for text in texts(observations) {
        let all: Vec<&str> = text.text.lines().collect();
        for (index, line) in all.iter().enumerate() {
            let next = all.iter().skip(index + 1).take(3).map(|line| (*line).to_owned()).collect();
            let number = text.first_line + index as u32;
            add(Line { step: text.step, path: text.path.clone(), number, text: (*line).to_owned(), next });
        }
    }
    lines.into_values().collect()
}

/// What was seen of one rule.
struct Seen {
    rule: &'static Rule,
    places: Vec<Item>,
    /// How many matches there are outside product code.
    elsewhere: u64,
}

fn note(
    line: &Line,
    seen: &mut BTreeMap<&'static str, Seen>,
    aside: &mut BTreeMap<Place, u64>,
    steps: &mut Vec<Evidence>,
) {
    let place = Place::of(&line.path);
    if !is_judged(&line.path) {
        return;
    }
    let next: Vec<&str> = line.next.iter().map(String::as_str).collect();
    for found in judge(&line.path, &line.text, &next) {
        let rule = found.rule;
        let entry = seen.entry(&rule.id).or_insert_with(|| Seen { rule, places: Vec::new(), elsewhere: 0 });
        if place > Place::Support && !rule.everywhere {
            entry.elsewhere += 1;
            *aside.entry(place).or_default() += 1;
            steps.push(Evidence::step(line.step));
            continue;
        }
        entry.places.push(Item {
            text: excerpt(rule, &line.text),
            detail: if place > Place::Support { place.name().to_owned() } else { String::new() },
            evidence: Evidence::lines(line.step, &line.path, line.number, line.number),
            finding: None,
        });
    }
}

/// Documents and lock files speak of code without being it.
pub(super) fn is_judged(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lock = name.ends_with(".lock")
        || name.ends_with("-lock.json")
        || name.ends_with("-lock.yaml")
        || name == "go.sum";
    let document = matches!(
        Language::of(path).map(Language::name),
        Some("Markdown" | "reStructuredText" | "plain text")
    );
    !lock && !document && !name.to_lowercase().starts_with("changelog")
}

/// The line as a report may show it.
fn excerpt(rule: &Rule, line: &str) -> String {
    if rule.secret { rule.hide(line.trim()) } else { clip(line.trim(), 160) }
}

impl Seen {
    fn claim(self) -> Claim {
        let rule = self.rule;
        let total = self.places.len();
        let inside = self.places.iter().any(|place| place.detail.is_empty());
        let mut files: Vec<&str> =
            self.places.iter().filter_map(|place| place.evidence.file.as_deref()).collect();
        files.dedup();
        let mut text = format!("{}: {}", rule.title, plural(total as u64, "place"));
        if files.len() > 1 {
            text.push_str(&format!(" in {} files", files.len()));
        }
        if self.elsewhere > 0 {
            text.push_str(&format!("; {} more outside product code", self.elsewhere));
        }
        text.push('.');
        let mut items = self.places;
        let omitted = total.saturating_sub(PLACES) as u32;
        items.truncate(PLACES);
        let mut claim = Claim::new(About::Problem, &rule.id, text, Vec::new()).with_items(items);
        claim.why = Some(rule.why.clone());
        // A key that only tests use endangers nobody by itself.
        claim.severity = Some(if inside { rule.severity } else { Severity::Info });
        claim.concern = Some(rule.concern);
        claim.omitted = omitted;
        claim
    }
}

fn long_functions(observations: &[Observation]) -> Option<Claim> {
    let mut items: Vec<Item> = Vec::new();
    for outline in outlines(observations).filter(|outline| Place::of(&outline.path) <= Place::Support) {
        for symbol in
            outline.symbols.iter().filter(|symbol| matches!(symbol.kind.as_str(), "function" | "method"))
        {
            let length = symbol.last_line.saturating_sub(symbol.first_line) + 1;
            let evidence = Evidence::lines(outline.step, &outline.path, symbol.first_line, symbol.last_line);
            let new = !items
                .iter()
                .any(|item| item.evidence.file == evidence.file && item.evidence.lines == evidence.lines);
            if length >= LONG_FUNCTION && new {
                items.push(Item {
                    text: symbol.name.clone(),
                    detail: format!("{length} lines"),
                    evidence,
                    finding: None,
                });
            }
        }
    }
    if items.is_empty() {
        return None;
    }
    let text = format!(
        "Very long functions: {} of {LONG_FUNCTION} lines or more in the files analysed.",
        items.len()
    );
    let mut claim = Claim::new(About::Problem, "long-function", text, Vec::new()).with_items(items);
    claim.why =
        Some("Long functions are hard to follow, to test and to change without surprises.".to_owned());
    claim.severity = Some(Severity::Low);
    claim.concern = Some(Concern::Maintainability);
    Some(claim)
}

fn unparsed(observations: &[Observation]) -> Option<Claim> {
    let items: Vec<Item> = outlines(observations)
        .filter(|outline| outline.syntax_errors > 0)
        .map(|outline| Item {
            text: outline.path.clone(),
            detail: plural(outline.syntax_errors, "place"),
            evidence: Evidence::file(outline.step, &outline.path),
            finding: None,
        })
        .collect();
    if items.is_empty() {
        return None;
    }
    let text = format!("Syntax that could not be parsed in {}.", plural(items.len() as u64, "file"));
    let mut claim = Claim::new(About::Problem, "unparsed", text, Vec::new()).with_items(items);
    claim.why =
        Some("Either a mistake, or a newer or older form of the language than the parser knows.".to_owned());
    claim.severity = Some(Severity::Info);
    claim.concern = Some(Concern::Maintainability);
    Some(claim)
}

fn set_aside(aside: &BTreeMap<Place, u64>, steps: Vec<Evidence>) -> Option<Claim> {
    if aside.is_empty() {
        return None;
    }
    let parts: Vec<String> =
        aside.iter().map(|(place, count)| format!("{count} in {}", place.name())).collect();
    let text = format!("Matches left out because they aren't in product code: {}.", parts.join(", "));
    Some(Claim::new(About::Problem, "aside", text, merge(steps)))
}
