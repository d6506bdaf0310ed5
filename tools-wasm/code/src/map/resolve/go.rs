//! Go: packages are folders, named by the module that they stand in.

use super::{Resolver, Target};
use crate::map::manifests::joined;
use crate::map::part::Import;

impl Resolver<'_> {
    pub(super) fn go(&self, import: &Import) -> Target {
        let path = import.module.as_str();
        let mut own = false;
        for (module, rest) in prefixes(path) {
            for folder in self.names.go_modules.get(module).into_iter().flatten() {
                own = true;
                if let Some(files) = self.names.go_folders.get(&joined(folder, rest)) {
                    return Target::Inside(files.clone());
                }
            }
        }
        if own {
            return Target::Nowhere;
        }
        let first = path.split('/').next().unwrap_or(path);
        if !first.contains('.') {
            return Target::outside(path, true);
        }
        let required = prefixes(path).find_map(|(module, _)| self.manifests.go_requires.get(module));
        let name = required.cloned().unwrap_or_else(|| path.split('/').take(3).collect::<Vec<_>>().join("/"));
        // Without a go.mod the module's own name isn't known; its folders still tell.
        if required.is_none() && self.manifests.go.is_empty() {
            let parts: Vec<&str> = path.split('/').collect();
            for start in 3..parts.len() {
                let folder = parts.get(start..).unwrap_or_default().join("/");
                if let Some(files) = self.names.go_folders.get(&folder) {
                    return Target::Inside(files.clone());
                }
            }
        }
        Target::outside(name, false)
    }
}

/// A path's beginnings that end where a part does, the longest first, each with the rest.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let breaks = path.rmatch_indices('/').map(|(at, _)| at);
    std::iter::once(path.len()).chain(breaks).filter_map(|at| {
        let (module, rest) = path.split_at_checked(at)?;
        Some((module, rest.trim_start_matches('/')))
    })
}
