//! The source files of a project: those that it names, else those of its language in its folder.

use crate::error::BuildError;
use crate::project::{FILE, ToolProject};
use std::fs;
use std::path::PathBuf;

/// The sources; where the project names none, the files with one of these extensions in its folder
/// and in `src` below it, in the order of their names. At least one.
pub(super) fn all(project: &ToolProject, extensions: &[&str]) -> Result<Vec<PathBuf>, BuildError> {
    let sources = match &project.sources {
        Some(named) => named.clone(),
        None => found(project, extensions)?,
    };
    if sources.is_empty() {
        return Err(BuildError::source(format!(
            "{} holds no file *.{}; other sources are named by `sources` in {FILE}",
            project.folder.display(),
            extensions.join(" or *.")
        )));
    }
    match sources.iter().find(|source| !source.is_file()) {
        Some(missing) => Err(BuildError::read(missing, "there is no such file; `sources` names it")),
        None => Ok(sources),
    }
}

/// The first of these names that is a file in the folder, or the only source that the project names.
pub(super) fn entry(project: &ToolProject, names: &[&str]) -> Result<PathBuf, BuildError> {
    let named = project.sources_or(names);
    match named.as_slice() {
        [] => Err(BuildError::source(format!(
            "{} holds no {}; another file is named by `sources` in {FILE}",
            project.folder.display(),
            names.join(" or ")
        ))),
        [first, ..] if first.is_file() => Ok(first.clone()),
        [first, ..] => Err(BuildError::read(first, "there is no such file; `sources` names it")),
    }
}

fn found(project: &ToolProject, extensions: &[&str]) -> Result<Vec<PathBuf>, BuildError> {
    let mut all = Vec::new();
    for folder in [project.folder.clone(), project.folder.join("src")] {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|error| BuildError::read(&folder, error))? {
            let path = entry.map_err(|error| BuildError::read(&folder, error))?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_file() && extension.is_some_and(|extension| extensions.contains(&extension)) {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}
