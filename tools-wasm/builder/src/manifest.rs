//! `manifest.toml`: where each built component comes from.

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The manifest's name in the folder of the components.
pub(crate) const FILE: &str = "manifest.toml";

const HEAD: &str = "# Written by tools-wasm/build.sh. Digests are BLAKE3; `source` covers the files that a component\n\
                    # is made of, `digest` its uncompressed bytes.\n\n";

/// What `manifest.toml` says.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) toolchain: Toolchain,
    pub(crate) component: Vec<Component>,
}

/// What compiled the components.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Toolchain {
    pub(crate) how: How,
    pub(crate) rustc: String,
    pub(crate) clang: String,
}

/// Where a toolchain comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum How {
    /// Debian's packages, the standard library built along.
    Debian,
    /// rustup's wasm32-wasip2.
    Rustup,
}

/// One built component.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) source: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    pub(crate) compressed_size: u64,
}

impl Manifest {
    /// Reads the manifest in `dir`.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is no manifest", path.display()))
    }

    /// As it is written to disk.
    pub(crate) fn to_toml(&self) -> Result<String> {
        Ok(format!("{HEAD}{}", toml::to_string(self).context("cannot write the manifest")?))
    }

    /// The component of this name.
    pub(crate) fn get(&self, name: &str) -> Result<&Component> {
        self.component
            .iter()
            .find(|component| component.name == name)
            .with_context(|| format!("the manifest has no component `{name}`; run tools-wasm/build.sh"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_reads_as_it_was_written() {
        let manifest = Manifest {
            toolchain: Toolchain { how: How::Debian, rustc: "rustc 1".into(), clang: "clang 2".into() },
            component: vec![Component {
                name: "files".into(),
                file: "files.wasm.zst".into(),
                source: "blake3:00".into(),
                digest: "blake3:11".into(),
                size: 2,
                compressed_size: 1,
            }],
        };
        assert_eq!(toml::from_str::<Manifest>(&manifest.to_toml().unwrap()).unwrap(), manifest);
    }
}
