//! One page of a map, within the bounds of an answer.

use super::files::Files;
use super::graph::Graph;
use super::imports::Resolved;
use super::model::{CodeMap, Cycle, EntryPoint, External, Module, Package};
use super::{MapRequest, packages};
use crate::bounds::{weight, within};

/// So many modules are shown if nothing is said.
const MODULES: u32 = 200;
/// What modules and packages may take, in bytes: the answer as JSON fits into 256 KiB.
const MODULE_BYTES: usize = 90 << 10;
const PACKAGE_BYTES: usize = 60 << 10;
const EXTERNAL_BYTES: usize = 40 << 10;
const CYCLE_BYTES: usize = 24 << 10;
/// What one cycle's members may take, in bytes.
const MEMBER_BYTES: usize = 12 << 10;
const ENTRY_BYTES: usize = 16 << 10;
const UNRESOLVED_BYTES: usize = 10 << 10;
const SKIPPED_BYTES: usize = 10 << 10;
const MODULE_FRAME: usize = 220;
/// What one file's imports may take, in bytes.
const IMPORT_BYTES: usize = 40 << 10;
const MOST_IMPORTS: usize = 100;
const MOST_PACKAGES: usize = 300;
const MOST_EDGES: usize = 60;
const MOST_EXTERNALS: usize = 300;
const MOST_CYCLES: usize = 50;
const MOST_MEMBERS: usize = 40;

pub(super) fn page(
    directory: String,
    files: Files,
    resolved: Resolved,
    graph: Graph,
    all_packages: Vec<Package>,
    entry_points: Vec<EntryPoint>,
    request: &MapRequest,
) -> CodeMap {
    let links = resolved.links(files.all.len());
    let mut imported_by = vec![0_u32; files.all.len()];
    for &to in links.iter().flatten() {
        if let Some(count) = imported_by.get_mut(to) {
            *count += 1;
        }
    }
    let path = |file: usize| files.all.get(file).map(|source| source.path.clone());
    let skip = request.skip.unwrap_or(0) as usize;
    let most = request.max_modules.unwrap_or(MODULES).clamp(1, 2000) as usize;
    let (mut modules, mut bytes) = (Vec::new(), 0);
    for (at, source) in files.all.iter().enumerate().skip(skip) {
        if modules.len() >= most {
            break;
        }
        let imports = links.get(at).into_iter().flatten().filter_map(|&to| path(to));
        let imports = within(imports, MOST_IMPORTS, IMPORT_BYTES, |path| weight(path));
        let hardest = source.part.hardest.as_ref().map_or(0, |one| weight(&one.name));
        bytes += MODULE_FRAME
            + weight(&source.path) * 2
            + hardest
            + imports.iter().map(|path| weight(path) + 3).sum::<usize>();
        if bytes > MODULE_BYTES && !modules.is_empty() {
            break;
        }
        modules.push(Module {
            path: source.path.clone(),
            language: source.language,
            package: packages::shown(source.folder()),
            setting: source.part.setting,
            code_lines: source.part.code_lines,
            symbols: source.part.symbols,
            hardest: source.part.hardest.clone(),
            imports,
            imported_by: imported_by.get(at).copied().unwrap_or(0),
            layer: graph.layers.get(at).copied().unwrap_or(0),
        });
    }
    let end = skip.saturating_add(modules.len());
    let total = files.all.len();
    let is_first = skip == 0;
    let total_packages = count(all_packages.len());
    let cycles = graph.cycles.iter().take(MOST_CYCLES);
    let cycles = cycles.map(|members| {
        let members = members.iter().filter_map(|&file| path(file));
        Cycle { members: within(members, MOST_MEMBERS, MEMBER_BYTES, |path| weight(path)) }
    });
    let unresolved = resolved.unresolved.iter();
    let unresolved =
        unresolved.filter_map(|(file, line, text)| Some(format!("{}:{line}: {text}", path(*file)?)));
    let on_first = |bytes: usize| if is_first { bytes } else { 0 };
    let cycles = within(cycles, MOST_CYCLES, on_first(CYCLE_BYTES), |cycle| {
        cycle.members.iter().map(|member| weight(member) + 3).sum()
    });
    let unresolved = within(unresolved, usize::MAX, on_first(UNRESOLVED_BYTES), |text| weight(text));
    let entry_points = within(entry_points, usize::MAX, on_first(ENTRY_BYTES), |entry| {
        weight(&entry.path) + weight(&entry.why)
    });
    let skipped = within(files.skipped.iter().cloned(), usize::MAX, SKIPPED_BYTES, |one| {
        weight(&one.path) + weight(&one.reason)
    });
    CodeMap {
        directory,
        externals: if is_first { externals(&files, &resolved) } else { Vec::new() },
        packages: if is_first { bounded(all_packages) } else { Vec::new() },
        entry_points,
        cycles,
        unresolved,
        modules,
        total: count(total),
        next: (end < total).then(|| count(end)),
        total_packages,
        set_apart: files.set_apart,
        skipped,
        complete: files.complete,
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// As many packages as fit, with their strongest edges.
fn bounded(all: Vec<Package>) -> Vec<Package> {
    let mut bytes = 0;
    let mut kept = Vec::new();
    for mut package in all.into_iter().take(MOST_PACKAGES) {
        package.imports.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.to.cmp(&b.to)));
        package.imports.truncate(MOST_EDGES);
        let edges =
            package.imports.iter().map(|edge| weight(&edge.to) + weight(&edge.path) + 50).sum::<usize>();
        bytes += weight(&package.path) + weight(&package.name) + 130 + edges;
        if bytes > PACKAGE_BYTES {
            break;
        }
        kept.push(package);
    }
    kept
}

fn externals(files: &Files, resolved: &Resolved) -> Vec<External> {
    let outer = resolved.outer.iter().filter_map(|((name, language), used)| {
        let first = files.all.get(used.first.0)?;
        Some(External {
            name: name.clone(),
            language: *language,
            standard: used.standard,
            files: used.files,
            path: first.path.clone(),
            line: used.first.1,
        })
    });
    let mut all: Vec<External> = outer.collect();
    all.sort_by(|a, b| {
        b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)).then_with(|| a.language.cmp(&b.language))
    });
    within(all, MOST_EXTERNALS, EXTERNAL_BYTES, |one| weight(&one.name) + weight(&one.path))
}
