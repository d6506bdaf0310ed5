//! What an answer has to admit: what wasn't looked at and why, and which words of a person the
//! playbook could do nothing with.

use super::analyst::{Claim, Observation, plural};
use super::budget;
use super::evaluate::one_call;
use super::facts::Facts;
use super::kind::Kind;
use super::plan::TOOLS;
use super::whole;

/// Characters of a person's words that are told.
const WORDS: usize = 200;

/// Everything that wasn't looked at, a sentence or two each.
pub(super) fn of(facts: &Facts, claims: &[Claim]) -> Vec<String> {
    let mut gaps = Vec::new();
    gaps.extend(unseen(claims));
    gaps.extend(unsearched(claims));
    gaps.extend(without_tools(facts));
    gaps.extend(refused(facts));
    gaps.extend(left_over(facts));
    gaps
}

/// Parts of the analysis that nothing was found out about, or not of the whole project.
fn unseen(claims: &[Claim]) -> Vec<String> {
    let parts = [("languages", "What the project is built with"), ("layout", "How the code is put together")];
    let told = |(topic, part): (&str, &str)| match claims.iter().find(|claim| claim.topic == topic) {
        None => Some(format!("{part} was not looked at.")),
        Some(claim) => claim.partial.as_ref().map(|known| format!("{part} is known only for {known}.")),
    };
    parts.into_iter().filter_map(told).collect()
}

fn unsearched(claims: &[Claim]) -> Option<String> {
    let coverage = claims.iter().find(|claim| matches!(claim.topic.as_str(), "coverage" | "not-searched"));
    match coverage {
        None => Some("Problems were not searched for.".to_owned()),
        Some(claim) if claim.topic == "not-searched" => Some(claim.text.clone()),
        Some(claim) => {
            claim.partial.as_ref().map(|gap| format!("Problems were searched for only in part: {gap}."))
        }
    }
}

fn without_tools(facts: &Facts) -> Option<String> {
    let missing: Vec<String> = Kind::PLANNED
        .into_iter()
        .filter_map(Kind::tool)
        .filter(|tool| !facts.offers(tool))
        .map(|tool| format!("`{tool}`"))
        .collect();
    (!missing.is_empty()).then(|| format!("Not offered, so not used: {}.", missing.join(", ")))
}

/// Calls without a result, and calls that a person rejected.
fn refused(facts: &Facts) -> Vec<String> {
    let mut told = Vec::new();
    let failed: Vec<&Observation> = facts.observations.iter().filter(|seen| !seen.is_done()).collect();
    if let Some(last) = failed.last() {
        let calls = plural(failed.len() as u64, "call");
        told.push(format!("{calls} gave no result; the last: {}", one_call(last)));
    }
    let given_up: Vec<String> = TOOLS
        .iter()
        .filter(|tool| facts.offers(tool) && whole::is_given_up(facts, tool))
        .map(|tool| format!("`{tool}`"))
        .collect();
    if !given_up.is_empty() {
        told.push(format!("Given up after failures in a row: {}.", given_up.join(", ")));
    }
    if let Some(last) = facts.rejected.last() {
        let calls = plural(facts.rejected.len() as u64, "proposed call");
        let reason = if last.reason.trim().is_empty() { "none" } else { last.reason.trim() };
        told.push(format!("A person rejected {calls}; the latest reason: {}", words(reason)));
    }
    told
}

/// What would have been looked at with more iterations.
fn left_over(facts: &Facts) -> Option<String> {
    let left = whole::ahead(facts).len();
    (left > 0 && budget::turns_left(facts) == 0).then(|| {
        format!(
            "The cap of {} left no room for {} that would show more. Raise the cap for the whole analysis.",
            plural(u64::from(facts.iterations.limit), "iteration"),
            plural(left as u64, "call")
        )
    })
}

/// What is said first where a person used words: the playbook can't follow them.
pub(super) fn unheard(facts: &Facts) -> Option<String> {
    // A rejected call is left out, which is all that its reason asks for.
    let last = facts.said.iter().rev().find(|said| !said.to.starts_with("the proposed call of "))?;
    Some(format!(
        "A person said to {}: \"{}\". The playbook can't follow words: it went on with the calls that it knows as far \
         as there was room, and this is what they show. A model would read it.",
        words(&last.to),
        words(&last.text)
    ))
}

fn words(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(WORDS).collect();
    if cut.len() < line.len() { format!("{cut}…") } else { cut }
}
