//! `detect_stack`: what a project is built with.
//!
//! Owns: languages by share, manifests with their dependencies, and the technologies that files show;
//! each with its file and line. Doesn't own: whether a dependency is used (`map`).

mod found;
mod hints;
mod json;
mod languages;
mod lock;
mod lock_json;
mod manifest;
mod model;
mod technologies;
mod text;
mod toml;

pub use model::{Dependency, Ecosystem, LanguageShare, Manifest, Scope, Stack, Technology, TechnologyKind};

use crate::bounds::{weight, within};
use crate::setting::Setting;
use found::Found;
use lock::{LOCKS, Locks};
use ringfence_guest_project::{Fault, File, Kind, Root, Walk, read_whole};
use std::collections::{BTreeMap, HashSet};
use text::Text;

/// Larger files aren't read, in bytes; lock files may be larger.
const LONGEST: u64 = 2 << 20;
const LONGEST_LOCK: u64 = 16 << 20;
/// So many files are read.
const MOST_READ: usize = 3_000;
const MOST_LANGUAGES: usize = 30;
const MOST_MANIFESTS: usize = 200;
const MOST_TECHNOLOGIES: usize = 200;
const MOST_DEPENDENCIES: usize = 400;
const MOST_SKIPPED: usize = 50;
/// What each list may take as JSON, in bytes: the whole answer fits into 256 KiB.
const LANGUAGE_BYTES: usize = 16 << 10;
const MANIFEST_BYTES: usize = 60 << 10;
const TECHNOLOGY_BYTES: usize = 60 << 10;
const DEPENDENCY_BYTES: usize = 90 << 10;
const SKIPPED_BYTES: usize = 16 << 10;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct StackRequest {
    /// The folder; the project's where there is none.
    pub directory: Option<String>,
    /// How many dependencies to leave out at the beginning.
    pub skip: Option<u32>,
}

/// Tells what the project below a folder is built with.
pub fn detect_stack(root: &Root, request: &StackRequest) -> Result<Stack, Fault> {
    let asked = request.directory.as_deref().unwrap_or(".");
    let shown = root.tidy(asked);
    let mut stack = Stack { directory: shown.clone(), complete: true, ..Stack::default() };
    let mut walk = Walk::start(root, asked, &shown, true)?;
    let (mut found, mut locks, mut read) = (Found::default(), Locks::default(), 0);
    let mut code: Vec<Code> = Vec::new();
    for entry in walk.by_ref().filter(|entry| entry.kind == Kind::File) {
        stack.files += 1;
        let setting = Setting::of_path(&entry.path);
        if setting.is_foreign() {
            continue;
        }
        let language = languages::language_of(&entry.path);
        let lock = LOCKS.iter().find(|(name, _)| *name == entry.name());
        let is_read = manifest::is_manifest(&entry.path) || hints::is_read(&entry.path) || lock.is_some();
        hints::by_name(&entry.path, &mut found);
        if language.is_none() && !is_read {
            continue;
        }
        let opened = match File::open(&entry.place()) {
            Ok(opened) => opened,
            Err(error) => {
                skip(&mut stack, entry.path, error.to_string());
                continue;
            }
        };
        if let Some(language) = language {
            code.push(Code { language, bytes: opened.size(), path: entry.path.clone(), setting });
        }
        if !is_read {
            continue;
        }
        let most = if lock.is_some() { LONGEST_LOCK } else { LONGEST };
        if opened.size() > most || read >= MOST_READ {
            let why = if read >= MOST_READ {
                "there are too many".to_owned()
            } else {
                format!("over {} MiB", most >> 20)
            };
            skip(&mut stack, entry.path, why);
            continue;
        }
        read += 1;
        let Some(content) = content(opened) else {
            skip(&mut stack, entry.path, "it can't be read".to_owned());
            continue;
        };
        let content = content.trim_start_matches('\u{feff}');
        match lock {
            Some((_, ecosystem)) => locks.read(&entry.path, *ecosystem, content),
            None => {
                let text = Text::new(content);
                manifest::read(&entry.path, &text, &mut found);
                hints::by_content(&entry.path, &text, &mut found);
            }
        }
    }
    stack.complete &= walk.complete;
    for line in walk.unreadable {
        skip(&mut stack, line, "it can't be listed".to_owned());
    }
    manifest::inherit(&mut found);
    locks.settle(&mut found);
    technologies::from_dependencies(&mut found);
    stack.languages = shares(&code);
    page(&mut stack, found, request.skip.unwrap_or(0) as usize);
    Ok(stack)
}

struct Code {
    language: &'static str,
    bytes: u64,
    path: String,
    setting: Setting,
}

fn content(mut file: File) -> Option<String> {
    let size = usize::try_from(file.size()).ok()?;
    let mut bytes = Vec::new();
    read_whole(&mut file, size, &mut bytes).ok()?;
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

fn skip(stack: &mut Stack, path: String, reason: String) {
    if stack.skipped.len() < MOST_SKIPPED {
        stack.skipped.push((path, reason));
    }
}

/// Shares of the product's code; of all code where nothing is the product's.
fn shares(code: &[Code]) -> Vec<LanguageShare> {
    let has_product = code.iter().any(|one| one.setting == Setting::Product);
    let mut shares: BTreeMap<&str, (LanguageShare, u64)> = BTreeMap::new();
    let mut all = 0;
    for one in code.iter().filter(|one| !has_product || one.setting == Setting::Product) {
        all += one.bytes;
        let share = || LanguageShare {
            name: one.language.to_owned(),
            files: 0,
            bytes: 0,
            permille: 0,
            path: one.path.clone(),
        };
        let (share, largest) = shares.entry(one.language).or_insert_with(|| (share(), 0));
        share.files += 1;
        share.bytes += one.bytes;
        if one.bytes > *largest {
            *largest = one.bytes;
            share.path.clone_from(&one.path);
        }
    }
    let mut shares: Vec<LanguageShare> = shares.into_values().map(|(share, _)| share).collect();
    for share in &mut shares {
        share.permille = u32::try_from(share.bytes.saturating_mul(1000) / all.max(1)).unwrap_or(1000);
    }
    shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    within(shares, MOST_LANGUAGES, LANGUAGE_BYTES, |one| weight(&one.name) + weight(&one.path))
}

/// Orders what was found and takes one page of it.
fn page(stack: &mut Stack, mut found: Found, skip: usize) {
    let depth = |path: &str| path.matches('/').count();
    found
        .manifests
        .sort_by(|a, b| (a.setting, depth(&a.path), &a.path).cmp(&(b.setting, depth(&b.path), &b.path)));
    found.manifests = within(found.manifests, MOST_MANIFESTS, MANIFEST_BYTES, |one| {
        let texts = [&one.name, &one.version, &one.description, &one.license, &one.trouble];
        weight(&one.path) + texts.into_iter().flatten().map(|text| weight(text)).sum::<usize>()
    });
    stack.skipped =
        within(std::mem::take(&mut stack.skipped), MOST_SKIPPED, SKIPPED_BYTES, |(path, reason)| {
            weight(path) + weight(reason)
        });
    let order: BTreeMap<&str, usize> =
        found.manifests.iter().enumerate().map(|(at, manifest)| (manifest.path.as_str(), at)).collect();
    let place = |path: &str| order.get(path).copied().unwrap_or(usize::MAX);
    let mut dependencies: Vec<Dependency> = found.dependencies.into_iter().map(|(_, one)| one).collect();
    dependencies.sort_by_key(|one| (place(&one.path), one.scope, one.line));
    stack.total_dependencies = u32::try_from(dependencies.len()).unwrap_or(u32::MAX);
    let rest = dependencies.into_iter().skip(skip);
    stack.dependencies = within(rest, MOST_DEPENDENCIES, DEPENDENCY_BYTES, |one| {
        let resolved = one.resolved.as_deref().map_or(0, weight);
        weight(&one.name) + weight(&one.requirement) + weight(&one.path) + resolved
    });
    let end = u32::try_from(skip.saturating_add(stack.dependencies.len())).unwrap_or(u32::MAX);
    stack.next = (end < stack.total_dependencies).then_some(end);
    if skip > 0 {
        stack.languages.clear();
        return;
    }
    stack.technologies = distinct(found.technologies);
    stack.manifests = found.manifests;
}

/// Each technology once, from where it is said best: with a version, near the top.
fn distinct(mut all: Vec<Technology>) -> Vec<Technology> {
    let depth = |path: &str| path.matches('/').count();
    all.sort_by(|a, b| {
        let key = |one: &Technology| (Setting::of_path(&one.path), one.version.is_none(), depth(&one.path));
        (a.kind, key(a), &a.path, a.line).cmp(&(b.kind, key(b), &b.path, b.line))
    });
    let mut seen = HashSet::new();
    // What is shown as a framework needn't be shown as a tool again.
    all.retain(|one| {
        let version = if one.kind == TechnologyKind::Runtime { one.version.clone() } else { None };
        seen.insert((one.name.clone(), version))
    });
    within(all, MOST_TECHNOLOGIES, TECHNOLOGY_BYTES, |one| {
        let version = one.version.as_deref().map_or(0, weight);
        weight(&one.name) + weight(&one.path) + weight(&one.evidence) + version
    })
}
