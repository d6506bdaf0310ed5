//! What `detect_stack` showed: languages, manifests, technologies and dependencies, its pages
//! merged.

use super::Evidence;
use super::pages::{Series, broadest};
use super::results::{Observation, list, maybe, number, small, text, tidy};
use super::setting::Setting;
use serde_json::Value;

/// What a project is built with.
#[derive(Debug)]
pub(in crate::playbook) struct Detected<'o> {
    /// Its pages.
    pub(in crate::playbook) series: Series<'o>,
    /// By share of the product's code.
    pub(in crate::playbook) languages: Vec<Share>,
    /// The project's own first.
    pub(in crate::playbook) manifests: Vec<Manifest>,
    pub(in crate::playbook) technologies: Vec<Technology>,
    pub(in crate::playbook) dependencies: Vec<Dependency>,
    /// How many there are, shown or not.
    pub(in crate::playbook) total_dependencies: u64,
    pub(in crate::playbook) files: u64,
}

/// How much is in one language.
#[derive(Debug)]
pub(in crate::playbook) struct Share {
    pub(in crate::playbook) name: String,
    pub(in crate::playbook) files: u64,
    pub(in crate::playbook) bytes: u64,
    /// Its largest file.
    pub(in crate::playbook) evidence: Evidence,
}

/// A manifest and the package that it describes.
#[derive(Debug)]
pub(in crate::playbook) struct Manifest {
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) ecosystem: String,
    pub(in crate::playbook) name: Option<String>,
    pub(in crate::playbook) version: Option<String>,
    pub(in crate::playbook) description: Option<String>,
    pub(in crate::playbook) license: Option<String>,
    pub(in crate::playbook) setting: Setting,
    pub(in crate::playbook) trouble: Option<String>,
    pub(in crate::playbook) evidence: Evidence,
}

/// A technology and the place that shows it.
#[derive(Debug)]
pub(in crate::playbook) struct Technology {
    pub(in crate::playbook) name: String,
    /// `framework`, `build_tool`, `ci` and the like.
    pub(in crate::playbook) kind: String,
    pub(in crate::playbook) version: Option<String>,
    pub(in crate::playbook) shown: String,
    pub(in crate::playbook) evidence: Evidence,
}

/// Something that a manifest asks for.
#[derive(Debug)]
pub(in crate::playbook) struct Dependency {
    pub(in crate::playbook) name: String,
    /// As written; may be empty.
    pub(in crate::playbook) requirement: String,
    /// The version that a lock file settles on.
    pub(in crate::playbook) resolved: Option<String>,
    pub(in crate::playbook) scope: Scope,
    pub(in crate::playbook) path: String,
    pub(in crate::playbook) evidence: Evidence,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::playbook) enum Scope {
    Runtime,
    Peer,
    Optional,
    Build,
    Development,
}

impl Scope {
    fn of(name: &str) -> Self {
        [Self::Peer, Self::Optional, Self::Build, Self::Development]
            .into_iter()
            .find(|scope| scope.name() == name)
            .unwrap_or(Self::Runtime)
    }

    /// How reports and the tool call it.
    pub(in crate::playbook) fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Peer => "peer",
            Self::Optional => "optional",
            Self::Build => "build",
            Self::Development => "development",
        }
    }
}

impl<'o> Detected<'o> {
    /// The stack of the most files among the observations.
    pub(in crate::playbook) fn of(observations: &'o [Observation]) -> Option<Self> {
        let series = broadest(observations, "detect_stack", "files")?;
        let (step, first) = (series.step(), series.first_value());
        let dependencies: Vec<Dependency> = series
            .values()
            .flat_map(|(step, page)| {
                list(page, "dependencies").filter_map(move |told| dependency(step, told))
            })
            .collect();
        Some(Self {
            languages: list(first, "languages").filter_map(|told| share(step, told)).collect(),
            manifests: list(first, "manifests").filter_map(|told| manifest(step, told)).collect(),
            technologies: list(first, "technologies").filter_map(|told| technology(step, told)).collect(),
            total_dependencies: number(first, "total_dependencies").max(dependencies.len() as u64),
            dependencies,
            files: number(first, "files"),
            series,
        })
    }

    /// What kind of place a manifest is.
    pub(in crate::playbook) fn setting(&self, manifest: &str) -> Setting {
        let known = self.manifests.iter().find(|one| one.path == manifest);
        known.map_or(Setting::Product, |one| one.setting)
    }
}

fn share(step: u64, told: &Value) -> Option<Share> {
    let largest = maybe(told, "path").map(|path| tidy(&path)).filter(|path| !path.is_empty());
    Some(Share {
        name: maybe(told, "name")?,
        files: number(told, "files"),
        bytes: number(told, "bytes").min(1 << 40),
        evidence: largest.map_or_else(|| Evidence::step(step), |path| Evidence::file(step, &path)),
    })
}

fn manifest(step: u64, told: &Value) -> Option<Manifest> {
    let path = tidy(told.get("path")?.as_str()?);
    let filled = |key: &str| maybe(told, key).filter(|text| !text.trim().is_empty());
    Some(Manifest {
        ecosystem: text(told, "ecosystem"),
        name: filled("name"),
        version: filled("version"),
        description: filled("description"),
        license: filled("license"),
        setting: Setting::named(&text(told, "setting")),
        trouble: filled("trouble"),
        evidence: at(step, &path, told),
        path,
    })
}

fn technology(step: u64, told: &Value) -> Option<Technology> {
    let path = tidy(told.get("path")?.as_str()?);
    Some(Technology {
        name: maybe(told, "name")?,
        kind: text(told, "kind"),
        version: maybe(told, "version").filter(|version| !version.trim().is_empty()),
        shown: text(told, "evidence"),
        evidence: at(step, &path, told),
    })
}

fn dependency(step: u64, told: &Value) -> Option<Dependency> {
    let path = tidy(told.get("path")?.as_str()?);
    Some(Dependency {
        name: maybe(told, "name")?,
        requirement: text(told, "requirement"),
        resolved: maybe(told, "resolved").filter(|version| !version.is_empty()),
        scope: Scope::of(&text(told, "scope")),
        evidence: at(step, &path, told),
        path,
    })
}

/// The line that says so, where one is named.
fn at(step: u64, path: &str, told: &Value) -> Evidence {
    match small(told, "line") {
        0 => Evidence::file(step, path),
        line => Evidence::lines(step, path, line, line),
    }
}
