//! Go: packages are folders, named by the module that they stand in.

use super::{Resolver, Target};
use crate::map::manifests::joined;
use crate::map::part::Import;

impl Resolver<'_> {
    pub(super) fn go(&self, import: &Import) -> Target {
        let path = import.module.as_str();
        let mut own = false;
        for (folder, module) in &self.manifests.go {
            let Some(rest) = path.strip_prefix(module.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            own = true;
            if let Some(files) = self.names.go_folders.get(&joined(folder, rest.trim_start_matches('/'))) {
                return Target::Inside(files.clone());
            }
        }
        if own {
            return Target::Nowhere;
        }
        let first = path.split('/').next().unwrap_or(path);
        if !first.contains('.') {
            return Target::outside(path, true);
        }
        let required = self.manifests.go_requires.iter().find(|module| {
            path.strip_prefix(module.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
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
