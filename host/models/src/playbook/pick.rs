//! Which files are worth looking at: manifests, and the files where a program begins or has its
//! core. What manifests say comes first, then names, then size.

use super::analyst::{Inventory, Language, Manifest, is_manifest, manifest_rank};
use super::facts::Task;
use super::place::Place;
use std::collections::BTreeMap;

/// Smaller files define nothing worth an analysis.
const SMALLEST: u64 = 60;
/// Larger files aren't for reading in one piece.
const LARGEST: u64 = 2 << 20;

/// Manifests worth reading, the most telling first.
pub(super) fn manifests(inventory: &Inventory, scope: &[String]) -> Vec<String> {
    let mut found: Vec<(bool, usize, &String)> = inventory
        .files
        .keys()
        .filter(|path| is_manifest(path) && within(path, scope))
        .map(|path| {
            let cost = path.matches('/').count() * 2 + manifest_rank(path) as usize;
            (Place::of(path) > Place::Support, cost, path)
        })
        .collect();
    found.sort();
    // One pipeline is as telling as all of them; manifests of tests and examples only stand in
    // where there are no others.
    let mut kept: Vec<String> = Vec::new();
    let mut pipeline = false;
    for (minor, _, path) in found {
        let is_pipeline = path.starts_with(".github/");
        if (minor && !kept.is_empty()) || (is_pipeline && pipeline) {
            continue;
        }
        pipeline |= is_pipeline;
        kept.push(path.clone());
    }
    kept
}

/// Code files in the order in which they are worth an analysis. `analysed` asks for languages
/// that `analyze_code` knows.
pub(super) fn entries(
    inventory: &Inventory,
    manifests: &[Manifest],
    scope: &[String],
    analysed: bool,
) -> Vec<String> {
    let declared = declared(inventory, manifests);
    let names: Vec<String> = manifests
        .iter()
        .filter_map(|manifest| manifest.name.as_ref())
        .filter_map(|name| Some(name.text.rsplit('/').next()?.to_lowercase().replace('-', "_")))
        .collect();
    let shares = inventory.languages();
    let total: u64 = shares.iter().map(|share| share.bytes).sum::<u64>().max(1);
    let mut scored: Vec<(i64, &str)> = inventory
        .core()
        .into_iter()
        .filter(|(path, file)| within(path, scope) && (SMALLEST..LARGEST).contains(&file.size))
        .filter_map(|(path, file)| {
            let language = Language::of(path)?;
            if (analysed && !language.is_analysed()) || Place::of(path) == Place::Support {
                return None;
            }
            let share = shares.iter().find(|share| share.language == language).map_or(0, |share| share.bytes);
            let mut score = by_name(path, &names) + 5 * i64::from(file.size.max(1).ilog2());
            score += i64::try_from(share * 30 / total).unwrap_or(0);
            score -= 3 * path.matches('/').count() as i64;
            if declared.contains(&path.to_owned()) {
                score += 40;
            }
            Some((score, path))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    spread(scored)
}

/// The best first, but each further file of one folder counts less, so that a project of many
/// packages isn't judged by one of them.
fn spread(mut scored: Vec<(i64, &str)>) -> Vec<String> {
    let mut taken: BTreeMap<&str, i64> = BTreeMap::new();
    let mut order = Vec::new();
    // No run has room for more.
    while !scored.is_empty() && order.len() < 40 {
        let best = scored
            .iter()
            .enumerate()
            .max_by_key(|(index, (score, path))| {
                let used = taken.get(folder(path)).copied().unwrap_or(0);
                (score - 6 * used, std::cmp::Reverse(*index))
            })
            .map_or(0, |(index, _)| index);
        let (_, path) = scored.remove(best);
        *taken.entry(folder(path)).or_default() += 1;
        order.push(path.to_owned());
    }
    order
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a file's name promises.
fn by_name(path: &str, packages: &[String]) -> i64 {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let parent = folder(path).rsplit('/').next().unwrap_or_default().to_lowercase();
    let own = packages.iter().any(|package| package == stem);
    let namesake = !parent.is_empty() && parent == stem;
    let known = match stem {
        "main" | "lib" => 34,
        "app" | "application" | "server" => 30,
        "index" | "cli" | "core" | "engine" => 24,
        "__main__" | "wsgi" | "asgi" | "program" => 22,
        "api" | "routes" | "router" | "manage" | "run" | "loop" => 12,
        "__init__" | "mod" => 6,
        "version" | "__about__" | "constants" | "types" | "typing" => -20,
        _ => 0,
    };
    let entry = if path.contains("/cmd/") || path.starts_with("cmd/") { 10 } else { 0 };
    let test_help = if stem.contains("test") || stem.contains("mock") { -25 } else { 0 };
    known + entry + test_help + if own { 30 } else { 0 } + if namesake { 10 } else { 0 }
}

/// Files that manifests name as the beginning.
fn declared(inventory: &Inventory, manifests: &[Manifest]) -> Vec<String> {
    let mut found = Vec::new();
    for manifest in manifests {
        for entry in &manifest.entries {
            found.extend(resolve(inventory, manifest.folder(), &entry.target));
        }
    }
    found
}

fn resolve(inventory: &Inventory, folder: &str, target: &str) -> Option<String> {
    let target = target.split(':').next().unwrap_or(target).trim().trim_start_matches("./");
    let dotted = target.replace('.', "/");
    let at = |rest: String| if folder.is_empty() { rest } else { format!("{folder}/{rest}") };
    [
        target.to_owned(),
        format!("{target}.js"),
        format!("{target}.ts"),
        format!("{target}/index.js"),
        format!("{dotted}.py"),
        format!("{dotted}/__init__.py"),
        format!("{dotted}/__main__.py"),
        format!("src/{dotted}.py"),
        format!("src/{dotted}/__init__.py"),
    ]
    .into_iter()
    .map(at)
    .find(|path| inventory.files.contains_key(path))
}

/// The files and folders of the project that a task's description names.
pub(super) fn scope(inventory: &Inventory, task: &Task) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for word in task.description.split(|c: char| c.is_whitespace() || "`'\"(),;:，。、：；（）".contains(c))
    {
        let word = word.trim_start_matches("./").trim_end_matches(['/', '.']);
        let known = inventory.files.contains_key(word) || inventory.directories.contains_key(word);
        // A bare word such as `tests` may be prose; with a slash or a dot it is a path.
        if known && (word.contains(['/', '.']) || task.description.contains(&format!("{word}/"))) {
            named.push(word.to_owned());
        }
    }
    named
}

fn within(path: &str, scope: &[String]) -> bool {
    scope.is_empty() || scope.iter().any(|named| path == named || path.starts_with(&format!("{named}/")))
}

/// The deepest folder that holds nearly all of a language's product code.
pub(super) fn home(inventory: &Inventory, language: Language) -> String {
    let files: Vec<(&str, u64)> = inventory
        .core()
        .into_iter()
        .filter(|(path, _)| Language::of(path) == Some(language) && Place::of(path) == Place::Product)
        .map(|(path, file)| (path, file.size.max(1)))
        .collect();
    let total: u64 = files.iter().map(|(_, size)| size).sum();
    let mut home = String::new();
    loop {
        let mut below: BTreeMap<&str, u64> = BTreeMap::new();
        for (path, size) in &files {
            let rest = if home.is_empty() { Some(*path) } else { path.strip_prefix(&format!("{home}/")) };
            if let Some((next, _)) = rest.and_then(|rest| rest.split_once('/')) {
                *below.entry(next).or_default() += size;
            }
        }
        match below.into_iter().max_by_key(|(_, size)| *size) {
            Some((next, size)) if size * 100 >= total * 95 && total > 0 => {
                home = if home.is_empty() { next.to_owned() } else { format!("{home}/{next}") };
            }
            _ => return if home.is_empty() { ".".to_owned() } else { home },
        }
    }
}
