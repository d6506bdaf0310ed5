//! The standard tools' components, embedded compressed.
//!
//! Owns: which there are, their digests, unpacking one when it's needed. Doesn't own: where they
//! come from (`tools-wasm/`, `build.rs`), compiling or caching them.

use crate::component::ComponentSource;
use crate::digest::Digest;
use thiserror::Error;

/// Written by `build.rs` from the manifest of the built components.
static COMPONENTS: &[StandardComponent] = include!(concat!(env!("OUT_DIR"), "/standard.rs"));

/// One embedded component. Nothing is unpacked until its bytes are asked for.
#[derive(Debug, Clone, Copy)]
pub struct StandardComponent {
    name: &'static str,
    digest: &'static str,
    size: u64,
    packed: &'static [u8],
}

/// Why an embedded component can't be used: this binary was built from a broken set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StandardError {
    /// The manifest's digest isn't one.
    #[error("the embedded component `{name}` has no usable digest: {reason}")]
    Digest {
        /// The component.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// It doesn't unpack to what the manifest says.
    #[error("the embedded component `{name}` can't be unpacked: {reason}")]
    Unpack {
        /// The component.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl StandardComponent {
    /// Its name: `files`, `code`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The digest of its bytes, without unpacking them.
    pub fn digest(&self) -> Result<Digest, StandardError> {
        Digest::try_from(self.digest.to_owned())
            .map_err(|reason| StandardError::Digest { name: self.name, reason })
    }

    /// Length of its bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Unpacks it: some milliseconds for a large one.
    pub fn bytes(&self) -> Result<Vec<u8>, StandardError> {
        let failed = |reason| StandardError::Unpack { name: self.name, reason };
        let size = usize::try_from(self.size).map_err(|error| failed(error.to_string()))?;
        let bytes = zstd::bulk::decompress(self.packed, size).map_err(|error| failed(error.to_string()))?;
        if bytes.len() != size {
            return Err(failed(format!("{} bytes instead of {size}", bytes.len())));
        }
        Ok(bytes)
    }

    /// For loading it: unpacked only where nothing is cached.
    pub fn source(&self) -> Result<ComponentSource, StandardError> {
        let component = *self;
        let fetch = move || component.bytes().map_err(|error| error.to_string());
        Ok(ComponentSource::lazy(self.name, self.digest()?, fetch))
    }
}

/// All standard components.
pub fn components() -> &'static [StandardComponent] {
    COMPONENTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::{ReflectLimits, reflect};

    #[test]
    fn every_embedded_component_is_what_its_manifest_says() {
        assert_eq!(components().iter().map(StandardComponent::name).collect::<Vec<_>>(), ["files", "code"]);
        for component in components() {
            let bytes = component.bytes().unwrap();
            assert_eq!(Digest::of(&bytes), component.digest().unwrap(), "{}", component.name());
            assert_eq!(bytes.len() as u64, component.size());
        }
    }

    #[test]
    fn the_embedded_components_hold_the_four_documented_tools() {
        let mut names = Vec::new();
        for component in components() {
            let tools = reflect(&component.bytes().unwrap(), &ReflectLimits::default()).unwrap();
            assert!(tools.unsupported.is_empty());
            for tool in tools.tools {
                assert!(tool.description.len() > 100, "{}: {}", tool.name, tool.description);
                names.push(tool.name.to_string());
            }
        }
        names.sort();
        assert_eq!(names, ["analyze_code", "list_files", "read_file", "search_text"]);
    }
}
