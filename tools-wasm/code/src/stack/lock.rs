//! The versions that lock files settle on.

use super::found::Found;
use super::json::Json;
use super::model::Ecosystem;
use super::text::{Text, quoted};
use std::collections::HashMap;

/// Names of lock files that are read.
pub(super) const LOCKS: [(&str, Ecosystem); 12] = [
    ("package-lock.json", Ecosystem::Npm),
    ("npm-shrinkwrap.json", Ecosystem::Npm),
    ("yarn.lock", Ecosystem::Npm),
    ("pnpm-lock.yaml", Ecosystem::Npm),
    ("bun.lock", Ecosystem::Npm),
    ("poetry.lock", Ecosystem::PyPI),
    ("uv.lock", Ecosystem::PyPI),
    ("pdm.lock", Ecosystem::PyPI),
    ("Pipfile.lock", Ecosystem::PyPI),
    ("Cargo.lock", Ecosystem::Cargo),
    ("Gemfile.lock", Ecosystem::RubyGems),
    ("composer.lock", Ecosystem::Composer),
];

/// What one lock file settles: versions by name, or by name and requirement.
#[derive(Debug, Default)]
struct Lock {
    ecosystem: Option<Ecosystem>,
    /// The folder that it holds for, with those below.
    folder: String,
    /// None where there are several.
    versions: HashMap<String, Option<String>>,
}

/// All lock files of a project.
#[derive(Debug, Default)]
pub(super) struct Locks(Vec<Lock>);

impl Locks {
    /// Reads a lock file.
    pub(super) fn read(&mut self, path: &str, ecosystem: Ecosystem, text: &Text<'_>) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut lock = Lock { ecosystem: Some(ecosystem), folder: folder.to_owned(), ..Lock::default() };
        match name {
            "package-lock.json" | "npm-shrinkwrap.json" => lock.npm(text),
            "yarn.lock" => lock.yarn(text),
            "pnpm-lock.yaml" => lock.pnpm(text),
            "Pipfile.lock" => lock.pipfile(text),
            "Gemfile.lock" => lock.gems(text),
            "composer.lock" => lock.composer(text),
            "bun.lock" => lock.bun(text),
            _ => lock.tables(text),
        }
        self.0.push(lock);
    }

    /// Gives dependencies the versions that the nearest lock file above them settles on.
    pub(super) fn settle(mut self, found: &mut Found) {
        self.0.sort_by_key(|lock| std::cmp::Reverse(lock.folder.len()));
        for (ecosystem, dependency) in &mut found.dependencies {
            let name = key(*ecosystem, &dependency.name);
            let exact = format!("{name}@{}", dependency.requirement);
            let holds = |lock: &&Lock| {
                lock.ecosystem == Some(*ecosystem)
                    && (lock.folder.is_empty() || dependency.path.starts_with(&format!("{}/", lock.folder)))
            };
            let version =
                |lock: &Lock| lock.versions.get(&exact).or_else(|| lock.versions.get(&name)).cloned();
            dependency.resolved = self.0.iter().filter(holds).find_map(version).flatten();
        }
    }
}

/// How names are compared: Python takes `-`, `_` and `.` for the same, and case for none.
fn key(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::PyPI => name.to_lowercase().replace(['_', '.'], "-"),
        Ecosystem::Npm
        | Ecosystem::Cargo
        | Ecosystem::Go
        | Ecosystem::Maven
        | Ecosystem::Gradle
        | Ecosystem::RubyGems
        | Ecosystem::Composer
        | Ecosystem::NuGet => name.to_owned(),
    }
}

impl Lock {
    fn add(&mut self, name: &str, version: &str) {
        let (name, version) = (key(self.ecosystem.unwrap_or(Ecosystem::Npm), name), version.to_owned());
        self.versions
            .entry(name)
            .and_modify(|had| {
                if had.as_ref() != Some(&version) {
                    *had = None;
                }
            })
            .or_insert(Some(version));
    }

    fn npm(&mut self, text: &Text<'_>) {
        let Some(json) = Json::parse(text.all) else { return };
        for (place, _, package) in json.get("packages").into_iter().flat_map(Json::fields) {
            if let Some(name) =
                place.strip_prefix("node_modules/").filter(|name| !name.contains("node_modules/"))
                && let Some(version) = package.get("version").and_then(Json::text)
            {
                self.add(name, version);
            }
        }
        if self.versions.is_empty() {
            for (name, _, package) in json.get("dependencies").into_iter().flat_map(Json::fields) {
                if let Some(version) = package.get("version").and_then(Json::text) {
                    self.add(name, version);
                }
            }
        }
    }

    /// `"a@^1", "a@^1.2":` and below it `version "1.2.3"`; Berry writes `"a@npm:^1":` and `version: 1.2.3`.
    fn yarn(&mut self, text: &Text<'_>) {
        let mut heads: Vec<String> = Vec::new();
        for (_, line) in text.lines() {
            if !line.starts_with([' ', '#']) && line.ends_with(':') {
                let heading = line.trim_end_matches(':');
                heads =
                    heading.split(", ").map(|head| head.trim_matches('"').replace("@npm:", "@")).collect();
            } else if let Some(version) = line.trim().strip_prefix("version") {
                let version = version.trim_matches([':', ' ', '"']).to_owned();
                for head in heads.drain(..) {
                    self.add(&head, &version);
                }
            }
        }
    }

    /// Under `importers:`, `name:` and deeper `version: 1.2.3(peer@1)`.
    fn pnpm(&mut self, text: &Text<'_>) {
        let (mut inside, mut name) = (true, String::new());
        for (_, line) in text.lines() {
            if !line.starts_with(' ') && line.ends_with(':') {
                inside = matches!(
                    line,
                    "importers:" | "dependencies:" | "devDependencies:" | "optionalDependencies:"
                );
            } else if inside {
                let trimmed = line.trim();
                if let Some(version) = trimmed.strip_prefix("version:") {
                    let version = version.trim().trim_matches('\'').split('(').next().unwrap_or_default();
                    if version.starts_with(|c: char| c.is_ascii_digit()) {
                        self.add(&name, version);
                    }
                } else if let Some(key) = trimmed.strip_suffix(':') {
                    name = key.trim_matches(['\'', '"']).to_owned();
                }
            }
        }
    }

    /// `"a": ["a@1.2.3", …`.
    fn bun(&mut self, text: &Text<'_>) {
        for (_, line) in text.lines() {
            let Some((_, list)) = line.trim().split_once("\": [\"") else { continue };
            let entry = list.split('"').next().unwrap_or_default();
            if let Some((name, version)) = entry.rsplit_once('@').filter(|(name, _)| !name.is_empty()) {
                self.add(name, version);
            }
        }
    }

    /// `[[package]]` with `name = "…"` and `version = "…"`: Cargo, Poetry, uv, PDM.
    fn tables(&mut self, text: &Text<'_>) {
        let mut name: Option<&str> = None;
        for (_, line) in text.lines() {
            if line.starts_with('[') {
                name = None;
            } else if let Some(value) = line.strip_prefix("name = ") {
                name = quoted(value);
            } else if let Some(value) = line.strip_prefix("version = ")
                && let (Some(name), Some(version)) = (name, quoted(value))
            {
                self.add(name, version);
            }
        }
    }

    fn pipfile(&mut self, text: &Text<'_>) {
        let Some(json) = Json::parse(text.all) else { return };
        for section in ["default", "develop"] {
            for (name, _, package) in json.get(section).into_iter().flat_map(Json::fields) {
                if let Some(version) = package.get("version").and_then(Json::text) {
                    self.add(name, version.trim_start_matches('='));
                }
            }
        }
    }

    /// `    rack (2.2.4)` under `specs:`.
    fn gems(&mut self, text: &Text<'_>) {
        for (_, line) in text.lines() {
            let Some(gem) = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' ')) else { continue };
            if let Some((name, version)) = gem.split_once(" (") {
                self.add(name, version.trim_end_matches(')'));
            }
        }
    }

    fn composer(&mut self, text: &Text<'_>) {
        let Some(json) = Json::parse(text.all) else { return };
        for section in ["packages", "packages-dev"] {
            let Some(super::json::Value::List(all)) = json.get(section).map(|list| &list.value) else {
                continue;
            };
            for package in all {
                let field = |key: &str| package.get(key).and_then(Json::text);
                if let (Some(name), Some(version)) = (field("name"), field("version")) {
                    self.add(name, version.trim_start_matches('v'));
                }
            }
        }
    }
}
