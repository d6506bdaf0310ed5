//! Where Go sees the project's files and the generated ones: an overlay, so that nothing is written
//! into the project.
//!
//! Go wants a package for each exported interface, in a folder with the package's name. A file in
//! the project's folder whose package has such a name is shown to Go as lying in that folder.

use crate::error::BuildError;
use crate::project::ToolProject;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The module that generated code is written for.
const GENERATED_MODULE: &str = "\"wit_component/";
/// What the packages that a tool implements begin with.
const EXPORTED: &str = "export_";

/// A virtual file's path, and the real file; none where a real file is hidden.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Overlay(BTreeMap<PathBuf, Option<PathBuf>>);

impl Overlay {
    /// Shows the generated files below `generated`, whose imports are renamed to those of `module`,
    /// and the project's `sources` where Go wants them.
    pub(super) fn new(
        project: &ToolProject,
        module: &str,
        sources: &[PathBuf],
        generated: &Path,
    ) -> Result<Self, BuildError> {
        let mut overlay = Self::default();
        let mut wanted = BTreeSet::new();
        for file in go_files(generated)? {
            let text = read(&file)?;
            wanted.extend(text.lines().filter_map(exported_package).map(str::to_owned));
            let text = text.replace(GENERATED_MODULE, &format!("\"{module}/"));
            fs::write(&file, text).map_err(|error| BuildError::write(&file, error))?;
            let place = project.folder.join(file.strip_prefix(generated).unwrap_or(&file));
            overlay.0.insert(place, Some(file));
        }
        let mut found = BTreeSet::new();
        for source in sources {
            let text = read(source)?;
            let package = package_of(&text).unwrap_or_default();
            let name = source.file_name().unwrap_or_default();
            if wanted.contains(package) {
                overlay.0.insert(project.folder.join(package).join(name), Some(source.clone()));
                found.insert(package.to_owned());
            } else if package == "main" {
                return Err(BuildError::source(format!(
                    "{} is of package main, which is generated: a tool's functions are in {}",
                    source.display(),
                    named(&wanted)
                )));
            }
            if source.parent() == Some(&project.folder) {
                overlay.0.insert(source.clone(), None);
            }
        }
        wanted.retain(|package| !found.contains(package) && !project.folder.join(package).is_dir());
        if !wanted.is_empty() {
            return Err(BuildError::source(format!(
                "no Go file in {} is of {}, which implements what the world exports",
                project.folder.display(),
                named(&wanted)
            )));
        }
        Ok(overlay)
    }

    /// As Go's `-overlay` takes it.
    pub(super) fn to_json(&self) -> Value {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let replaced: Map<String, Value> = self
            .0
            .iter()
            .map(|(place, file)| (path(place), Value::from(file.as_deref().map(path).unwrap_or_default())))
            .collect();
        json!({ "Replace": replaced })
    }
}

/// The module's path in a go.mod.
pub(super) fn module_of(go_mod: &str) -> Option<&str> {
    go_mod
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))
        .map(|path| path.trim().trim_matches('"'))
}

/// The package that a Go file says it is of.
fn package_of(text: &str) -> Option<&str> {
    let rest = text.lines().find_map(|line| line.strip_prefix("package "))?;
    rest.split(|c: char| c.is_whitespace() || c == ';').next()
}

/// The package that a line of generated code imports and the tool implements.
fn exported_package(line: &str) -> Option<&str> {
    let package = line.trim().strip_prefix(GENERATED_MODULE)?.strip_suffix('"')?;
    package.starts_with(EXPORTED).then_some(package)
}

fn named(packages: &BTreeSet<String>) -> String {
    let names: Vec<String> = packages.iter().map(|name| format!("package {name}")).collect();
    names.join(" or ")
}

fn read(file: &Path) -> Result<String, BuildError> {
    fs::read_to_string(file).map_err(|error| BuildError::read(file, error))
}

fn go_files(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| BuildError::read(&folder, error))? {
            let path = entry.map_err(|error| BuildError::read(&folder, error))?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "go") {
                files.push(path);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;

    const PACKAGE: &str = "export_a_b_i";

    fn overlay(sources: &[(&str, &str)]) -> Result<Value, String> {
        let dir = tempfile::tempdir().unwrap();
        let (folder, generated) = (dir.path().join("p"), dir.path().join("g"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(generated.join("a_b_i")).unwrap();
        fs::write(folder.join("go.mod"), "module mine\n").unwrap();
        fs::write(generated.join("wit_exports.go"), format!("import (\n\t\"wit_component/{PACKAGE}\"\n)"))
            .unwrap();
        fs::write(generated.join("a_b_i/wit_bindings.go"), "package a_b_i").unwrap();
        let mut paths = Vec::new();
        for (name, text) in sources {
            paths.push(folder.canonicalize().unwrap().join(name));
            fs::write(folder.join(name), text).unwrap();
        }
        let project = Project::open(&folder).unwrap();
        let overlay = Overlay::new(&project.tools()[0], "mine", &paths, &generated);
        let place = dir.path().canonicalize().unwrap().display().to_string();
        let shown = |text: String| text.replace(&place, "").replace(&dir.path().display().to_string(), "");
        let overlay = overlay.map_err(|error| shown(error.to_string()))?;
        assert!(
            fs::read_to_string(generated.join("wit_exports.go")).unwrap().contains("\"mine/export_a_b_i\"")
        );
        Ok(serde_json::from_str(&shown(overlay.to_json().to_string())).unwrap())
    }

    #[test]
    fn a_file_is_shown_to_go_in_the_folder_of_its_package() {
        let found = overlay(&[("tool.go", "// Doc\npackage export_a_b_i // it\n")]).unwrap();
        assert_eq!(
            found["Replace"],
            json!({
                "/p/a_b_i/wit_bindings.go": "/g/a_b_i/wit_bindings.go",
                "/p/export_a_b_i/tool.go": "/p/tool.go",
                "/p/tool.go": "",
                "/p/wit_exports.go": "/g/wit_exports.go",
            })
        );
    }

    #[test]
    fn a_package_that_nothing_implements_is_named() {
        let said = overlay(&[]).unwrap_err();
        assert_eq!(
            said,
            "no Go file in /p is of package export_a_b_i, which implements what the world exports"
        );
        let said = overlay(&[("tool.go", "package main\n")]).unwrap_err();
        assert!(said.contains("/p/tool.go is of package main, which is generated"), "{said}");
    }
}
