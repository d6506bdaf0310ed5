//! `map_code`: how a project is put together.
//!
//! Owns: from the files below a folder to packages, imports, layers, cycles and entry points. Doesn't
//! own: what one file says of itself (`analyze`), or how many are read at once (`each_file`).

mod entry;
mod files;
mod graph;
mod imports;
mod manifests;
mod model;
mod packages;
mod page;
mod part;
mod resolve;

pub use model::{CodeMap, Cycle, Edge, EntryPoint, External, Hardest, Module, Package};
pub(crate) use part::Part;

use crate::each_file::FanOut;
use files::Files;
use ringfence_guest_project::{Fault, Root};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct MapRequest {
    /// The folder; the project's where there is none.
    pub directory: Option<String>,
    /// How many modules to leave out at the beginning.
    pub skip: Option<u32>,
    /// How many to show at most.
    pub max_modules: Option<u32>,
}

/// Maps the code below a folder.
pub fn map_code(root: &Root, fan_out: &dyn FanOut, request: &MapRequest) -> Result<CodeMap, Fault> {
    let asked = request.directory.as_deref().unwrap_or(".");
    let files = Files::read(root, fan_out, asked)?;
    let manifests = manifests::Manifests::read(root, &files.manifests);
    let resolved = imports::resolve_all(&files, &manifests);
    let graph = graph::Graph::of(&resolved.links_between(files.all.len()));
    let packages = packages::packages(&files, &manifests, &resolved);
    let entries = entry::entry_points(&files, &manifests);
    Ok(page::page(root.tidy(asked), files, resolved, graph, packages, entries, request))
}
