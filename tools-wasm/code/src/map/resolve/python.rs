//! Python: packages and modules, absolute and relative, `src` layouts and namespace packages.

use super::names::python_root;
use super::standard::is_python;
use super::{Resolver, Target};
use crate::map::files::{Source, folder};
use crate::map::manifests::joined;
use crate::map::part::Import;

impl Resolver<'_> {
    pub(super) fn python(&self, source: &Source, import: &Import) -> Target {
        let module = import.module.as_str();
        let dots = module.len() - module.trim_start_matches('.').len();
        if dots > 0 {
            let mut base = source.folder();
            for _ in 1..dots {
                if base.is_empty() {
                    // Above the project there is nothing.
                    return Target::Nowhere;
                }
                base = folder(base);
            }
            let name = module.trim_start_matches('.');
            let found = self.python_below(base, name, &import.names);
            return found.and_then(Target::inside).unwrap_or(Target::Nowhere);
        }
        let own = python_root(self.files, source.folder());
        let first = module.split('.').next().unwrap_or(module);
        let standard = is_python(first);
        // Within a package `import json` is the language's own module, whatever lies beside.
        let beside = if standard { own } else { source.folder() };
        let beside = [beside, own].into_iter();
        let roots: Vec<&str> = beside.chain(self.names.python_roots_of(first)).collect();
        for root in &roots {
            if let Some(files) = self.python_below(root, module, &import.names) {
                // A folder without files of its own is named, and nothing in it.
                return Target::inside(files).unwrap_or(Target::Own);
            }
        }
        // `a.b.c` where only `a/b.py` is there: what is named last is inside it, or made at run time.
        let mut shorter = module;
        while let Some((above, _)) = shorter.rsplit_once('.').filter(|_| !standard) {
            let found = roots.iter().find_map(|root| self.python_below(root, above, &[]));
            if let Some(inside) = found.and_then(Target::inside) {
                return inside;
            }
            shorter = above;
        }
        Target::outside(first, standard)
    }

    /// The files that a dotted name and the names taken from it mean below a folder; none if there is
    /// no such module.
    fn python_below(&self, root: &str, module: &str, names: &[String]) -> Option<Vec<usize>> {
        let place = joined(root, &module.replace('.', "/"));
        let own = if module.is_empty() { self.package_file(&place) } else { self.module_file(&place) };
        let is_folder = self.names.python_folders.contains(&place);
        if own.is_none() && !is_folder {
            return None;
        }
        let mut files = Vec::new();
        let mut of_module = names.is_empty();
        for name in names {
            let name = name.split_whitespace().next().unwrap_or(name);
            match self.module_file(&joined(&place, name)) {
                Some(file) => files.push(file),
                None => of_module = true,
            }
        }
        if of_module {
            files.extend(own);
        }
        Some(files)
    }

    fn module_file(&self, place: &str) -> Option<usize> {
        let ends = [".py", "/__init__.py", ".pyi", "/__init__.pyi"];
        self.first(ends.map(|end| format!("{place}{end}")))
    }

    fn package_file(&self, place: &str) -> Option<usize> {
        self.first(["__init__.py", "__init__.pyi"].map(|name| joined(place, name)))
    }
}
