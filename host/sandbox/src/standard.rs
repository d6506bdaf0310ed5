//! The standard tools' components, embedded compressed.
//!
//! Owns: which there are, their digests, unpacking one when it's needed. Doesn't own: where they
//! come from (`tools-wasm/`, `build.rs`), compiling or caching them.

use crate::component::ComponentSource;
use crate::digest::Digest;
use std::fmt;
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

/// What the tools of a standard component can't work without, reading apart. It is declared here:
/// the interface for files is the same for reading and for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A folder granted for writing.
    Write,
    /// A granted host.
    Egress,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write => "a folder granted for writing",
            Self::Egress => "a granted host",
        })
    }
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
    /// Its name: `files`, `code`, `edit`, `web`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What its tools need.
    pub fn need(&self) -> Option<Need> {
        match self.name {
            "edit" => Some(Need::Write),
            "web" => Some(Need::Egress),
            _ => None,
        }
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

/// The standard component with these bytes, if one has them.
pub fn by_digest(digest: Digest) -> Option<&'static StandardComponent> {
    COMPONENTS.iter().find(|known| known.digest().ok() == Some(digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::{ReflectLimits, reflect};

    #[test]
    fn every_embedded_component_is_what_its_manifest_says() {
        assert_eq!(
            components().iter().map(StandardComponent::name).collect::<Vec<_>>(),
            ["files", "code", "edit", "web"]
        );
        for component in components() {
            let bytes = component.bytes().unwrap();
            assert_eq!(Digest::of(&bytes), component.digest().unwrap(), "{}", component.name());
            assert_eq!(bytes.len() as u64, component.size());
        }
    }

    #[test]
    fn the_embedded_components_hold_the_documented_tools() {
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
        assert_eq!(
            names,
            [
                "analyze_code",
                "detect_stack",
                "edit_file",
                "fetch_page",
                "find_problems",
                "list_files",
                "map_code",
                "read_file",
                "search_text",
                "web_search",
                "write_file",
            ]
        );
    }

    #[test]
    fn a_component_that_writes_or_asks_the_network_needs_a_grant_for_it() {
        let needs: Vec<_> = components().iter().map(|known| (known.name(), known.need())).collect();
        let wanted =
            [("files", None), ("code", None), ("edit", Some(Need::Write)), ("web", Some(Need::Egress))];
        assert_eq!(needs, wanted);
    }
}
