//! Claims about the stack: languages, packages, frameworks, tools, dependencies. Without a
//! detected stack the languages of the listed files and the manifests that were read stand in.

use super::detected::{Dependency, Detected, Manifest, Scope, Technology};
use super::inventory::{Inventory, is_manifest};
use super::results::{Observation, texts};
use super::wording::{code, named, percent, plural, size};
use super::{About, Claim, Evidence, Item};
use std::collections::{BTreeMap, BTreeSet};

/// So many dependencies of one manifest and scope are listed; the rest is counted.
const LISTED: usize = 60;
/// So many are named in the sentence.
const TOLD: usize = 8;
/// So many packages have a statement of their own, and so many manifests one on dependencies.
const PACKAGES: usize = 12;
/// So many technologies of one kind are named.
const NAMED: usize = 12;

/// Everything that the detected stack shows.
pub(super) fn claims(detected: &Detected<'_>) -> Vec<Claim> {
    let mut claims = vec![languages(detected)];
    claims.extend(packages(detected));
    claims.extend(technologies(detected));
    claims.extend(dependencies(detected));
    claims.extend(detected.manifests.iter().filter_map(trouble).take(PACKAGES));
    claims
}

fn languages(detected: &Detected<'_>) -> Claim {
    let step = detected.series.step();
    let total: u64 = detected.languages.iter().map(|share| share.bytes).sum();
    let share = |bytes: u64| percent(bytes, total);
    let listed: Vec<String> = detected
        .languages
        .iter()
        .take(6)
        .map(|one| {
            format!("{} {} ({}, {})", one.name, share(one.bytes), plural(one.files, "file"), size(one.bytes))
        })
        .collect();
    let mut text = match (listed.is_empty(), detected.files) {
        (false, files) => {
            format!("Code by size: {}. There are {} in all.", listed.join(", "), plural(files, "file"))
        }
        (true, 0) => "The granted folders hold no files.".to_owned(),
        (true, files) => {
            format!("{}, none of them in a programming language that is known here.", plural(files, "file"))
        }
    };
    if detected.files == 1 {
        text = text.replace("There are 1 file", "There is 1 file").replace("none of them", "not");
    }
    if let Some(skipped) = detected.series.skipped() {
        text.push_str(&format!(" Not looked at: {skipped}."));
    }
    let mut claim = Claim::new(About::Stack, "languages", text, vec![Evidence::step(step)]);
    claim.items = detected
        .languages
        .iter()
        .map(|one| Item {
            text: one.name.clone(),
            detail: format!("{}, {}, {}", share(one.bytes), plural(one.files, "file"), size(one.bytes)),
            evidence: one.evidence.clone(),
            finding: None,
        })
        .collect();
    claim.about_part(detected.series.partial(None))
}

/// A statement for each of the first packages, and one for the rest.
fn packages(detected: &Detected<'_>) -> Vec<Claim> {
    let named: Vec<&Manifest> = detected
        .manifests
        .iter()
        .filter(|manifest| manifest.name.is_some() && manifest.setting.counts())
        .collect();
    let mut claims: Vec<Claim> = named.iter().take(PACKAGES).map(|manifest| package(manifest)).collect();
    let rest = named.get(PACKAGES..).unwrap_or_default();
    if !rest.is_empty() {
        let items = rest
            .iter()
            .map(|manifest| Item {
                text: manifest.name.clone().unwrap_or_default(),
                detail: manifest.ecosystem.clone(),
                evidence: manifest.evidence.clone(),
                finding: None,
            })
            .collect();
        let text = format!("{} more.", plural(rest.len() as u64, "package"));
        claims.push(Claim::new(About::Stack, "packages", text, Vec::new()).with_items(items));
    }
    claims
}

fn package(manifest: &Manifest) -> Claim {
    let mut text =
        format!("{} package {}", manifest.ecosystem, code(manifest.name.as_deref().unwrap_or_default()));
    if let Some(version) = &manifest.version {
        text.push_str(&format!(" {version}"));
    }
    if let Some(description) = &manifest.description {
        text.push_str(&format!(": {}", description.trim_end_matches('.')));
    }
    text.push('.');
    if let Some(license) = &manifest.license {
        text.push_str(&format!(" Licence {license}."));
    }
    Claim::new(About::Stack, "package", text, vec![manifest.evidence.clone()])
}

/// What is said of the technologies of some kinds.
const GROUPS: [(&str, &str, &[&str]); 5] = [
    ("frameworks", "Built on", &["framework", "library"]),
    ("runtimes", "Runs on", &["runtime"]),
    ("builds", "Built and packaged with", &["build_tool", "package_manager"]),
    ("checks", "Tested and checked with", &["test_tool", "linter"]),
    ("delivery", "Delivered and documented with", &["ci", "container", "infrastructure", "documentation"]),
];

fn technologies(detected: &Detected<'_>) -> Vec<Claim> {
    GROUPS
        .iter()
        .filter_map(|(topic, words, kinds)| {
            let of = |kind: &&str| {
                let kind = (*kind).to_owned();
                detected.technologies.iter().filter(move |one| one.kind == kind)
            };
            let found: Vec<&Technology> = kinds.iter().flat_map(of).collect();
            let mut names: Vec<String> = Vec::new();
            let (mut told, mut items): (BTreeSet<&str>, Vec<Item>) = Default::default();
            for one in found {
                if items.iter().any(|had| had.text == one.name && had.evidence == one.evidence) {
                    continue;
                }
                let version = one.version.as_ref().map_or_else(String::new, |version| format!(" {version}"));
                if told.insert(&one.name) {
                    names.push(format!("{}{version}", one.name));
                }
                let detail = format!("{}{version}: {}", one.kind.replace('_', " "), one.shown.trim());
                items.push(Item {
                    text: one.name.clone(),
                    detail,
                    evidence: one.evidence.clone(),
                    finding: None,
                });
            }
            let text = format!("{words} {}.", self::named(&names, NAMED));
            (!items.is_empty()).then(|| Claim::new(About::Stack, topic, text, Vec::new()).with_items(items))
        })
        .collect()
}

/// What each manifest asks for, the product's own first.
fn dependencies(detected: &Detected<'_>) -> Vec<Claim> {
    let mut groups: BTreeMap<(bool, Scope, &str), Vec<&Dependency>> = BTreeMap::new();
    for one in &detected.dependencies {
        let aside = !detected.setting(&one.path).counts();
        groups.entry((aside, one.scope, &one.path)).or_default().push(one);
    }
    let shown = detected.dependencies.len() as u64;
    let partial = (shown < detected.total_dependencies)
        .then(|| format!("the first {shown} of {}", plural(detected.total_dependencies, "dependency")));
    let mut claims: Vec<Claim> = groups
        .into_iter()
        .take(PACKAGES)
        .map(|((aside, scope, path), found)| {
            let topic = if scope < Scope::Build && !aside { "dependencies" } else { "other_dependencies" };
            of_manifest(topic, scope, path, &found)
        })
        .collect();
    if let Some(last) = claims.pop() {
        claims.push(last.about_part(partial));
    }
    claims
}

fn of_manifest(topic: &str, scope: Scope, path: &str, found: &[&Dependency]) -> Claim {
    let version = |one: &Dependency| match &one.resolved {
        Some(resolved) if one.requirement.is_empty() => resolved.clone(),
        Some(resolved) if *resolved != one.requirement => format!("{} ({resolved})", one.requirement),
        Some(_) | None => one.requirement.clone(),
    };
    let items = found
        .iter()
        .take(LISTED)
        .map(|one| Item {
            text: one.name.clone(),
            detail: version(one),
            evidence: one.evidence.clone(),
            finding: None,
        })
        .collect();
    let names: Vec<String> =
        found.iter().map(|one| format!("{} {}", one.name, one.requirement).trim().to_owned()).collect();
    let word = if found.len() == 1 { "dependency" } else { "dependencies" };
    let text = format!("{} {} {word} in {}: {}.", found.len(), scope.name(), code(path), named(&names, TOLD));
    let mut claim = Claim::new(About::Stack, topic, text, Vec::new()).with_items(items);
    claim.omitted = found.len().saturating_sub(LISTED) as u32;
    claim
}

/// A manifest that could only be read in part must not pass for complete.
fn trouble(manifest: &Manifest) -> Option<Claim> {
    let trouble = manifest.trouble.as_deref()?.trim().trim_end_matches('.');
    if !manifest.setting.counts() {
        return None;
    }
    let text = format!("{} couldn't be understood in full: {trouble}.", code(&manifest.path));
    Some(Claim::new(About::Stack, "unread", text, vec![manifest.evidence.clone()]))
}

/// What listings and reading alone show.
pub(super) fn listed(observations: &[Observation], inventory: &Inventory) -> Vec<Claim> {
    listed_languages(inventory).into_iter().chain(manifests_read(observations)).collect()
}

fn listed_languages(inventory: &Inventory) -> Option<Claim> {
    inventory.steps.first()?;
    let shares = inventory.languages();
    let files = inventory.files.len() as u64;
    let total: u64 = shares.iter().map(|share| share.bytes).sum();
    let cited: BTreeSet<u64> = if files == 0 {
        inventory.steps.iter().copied().collect()
    } else {
        inventory.files.values().map(|file| file.step).collect()
    };
    let listed: Vec<String> = shares
        .iter()
        .take(6)
        .map(|share| {
            let percent = percent(share.bytes, total);
            format!(
                "{} {percent} ({}, {})",
                share.language.name(),
                plural(share.files, "file"),
                size(share.bytes)
            )
        })
        .collect();
    let text = match (files, inventory.partial()) {
        (0, None) => "The granted folders hold no files.".to_owned(),
        (0, Some(_)) => "The listings showed no files.".to_owned(),
        (_, _) if listed.is_empty() => {
            format!("{}, none in a programming language that is known here.", plural(files, "file"))
        }
        (_, _) => format!("Code by size: {}.", listed.join(", ")),
    };
    let evidence = cited.into_iter().map(Evidence::step).collect();
    let mut claim = Claim::new(About::Stack, "languages", text, evidence);
    claim.items = shares
        .iter()
        .map(|share| Item {
            text: share.language.name().to_owned(),
            detail: format!(
                "{}, {}, {}",
                percent(share.bytes, total),
                plural(share.files, "file"),
                size(share.bytes)
            ),
            evidence: Evidence::step(share.steps.first().copied().unwrap_or_default()),
            finding: None,
        })
        .collect();
    Some(claim.about_part(inventory.partial_code()))
}

fn manifests_read(observations: &[Observation]) -> Option<Claim> {
    let mut read: BTreeMap<String, Evidence> = BTreeMap::new();
    for text in texts(observations).filter(|text| is_manifest(&text.path)) {
        let evidence = Evidence::lines(text.step, &text.path, text.lines.0, text.lines.1);
        read.entry(text.path).or_insert(evidence);
    }
    let names: Vec<String> = read.keys().cloned().collect();
    let text = format!(
        "Manifests that were read: {}. What they declare is told only from what `detect_stack` shows.",
        named(&names, TOLD)
    );
    let evidence = read.into_values().collect();
    (!names.is_empty()).then(|| Claim::new(About::Stack, "manifests", text, evidence))
}
