//! The digest of what a component is made of.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What goes into every component: folders are taken whole.
const COMMON: [&str; 8] = [
    "tools-wasm/Cargo.toml",
    "tools-wasm/Cargo.lock",
    "tools-wasm/build.sh",
    "tools-wasm/builder/Cargo.toml",
    "tools-wasm/builder/src",
    "tools-wasm/project/Cargo.toml",
    "tools-wasm/project/src",
    "tools-wasm/project/wit",
];

/// What each component's own folder adds; tests don't count.
const OWN: [&str; 4] = ["Cargo.toml", "build.rs", "src", "wit"];

/// The interface of a component: a file of its own, so that a change of another's leaves it as it is.
pub(crate) fn wit(component: &str) -> String {
    format!("wit/{component}.wit")
}

/// BLAKE3 over the sorted relative paths and the contents of the component's sources.
pub(crate) fn digest(root: &Path, component: &str) -> Result<String> {
    let own = OWN.map(|name| format!("tools-wasm/{component}/{name}")).into_iter().chain([wit(component)]);
    let own: Vec<String> = own.collect();
    let mut files = Vec::new();
    for place in COMMON.iter().copied().chain(own.iter().map(String::as_str)) {
        collect(root, Path::new(place), &mut files)?;
    }
    if files.is_empty() {
        bail!("no sources under {}", root.display());
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.to_str().with_context(|| format!("{} is not UTF-8", file.display()))?;
        let content =
            std::fs::read(root.join(&file)).with_context(|| format!("cannot read {}", file.display()))?;
        for part in [name.as_bytes(), &content] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(format!("blake3:{}", hasher.finalize().to_hex()))
}

fn collect(root: &Path, place: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut pending = vec![place.to_owned()];
    while let Some(place) = pending.pop() {
        let path = root.join(&place);
        let kind = match std::fs::symlink_metadata(&path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot look at {}", path.display())),
        };
        if kind.is_dir() {
            for entry in
                std::fs::read_dir(&path).with_context(|| format!("cannot list {}", path.display()))?
            {
                pending.push(place.join(entry?.file_name()));
            }
        } else {
            files.push(place);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let sources =
            [("tools-wasm/Cargo.toml", "w"), ("wit/files.wit", "a"), ("tools-wasm/files/src/lib.rs", "b")];
        for (name, text) in sources {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn a_changed_source_changes_the_digest_and_a_test_does_not() {
        let dir = tree();
        let before = digest(dir.path(), "files").unwrap();
        fs::create_dir_all(dir.path().join("tools-wasm/files/tests")).unwrap();
        fs::write(dir.path().join("tools-wasm/files/tests/it.rs"), "t").unwrap();
        assert_eq!(digest(dir.path(), "files").unwrap(), before);
        fs::write(dir.path().join("tools-wasm/files/src/lib.rs"), "c").unwrap();
        assert_ne!(digest(dir.path(), "files").unwrap(), before);
    }

    #[test]
    fn a_moved_source_changes_the_digest() {
        let dir = tree();
        let before = digest(dir.path(), "files").unwrap();
        let source = |name: &str| dir.path().join("tools-wasm/files/src").join(name);
        fs::rename(source("lib.rs"), source("other.rs")).unwrap();
        assert_ne!(digest(dir.path(), "files").unwrap(), before);
    }

    #[test]
    fn one_component_is_not_made_stale_by_another() {
        let dir = tree();
        let before = digest(dir.path(), "code").unwrap();
        for file in ["tools-wasm/files/src/lib.rs", "wit/files.wit"] {
            fs::write(dir.path().join(file), "c").unwrap();
        }
        assert_eq!(digest(dir.path(), "code").unwrap(), before);
    }
}
