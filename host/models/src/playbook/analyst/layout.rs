//! Claims about how the project is laid out: its folders of code, and where it begins.

use super::inventory::{File, Inventory, Language};
use super::manifest::Manifest;
use super::wording::{plural, size};
use super::{About, Claim, Evidence, Item};
use crate::playbook::place::Place;
use std::collections::{BTreeMap, BTreeSet};

/// So many folders are listed; smaller ones are counted.
const FOLDERS: usize = 24;

pub(super) fn claims(inventory: &Inventory, manifests: &[Manifest]) -> Vec<Claim> {
    let mut claims = Vec::new();
    claims.extend(folders(inventory));
    claims.extend(around(inventory));
    claims.extend(entries(manifests));
    claims
}

#[derive(Default)]
struct Folder {
    files: u64,
    bytes: u64,
    languages: BTreeMap<&'static str, u64>,
    largest: Vec<(u64, String)>,
    /// The step that showed its first file.
    step: u64,
}

/// Each folder that holds product code.
fn folders(inventory: &Inventory) -> Option<Claim> {
    let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
    let mut steps: BTreeSet<u64> = BTreeSet::new();
    for (path, File { size, step }) in inventory.core() {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let entry = folders.entry(folder).or_insert_with(|| Folder { step, ..Folder::default() });
        steps.insert(step);
        entry.files += 1;
        entry.bytes += size;
        entry.largest.push((size, name.to_owned()));
        if let Some(language) = Language::of(path) {
            *entry.languages.entry(language.name()).or_default() += size;
        }
    }
    if folders.is_empty() {
        return None;
    }
    let total = folders.len();
    let files: u64 = folders.values().map(|folder| folder.files).sum();
    let mut kept: Vec<(&str, Folder)> = folders.into_iter().collect();
    if kept.len() > FOLDERS {
        kept.sort_by_key(|(_, folder)| std::cmp::Reverse(folder.bytes));
        kept.truncate(FOLDERS);
        kept.sort_by_key(|(path, _)| *path);
    }
    let items: Vec<Item> = kept.into_iter().map(|(path, folder)| item(path, folder)).collect();
    let omitted = total - items.len();
    let text = format!("The code itself is {} in {}.", plural(files, "file"), plural(total as u64, "folder"));
    let evidence = steps.into_iter().map(Evidence::step).collect();
    let mut claim = Claim::new(About::Module, "layout", text, evidence).with_items(items);
    claim.omitted = omitted as u32;
    Some(claim.about_part(inventory.partial_code()))
}

fn item(path: &str, mut folder: Folder) -> Item {
    folder.largest.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let main = folder.languages.iter().max_by_key(|(_, bytes)| **bytes).map_or("", |(name, _)| *name);
    let shown: Vec<&str> = folder.largest.iter().take(5).map(|(_, name)| name.as_str()).collect();
    let more = folder.largest.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Item {
        text: path.to_owned(),
        detail: format!(
            "{}, {}, mainly {main}: {}{more}",
            plural(folder.files, "file"),
            size(folder.bytes),
            shown.join(", ")
        ),
        evidence: Evidence::step(folder.step),
        finding: None,
    }
}

/// Tests, examples, documentation and the like, in numbers.
fn around(inventory: &Inventory) -> Option<Claim> {
    let mut places: BTreeMap<Place, u64> = BTreeMap::new();
    let mut steps: BTreeSet<u64> = BTreeSet::new();
    for (path, file) in &inventory.files {
        let place = Place::of(path);
        let counts = match place {
            Place::Product => continue,
            Place::Docs | Place::Foreign | Place::Support => true,
            Place::Tests | Place::Examples => Language::of(path).is_some_and(Language::is_code),
        };
        if counts {
            *places.entry(place).or_default() += 1;
            steps.insert(file.step);
        }
    }
    if places.is_empty() {
        return None;
    }
    let parts: Vec<String> = places
        .iter()
        .map(|(place, files)| format!("{} in {}", plural(*files, "file"), place.name()))
        .collect();
    let mut text = format!("Around it: {}.", parts.join(", "));
    let tested = places.contains_key(&Place::Tests);
    if !tested && inventory.is_whole() {
        text.push_str(" No test files were seen.");
    }
    let evidence = steps.into_iter().map(Evidence::step).collect();
    Some(Claim::new(About::Module, "around", text, evidence).about_part(inventory.partial()))
}

/// Where manifests say that programs and libraries begin.
fn entries(manifests: &[Manifest]) -> Option<Claim> {
    let items: Vec<Item> = manifests
        .iter()
        .flat_map(|manifest| {
            manifest.entries.iter().map(move |entry| Item {
                text: entry.target.clone(),
                detail: entry.what.clone(),
                evidence: Evidence::lines(manifest.step, &manifest.path, entry.line, entry.line),
                finding: None,
            })
        })
        .take(40)
        .collect();
    if items.is_empty() {
        return None;
    }
    let shown: Vec<String> =
        items.iter().take(6).map(|item| format!("{} → `{}`", item.detail, item.text)).collect();
    let more = if items.len() > 6 { ", …" } else { "" };
    let text = format!("Declared entry points: {}{more}.", shown.join(", "));
    Some(Claim::new(About::Module, "entries", text, Vec::new()).with_items(items))
}
