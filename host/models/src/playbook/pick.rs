//! Which files are worth looking at: where a program begins or has its core, by its map, else by
//! names and sizes; and manifests.

use super::analyst::{Inventory, Language, Map, Module, Package, Setting, manifest_rank};
use super::facts::{Facts, Task};
use std::collections::BTreeMap;

/// No run has room for more files.
const MOST: usize = 40;
/// Smaller files define nothing worth an analysis.
const SMALLEST: u64 = 60;
/// Larger files aren't for reading in one piece.
const LARGEST: u64 = 2 << 20;

/// Manifests worth reading, the most telling first.
pub(super) fn manifests(inventory: &Inventory, scope: &[String]) -> Vec<String> {
    let mut found: Vec<(bool, usize, &String)> = inventory
        .files
        .keys()
        .filter(|path| within(path, scope))
        .filter_map(|path| {
            let cost = path.matches('/').count() * 20 + manifest_rank(path)?;
            Some((Setting::of(path) > Setting::Tooling, cost, path))
        })
        .collect();
    found.sort();
    // Manifests of tests and examples only stand in where there are no others.
    let all_minor = found.iter().all(|(minor, _, _)| *minor);
    found.into_iter().filter(|(minor, _, _)| all_minor || !minor).map(|(_, _, path)| path.clone()).collect()
}

/// Files of the map that are worth an outline: in turn the most imported, those where the program
/// begins, those that bear the name of their package, and those with the hardest functions.
pub(super) fn core(map: &Map<'_>, scope: &[String]) -> Vec<String> {
    let mut files = map.core();
    files.retain(|(path, module)| within(path, scope) && module.symbols > 0);
    let by = |rank: &dyn Fn(&Module) -> u32| -> Vec<String> {
        let mut ranked: Vec<(u32, &str)> =
            files.iter().map(|(path, module)| (rank(module), *path)).filter(|(rank, _)| *rank > 0).collect();
        ranked.sort_by_key(|(rank, path)| (std::cmp::Reverse(*rank), *path));
        ranked.into_iter().map(|(_, path)| path.to_owned()).collect()
    };
    let imported = by(&|module| module.imported_by);
    let hardest = by(&|module| module.hardest.as_ref().map_or(0, |hardest| hardest.cyclomatic));
    let is_core = |path: &&String| files.iter().any(|(known, _)| known == path);
    let begins: Vec<String> = map.entries.iter().map(|entry| &entry.text).filter(is_core).cloned().collect();
    let largest = by(&|module| module.code_lines);
    let named: Vec<String> =
        map.packages.iter().filter_map(|package| namesake(package, &files)).map(str::to_owned).collect();
    let mut order: Vec<String> = Vec::new();
    for place in 0..MOST {
        for list in [&imported, &begins, &named, &hardest, &largest] {
            order.extend(list.get(place).filter(|path| !order.contains(path)).cloned());
        }
    }
    order.truncate(MOST);
    order
}

/// The file that has its package's name: `gin.go` of `github.com/gin-gonic/gin`.
fn namesake<'m>(package: &Package, files: &[(&'m str, &Module)]) -> Option<&'m str> {
    let name = package.name.rsplit(['/', '.', ':', '\\']).next().filter(|name| !name.is_empty())?;
    let is_namesake = |path: &str| {
        let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
        folder == package.path && file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)
    };
    files.iter().map(|(path, _)| *path).find(|path| is_namesake(path))
}

/// Code files in the order in which they are worth a look, told by their names and sizes alone.
pub(super) fn entries(inventory: &Inventory, scope: &[String]) -> Vec<String> {
    let shares = inventory.languages();
    let total: u64 = shares.iter().map(|share| share.bytes).sum::<u64>().max(1);
    let mut scored: Vec<(i64, &str)> = inventory
        .core()
        .into_iter()
        .filter(|(path, file)| within(path, scope) && (SMALLEST..LARGEST).contains(&file.size))
        .filter_map(|(path, file)| {
            let language = Language::of(path).filter(|_| Setting::of(path) != Setting::Tooling)?;
            let share = shares.iter().find(|share| share.language == language).map_or(0, |share| share.bytes);
            let mut score = by_name(path) + 5 * i64::from(file.size.max(1).ilog2());
            score += i64::try_from(share * 30 / total).unwrap_or(0);
            score -= 3 * path.matches('/').count() as i64;
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
    while !scored.is_empty() && order.len() < MOST {
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
fn by_name(path: &str) -> i64 {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let parent = folder(path).rsplit('/').next().unwrap_or_default().to_lowercase();
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
    known + entry + test_help + if namesake { 10 } else { 0 }
}

/// The files and folders of the project that a task's description names.
pub(super) fn scope(facts: &Facts, inventory: &Inventory, task: &Task) -> Vec<String> {
    let map = Map::of(&facts.observations);
    let mapped = |word: &str| {
        map.as_ref().is_some_and(|map| {
            map.modules.contains_key(word) || map.packages.iter().any(|package| package.path == word)
        })
    };
    let mut named: Vec<String> = Vec::new();
    for told in task.description.split(|c: char| c.is_whitespace() || "`'\"(),;:，。、：；（）".contains(c))
    {
        let word = told.trim_start_matches("./").trim_end_matches(['/', '.']);
        let known =
            inventory.files.contains_key(word) || inventory.directories.contains_key(word) || mapped(word);
        // A bare word such as `tests` may be prose; with a slash or a dot it is a path. Before
        // anything is known, only a slash at the end makes it one.
        let written = told.trim_end_matches('.').ends_with('/');
        let is_path = written || known && word.contains(['/', '.']);
        let inside = !word.is_empty() && !word.starts_with('/') && !word.split('/').any(|part| part == "..");
        if is_path && inside && !named.iter().any(|had| had == word) {
            named.push(word.to_owned());
        }
    }
    named
}

fn within(path: &str, scope: &[String]) -> bool {
    scope.is_empty() || scope.iter().any(|named| path == named || path.starts_with(&format!("{named}/")))
}
