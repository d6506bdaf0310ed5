//! JavaScript and TypeScript: relative paths, index files, `paths` of a tsconfig, packages of the
//! same workspace.

use super::standard::is_node;
use super::{Resolver, Target};
use crate::map::files::{Source, folder};
use crate::map::manifests::joined;
use crate::map::part::Import;

const EXTENSIONS: [&str; 9] = [".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts"];
/// Files that are imported and are no modules of the map.
const ASSETS: [&str; 20] = [
    ".json", ".css", ".scss", ".sass", ".less", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".html",
    ".txt", ".md", ".vue", ".svelte", ".astro", ".graphql", ".wasm", ".node",
];

impl Resolver<'_> {
    pub(super) fn javascript(&self, source: &Source, import: &Import) -> Target {
        let module = import.module.split(['?', '#']).next().unwrap_or_default();
        let module = if module.is_empty() { import.module.as_str() } else { module };
        if module.contains("${") {
            // Which file it is, is told at run time.
            return Target::Own;
        }
        if module.starts_with('.') || module.starts_with('/') {
            let place = joined(source.folder(), module);
            return match self.script(&place) {
                Some(file) => Target::Inside(vec![file]),
                None if ASSETS.iter().any(|end| module.ends_with(end)) => Target::Own,
                None => Target::Nowhere,
            };
        }
        if let Some(file) = self.aliased(source, module).or_else(|| self.of_workspace(module)) {
            return Target::Inside(vec![file]);
        }
        if let Some(name) = module.strip_prefix("node:") {
            return Target::outside(name.split('/').next().unwrap_or(name), true);
        }
        if module.contains(':') {
            return Target::Own;
        }
        if module.starts_with('#') || module.starts_with("@/") || module.starts_with("~/") {
            return Target::Nowhere;
        }
        let name = package_of(module);
        let standard = is_node(name);
        Target::outside(name, standard)
    }

    /// The file that a path without or with another extension means.
    fn script(&self, place: &str) -> Option<usize> {
        let written = || {
            // `./a.js` is how TypeScript names `./a.ts`.
            let (stem, extension) = place.rsplit_once('.')?;
            let others: &[&str] = match extension {
                "js" => &[".ts", ".tsx", ".d.ts", ".jsx"],
                "jsx" => &[".tsx"],
                "mjs" => &[".mts"],
                "cjs" => &[".cts"],
                _ => return None,
            };
            self.first(others.iter().map(|end| format!("{stem}{end}")))
        };
        self.files
            .at(place)
            .or_else(|| self.first(EXTENSIONS.map(|end| format!("{place}{end}"))))
            .or_else(written)
            .or_else(|| self.first(EXTENSIONS.map(|end| joined(place, &format!("index{end}")))))
    }

    fn aliased(&self, source: &Source, module: &str) -> Option<usize> {
        // The nearest configuration first.
        let mut scope = source.folder();
        let mut mapped = self.alias_of(scope, module);
        while mapped.is_none() && !scope.is_empty() {
            scope = folder(scope);
            mapped = self.alias_of(scope, module);
        }
        mapped.or_else(|| {
            let rest = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/"))?;
            ["src", "app", ""].iter().find_map(|root| self.script(&joined(root, rest)))
        })
    }

    fn alias_of(&self, scope: &str, module: &str) -> Option<usize> {
        self.manifests.aliases.get(scope)?.iter().find_map(|alias| {
            let rest = match alias.pattern.split_once('*') {
                Some((before, after)) => module.strip_prefix(before)?.strip_suffix(after)?,
                None if module == alias.pattern => "",
                None => return None,
            };
            alias.places.iter().find_map(|place| self.script(&place.replacen('*', rest, 1)))
        })
    }

    /// A package of the same project by its own name.
    fn of_workspace(&self, module: &str) -> Option<usize> {
        let name = package_of(module);
        let rest = module.strip_prefix(name)?;
        self.names.node.get(name)?.iter().find_map(|folder| {
            if let Some(rest) = rest.strip_prefix('/') {
                let inner = |root: &str| self.script(&joined(folder, &joined(root, rest)));
                return inner("").or_else(|| inner("src"));
            }
            let source = ["src/index", "src/main", "index", "lib/index"].map(str::to_owned);
            let starts = self.manifests.node.get(folder).map(|package| package.starts.iter().cloned());
            starts.into_iter().flatten().chain(source).find_map(|start| self.script(&joined(folder, &start)))
        })
    }
}

/// The package that an import names: `a` of `a/b`, `@a/b` of `@a/b/c`.
fn package_of(module: &str) -> &str {
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(at, _)| at);
    module.get(..end).unwrap_or(module)
}
