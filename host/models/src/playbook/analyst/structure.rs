//! Claims about how the project is put together, from its map: packages and their layers, where it
//! begins, what everything rests on, circles, and what comes from outside. Without a map the
//! folders that listings showed stand in.

use super::graph::Package;
use super::inventory::{File, Inventory, Language};
use super::map::{External, Map, Module};
use super::setting::Setting;
use super::wording::{code, known_as, named, plural, size};
use super::{About, Claim, Evidence, Item};
use std::collections::{BTreeMap, BTreeSet};

/// So many packages or folders are listed; smaller ones are counted.
const FOLDERS: usize = 24;
/// So many layers are told, and so many names of one.
const LAYERS: usize = 6;
const NAMED: usize = 5;
/// So many files that others rest on are told.
const CORE: usize = 10;
/// So many entry points, packages of others or circles are listed.
const LISTED: usize = 40;

/// Everything that the map shows.
pub(super) fn claims(map: &Map<'_>) -> Vec<Claim> {
    let product = packages(map);
    [
        layout(map, &product),
        layers(map, &product),
        entries(map),
        core(map),
        cycles(map),
        externals(map),
        unresolved(map),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The packages of the product; where there are none, all.
fn packages<'m>(map: &'m Map<'_>) -> Vec<&'m Package> {
    let is_product = |package: &&Package| Setting::named(&package.setting) == Setting::Product;
    let product: Vec<&Package> = map.packages.iter().filter(is_product).collect();
    if product.is_empty() { map.packages.iter().collect() } else { product }
}

fn layout(map: &Map<'_>, product: &[&Package]) -> Option<Claim> {
    let step = map.series.step();
    if map.total == 0 {
        let text = "There is no code whose structure could be shown.".to_owned();
        let claim = Claim::new(About::Module, "layout", text, vec![Evidence::step(step)]);
        return Some(claim.about_part(map.partial()));
    }
    let lines: u64 = product.iter().map(|package| u64::from(package.code_lines)).sum();
    let files: u64 = product.iter().map(|package| u64::from(package.files)).sum();
    let mut text = format!(
        "The code itself is {} in {}, {}.",
        plural(files, "file"),
        plural(product.len() as u64, "package"),
        plural(lines, "line of code").replace("line of codes", "lines of code")
    );
    let mut around: BTreeMap<Setting, u64> = BTreeMap::new();
    for package in &map.packages {
        if !product.iter().any(|own| own.path == package.path) {
            *around.entry(Setting::named(&package.setting)).or_default() += u64::from(package.files);
        }
    }
    if !around.is_empty() {
        let parts: Vec<String> = around
            .iter()
            .map(|(setting, files)| format!("{} of {}", plural(*files, "file"), setting.plural()))
            .collect();
        text.push_str(&format!(" Around it: {}.", parts.join(", ")));
    }
    if map.set_apart > 0 {
        text.push_str(&format!(" Set apart as vendored or generated: {}.", plural(map.set_apart, "file")));
    }
    if let Some(skipped) = map.series.skipped() {
        text.push_str(&format!(" Not looked at: {skipped}."));
    }
    let items = product.iter().take(FOLDERS).map(|package| package_item(map, package)).collect();
    let mut claim = Claim::new(About::Module, "layout", text, vec![Evidence::step(step)]);
    claim.items = items;
    let all = if product.len() == map.packages.len() { map.total_packages as usize } else { product.len() };
    claim.omitted = all.saturating_sub(FOLDERS) as u32;
    Some(claim.about_part(map.partial()))
}

fn package_item(map: &Map<'_>, package: &Package) -> Item {
    let mut own: Vec<(&String, &Module)> =
        map.modules.iter().filter(|(_, module)| module.package == package.path).collect();
    own.sort_by_key(|(_, module)| std::cmp::Reverse(module.code_lines));
    let mut detail = format!(
        "{}, {}",
        plural(u64::from(package.files), "file"),
        plural(u64::from(package.code_lines), "line")
    );
    if let Some((_, largest)) = own.first() {
        detail.push_str(&format!(", {}", known_as(&largest.language)));
    }
    let uses: Vec<String> = map
        .edges
        .iter()
        .filter(|edge| edge.from == package.path && edge.to != package.path)
        .map(|edge| edge.to.clone())
        .collect();
    if !uses.is_empty() {
        let more = uses.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        detail.push_str(&format!("; uses {}{more}", uses[..uses.len().min(NAMED)].join(", ")));
    }
    let evidence = own.first().map_or_else(
        || Evidence::step(map.series.step()),
        |(path, module)| Evidence::file(module.step, path),
    );
    Item { text: package.path.clone(), detail, evidence, finding: None }
}

/// Who stands on whom, from the top to the ground.
fn layers(map: &Map<'_>, product: &[&Package]) -> Option<Claim> {
    let mut layers: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for package in product {
        layers.entry(package.layer).or_default().push(package.path.clone());
    }
    if layers.len() < 2 {
        return None;
    }
    let total = layers.len();
    let ground = layers.keys().next().copied();
    let mut told: Vec<String> = layers
        .iter()
        .rev()
        .take(LAYERS)
        .map(|(layer, names)| {
            let place = if Some(*layer) == ground { "on the ground " } else { "" };
            format!("{place}{}", named(names, NAMED))
        })
        .collect();
    if total > LAYERS {
        told.push(format!("… and {} more", plural((total - LAYERS) as u64, "layer")));
    }
    let text = format!(
        "{} of packages, each on those below it; from the top: {}.",
        plural(total as u64, "layer"),
        told.join(" → ")
    );
    let shown = map.edges.iter().filter(|edge| product.iter().any(|own| own.path == edge.from));
    let evidence =
        shown.take(NAMED).map(|edge| edge.evidence.clone()).chain([Evidence::step(map.series.step())]);
    Some(Claim::new(About::Module, "layers", text, super::claim::merge(evidence.collect())))
}

fn entries(map: &Map<'_>) -> Option<Claim> {
    let items: Vec<Item> = map.entries.iter().take(LISTED).cloned().collect();
    let told: Vec<String> =
        items.iter().take(8).map(|item| format!("{} ({})", code(&item.text), item.detail)).collect();
    let more = items.len().saturating_sub(8);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!("Where it begins: {}{more}.", told.join(", "));
    (!items.is_empty()).then(|| Claim::new(About::Module, "entries", text, Vec::new()).with_items(items))
}

/// The files that most others import.
fn core(map: &Map<'_>) -> Option<Claim> {
    let mut files = map.core();
    files.retain(|(_, module)| module.imported_by >= 2);
    files.sort_by_key(|(path, module)| (std::cmp::Reverse(module.imported_by), *path));
    let items: Vec<Item> = files
        .iter()
        .take(CORE)
        .map(|(path, module)| Item {
            text: (*path).to_owned(),
            detail: format!(
                "imported by {}; {}, {}",
                plural(u64::from(module.imported_by), "file"),
                plural(u64::from(module.symbols), "definition"),
                plural(u64::from(module.code_lines), "line")
            ),
            evidence: Evidence::file(module.step, path),
            finding: None,
        })
        .collect();
    let told: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|(path, module)| {
            format!("{} (by {})", code(path), plural(u64::from(module.imported_by), "file"))
        })
        .collect();
    let text = format!("Most imported, so the core: {}.", told.join(", "));
    (!items.is_empty()).then(|| {
        Claim::new(About::Module, "core", text, Vec::new()).with_items(items).about_part(map.partial_files())
    })
}

fn cycles(map: &Map<'_>) -> Option<Claim> {
    let largest = map.cycles.iter().max_by_key(|members| members.len())?;
    let step = map.series.step();
    let items: Vec<Item> = map
        .cycles
        .iter()
        .take(LISTED)
        .map(|members| Item {
            text: members.first().cloned().unwrap_or_default(),
            detail: format!(
                "{} in a circle: {}",
                plural(members.len() as u64, "file"),
                members.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ")
            ),
            evidence: members.first().map_or_else(|| Evidence::step(step), |path| Evidence::file(step, path)),
            finding: None,
        })
        .collect();
    let text = match map.cycles.len() {
        1 => format!("{} import each other in a circle.", plural(largest.len() as u64, "file")),
        many => format!(
            "{many} groups of files import each other in a circle; the largest has {}.",
            plural(largest.len() as u64, "file")
        ),
    };
    Some(Claim::new(About::Module, "cycles", text, Vec::new()).with_items(items))
}

fn externals(map: &Map<'_>) -> Option<Claim> {
    let others: Vec<&External> = map.externals.iter().filter(|external| !external.standard).collect();
    let told: Vec<String> = others
        .iter()
        .take(8)
        .map(|external| format!("{} ({})", code(&external.name), external.files))
        .collect();
    let standard: Vec<String> =
        map.externals.iter().filter(|one| one.standard).map(|one| one.name.clone()).collect();
    let mut parts = Vec::new();
    if !told.is_empty() {
        parts.push(format!("Imported from outside, by how many files: {}.", told.join(", ")));
    }
    if !standard.is_empty() {
        parts.push(format!("From what comes with the language: {}.", named(&standard, 8)));
    }
    let shown = if others.is_empty() { map.externals.iter().collect() } else { others };
    let items: Vec<Item> = shown
        .iter()
        .take(LISTED)
        .map(|external| Item {
            text: external.name.clone(),
            detail: plural(u64::from(external.files), "file"),
            evidence: external.evidence.clone(),
            finding: None,
        })
        .collect();
    let omitted = shown.len().saturating_sub(LISTED) as u32;
    (!parts.is_empty()).then(|| {
        let mut claim = Claim::new(About::Module, "externals", parts.join(" "), Vec::new()).with_items(items);
        claim.omitted = omitted;
        claim
    })
}

fn unresolved(map: &Map<'_>) -> Option<Claim> {
    let count = map.unresolved.len() as u64;
    if count == 0 {
        return None;
    }
    let text = format!(
        "{} like the project's own and {} to no file: {}.",
        if count == 1 { "1 import looks".to_owned() } else { format!("{count} imports look") },
        if count == 1 { "leads" } else { "lead" },
        named(&map.unresolved, 4)
    );
    Some(Claim::new(About::Module, "unresolved", text, vec![Evidence::step(map.series.step())]))
}

/// Each folder that holds product code, as far as listings showed them.
pub(super) fn folders(inventory: &Inventory) -> Option<Claim> {
    let mut folders: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    let mut steps: BTreeSet<u64> = BTreeSet::new();
    for (path, File { size, step }) in
        inventory.core().into_iter().filter(|(path, _)| Language::of(path).is_some())
    {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let (files, bytes, _) = folders.entry(folder).or_insert((0, 0, step));
        (*files, *bytes) = (*files + 1, *bytes + size);
        steps.insert(step);
    }
    if folders.is_empty() {
        return None;
    }
    let total = folders.len();
    let files: u64 = folders.values().map(|(files, _, _)| files).sum();
    let mut kept: Vec<(&str, (u64, u64, u64))> = folders.into_iter().collect();
    kept.sort_by_key(|(_, (_, bytes, _))| std::cmp::Reverse(*bytes));
    kept.truncate(FOLDERS);
    kept.sort_by_key(|(path, _)| *path);
    let text = format!("The code itself is {} in {}.", plural(files, "file"), plural(total as u64, "folder"));
    let evidence = steps.into_iter().map(Evidence::step).collect();
    let items = kept.into_iter().map(|(path, (files, bytes, step))| Item {
        text: path.to_owned(),
        detail: format!("{}, {}", plural(files, "file"), size(bytes)),
        evidence: Evidence::step(step),
        finding: None,
    });
    let mut claim = Claim::new(About::Module, "layout", text, evidence).with_items(items.collect());
    claim.omitted = total.saturating_sub(FOLDERS) as u32;
    Some(claim.about_part(inventory.partial_code()))
}
