//! `manifest.toml`: where each compressed component comes from, and whether it still does.

use crate::build::Built;
use crate::error::BuildError;
use crate::file;
use crate::project::{Project, ToolProject};
use crate::sources;
use crate::toolchain::Toolchain;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The manifest's name in the folder of the components.
const FILE: &str = "manifest.toml";
const HEAD: &str = "# Written by `ringfence tool build --compress`. Digests are BLAKE3; `source` covers the files that a\n\
                    # component is made of, `digest` its uncompressed bytes.\n\n[toolchain]\n";
/// Of an uncompressed component, in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// The part that is read again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    component: Vec<Component>,
}

/// One built component.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Component {
    name: String,
    file: String,
    source: String,
    digest: String,
    size: u64,
    compressed_size: u64,
}

/// Writes the manifest of what was built of these tools, in the same order, into `out`.
pub(crate) fn write(out: &Path, tools: &[ToolProject], built: &[Built]) -> Result<(), BuildError> {
    let path = out.join(FILE);
    let component = tools
        .iter()
        .zip(built)
        .map(|(tool, built)| {
            Ok(Component {
                name: tool.name.clone(),
                file: file_name(tool),
                source: sources::digest(tool)?,
                digest: built.digest.clone(),
                size: built.size,
                compressed_size: built.compressed_size.unwrap_or(built.size),
            })
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    let components =
        toml::to_string(&Manifest { component }).map_err(|error| BuildError::write(&path, error))?;
    let toolchains = built.iter().map(|built| &built.toolchain);
    file::write_whole(&path, format!("{HEAD}{}\n{components}", told(toolchains)).as_bytes())
}

/// Each program once: tools of one language are built by the same.
fn told<'a>(toolchains: impl Iterator<Item = &'a Toolchain>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |key: &str, value: &str| {
        let line = Table::from_iter([(key.to_owned(), Value::from(value))]).to_string();
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for toolchain in toolchains {
        add("how", &toolchain.how);
        toolchain.programs.iter().for_each(|(name, version)| add(name, version));
    }
    lines.concat()
}

fn file_name(tool: &ToolProject) -> String {
    format!("{}.wasm.zst", tool.name)
}

/// Checks that the components in `out` are what its manifest says, and that the manifest belongs to
/// the sources in `folder`. Builds nothing. The names of the tools.
pub fn check(folder: &Path, out: &Path) -> Result<Vec<String>, BuildError> {
    let project = Project::open(folder)?;
    let path = out.join(FILE);
    let stale = |reason: String| BuildError::Stale { reason };
    let text = fs::read_to_string(&path).map_err(|error| BuildError::read(&path, error))?;
    let manifest: Manifest = toml::from_str(&text)
        .map_err(|error| stale(format!("{} is no manifest: {error}", path.display())))?;
    for tool in project.tools() {
        let name = &tool.name;
        let listed = manifest.component.iter().find(|component| component.name == *name);
        let listed = listed.ok_or_else(|| stale(format!("{} has no component `{name}`", path.display())))?;
        let source = sources::digest(tool)?;
        if listed.source != source {
            return Err(stale(format!(
                "{} is older than its sources: the manifest says {}, they are {source}; build it again",
                listed.file, listed.source
            )));
        }
        let packed_file = out.join(file_name(tool));
        let packed = fs::read(&packed_file).map_err(|error| BuildError::read(&packed_file, error))?;
        let size = usize::try_from(listed.size.min(MAX_SIZE)).unwrap_or_default();
        let found = zstd::bulk::decompress(&packed, size)
            .map(|bytes| file::digest(&bytes))
            .map_err(|error| stale(format!("{} can't be unpacked: {error}", packed_file.display())))?;
        if listed.digest != found {
            return Err(stale(format!(
                "{} is {found}, the manifest says {}; build it again",
                packed_file.display(),
                listed.digest
            )));
        }
    }
    Ok(project.tools().iter().map(|tool| tool.name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use tempfile::TempDir;

    /// A folder with a project `tool` and, in `out`, what a build of it would leave.
    fn built() -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let (tool, out) = (dir.path().join("tool"), dir.path().join("out"));
        fs::create_dir_all(tool.join("wit")).unwrap();
        fs::write(tool.join("tool.toml"), "name = \"t\"").unwrap();
        fs::write(tool.join("tool.c"), "a").unwrap();
        let bytes = b"the component";
        let packed = file::compressed(bytes).unwrap();
        file::write_whole(&out.join("t.wasm.zst"), &packed).unwrap();
        let built = Built {
            name: "t".into(),
            language: Some(Language::C),
            file: out.join("t.wasm.zst"),
            digest: file::digest(bytes),
            size: bytes.len() as u64,
            compressed_size: Some(packed.len() as u64),
            toolchain: Toolchain::new("debian").with_version("clang", "clang 22"),
        };
        write(&out, Project::open(&tool).unwrap().tools(), &[built]).unwrap();
        dir
    }

    fn checked(dir: &TempDir) -> Result<Vec<String>, String> {
        check(&dir.path().join("tool"), &dir.path().join("out")).map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_built_passes_until_a_source_changes() {
        let dir = built();
        assert_eq!(checked(&dir).unwrap(), ["t"]);
        fs::write(dir.path().join("tool/tool.c"), "b").unwrap();
        assert!(checked(&dir).unwrap_err().contains("t.wasm.zst is older than its sources"));
    }

    #[test]
    fn a_component_that_is_not_the_manifest_s_is_refused() {
        let dir = built();
        let other = file::compressed(b"another thing").unwrap();
        fs::write(dir.path().join("out/t.wasm.zst"), other).unwrap();
        assert!(checked(&dir).unwrap_err().contains("the manifest says blake3:"));
        fs::remove_file(dir.path().join("out").join(FILE)).unwrap();
        assert!(checked(&dir).unwrap_err().starts_with("cannot read"));
    }

    #[test]
    fn a_manifest_names_what_compiled_its_components_once() {
        let rust = Toolchain::new("debian").with_version("rustc", "rustc 1");
        let both = rust.clone().with_version("clang", "clang \"2\"");
        assert_eq!(
            told([&rust, &both].into_iter()),
            "how = \"debian\"\nrustc = \"rustc 1\"\nclang = 'clang \"2\"'\n"
        );
    }
}
