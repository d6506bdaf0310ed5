//! Technologies that a dependency shows.

use super::found::Found;
use super::model::{Ecosystem, Scope, TechnologyKind};
use crate::setting::Setting;
use std::collections::HashMap;

const TABLE: &str = include_str!("technologies.txt");

/// Packages by ecosystem and name.
fn table() -> HashMap<(&'static str, &'static str), (&'static str, TechnologyKind)> {
    let mut all = HashMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('|');
        let (Some(kind), Some(name), Some(packages)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let kind = match kind {
            "framework" => TechnologyKind::Framework,
            "build" => TechnologyKind::BuildTool,
            "test" => TechnologyKind::TestTool,
            "linter" => TechnologyKind::Linter,
            "docs" => TechnologyKind::Documentation,
            _ => TechnologyKind::Library,
        };
        for group in packages.split(';') {
            let Some((ecosystem, names)) = group.split_once(':') else { continue };
            for package in names.split(',') {
                all.insert((ecosystem, package), (name, kind));
            }
        }
    }
    all
}

/// Adds what dependencies show. A framework that only tests or extras need is none of the product's.
pub(super) fn from_dependencies(found: &mut Found) {
    let table = table();
    let mut shown = Vec::new();
    for (ecosystem, one) in &found.dependencies {
        let lower = one.name.to_lowercase();
        let name = match ecosystem {
            Ecosystem::PyPI => lower.replace(['_', '.'], "-"),
            Ecosystem::Npm
            | Ecosystem::Cargo
            | Ecosystem::Go
            | Ecosystem::Maven
            | Ecosystem::Gradle
            | Ecosystem::RubyGems
            | Ecosystem::Composer
            | Ecosystem::NuGet => one.name.clone(),
        };
        let key = match ecosystem {
            Ecosystem::PyPI => "pypi",
            Ecosystem::Npm => "npm",
            Ecosystem::Cargo => "cargo",
            Ecosystem::Go => "go",
            Ecosystem::Maven | Ecosystem::Gradle => "maven",
            Ecosystem::RubyGems => "gems",
            Ecosystem::Composer => "composer",
            Ecosystem::NuGet => "nuget",
        };
        let Some(&(technology, kind)) = table.get(&(key, name.as_str())) else { continue };
        let shapes_the_product = matches!(kind, TechnologyKind::Framework | TechnologyKind::Library);
        let is_product = matches!(Setting::of_path(&one.path), Setting::Product | Setting::Tooling);
        let needed = matches!(one.scope, Scope::Runtime | Scope::Peer);
        if shapes_the_product && !(is_product && needed) {
            continue;
        }
        let version = one.resolved.clone().unwrap_or_else(|| one.requirement.clone());
        let evidence = if one.requirement.is_empty() {
            one.name.clone()
        } else {
            format!("{} {}", one.name, one.requirement)
        };
        shown.push((kind, technology, version, one.path.clone(), one.line, evidence));
    }
    for (kind, name, version, path, line, evidence) in shown {
        found.technology(kind, (name, Some(&version)), (&path, line), evidence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_is_understood() {
        let kinds = ["framework", "library", "build", "test", "linter", "docs"];
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<&str> = line.split('|').collect();
            assert!(parts.len() == 3 && kinds.contains(&parts[0]), "{line}");
        }
        assert!(table().len() > 200);
    }
}
