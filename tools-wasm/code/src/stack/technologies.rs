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

/// Groups of the JVM's registry of which each artifact shows a technology.
const GROUPS: [(&str, &str, TechnologyKind); 12] = [
    ("org.springframework.boot", "Spring Boot", TechnologyKind::Framework),
    ("org.springframework.cloud", "Spring Cloud", TechnologyKind::Framework),
    ("org.springframework", "Spring", TechnologyKind::Framework),
    ("io.quarkus", "Quarkus", TechnologyKind::Framework),
    ("io.quarkus.platform", "Quarkus", TechnologyKind::Framework),
    ("io.micronaut", "Micronaut", TechnologyKind::Framework),
    ("io.micronaut.platform", "Micronaut", TechnologyKind::Framework),
    ("io.ktor", "Ktor", TechnologyKind::Framework),
    ("io.vertx", "Vert.x", TechnologyKind::Framework),
    ("org.junit.jupiter", "JUnit", TechnologyKind::TestTool),
    ("org.mockito", "Mockito", TechnologyKind::TestTool),
    ("io.kotest", "Kotest", TechnologyKind::TestTool),
];

/// What an artifact's group shows; a Gradle plugin is named by its group alone.
fn of_group(ecosystem: &str, name: &str) -> Option<(&'static str, TechnologyKind)> {
    let group = name.split(':').next().unwrap_or(name);
    let known = GROUPS.iter().find(|(known, ..)| *known == group && ecosystem == "maven")?;
    Some((known.1, known.2))
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
        let shows = table.get(&(key, name.as_str())).copied().or_else(|| of_group(key, &name));
        let Some((technology, kind)) = shows else { continue };
        let shapes_the_product = matches!(kind, TechnologyKind::Framework | TechnologyKind::Library);
        let is_product = matches!(Setting::of_path(&one.path), Setting::Product | Setting::Tooling);
        // A framework may come as the parent of a build, or as its plugin.
        let is_jvm = matches!(ecosystem, Ecosystem::Maven | Ecosystem::Gradle);
        let needed = match one.scope {
            Scope::Runtime | Scope::Peer => true,
            Scope::Build => is_jvm,
            Scope::Development | Scope::Optional => false,
        };
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
