//! The digest of what a component is made of.

use crate::error::BuildError;
use crate::project::{FILE, ToolProject};
use std::fs;
use std::path::{Path, PathBuf};

/// What a project's folder may hold besides sources.
const LEFT_OUT: [&str; 5] = ["target", "node_modules", "tests", "zig-out", "__pycache__"];

/// BLAKE3 over the sorted paths, as seen from the project's folder, and the contents of its sources:
/// those that it names, or else the folder without tests and what builds leave; its WIT and its
/// `tool.toml` in any case.
pub(crate) fn digest(project: &ToolProject) -> Result<String, BuildError> {
    let mut files = Vec::new();
    match &project.sources {
        Some(sources) => sources.iter().try_for_each(|source| collect(source, &|_| true, &mut files))?,
        None => collect(&project.folder, &is_source, &mut files)?,
    }
    collect(&project.wit, &|_| true, &mut files)?;
    let settings = project.folder.join(FILE);
    if settings.exists() {
        files.push(settings);
    }
    files.sort();
    files.dedup();
    let mut hasher = blake3::Hasher::new();
    for file in &files {
        let name = file.strip_prefix(&project.folder).unwrap_or(file);
        let content = fs::read(file).map_err(|error| BuildError::read(file, error))?;
        for part in [name.as_os_str().as_encoded_bytes(), &content] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(format!("blake3:{}", hasher.finalize().to_hex()))
}

fn is_source(name: &str) -> bool {
    !name.starts_with('.') && !LEFT_OUT.contains(&name) && !name.ends_with(".wasm") && !name.ends_with(".zst")
}

/// A file, or all files of a folder whose names, and whose folders' names, `counts`.
fn collect(place: &Path, counts: &dyn Fn(&str) -> bool, files: &mut Vec<PathBuf>) -> Result<(), BuildError> {
    let mut pending = vec![place.to_owned()];
    while let Some(path) = pending.pop() {
        let failed = |error: std::io::Error| BuildError::read(&path, error);
        if !fs::symlink_metadata(&path).map_err(failed)?.is_dir() {
            files.push(path);
            continue;
        }
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if counts(&name.to_string_lossy()) {
                pending.push(path.join(name));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;

    fn project(folder: &Path) -> ToolProject {
        let Project::Tool(tool) = Project::open(folder).unwrap() else { panic!("one tool") };
        tool
    }

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("tool.toml", "name = \"t\"\nwit = \"wit\""),
            ("tool.c", "a"),
            ("wit/t.wit", "b"),
            ("shared.h", "c"),
        ] {
            write(dir.path(), name, text);
        }
        dir
    }

    #[test]
    fn a_changed_source_changes_the_digest_and_a_test_or_what_was_built_does_not() {
        let dir = folder();
        let before = digest(&project(dir.path())).unwrap();
        for other in ["tests/cases.toml", "t.wasm", "target/debug/x", ".git/HEAD"] {
            write(dir.path(), other, "x");
            assert_eq!(digest(&project(dir.path())).unwrap(), before, "{other}");
        }
        for source in ["tool.c", "wit/t.wit", "shared.h", "tool.toml"] {
            let text = fs::read_to_string(dir.path().join(source)).unwrap();
            write(dir.path(), source, &format!("{text}\n"));
            assert_ne!(digest(&project(dir.path())).unwrap(), before, "{source}");
            write(dir.path(), source, &text);
        }
        fs::rename(dir.path().join("shared.h"), dir.path().join("other.h")).unwrap();
        assert_ne!(digest(&project(dir.path())).unwrap(), before, "a moved source");
    }

    #[test]
    fn only_named_sources_count_where_some_are_named_and_each_must_be_there() {
        let dir = folder();
        let tool = dir.path().join("tool");
        write(&tool, "tool.toml", "language = \"c\"\nwit = \"../wit\"\nsources = [\"../tool.c\"]");
        let before = digest(&project(&tool)).unwrap();
        write(&tool, "notes.md", "x");
        assert_eq!(digest(&project(&tool)).unwrap(), before);
        write(dir.path(), "tool.c", "other");
        assert_ne!(digest(&project(&tool)).unwrap(), before);
        fs::remove_file(dir.path().join("tool.c")).unwrap();
        assert!(digest(&project(&tool)).unwrap_err().to_string().contains("tool.c"));
    }
}
