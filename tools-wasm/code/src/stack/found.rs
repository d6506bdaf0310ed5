//! What is being found out, while files are read.

use super::manifest::Workspaces;
use super::model::{Dependency, Ecosystem, Manifest, Scope, Technology, TechnologyKind};
use super::text::{Text, cut};
use crate::setting::Setting;

/// So many dependencies are kept, in all.
const MOST_DEPENDENCIES: usize = 20_000;
const MOST_MANIFESTS: usize = 2_000;
const MOST_TECHNOLOGIES: usize = 2_000;

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) manifests: Vec<Manifest>,
    pub(super) dependencies: Vec<(Ecosystem, Dependency)>,
    pub(super) technologies: Vec<Technology>,
    pub(super) workspaces: Workspaces,
}

/// What a manifest says of its package.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) description: Option<String>,
    pub(super) license: Option<String>,
    pub(super) line: u32,
    pub(super) trouble: Option<String>,
}

impl Found {
    /// A manifest whose dependencies are those noted since `before`.
    pub(super) fn manifest(&mut self, path: &str, ecosystem: Ecosystem, about: About, before: usize) {
        if self.manifests.len() >= MOST_MANIFESTS {
            return;
        }
        let count = self.dependencies.len().saturating_sub(before);
        let short = |text: Option<String>| text.map(|text| cut(&text, 120)).filter(|text| !text.is_empty());
        self.manifests.push(Manifest {
            path: path.to_owned(),
            ecosystem,
            name: short(about.name),
            version: short(about.version),
            description: about.description.map(|text| cut(&text, 200)).filter(|text| !text.is_empty()),
            license: short(about.license),
            line: about.line.max(1),
            dependencies: u32::try_from(count).unwrap_or(u32::MAX),
            setting: Setting::of_path(path),
            trouble: about.trouble.map(|text| cut(&text, 200)),
        });
    }

    pub(super) fn depends(
        &mut self,
        ecosystem: Ecosystem,
        scope: Scope,
        (name, requirement): (&str, &str),
        (path, line): (&str, u32),
    ) {
        let name = cut(name, 200);
        if name.is_empty() || self.dependencies.len() >= MOST_DEPENDENCIES {
            return;
        }
        let requirement = cut(requirement, 120);
        let path = path.to_owned();
        self.dependencies
            .push((ecosystem, Dependency { name, requirement, resolved: None, scope, path, line }));
    }

    /// A technology, shown by a line of a file.
    pub(super) fn uses(
        &mut self,
        kind: TechnologyKind,
        (name, version): (&str, Option<&str>),
        (path, line): (&str, u32),
        text: &Text<'_>,
    ) {
        if self.technologies.len() < MOST_TECHNOLOGIES {
            self.technology(kind, (name, version), (path, line), text.shown(line));
        }
    }

    pub(super) fn technology(
        &mut self,
        kind: TechnologyKind,
        (name, version): (&str, Option<&str>),
        (path, line): (&str, u32),
        evidence: String,
    ) {
        // What a test or an example is made with isn't what the project is made with.
        let apart = matches!(Setting::of_path(path), Setting::Test | Setting::Example);
        if apart || self.technologies.len() >= MOST_TECHNOLOGIES {
            return;
        }
        self.technologies.push(Technology {
            name: cut(name, 80),
            kind,
            version: version.map(|version| cut(version, 60)).filter(|version| !version.is_empty()),
            path: path.to_owned(),
            line,
            evidence,
        });
    }
}
