//! `detect_stack`: the interface's types to this crate's and back.

use super::{fault, wit};
use crate::stack::{Scope, Stack, StackRequest, TechnologyKind, detect_stack as detect};
use ringfence_guest_project::Root;

pub(super) fn detect_stack(directory: Option<String>, skip: Option<u32>) -> Result<wit::Stack, wit::Error> {
    detect(&Root::guest(), &StackRequest { directory, skip }).map(Into::into).map_err(fault)
}

impl From<Stack> for wit::Stack {
    fn from(stack: Stack) -> Self {
        Self {
            directory: stack.directory,
            languages: stack
                .languages
                .into_iter()
                .map(|share| wit::LanguageShare {
                    name: share.name,
                    files: share.files,
                    bytes: share.bytes,
                    permille: share.permille,
                    path: share.path,
                })
                .collect(),
            manifests: stack.manifests.into_iter().map(Into::into).collect(),
            technologies: stack.technologies.into_iter().map(Into::into).collect(),
            dependencies: stack.dependencies.into_iter().map(Into::into).collect(),
            total_dependencies: stack.total_dependencies,
            next: stack.next,
            files: stack.files,
            skipped: stack.skipped.into_iter().map(|(path, reason)| wit::Skipped { path, reason }).collect(),
            complete: stack.complete,
        }
    }
}

impl From<crate::stack::Manifest> for wit::Manifest {
    fn from(manifest: crate::stack::Manifest) -> Self {
        Self {
            path: manifest.path,
            ecosystem: manifest.ecosystem.name().to_owned(),
            name: manifest.name,
            version: manifest.version,
            description: manifest.description,
            license: manifest.license,
            line: manifest.line,
            dependencies: manifest.dependencies,
            setting: manifest.setting.into(),
            trouble: manifest.trouble,
        }
    }
}

impl From<crate::stack::Dependency> for wit::Dependency {
    fn from(one: crate::stack::Dependency) -> Self {
        Self {
            name: one.name,
            requirement: one.requirement,
            resolved: one.resolved,
            scope: match one.scope {
                Scope::Runtime => wit::DependencyScope::Runtime,
                Scope::Development => wit::DependencyScope::Development,
                Scope::Build => wit::DependencyScope::Build,
                Scope::Optional => wit::DependencyScope::Optional,
                Scope::Peer => wit::DependencyScope::Peer,
            },
            path: one.path,
            line: one.line,
        }
    }
}

impl From<crate::stack::Technology> for wit::Technology {
    fn from(one: crate::stack::Technology) -> Self {
        Self {
            name: one.name,
            kind: match one.kind {
                TechnologyKind::Framework => wit::TechnologyKind::Framework,
                TechnologyKind::Library => wit::TechnologyKind::Library,
                TechnologyKind::Runtime => wit::TechnologyKind::Runtime,
                TechnologyKind::BuildTool => wit::TechnologyKind::BuildTool,
                TechnologyKind::PackageManager => wit::TechnologyKind::PackageManager,
                TechnologyKind::TestTool => wit::TechnologyKind::TestTool,
                TechnologyKind::Linter => wit::TechnologyKind::Linter,
                TechnologyKind::Ci => wit::TechnologyKind::Ci,
                TechnologyKind::Container => wit::TechnologyKind::Container,
                TechnologyKind::Infrastructure => wit::TechnologyKind::Infrastructure,
                TechnologyKind::Documentation => wit::TechnologyKind::Documentation,
            },
            version: one.version,
            path: one.path,
            line: one.line,
            evidence: one.evidence,
        }
    }
}
