//! `map_code`: the interface's types to this crate's and back.

use super::fan_out::Host;
use super::{fault, wit};
use crate::map::{CodeMap, MapRequest, map_code as map};
use ringfence_guest_project::Root;

pub(super) fn map_code(
    directory: Option<String>,
    skip: Option<u32>,
    max_modules: Option<u32>,
) -> Result<wit::CodeMap, wit::Error> {
    let request = MapRequest { directory, skip, max_modules };
    map(&Root::guest(), &Host, &request).map(Into::into).map_err(fault)
}

impl From<CodeMap> for wit::CodeMap {
    fn from(map: CodeMap) -> Self {
        Self {
            directory: map.directory,
            modules: map.modules.into_iter().map(Into::into).collect(),
            total: map.total,
            next: map.next,
            packages: map.packages.into_iter().map(Into::into).collect(),
            total_packages: map.total_packages,
            externals: map.externals.into_iter().map(Into::into).collect(),
            entry_points: map
                .entry_points
                .into_iter()
                .map(|entry| wit::EntryPoint { path: entry.path, line: entry.line, why: entry.why })
                .collect(),
            cycles: map.cycles.into_iter().map(|cycle| wit::Cycle { members: cycle.members }).collect(),
            unresolved: map.unresolved,
            set_apart: map.set_apart,
            skipped: map.skipped.into_iter().map(Into::into).collect(),
            complete: map.complete,
        }
    }
}

impl From<crate::map::Module> for wit::Module {
    fn from(module: crate::map::Module) -> Self {
        Self {
            path: module.path,
            language: module.language.into(),
            package: module.package,
            setting: module.setting.into(),
            code_lines: module.code_lines,
            symbols: module.symbols,
            hardest: module.hardest.map(|hardest| wit::Hardest {
                name: hardest.name,
                line: hardest.line,
                cyclomatic: hardest.cyclomatic,
            }),
            imports: module.imports,
            imported_by: module.imported_by,
            layer: module.layer,
        }
    }
}

impl From<crate::map::Package> for wit::Package {
    fn from(package: crate::map::Package) -> Self {
        let edge = |edge: crate::map::Edge| wit::Edge {
            to: edge.to,
            count: edge.count,
            path: edge.path,
            line: edge.line,
        };
        Self {
            path: package.path,
            name: package.name,
            files: package.files,
            code_lines: package.code_lines,
            setting: package.setting.into(),
            imports: package.imports.into_iter().map(edge).collect(),
            layer: package.layer,
        }
    }
}

impl From<crate::map::External> for wit::External {
    fn from(external: crate::map::External) -> Self {
        Self {
            name: external.name,
            language: external.language.into(),
            standard: external.standard,
            files: external.files,
            path: external.path,
            line: external.line,
        }
    }
}
