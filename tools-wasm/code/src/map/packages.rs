//! Packages: folders of code, what each imports, and how far it is from the ground.

use super::files::{Files, Source, folder};
use super::graph::Graph;
use super::imports::Resolved;
use super::manifests::{Manifests, joined};
use super::model::{Edge, Package};
use crate::language::Language;
use crate::setting::Setting;
use std::collections::{BTreeMap, HashMap};

/// All packages, the largest first.
pub(super) fn packages(files: &Files, manifests: &Manifests, resolved: &Resolved) -> Vec<Package> {
    let mut members: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in &files.all {
        members.entry(source.folder()).or_default().push(source);
    }
    let number: HashMap<&str, usize> =
        members.keys().enumerate().map(|(number, folder)| (*folder, number)).collect();
    let edges = edges(files, resolved, &number);
    let links: Vec<Vec<usize>> = edges.iter().map(|edges| edges.keys().copied().collect()).collect();
    let layers = Graph::of(&links).layers;
    let folders: Vec<&str> = members.keys().copied().collect();
    let mut packages: Vec<Package> = Vec::with_capacity(members.len());
    for (at, (folder, sources)) in members.iter().enumerate() {
        let imports = edges.get(at).into_iter().flatten().filter_map(|(to, found)| {
            let first = files.all.get(found.first.0)?;
            let to = shown(folders.get(*to)?);
            Some(Edge { to, count: found.count, path: first.path.clone(), line: found.first.1 })
        });
        packages.push(Package {
            path: shown(folder),
            name: name(folder, sources, manifests),
            files: u32::try_from(sources.len()).unwrap_or(u32::MAX),
            code_lines: sources.iter().map(|source| source.part.code_lines).sum(),
            setting: setting(sources),
            imports: imports.collect(),
            layer: layers.get(at).copied().unwrap_or(0),
        });
    }
    packages.sort_by(|a, b| b.code_lines.cmp(&a.code_lines).then_with(|| a.path.cmp(&b.path)));
    packages
}

/// A folder as it is shown: the project's own has a name too.
pub(super) fn shown(folder: &str) -> String {
    if folder.is_empty() { ".".to_owned() } else { folder.to_owned() }
}

struct Between {
    count: u32,
    first: (usize, u32),
}

/// For each package those that it imports. An import that leads to a whole package counts once.
fn edges(files: &Files, resolved: &Resolved, number: &HashMap<&str, usize>) -> Vec<BTreeMap<usize, Between>> {
    let mut all: Vec<BTreeMap<usize, Between>> = (0..number.len()).map(|_| BTreeMap::new()).collect();
    let of = |file: usize| files.all.get(file).and_then(|source| number.get(source.folder())).copied();
    for inner in &resolved.inner {
        let Some(from) = of(inner.from) else { continue };
        let mut targets: Vec<usize> = inner.to.iter().filter_map(|&file| of(file)).collect();
        targets.sort_unstable();
        targets.dedup();
        for to in targets.into_iter().filter(|&to| to != from) {
            if let Some(edges) = all.get_mut(from) {
                let first = (inner.from, inner.line);
                edges.entry(to).or_insert(Between { count: 0, first }).count += 1;
            }
        }
    }
    all
}

/// What the code is: tests beside the code that they test don't make it a test.
fn setting(sources: &[&Source]) -> Setting {
    let mut lines: BTreeMap<Setting, u32> = BTreeMap::new();
    for source in sources {
        *lines.entry(source.part.setting).or_default() += source.part.code_lines + 1;
    }
    let all: u32 = lines.values().sum();
    let found = lines.into_iter().find(|(_, lines)| *lines >= all / 5);
    found.map_or(Setting::Product, |(setting, _)| setting)
}

/// How the language of most of its code names a package.
fn name(place: &str, sources: &[&Source], manifests: &Manifests) -> String {
    let largest = sources.iter().max_by_key(|source| source.part.code_lines);
    let Some(largest) = largest else { return shown(place) };
    match largest.language {
        Language::Python => {
            let below = place.strip_prefix("src/").or_else(|| place.strip_prefix("lib/")).unwrap_or(place);
            if below.is_empty() { ".".to_owned() } else { below.replace('/', ".") }
        }
        Language::Rust => rust_name(place, manifests),
        Language::Go => {
            let module = manifests.go.iter().rev().find_map(|(folder, module)| {
                let rest = if folder.is_empty() { Some(place) } else { place.strip_prefix(folder.as_str()) };
                rest.map(|rest| joined("", &format!("{module}/{rest}")))
            });
            module.unwrap_or_else(|| shown(place))
        }
        Language::Java | Language::CSharp | Language::Php => {
            largest.part.package.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| shown(place))
        }
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::C
        | Language::Cpp
        | Language::Ruby
        | Language::Bash
        | Language::Json
        | Language::Yaml
        | Language::Toml
        | Language::Html
        | Language::Css => shown(place),
    }
}

fn rust_name(place: &str, manifests: &Manifests) -> String {
    let mut package = place;
    while !manifests.crates.contains_key(package) && !package.is_empty() {
        package = folder(package);
    }
    let Some(name) = manifests.crates.get(package) else { return shown(place) };
    let below = place.get(package.len()..).unwrap_or_default().trim_start_matches('/');
    match below.strip_prefix("src") {
        Some("") => name.clone(),
        Some(rest) => format!("{name}{}", rest.replace('/', "::")),
        None if below.is_empty() => name.clone(),
        None => format!("{name}/{below}"),
    }
}
