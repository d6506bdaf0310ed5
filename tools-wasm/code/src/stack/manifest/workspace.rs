//! What members of a Cargo workspace take over from it: versions of dependencies, facts of packages.
//!
//! Settled after all manifests are read: a member may come before its workspace.

use crate::stack::found::Found;
use std::collections::{BTreeMap, HashMap};

/// A fact that a package may take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::stack) enum Fact {
    Version,
    License,
    Description,
}

impl Fact {
    pub(super) const ALL: [(Self, &'static str); 3] =
        [(Self::Version, "version"), (Self::License, "license"), (Self::Description, "description")];
}

/// What a workspace lays down.
#[derive(Debug, Default)]
pub(in crate::stack) struct Workspace {
    /// Package and requirement by the name that members use.
    pub(super) dependencies: HashMap<String, (String, String)>,
    pub(super) facts: BTreeMap<Fact, String>,
}

/// All workspaces, and what waits for them.
#[derive(Debug, Default)]
pub(in crate::stack) struct Workspaces {
    /// By folder.
    pub(super) all: HashMap<String, Workspace>,
    /// Dependencies by number, each with the name that its member uses.
    pub(super) dependencies: Vec<(usize, String)>,
    /// Manifests by number.
    pub(super) facts: Vec<(usize, Fact)>,
}

impl Workspaces {
    /// The nearest workspace at or above a manifest.
    fn of(&self, path: &str) -> Option<&Workspace> {
        let mut rest = path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            if let Some(found) = self.all.get(folder) {
                return Some(found);
            }
            rest = folder;
        }
        self.all.get("")
    }
}

/// Gives members what their workspaces lay down.
pub(in crate::stack) fn inherit(found: &mut Found) {
    let workspaces = std::mem::take(&mut found.workspaces);
    for (number, name) in &workspaces.dependencies {
        let Some((_, dependency)) = found.dependencies.get_mut(*number) else { continue };
        let laid_down = workspaces.of(&dependency.path).and_then(|one| one.dependencies.get(name));
        if let Some((package, requirement)) = laid_down {
            dependency.name.clone_from(package);
            dependency.requirement.clone_from(requirement);
        }
    }
    for (number, fact) in &workspaces.facts {
        let Some(manifest) = found.manifests.get_mut(*number) else { continue };
        let laid_down = workspaces.of(&manifest.path).and_then(|one| one.facts.get(fact)).cloned();
        match fact {
            Fact::Version => manifest.version = laid_down,
            Fact::License => manifest.license = laid_down,
            Fact::Description => manifest.description = laid_down,
        }
    }
}
