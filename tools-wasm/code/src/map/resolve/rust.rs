//! Rust: modules of the crate, `crate`, `self`, `super`, and crates of the same workspace.

use super::{Resolver, Target};
use crate::map::files::{Source, folder};
use crate::map::manifests::joined;
use crate::map::part::{Import, Kind};

/// Where a file stands in its crate.
struct Home<'f> {
    /// The folder of the crate's manifest.
    package: &'f str,
    /// The folder that its module paths begin at: `src`, or that of a test or example.
    base: String,
    /// Its own module path below that, as folders.
    module: String,
}

impl Resolver<'_> {
    pub(super) fn rust(&self, source: &Source, import: &Import) -> Target {
        let Some(home) = self.home(source) else { return Target::Own };
        if import.kind == Kind::Submodule {
            let place = joined(&home.base, &joined(&home.module, &import.module));
            // One with a body, or one that a macro or another platform brings.
            return self.rust_file(&place).map_or(Target::Own, |file| Target::Inside(vec![file]));
        }
        let module = import.module.trim_start_matches("::").replace("r#", "");
        let path: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        if path.is_empty() {
            // `use {a, b::c};`
            let whole = |name: &String| Import { module: name.clone(), names: Vec::new(), ..import.clone() };
            let all: Vec<usize> = import
                .names
                .iter()
                .filter_map(|name| match self.rust(source, &whole(name)) {
                    Target::Inside(files) => Some(files),
                    Target::Outside { .. } | Target::Nowhere | Target::Own => None,
                })
                .flatten()
                .collect();
            let first = import.names.first().and_then(|name| name.split("::").next()).unwrap_or_default();
            return Target::inside(all).unwrap_or_else(|| outside(first));
        }
        let first = path.first().copied().unwrap_or_default();
        match first {
            "crate" => self.rust_inside(&home.base, "", path.get(1..).unwrap_or_default(), import),
            "self" => self.rust_inside(&home.base, &home.module, path.get(1..).unwrap_or_default(), import),
            "super" => {
                let ups = path.iter().take_while(|part| **part == "super").count();
                let mut module = home.module.as_str();
                for _ in 0..ups {
                    module = folder(module);
                }
                self.rust_inside(&home.base, module, path.get(ups..).unwrap_or_default(), import)
            }
            _ => {
                let child = joined(&home.base, &joined(&home.module, first));
                if self.rust_file(&child).is_some() {
                    return self.rust_inside(&home.base, &home.module, &path, import);
                }
                let rest = path.get(1..).unwrap_or_default();
                match self.names.crates.get(first) {
                    Some(package) if package != home.package || !home.is_library() => {
                        self.rust_inside(&joined(package, "src"), "", rest, import)
                    }
                    Some(_) => Target::Own,
                    None => outside(first),
                }
            }
        }
    }

    /// The files that a path and the names taken from it mean: each as deep as there are files for it.
    fn rust_inside(&self, base: &str, module: &str, path: &[&str], import: &Import) -> Target {
        let deepest = |more: &[&str]| {
            let whole: Vec<&str> = module
                .split('/')
                .filter(|part| !part.is_empty())
                .chain(path.iter().copied())
                .chain(more.iter().copied())
                .collect();
            (0..=whole.len()).rev().find_map(|depth| {
                let place = joined(base, &whole.get(..depth).unwrap_or_default().join("/"));
                if depth == 0 { self.rust_root(base) } else { self.rust_file(&place) }
            })
        };
        let files: Vec<usize> = if import.names.is_empty() {
            deepest(&[]).into_iter().collect()
        } else {
            let parts = |name: &str| -> Vec<String> {
                let name = name.split(" as ").next().unwrap_or(name);
                name.split("::").map(str::to_owned).collect()
            };
            let all = import.names.iter().filter_map(|name| {
                let parts = parts(name);
                deepest(&parts.iter().map(String::as_str).collect::<Vec<_>>())
            });
            all.collect()
        };
        Target::inside(files).unwrap_or(Target::Own)
    }

    fn rust_file(&self, place: &str) -> Option<usize> {
        self.first([format!("{place}.rs"), format!("{place}/mod.rs")])
    }

    fn rust_root(&self, base: &str) -> Option<usize> {
        self.first(["lib.rs", "main.rs", "mod.rs"].map(|name| joined(base, name)))
    }

    fn home<'f>(&self, source: &'f Source) -> Option<Home<'f>> {
        let mut package = source.folder();
        while !self.manifests.crates.contains_key(package) {
            if package.is_empty() {
                break;
            }
            package = folder(package);
        }
        let below = source.path.get(package.len()..)?.trim_start_matches('/');
        let mut parts: Vec<&str> = below.split('/').collect();
        let name = parts.pop()?.strip_suffix(".rs")?;
        // Below `src` modules begin; below others each file at the top, or folder with a `main.rs`.
        let depth = match parts.as_slice() {
            ["src", "bin", _, ..] => 3,
            ["src", "bin"] => 2,
            ["src", ..] => 1,
            ["tests" | "benches" | "examples", _, ..]
                if self
                    .files
                    .at(&joined(package, &format!("{}/main.rs", parts.get(..2)?.join("/"))))
                    .is_some() =>
            {
                2
            }
            ["tests" | "benches" | "examples", ..] => 1,
            _ => parts.len(),
        };
        let base = joined(package, &parts.get(..depth)?.join("/"));
        let inner = parts.get(depth..)?.join("/");
        let is_root = inner.is_empty()
            && (matches!(name, "lib" | "main" | "build")
                || below.starts_with("src/bin/")
                || !below.starts_with("src/"));
        let module = if name == "mod" || is_root { inner } else { joined(&inner, name) };
        Some(Home { package, base, module })
    }
}

impl Home<'_> {
    fn is_library(&self) -> bool {
        self.base == joined(self.package, "src")
    }
}

fn outside(first: &str) -> Target {
    match first {
        "std" | "core" | "alloc" | "proc_macro" | "test" => Target::outside(first, true),
        "Self" | "" | "crate" | "self" | "super" => Target::Own,
        // A type or a trait in scope: `use Kind::*`.
        name if name.starts_with(char::is_uppercase) => Target::Own,
        name => Target::outside(name, false),
    }
}
