//! What was looked for and where, so that silence can be told from absence: which files were
//! searched with how many rules, what was passed over, and what nobody looked for.

use super::claim::merge;
use super::detected::Detected;
use super::found::{Found, total};
use super::inventory::{Inventory, Language};
use super::map::Map;
use super::pages::asked;
use super::results::{Observation, list, number, text};
use super::wording::{code, known_as, named, plural, steps};
use super::{About, Claim, Evidence};
use std::collections::{BTreeMap, BTreeSet};

/// Names that are told of many.
const NAMED: usize = 8;
/// Calls of these look at the project's code.
const LOOKING: [&str; 3] = ["detect_stack", "map_code", "analyze_code"];

/// The statement on what the search for problems covers; none where nobody looked at code.
pub(super) fn claims(
    observations: &[Observation],
    found: &Found<'_>,
    languages: &Languages,
) -> Option<Claim> {
    let failures = Failures::of(observations);
    if found.series.is_empty() {
        return not_searched(observations, &failures);
    }
    Some(searched(found, languages, &failures))
}

/// The languages that the project is known to have, as people call them.
#[derive(Debug, Default)]
pub(super) struct Languages(BTreeSet<String>);

impl Languages {
    /// From the best source that there is.
    pub(super) fn of(detected: Option<&Detected<'_>>, map: Option<&Map<'_>>, inventory: &Inventory) -> Self {
        let named = |name: &str| known_as(name).to_owned();
        Self(match (detected, map) {
            (Some(detected), _) => detected.languages.iter().map(|share| named(&share.name)).collect(),
            (None, Some(map)) => map.modules.values().map(|module| named(&module.language)).collect(),
            (None, None) => inventory
                .languages()
                .iter()
                .map(|share| share.language)
                .filter(|language| language.is_code())
                .map(Language::name)
                .map(named)
                .collect(),
        })
    }
}

/// Calls that gave no result and weren't made up for.
struct Failures<'o>(Vec<&'o Observation>);

impl<'o> Failures<'o> {
    fn of(observations: &'o [Observation]) -> Self {
        let made_up = |failed: &Observation| {
            let same = |seen: &Observation| {
                asked(&seen.input) == asked(&failed.input)
                    && number(&seen.input, "skip") == number(&failed.input, "skip")
            };
            observations.iter().any(|seen| seen.tool == failed.tool && seen.is_done() && same(seen))
        };
        let failed = observations.iter().filter(|seen| seen.tool == "find_problems" && !seen.is_done());
        Self(failed.filter(|seen| !made_up(seen)).collect())
    }

    /// `1 search gave no result`, and the same with the reasons.
    fn told(&self) -> Option<(String, String)> {
        let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for seen in &self.0 {
            let message = if seen.message.is_empty() { "no reason given" } else { &seen.message };
            reasons.entry(format!("{}: {message}", seen.status)).or_default().push(seen.step);
        }
        let told: Vec<String> =
            reasons.iter().map(|(reason, numbers)| format!("{}, {reason}", steps(numbers))).collect();
        let short = format!("{} gave no result", plural(self.0.len() as u64, "search"));
        (!told.is_empty()).then(|| (short.clone(), format!("{short} ({})", told.join("; "))))
    }

    fn evidence(&self) -> impl Iterator<Item = Evidence> + '_ {
        self.0.iter().map(|seen| Evidence::step(seen.step))
    }
}

/// Rules were run.
fn searched(found: &Found<'_>, languages: &Languages, failures: &Failures<'_>) -> Claim {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for one in found.series.iter().flat_map(|series| list(series.first_value(), "searched")) {
        let (files, rules) = counts.entry(known_as(&text(one, "language")).to_owned()).or_default();
        *files = files.saturating_add(number(one, "files"));
        *rules = (*rules).max(number(one, "rules"));
    }
    let sum = |key: &str| -> u64 {
        found.series.iter().fold(0, |sum: u64, series| sum.saturating_add(number(series.first_value(), key)))
    };
    let run = found.series.iter().map(|series| number(series.first_value(), "rules_run")).max().unwrap_or(0);
    let mut by_files: Vec<(&String, &(u64, u64))> =
        counts.iter().filter(|(_, (_, rules))| *rules > 0).collect();
    by_files.sort_by_key(|(name, (files, _))| (std::cmp::Reverse(*files), (*name).clone()));
    let files = by_files.iter().fold(0, |sum: u64, (_, (files, _))| sum.saturating_add(*files));
    let parts: Vec<String> = by_files
        .iter()
        .map(|(name, (files, rules))| {
            format!("{name} ({}, {})", plural(*files, "file"), plural(*rules, "rule"))
        })
        .collect();
    let mut told = vec![match parts.is_empty() {
        true => format!("{} were ready, and there was no file to run them on.", plural(run, "rule")),
        false => format!(
            "{} on the syntax of {}: {}.",
            if run == 1 { "1 rule was run".to_owned() } else { format!("{run} rules were run") },
            plural(files, "file"),
            parts.join(", ")
        ),
    }];
    told.push(
        "What a rule finds is where to look: of high confidence a problem as a rule, of medium often, of low worth a \
         look. Whether it can be exploited must be judged by reading."
            .to_owned(),
    );
    let mut gaps: Vec<String> = Vec::new();
    let without: Vec<&str> = languages
        .0
        .iter()
        .filter(|name| !by_files.iter().any(|(known, _)| known == name))
        .map(String::as_str)
        .collect();
    if !without.is_empty() {
        gaps.push(format!("not searched for lack of rules: {}", without.join(", ")));
        told.push(format!("Languages of the project without rules: {}.", without.join(", ")));
    }
    gaps.extend(failures.told().map(|(short, long)| {
        told.push(format!("{long}."));
        short
    }));
    gaps.extend(limits(found, &mut told));
    aside(sum("set_apart"), sum("suppressed"), &mut told);
    let evidence =
        found.series.iter().flat_map(|series| series.values().map(|(step, _)| Evidence::step(step)));
    let evidence = evidence.chain(failures.evidence()).collect();
    let mut claim = Claim::new(About::Problem, "coverage", told.join(" "), merge(evidence));
    claim.partial = (!gaps.is_empty()).then(|| gaps.join("; "));
    claim
}

/// Folders, pages and files that weren't searched or shown.
fn limits(found: &Found<'_>, told: &mut Vec<String>) -> Vec<String> {
    let mut gaps = Vec::new();
    if !found.series.iter().any(|series| series.directory == ".") {
        let folders: Vec<String> = found.series.iter().map(|series| series.directory.clone()).collect();
        gaps.push(format!("only {}", named(&folders, NAMED)));
        told.push(format!("Only {} was searched.", named(&folders, NAMED)));
    }
    for series in &found.series {
        let shown: u64 = series.values().map(|(_, page)| list(page, "found").count() as u64).sum();
        let all = total(series);
        if shown < all {
            gaps.push(format!("{shown} of {} shown", plural(all, "place")));
            told.push(format!("{shown} of {} are listed, the worst first.", plural(all, "place")));
        }
        if !series.is_complete() {
            gaps.push(format!("step {} ended early", series.step()));
            told.push(format!("Step {} ended before it had searched all files.", series.step()));
        }
        if let Some(skipped) = series.skipped() {
            let count = list(series.first_value(), "skipped").count() as u64;
            gaps.push(format!(
                "{} passed over",
                plural(count, "file or rule").replace("file or rules", "files or rules")
            ));
            told.push(format!("Passed over: {skipped}."));
        }
    }
    gaps
}

/// What was left out on purpose.
fn aside(set_apart: u64, suppressed: u64, told: &mut Vec<String>) {
    if set_apart > 0 {
        told.push(format!(
            "Set apart as vendored or generated, and not searched: {}.",
            plural(set_apart, "file")
        ));
    }
    if suppressed > 0 {
        let places = plural(suppressed, "place");
        told.push(format!("Left out because a comment in the code says so: {places}."));
    }
}

/// No search for problems gave a result.
fn not_searched(observations: &[Observation], failures: &Failures<'_>) -> Option<Claim> {
    if let Some((short, told)) = failures.told() {
        let text = format!("Problems were not searched for: {told}.");
        let mut claim =
            Claim::new(About::Problem, "not-searched", text, merge(failures.evidence().collect()));
        claim.partial = Some(short);
        return Some(claim);
    }
    let looked = observations.iter().filter(|seen| seen.is_done() && LOOKING.contains(&seen.tool.as_str()));
    let evidence: Vec<Evidence> = looked.map(|seen| Evidence::step(seen.step)).collect();
    if evidence.is_empty() {
        return None;
    }
    let text = format!("Problems were not searched for: no call of {} was made.", code("find_problems"));
    let mut claim = Claim::new(About::Problem, "not-searched", text, merge(evidence));
    claim.partial = Some("no call of find_problems was made".to_owned());
    Some(claim)
}
