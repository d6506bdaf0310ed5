//! Talking with cargo: which workspace a package is in, which file its build made.

use crate::error::BuildError;
use crate::language::Language;
use crate::machine::Machine;
use crate::project::ToolProject;
use crate::workshop::Workshop;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line of cargo's, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    CompilerArtifact {
        manifest_path: PathBuf,
        filenames: Vec<PathBuf>,
    },
    #[serde(other)]
    Other,
}

/// The name of the manifest's package.
pub(super) fn package(manifest: &Path) -> Result<String, BuildError> {
    let text = std::fs::read_to_string(manifest).map_err(|error| BuildError::read(manifest, error))?;
    let table: toml::Table = toml::from_str(&text)
        .map_err(|error| BuildError::source(format!("{}: {error}", manifest.display())))?;
    let name = table.get("package").and_then(|package| package.get("name")?.as_str());
    name.map(str::to_owned).ok_or_else(|| {
        BuildError::source(format!(
            "{} is a workspace without a package of its own: build a package's folder, or name several by \
             `members = [\"…\"]` in a tool.toml beside it",
            manifest.display()
        ))
    })
}

/// The packages of those tools that are in the workspace at `root`. They are built together, as cargo
/// builds a workspace: what they share is compiled once, with the features that any of them wants.
pub(super) fn packages_of(
    root: &Path,
    tools: &[ToolProject],
    cargo: &Path,
    machine: &Machine,
) -> Result<Vec<String>, BuildError> {
    let is_there = |manifest: &PathBuf| workspace_root(cargo, manifest, machine).as_deref() == Some(root);
    let rust = tools.iter().filter(|tool| tool.language == Language::Rust);
    let manifests = rust.map(|tool| tool.folder.join("Cargo.toml")).filter(is_there);
    manifests.map(|manifest| package(&manifest)).collect()
}

/// The folder of the workspace that the package is in.
pub(super) fn workspace_root(cargo: &Path, manifest: &Path, machine: &Machine) -> Option<PathBuf> {
    let folder = manifest.parent()?;
    let arguments = ["locate-project", "--workspace", "--message-format", "plain"];
    let root = PathBuf::from(machine.ask_in(folder, cargo, &arguments)?);
    root.parent().map(Path::to_owned)
}

/// Runs the build; the WebAssembly file that it made of this package.
pub(super) fn build(
    command: &mut Command,
    manifest: &Path,
    shop: &mut Workshop<'_>,
) -> Result<PathBuf, BuildError> {
    let mut made = None;
    shop.run_reading(command, &mut |line| {
        let Ok(Message::CompilerArtifact { manifest_path, filenames }) = serde_json::from_str(line) else {
            return;
        };
        if manifest_path == manifest {
            made = filenames
                .into_iter()
                .find(|file| file.extension().is_some_and(|end| end == "wasm"))
                .or(made.take());
        }
    })?;
    made.ok_or_else(|| {
        BuildError::source(format!(
            "{} makes no WebAssembly file: a tool is a library with `[lib]` and `crate-type = [\"cdylib\"]`",
            manifest.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_without_a_package_says_what_to_build() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join("Cargo.toml");
        std::fs::write(&manifest, "[workspace]\nmembers = [\"a\"]").unwrap();
        let said = package(&manifest).unwrap_err().to_string();
        assert!(said.contains("is a workspace without a package of its own"), "{said}");
        std::fs::write(&manifest, "[package]\nname = \"a\"").unwrap();
        assert_eq!(package(&manifest).unwrap(), "a");
    }

    #[test]
    fn a_message_of_cargo_s_that_is_of_no_interest_is_passed_over() {
        let other = r#"{"reason":"build-script-executed","package_id":"x"}"#;
        assert!(matches!(serde_json::from_str(other), Ok(Message::Other)));
    }
}
