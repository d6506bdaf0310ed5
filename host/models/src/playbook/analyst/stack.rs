//! Claims about the stack: languages, packages, frameworks, dependencies, builds.

use super::inventory::Inventory;
use super::manifest::{Dependency, FROM_WORKSPACE, Manifest, Scope, Spot};
use super::roles;
use super::wording::{code, percent, plural, size};
use super::{About, Claim, Evidence, Item};
use std::collections::{BTreeMap, BTreeSet};

/// So many dependencies of one manifest and scope are listed; the rest is counted.
const LISTED: usize = 60;
/// So many are named in the sentence.
const TOLD: usize = 8;

pub(super) fn claims(inventory: &Inventory, manifests: &[Manifest]) -> Vec<Claim> {
    let mut claims: Vec<Claim> = languages(inventory).into_iter().collect();
    let mut packages: Vec<&Manifest> = manifests.iter().filter(|manifest| is_package(manifest)).collect();
    packages.sort_by_key(|manifest| super::manifest::rank(&manifest.path) > 2);
    claims.extend(packages.iter().filter_map(|manifest| package(manifest)));
    claims.extend(frameworks(manifests));
    for manifest in manifests {
        claims.extend(dependencies(manifest));
    }
    claims.extend(builds(manifests));
    claims.extend(manifests.iter().filter_map(unread));
    claims
}

fn is_package(manifest: &Manifest) -> bool {
    manifest.ecosystem != "pipeline"
}

fn languages(inventory: &Inventory) -> Option<Claim> {
    inventory.steps.first()?;
    let shares = inventory.languages();
    let files = inventory.files.len();
    if files == 0 {
        let text = match inventory.partial() {
            None => "The granted folders hold no files.",
            Some(_) => "The listings showed no files.",
        };
        let evidence = inventory.steps.iter().map(|step| Evidence::step(*step)).collect();
        let claim = Claim::new(About::Stack, "languages", text.to_owned(), evidence);
        return Some(claim.about_part(inventory.partial()));
    }
    // Only what a number comes from is cited.
    let all: BTreeSet<u64> = inventory.files.values().map(|file| file.step).collect();
    let counted: BTreeSet<u64> = shares.iter().flat_map(|share| share.steps.iter().copied()).collect();
    let cited = |steps: &BTreeSet<u64>| steps.iter().map(|step| Evidence::step(*step)).collect();
    let total: u64 = shares.iter().map(|share| share.bytes).sum();
    if total == 0 {
        let text = match files {
            1 => "1 file, not in a programming language that is known here.".to_owned(),
            _ => format!("{files} files, none of them in a programming language that is known here."),
        };
        let claim = Claim::new(About::Stack, "languages", text, cited(&all));
        return Some(claim.about_part(inventory.partial()));
    }
    let listed: Vec<String> = shares
        .iter()
        .take(6)
        .map(|share| {
            let files = plural(share.files, "file");
            let percent = percent(share.bytes, total);
            format!("{} {percent} ({files}, {})", share.language.name(), size(share.bytes))
        })
        .collect();
    let mut text = format!("Code by size: {}.", listed.join(", "));
    let code: u64 = shares.iter().map(|share| share.files).sum();
    let be = if code == 1 { "is" } else { "are" };
    let of_all = match (inventory.partial(), inventory.partial_code()) {
        (None, _) => format!(" {code} of {} {be} code.", plural(files as u64, "file")),
        (Some(_), None) => format!(" {} {be} code, and all of them were listed.", plural(code, "file")),
        (Some(_), Some(_)) => {
            format!(" {code} of {} that were listed {be} code.", plural(files as u64, "file"))
        }
    };
    text.push_str(&of_all);
    let evidence =
        if inventory.partial_code().is_none() && inventory.partial().is_some() { &counted } else { &all };
    let mut claim = Claim::new(About::Stack, "languages", text, cited(evidence));
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

fn package(manifest: &Manifest) -> Option<Claim> {
    let mut evidence = Vec::new();
    let mut say = |spot: &Spot| {
        evidence.push(Evidence::lines(manifest.step, &manifest.path, spot.lines.0, spot.lines.1));
        spot.text.clone()
    };
    let mut text = match &manifest.name {
        Some(name) => format!("{} package `{}`", manifest.ecosystem, say(name)),
        None if !manifest.members.is_empty() => {
            format!("{} workspace in `{}`", manifest.ecosystem, manifest.path)
        }
        None => return None,
    };
    if let Some(version) = &manifest.version {
        text.push_str(&format!(" {}", say(version)));
    }
    if let Some(description) = &manifest.description {
        text.push_str(&format!(": {}", say(description).trim_end_matches('.')));
    }
    text.push('.');
    let needs: Vec<String> = manifest.runtime.iter().map(&mut say).collect();
    if !needs.is_empty() {
        text.push_str(&format!(" Needs {}.", needs.join(", ")));
    }
    let build: Vec<String> = manifest.build.iter().map(&mut say).collect();
    if !build.is_empty() {
        text.push_str(&format!(" Built with {}.", build.join(", ")));
    }
    if let Some(license) = &manifest.license {
        text.push_str(&format!(" Licence {}.", say(license)));
    }
    if !manifest.members.is_empty() {
        let members: Vec<String> = manifest.members.iter().take(20).map(&mut say).collect();
        text.push_str(&format!(
            " Holds {}: {}.",
            plural(manifest.members.len() as u64, "member"),
            members.join(", ")
        ));
    }
    Some(Claim::new(About::Stack, "package", text, super::claim::merge(evidence)))
}

/// What kind of program it is, by the dependencies whose role is known.
fn frameworks(manifests: &[Manifest]) -> Option<Claim> {
    let mut by_role: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for manifest in manifests {
        for dependency in manifest.dependencies.iter().filter(|d| d.scope < Scope::Build) {
            let Some(role) = roles::role(manifest.ecosystem, &dependency.name) else { continue };
            let items = by_role.entry(role).or_default();
            if roles::is_defining(role) && !items.iter().any(|item| item.text == dependency.name) {
                items.push(item(manifest, dependency, role));
            }
        }
    }
    by_role.retain(|_, items| !items.is_empty());
    if by_role.is_empty() {
        return None;
    }
    let mut by_role: Vec<(&str, Vec<Item>)> = by_role.into_iter().collect();
    by_role.sort_by_key(|(role, _)| (roles::rank(role), *role));
    let listed: Vec<String> = by_role
        .iter()
        .map(|(role, items)| {
            let names: Vec<String> = items.iter().take(6).map(|item| format!("`{}`", item.text)).collect();
            format!("{role}: {}", names.join(", "))
        })
        .collect();
    let text = format!("Built on {}.", listed.join("; "));
    let items = by_role.into_iter().flat_map(|(_, items)| items).collect();
    Some(Claim::new(About::Stack, "frameworks", text, Vec::new()).with_items(items))
}

fn item(manifest: &Manifest, dependency: &Dependency, detail: &str) -> Item {
    Item {
        text: dependency.name.clone(),
        detail: detail.to_owned(),
        evidence: Evidence::lines(manifest.step, &manifest.path, dependency.line, dependency.line),
        finding: None,
    }
}

fn dependencies(manifest: &Manifest) -> Vec<Claim> {
    let mut scopes: BTreeMap<Scope, Vec<&Dependency>> = BTreeMap::new();
    for dependency in &manifest.dependencies {
        scopes.entry(dependency.scope).or_default().push(dependency);
    }
    scopes
        .into_iter()
        .map(|(scope, found)| {
            let items: Vec<Item> =
                found.iter().take(LISTED).map(|one| item(manifest, one, &one.requirement)).collect();
            let word = if found.len() == 1 { "dependency" } else { "dependencies" };
            let what = match manifest.ecosystem {
                "pipeline" if found.len() == 1 => "pipeline action".to_owned(),
                "pipeline" => "pipeline actions".to_owned(),
                ecosystem => format!("{ecosystem} {} {word}", scope.name()),
            };
            let told = |one: &&Dependency| match one.requirement.as_str() {
                "" | FROM_WORKSPACE => code(&one.name),
                wanted => code(&format!("{} {wanted}", one.name)),
            };
            let first: Vec<String> = found.iter().take(TOLD).map(told).collect();
            let more = if found.len() > TOLD { ", …" } else { "" };
            let text = format!("{} {what} in `{}`: {}{more}.", found.len(), manifest.path, first.join(", "));
            // What only those who work on it need, or what others bring along, is less telling.
            let elsewhere = found.iter().all(|one| one.requirement == FROM_WORKSPACE);
            let topic =
                if scope < Scope::Build && !elsewhere { "dependencies" } else { "other_dependencies" };
            let mut claim = Claim::new(About::Stack, topic, text, Vec::new()).with_items(items);
            claim.omitted = found.len().saturating_sub(LISTED) as u32;
            claim
        })
        .collect()
}

/// Builds and pipelines of manifests that name no package.
fn builds(manifests: &[Manifest]) -> Option<Claim> {
    let mut parts = Vec::new();
    let mut evidence = Vec::new();
    for manifest in manifests.iter().filter(|manifest| package(manifest).is_none() || !is_package(manifest)) {
        let words: Vec<&str> = manifest.build.iter().take(8).map(|spot| spot.text.as_str()).collect();
        if words.is_empty() {
            continue;
        }
        parts.push(format!("{} (`{}`)", words.join(", "), manifest.path));
        for spot in manifest.build.iter().take(8) {
            evidence.push(Evidence::lines(manifest.step, &manifest.path, spot.lines.0, spot.lines.1));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let text = format!("Build and delivery: {}.", parts.join("; "));
    Some(Claim::new(About::Stack, "builds", text, super::claim::merge(evidence)))
}

/// A manifest that could only be read in part must not pass for complete.
fn unread(manifest: &Manifest) -> Option<Claim> {
    let why = match (manifest.broken, manifest.cut) {
        (false, false) => return None,
        (true, false) => "isn't valid, so only parts of it could be read",
        (_, true) => "was read only in part, so it may declare more than is listed here",
    };
    let text = format!("`{}` {why}.", manifest.path);
    Some(Claim::new(About::Stack, "unread", text, vec![Evidence::file(manifest.step, &manifest.path)]))
}
