//! The versions that lock files settle on.

use super::found::Found;
use super::lock_json;
use super::model::Ecosystem;
use super::text::{cut, quoted};
use std::collections::HashMap;

/// So many versions are kept, of all lock files together; longer names aren't.
const MOST_VERSIONS: usize = 200_000;
const LONGEST_NAME: usize = 300;
const LONGEST_VERSION: usize = 60;

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
#[derive(Debug)]
struct Lock {
    ecosystem: Ecosystem,
    /// The folder that it holds for, with those below.
    folder: String,
    /// None where there are several.
    versions: HashMap<String, Option<String>>,
    /// How many more may be kept.
    room: usize,
}

/// All lock files of a project.
#[derive(Debug, Default)]
pub(super) struct Locks {
    all: Vec<Lock>,
    versions: usize,
}

impl Locks {
    /// Reads a lock file.
    pub(super) fn read(&mut self, path: &str, ecosystem: Ecosystem, text: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut lock = Lock {
            ecosystem,
            folder: folder.to_owned(),
            versions: HashMap::new(),
            room: MOST_VERSIONS.saturating_sub(self.versions),
        };
        match name {
            "package-lock.json" | "npm-shrinkwrap.json" => lock_json::npm(text, |n, v| lock.add(n, v)),
            "Pipfile.lock" => lock_json::pipfile(text, |n, v| lock.add(n, v)),
            "composer.lock" => lock_json::composer(text, |n, v| lock.add(n, v)),
            "yarn.lock" => lock.yarn(text),
            "pnpm-lock.yaml" => lock.pnpm(text),
            "Gemfile.lock" => lock.gems(text),
            "bun.lock" => lock.bun(text),
            _ => lock.tables(text),
        }
        self.versions += lock.versions.len();
        self.all.push(lock);
    }

    /// Gives dependencies the versions that the nearest lock file above them settles on.
    pub(super) fn settle(mut self, found: &mut Found) {
        self.all.sort_by_key(|lock| std::cmp::Reverse(lock.folder.len()));
        // A manifest's dependencies stand together: which locks hold for it is told once.
        let (mut of, mut holding): (Option<(Ecosystem, String)>, Vec<&Lock>) = (None, Vec::new());
        for (ecosystem, dependency) in &mut found.dependencies {
            let same = |(had, path): &(Ecosystem, String)| had == ecosystem && *path == dependency.path;
            if !of.as_ref().is_some_and(same) {
                of = Some((*ecosystem, dependency.path.clone()));
                holding = self.all.iter().filter(|lock| lock.holds(*ecosystem, &dependency.path)).collect();
            }
            if holding.is_empty() {
                continue;
            }
            let name = key(*ecosystem, &dependency.name);
            let exact = format!("{name}@{}", dependency.requirement);
            let version =
                |lock: &&Lock| lock.versions.get(&exact).or_else(|| lock.versions.get(&name)).cloned();
            dependency.resolved = holding.iter().find_map(version).flatten();
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
    /// Whether it is in the folder of a manifest, or in one above.
    fn holds(&self, ecosystem: Ecosystem, path: &str) -> bool {
        let below = path.strip_prefix(self.folder.as_str());
        self.ecosystem == ecosystem
            && (self.folder.is_empty() || below.is_some_and(|rest| rest.starts_with('/')))
    }

    fn add(&mut self, name: &str, version: &str) {
        if name.len() > LONGEST_NAME || self.versions.len() >= self.room {
            return;
        }
        let name = key(self.ecosystem, name);
        let version = cut(version, LONGEST_VERSION);
        self.versions
            .entry(name)
            .and_modify(|had| {
                if had.as_ref() != Some(&version) {
                    *had = None;
                }
            })
            .or_insert(Some(version));
    }

    /// `"a@^1", "a@^1.2":` and below it `version "1.2.3"`; Berry writes `"a@npm:^1":` and `version: 1.2.3`.
    fn yarn(&mut self, text: &str) {
        let mut heads: Vec<String> = Vec::new();
        for line in text.lines() {
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
    fn pnpm(&mut self, text: &str) {
        let (mut inside, mut name) = (true, String::new());
        for line in text.lines() {
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
    fn bun(&mut self, text: &str) {
        for line in text.lines() {
            let Some((_, list)) = line.trim().split_once("\": [\"") else { continue };
            let entry = list.split('"').next().unwrap_or_default();
            if let Some((name, version)) = entry.rsplit_once('@').filter(|(name, _)| !name.is_empty()) {
                self.add(name, version);
            }
        }
    }

    /// `[[package]]` with `name = "…"` and `version = "…"`: Cargo, Poetry, uv, PDM.
    fn tables(&mut self, text: &str) {
        let mut name: Option<&str> = None;
        for line in text.lines() {
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

    /// `    rack (2.2.4)` under `specs:`.
    fn gems(&mut self, text: &str) {
        for line in text.lines() {
            let Some(gem) = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' ')) else { continue };
            if let Some((name, version)) = gem.split_once(" (") {
                self.add(name, version.trim_end_matches(')'));
            }
        }
    }
}
