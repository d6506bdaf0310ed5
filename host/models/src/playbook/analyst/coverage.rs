//! What was looked for and where, so that silence can be told from absence: which searches ended,
//! what they skipped, and what nobody looked for.

use super::inventory::Inventory;
use super::problems::is_judged;
use super::results::{Observation, Search, searches, texts};
use super::wording::{code, plural, steps};
use super::{About, Claim, Evidence};
use crate::playbook::place::Place;
use crate::playbook::rules::{Rule, SETS};
use crate::playbook::skeleton::Skeleton;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A search names so many files that it skipped at most.
const NAMED: usize = 20;
/// So many of them are named here for each reason.
const SHOWN: usize = 3;
/// What the shapes for all files are about.
const KEYS: &str = "keys and passwords";

/// The statement on what the search for problems covers; none where nobody looked for any.
pub(super) fn claims(observations: &[Observation], inventory: &Inventory) -> Option<Claim> {
    let looked = Looked::of(observations);
    match (looked.shapes.is_empty(), looked.read.is_empty() && looked.own.is_empty()) {
        (false, _) => Some(searched(&looked, inventory)),
        (true, false) => Some(read_only(&looked)),
        (true, true) => not_searched(&looked),
    }
}

/// Whether a call searches for shapes of known problems.
fn judging(seen: &Observation) -> bool {
    shapes(seen).next().is_some()
}

/// The rules that a call searches for.
fn shapes(seen: &Observation) -> impl Iterator<Item = &'static Rule> {
    let pattern = seen.input.get("pattern").and_then(Value::as_str).unwrap_or_default().to_owned();
    SETS.iter().flat_map(|set| &set.rules).filter(move |rule| pattern.contains(&rule.pattern))
}

/// Everything that was done to find problems.
#[derive(Default)]
struct Looked<'o> {
    /// Searches for known shapes that ended.
    searches: Vec<Search>,
    /// The known shapes that were searched for.
    shapes: BTreeSet<&'static str>,
    /// Where, as it was asked for.
    directories: BTreeSet<String>,
    /// Searches that gave no result and weren't made up for.
    failed: Vec<&'o Observation>,
    /// Steps of searches for something else.
    own: Vec<u64>,
    /// Files that were read, and where.
    read: BTreeMap<String, Evidence>,
}

impl<'o> Looked<'o> {
    fn of(observations: &'o [Observation]) -> Self {
        let mut looked = Self::default();
        let mut ended: BTreeMap<u64, Search> =
            searches(observations).map(|search| (search.step, search)).collect();
        let mut failed = Vec::new();
        for seen in observations.iter().filter(|seen| seen.tool == "search_text") {
            let pattern = seen.input.get("pattern").and_then(Value::as_str).unwrap_or_default();
            if Skeleton::of_search(pattern).is_some() {
                continue;
            }
            let before = looked.shapes.len();
            match ended.remove(&seen.step) {
                None => failed.push(seen),
                Some(search) if judging(seen) => {
                    looked.shapes.extend(shapes(seen).map(|rule| rule.id.as_str()));
                    let directory = seen.input.get("directory").and_then(Value::as_str).unwrap_or(".");
                    // The same search again adds nothing.
                    if looked.shapes.len() > before || !looked.directories.contains(directory) {
                        looked.searches.push(search);
                    }
                    looked.directories.insert(directory.to_owned());
                }
                Some(_) => looked.own.push(seen.step),
            }
        }
        let made_up = |seen: &&Observation| {
            judging(seen) && shapes(seen).all(|rule| looked.shapes.contains(rule.id.as_str()))
        };
        looked.failed = failed.into_iter().filter(|seen| !made_up(seen)).collect();
        for text in texts(observations).filter(|text| is_judged(&text.path)) {
            looked.read.entry(text.path.clone()).or_insert_with(|| Evidence::file(text.step, &text.path));
        }
        looked
    }

    /// Sets of shapes that the project has files for and that weren't searched for.
    fn missing(&self, inventory: &Inventory) -> Vec<&'static str> {
        let files: Vec<&String> =
            inventory.files.keys().filter(|path| Place::of(path) < Place::Foreign).collect();
        let missing = |rule: &Rule| !self.shapes.contains(rule.id.as_str());
        SETS.iter()
            .filter(|set| files.iter().any(|path| set.covers(path)))
            .filter(|set| set.rules.iter().filter(|rule| !rule.is_note()).all(missing))
            .map(|set| if set.is_universal() { KEYS } else { set.language.as_str() })
            .collect()
    }

    /// `3 searches gave no result`, with the reasons; none where all ended.
    fn failures(&self) -> Option<(String, String)> {
        let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for seen in &self.failed {
            let message = if seen.message.is_empty() { "no reason given" } else { &seen.message };
            reasons.entry(format!("{}: {message}", seen.status)).or_default().push(seen.step);
        }
        let told: Vec<String> =
            reasons.iter().map(|(reason, numbers)| format!("{}, {reason}", steps(numbers))).collect();
        let short = format!("{} gave no result", plural(self.failed.len() as u64, "search"));
        (!told.is_empty()).then(|| (short.clone(), format!("{short} ({})", told.join("; "))))
    }

    fn failed_steps(&self) -> impl Iterator<Item = Evidence> + '_ {
        self.failed.iter().map(|seen| Evidence::step(seen.step))
    }
}

/// Known shapes were searched for.
fn searched(looked: &Looked<'_>, inventory: &Inventory) -> Claim {
    let most = looked.searches.iter().map(|search| search.files_searched).max().unwrap_or(0);
    let mut text = format!(
        "{} of known problems {} looked for, in up to {}. A shape is one line: whether a value can come from an \
         attacker must be judged by reading.",
        plural(looked.shapes.len() as u64, "shape"),
        if looked.shapes.len() == 1 { "was" } else { "were" },
        plural(most, "file")
    );
    let mut gaps: Vec<String> = Vec::new();
    if let Some((short, told)) = looked.failures() {
        gaps.push(short);
        text.push_str(&format!(" {told}."));
    }
    let missing = looked.missing(inventory);
    if !missing.is_empty() {
        gaps.push(format!("not searched for: {}", missing.join(", ")));
        text.push_str(&format!(" Not searched for: {}.", missing.join(", ")));
    }
    if !looked.directories.contains(".") {
        let folders: Vec<String> = looked.directories.iter().map(|folder| code(folder)).collect();
        gaps.push(format!("only {}", folders.join(", ")));
        text.push_str(&format!(" Only {} was searched.", folders.join(", ")));
    }
    for search in &looked.searches {
        let shown = search.matches.len() as u64;
        if search.cut || shown < search.total {
            gaps.push(format!("step {} showed {shown} of {}", search.step, plural(search.total, "line")));
            text.push_str(&format!(
                " Step {} showed {shown} of {}: there may be more than is listed.",
                search.step,
                plural(search.total, "line")
            ));
        }
        if !search.complete {
            gaps.push(format!("step {} ended early", search.step));
            text.push_str(&format!(
                " Step {} ended before it had seen all files, at its limit of text or entries.",
                search.step
            ));
        }
    }
    if let Some(skipped) = skipped(&looked.searches, &mut gaps) {
        text.push_str(&skipped);
    }
    if inventory.partial_code().is_some() {
        text.push_str(" Which languages to search was told from the files that listings showed.");
    }
    let evidence: Vec<Evidence> = looked
        .searches
        .iter()
        .map(|search| Evidence::step(search.step))
        .chain(looked.failed_steps())
        .collect();
    let mut claim = Claim::new(About::Problem, "coverage", text, super::claim::merge(evidence));
    claim.partial = (!gaps.is_empty()).then(|| gaps.join("; "));
    claim
}

/// Files that searches passed over, how many and why.
fn skipped(searches: &[Search], gaps: &mut Vec<String>) -> Option<String> {
    let mut text = String::new();
    let binary = searches.iter().map(|search| search.binary_files).max().unwrap_or(0);
    if binary > 0 {
        text.push_str(&format!(" Skipped as binary: {}.", plural(binary, "file")));
    }
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for told in searches.iter().flat_map(|search| &search.unsearched) {
        let (path, reason) = told.split_once(": ").unwrap_or((told, "no reason given"));
        reasons.entry(reason).or_default().insert(path.trim_matches('`'));
    }
    let count: usize = reasons.values().map(BTreeSet::len).sum();
    if count > 0 {
        let least =
            if searches.iter().any(|search| search.unsearched.len() >= NAMED) { "at least " } else { "" };
        let told: Vec<String> = reasons
            .iter()
            .map(|(reason, paths)| {
                let names: Vec<String> = paths.iter().take(SHOWN).map(|path| code(path)).collect();
                let more = paths.len().saturating_sub(SHOWN);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{more} ({reason})", names.join(", "))
            })
            .collect();
        let files = plural(count as u64, "file or folder").replace("file or folders", "files or folders");
        gaps.push(format!("{least}{files} passed over"));
        text.push_str(&format!(" Passed over: {least}{files}, {}.", told.join("; ")));
    }
    (!text.is_empty()).then_some(text)
}

/// Without a search for known shapes only what was seen has been looked at.
fn read_only(looked: &Looked<'_>) -> Claim {
    let mut seen = Vec::new();
    if !looked.read.is_empty() {
        seen.push(format!("what was read, {}", plural(looked.read.len() as u64, "file")));
    }
    if !looked.own.is_empty() {
        seen.push(format!("the lines that {} showed", plural(looked.own.len() as u64, "search")));
    }
    let seen = seen.join(", and ");
    let mut text =
        format!("Known problems were looked for only in {seen}; the other files weren't searched.");
    let mut gap = format!("only {seen}");
    if let Some((short, told)) = looked.failures() {
        text.push_str(&format!(" {told}."));
        gap.push_str(&format!("; {short}"));
    }
    let evidence: Vec<Evidence> = looked
        .read
        .values()
        .cloned()
        .chain(looked.own.iter().map(|step| Evidence::step(*step)))
        .chain(looked.failed_steps())
        .collect();
    let mut claim = Claim::new(About::Problem, "coverage", text, super::claim::merge(evidence));
    claim.partial = Some(gap);
    claim
}

/// All searches failed, and nothing was read.
fn not_searched(looked: &Looked<'_>) -> Option<Claim> {
    let (short, told) = looked.failures()?;
    let text = format!("Known problems were not searched for: {told}.");
    let evidence = looked.failed_steps().collect();
    let mut claim = Claim::new(About::Problem, "not-searched", text, super::claim::merge(evidence));
    claim.partial = Some(short);
    Some(claim)
}
