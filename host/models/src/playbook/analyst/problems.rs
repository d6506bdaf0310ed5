//! Claims about possible problems: one for each rule that found something, and what the map, the
//! outlines and the manifests show besides.

use super::claim::{Card, Confidence};
use super::detected::Detected;
use super::found::{Found, Place, Rule};
use super::map::Map;
use super::outline::clip;
use super::results::Observation;
use super::wording::plural;
use super::{About, Claim, Item, Severity, upkeep, versions};
use std::collections::{BTreeMap, BTreeSet};

/// So many places of one rule are listed; the rest is counted.
const PLACES: usize = 50;
/// Characters of a place's line.
const EXCERPT: usize = 240;

/// Every possible problem, the worst first.
pub(super) fn claims(
    observations: &[Observation],
    found: &Found<'_>,
    map: Option<&Map<'_>>,
    detected: Option<&Detected<'_>>,
) -> Vec<Claim> {
    let mut by_rule: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for place in &found.places {
        by_rule.entry(&place.rule).or_default().push(place);
    }
    let mut claims: Vec<Claim> = by_rule
        .into_iter()
        .map(|(id, places)| {
            // A card may be lost where a result was cut; its places stay.
            let unknown = Rule::unknown(places.first().map_or("", |place| &place.finding.message));
            of_rule(id, found.rules.get(id).unwrap_or(&unknown), places)
        })
        .collect();
    claims.extend(detected.into_iter().flat_map(versions::claims));
    claims.extend(upkeep::claims(observations, map));
    claims.sort_by_key(order);
    claims
}

/// By severity, confidence and count, the most first.
fn order(claim: &Claim) -> impl Ord + use<> {
    let confidence = claim.rule.as_ref().map_or(Confidence::Medium, |card| card.confidence);
    let count = claim.items.len() + claim.omitted as usize;
    (std::cmp::Reverse((claim.severity, confidence, count)), claim.topic.clone())
}

fn of_rule(id: &str, rule: &Rule, mut places: Vec<&Place>) -> Claim {
    places.sort_by_key(|place| (!place.setting.counts(), place.setting, &place.evidence));
    let total = places.len();
    let own = places.iter().filter(|place| place.setting.counts()).count();
    let text = format!("{}: {}.", title(id, rule), counted(rule, &places, own));
    let items = places.iter().take(PLACES).map(|place| item(place)).collect();
    let mut claim = Claim::new(About::Problem, id, text, Vec::new()).with_items(items);
    claim.omitted = total.saturating_sub(PLACES) as u32;
    claim.why = Some(line(&rule.why)).filter(|why| !why.is_empty());
    // What only tests or examples do endangers nobody by itself.
    claim.severity = Some(if own > 0 { rule.severity } else { Severity::Info });
    claim.concern = Some(rule.concern);
    claim.rule = Some(Card {
        id: id.to_owned(),
        language: rule.language.clone(),
        confidence: rule.confidence,
        cwe: rule.cwe.clone(),
        fix: line(&rule.fix),
        origin: rule.origin.clone(),
    });
    claim
}

/// What was seen, as the rule says it.
fn title(id: &str, rule: &Rule) -> String {
    let message = line(&rule.message);
    let message = message.trim_end_matches(['.', ':']);
    if message.is_empty() { id.to_owned() } else { clip(message, 300) }
}

/// `3 places in 2 files; 2 more in tests`
fn counted(rule: &Rule, places: &[&Place], own: usize) -> String {
    let (mine, other) = places.split_at(own);
    let told = |places: &[&Place]| {
        let files: BTreeSet<&str> = places.iter().map(|place| place.path.as_str()).collect();
        let worth = if rule.confidence == Confidence::Low { " worth a look" } else { "" };
        let many = if files.len() > 1 { format!(" in {} files", files.len()) } else { String::new() };
        format!("{}{worth}{many}", plural(places.len() as u64, "place"))
    };
    let settings: Vec<&str> = other
        .iter()
        .map(|place| place.setting)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|one| one.plural())
        .collect();
    let settings = settings.join(", ");
    match (mine.is_empty(), other.is_empty()) {
        (false, true) => told(mine),
        (false, false) => format!("{}; {} more in {settings}", told(mine), other.len()),
        (true, _) => format!("{}, all in {settings}", told(other)),
    }
}

fn item(place: &Place) -> Item {
    let mut detail: Vec<String> = place.symbol.iter().map(|symbol| format!("in {symbol}")).collect();
    if !place.setting.counts() {
        detail.push(place.setting.name().to_owned());
    }
    Item {
        text: clip(place.excerpt.trim(), EXCERPT),
        detail: detail.join(", "),
        evidence: place.evidence.clone(),
        finding: Some(place.finding.clone()),
    }
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
