//! The answer of a run without tasks: what was found, in a short Markdown text and as claims that
//! name their places, and what wasn't looked at.

use super::analyst::{self, About, Claim, Evidence, Severity};
use super::budget;
use super::facts::Facts;
use super::gaps;
use super::plan::TOOLS;
use super::whole;
use serde_json::{Map, Value, json};

/// Statements of a section; more are counted.
const STATEMENTS: usize = 12;
/// Problems that are told; more are counted.
const PROBLEMS: usize = 20;
/// Places of a problem that are told; more are counted.
const PLACES: usize = 4;
/// Names that a statement gives of its parts; more are counted.
const NAMES: usize = 8;
/// Characters of a statement.
const STATEMENT: usize = 600;
/// What the loop takes of an answer: claims, characters of one, places of one.
const CLAIMS: usize = 100;
const CLAIM: usize = 1_000;
const EVIDENCE: usize = 20;

/// Why the answer comes now.
pub(super) fn why_now(facts: &Facts) -> &'static str {
    if !TOOLS.iter().any(|tool| facts.offers(tool)) {
        "None of the tools that the playbook knows is offered, so there is nothing to look at."
    } else if whole::ahead(facts).is_empty() {
        "Every call that serves the analysis and can be made was made."
    } else {
        "The iterations that are left are for the answer."
    }
}

/// How sure the answer is.
pub(super) fn confidence(facts: &Facts) -> &'static str {
    let done = facts.observations.iter().any(super::analyst::Observation::is_done);
    match (done, budget::turns_left(facts) > 0) {
        (false, _) => "low",
        (true, false) => "medium",
        (true, true) => "high",
    }
}

/// The answer in words.
pub(super) fn text(facts: &Facts) -> String {
    let all = analyst::claims(&facts.observations);
    let of = |about: About| -> Vec<String> {
        all.iter().filter(|claim| claim.about == about).map(statement).collect()
    };
    let mut parts: Vec<String> = gaps::unheard(facts).into_iter().collect();
    if !facts.observations.iter().any(analyst::Observation::is_done) {
        parts.push(format!("Nothing can be reported: no call gave a result. {}", why_now(facts)));
    } else {
        parts.push(section(
            "Technology stack",
            of(About::Stack),
            STATEMENTS,
            "Nothing that was looked at shows it.",
        ));
        parts.push(section(
            "Modules",
            of(About::Module),
            STATEMENTS,
            "Nothing that was looked at shows any.",
        ));
        let found: Vec<String> = all.iter().filter_map(problem).collect();
        let none = match all.iter().any(|claim| claim.topic == "coverage") {
            true => "No rule found anything in what was searched.",
            false => "None were searched for.",
        };
        parts.push(section("Possible problems", found, PROBLEMS, none));
    }
    let gaps = gaps::of(facts, &all);
    if !gaps.is_empty() {
        let gaps = gaps.iter().map(|gap| clip(gap)).collect();
        parts.push(section("Not looked at", gaps, STATEMENTS, ""));
    }
    parts.join("\n\n")
}

fn section(title: &str, mut statements: Vec<String>, most: usize, none: &str) -> String {
    let more = statements.len().saturating_sub(most);
    statements.truncate(most);
    if statements.is_empty() {
        statements.push(none.to_owned());
    }
    if more > 0 {
        statements.push(format!("… and {more} more"));
    }
    let lines: Vec<String> = statements.iter().map(|statement| format!("- {statement}")).collect();
    format!("## {title}\n\n{}", lines.join("\n"))
}

/// What a claim says, with the names of its parts where the text only counts them.
fn statement(claim: &Claim) -> String {
    let text = clip(&claim.text);
    if claim.topic != "layout" || claim.items.is_empty() {
        return text;
    }
    let names: Vec<String> =
        claim.items.iter().take(NAMES).map(|item| format!("`{}`", clip(&item.text))).collect();
    let more = claim.items.len().saturating_sub(NAMES) + claim.omitted as usize;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{text} By name: {}{more}.", names.join(", "))
}

/// `**high** Text as SQL: 1 place. (`shop/db/store.py:27`)`
fn problem(claim: &Claim) -> Option<String> {
    let severity = severity(claim)?;
    let mut places: Vec<String> = claim.evidence.iter().filter_map(place).collect();
    let more = places.len().saturating_sub(PLACES);
    places.truncate(PLACES);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    Some(format!("**{}** {}{places}", severity.name(), clip(&claim.text)))
}

fn severity(claim: &Claim) -> Option<Severity> {
    claim.severity.filter(|_| claim.about == About::Problem)
}

fn place(evidence: &Evidence) -> Option<String> {
    let file = clip(evidence.file.as_deref()?);
    Some(match evidence.lines {
        None => format!("`{file}`"),
        Some((first, last)) if first == last => format!("`{file}:{first}`"),
        Some((first, last)) => format!("`{file}:{first}-{last}`"),
    })
}

/// One line of a bounded length; what tools returned can't break out of it.
fn clip(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(STATEMENT).collect();
    if text.chars().nth(STATEMENT).is_some() { format!("{line}…") } else { line }
}

/// The findings, as the loop takes them; what only says how far the search went is none.
pub(super) fn claims(facts: &Facts) -> Vec<Value> {
    let done = |step: u64| facts.observations.iter().any(|seen| seen.step == step && seen.is_done());
    analyst::claims(&facts.observations)
        .iter()
        .filter(|claim| claim.about != About::Problem || claim.severity.is_some())
        .filter(|claim| claim.text.chars().count() <= CLAIM)
        .filter_map(|claim| {
            let places = claim.evidence.iter().filter(|place| done(place.step));
            let places: Vec<Value> = places.take(EVIDENCE).map(shown).collect();
            let mut told = json!({ "about": claim.about, "text": claim.text, "evidence": places });
            if let (Some(severity), Some(map)) = (severity(claim), told.as_object_mut()) {
                map.insert("severity".to_owned(), severity.name().into());
            }
            (!places.is_empty()).then_some(told)
        })
        .take(CLAIMS)
        .collect()
}

fn shown(place: &Evidence) -> Value {
    let mut map = Map::new();
    map.insert("step".to_owned(), place.step.into());
    if let Some(file) = &place.file {
        map.insert("file".to_owned(), file.as_str().into());
    }
    if let Some((first, last)) = place.lines {
        map.insert("first_line".to_owned(), first.into());
        map.insert("last_line".to_owned(), last.into());
    }
    Value::Object(map)
}
