//! Manifests: which file is one, and what each says, one file for each ecosystem.

mod cargo;
mod dotnet;
mod go;
mod jvm;
mod npm;
mod php;
mod python;
mod requirement;
mod ruby;
mod workspace;

use super::found::Found;
use super::text::Text;
pub(super) use workspace::{Workspaces, inherit};

/// Reads a manifest into what was found; nothing for a file that is none.
pub(super) fn read(path: &str, text: &Text<'_>, found: &mut Found) {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "package.json" => npm::package(path, text, found),
        "deno.json" | "deno.jsonc" => npm::deno(path, text, found),
        "pyproject.toml" => python::pyproject(path, text, found),
        "setup.py" => python::setup_py(path, text, found),
        "setup.cfg" => python::setup_cfg(path, text, found),
        "Pipfile" => python::pipfile(path, text, found),
        "environment.yml" | "environment.yaml" => python::conda(path, text, found),
        "Cargo.toml" => cargo::manifest(path, text, found),
        "go.mod" => go::module(path, text, found),
        "pom.xml" => jvm::pom(path, text, found),
        "build.gradle" | "build.gradle.kts" => jvm::gradle(path, text, found),
        "libs.versions.toml" => jvm::catalogue(path, text, found),
        "Gemfile" => ruby::gemfile(path, text, found),
        "composer.json" => php::composer(path, text, found),
        "packages.config" | "Directory.Packages.props" | "Directory.Build.props" => {
            dotnet::project(path, text, found);
        }
        _ if name.ends_with(".gemspec") => ruby::gemspec(path, text, found),
        _ if [".csproj", ".fsproj", ".vbproj"].iter().any(|end| name.ends_with(end)) => {
            dotnet::project(path, text, found);
        }
        _ if is_requirements(path) => python::requirements(path, text, found),
        _ => {}
    }
}

/// Whether a file is read as a manifest.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    const NAMES: [&str; 18] = [
        "package.json",
        "deno.json",
        "deno.jsonc",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "Pipfile",
        "environment.yml",
        "environment.yaml",
        "Cargo.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "libs.versions.toml",
        "Gemfile",
        "composer.json",
        "packages.config",
    ];
    const ENDS: [&str; 5] = [".gemspec", ".csproj", ".fsproj", ".vbproj", ".props"];
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end)) || is_requirements(path)
}

/// `requirements.txt`, `requirements-dev.txt`, `dev-requirements.in`, `requirements/base.txt`.
/// `constraints.txt` asks for nothing: it only bounds what others ask for.
fn is_requirements(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_folder = folder.rsplit('/').next() == Some("requirements");
    let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".in"));
    stem.is_some_and(|stem| stem.contains("requirements") || (in_folder && !stem.contains("constraints")))
}
