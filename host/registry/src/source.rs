//! Where a component comes from, as a person writes it: `PATH`, `https://…`, `oci://…`.

mod oci;
mod web;

pub use oci::{OciReference, RegistryHost, Repository, Tag, Version};
pub use web::WebAddress;
pub(crate) use web::{is_loopback, is_near, is_safe};

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Where a component comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file of this machine.
    File(PathBuf),
    /// A file of a host.
    Web(WebAddress),
    /// An artifact of a registry.
    Oci(OciReference),
}

/// Why a text names no source.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no source of a component: {why}")]
pub struct SourceError {
    /// What was written.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

impl SourceError {
    fn new(text: &str, why: impl Into<String>) -> Self {
        Self { text: crate::words::cut(text, 300), why: why.into() }
    }
}

impl Source {
    /// Whether this machine itself, or a network of its own, is asked for it, as far as the address
    /// says so. Reading a file asks nobody.
    pub fn is_near(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Web(address) => is_near(address.url()),
            Self::Oci(reference) => reference.registry.is_near(),
        }
    }
}

/// Longer ones name nothing.
const MAX_TEXT: usize = 4_096;

impl FromStr for Source {
    type Err = SourceError;
    fn from_str(text: &str) -> Result<Self, SourceError> {
        if text.is_empty() || text.len() > MAX_TEXT || text.chars().any(char::is_control) {
            return Err(SourceError::new(text, "want a path, https://… or oci://…"));
        }
        if text.starts_with("oci://") {
            return text.parse().map(Self::Oci);
        }
        if text.contains("://") {
            return text.parse().map(Self::Web);
        }
        Ok(Self::File(PathBuf::from(text)))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Web(address) => write!(f, "{address}"),
            Self::Oci(reference) => write!(f, "{reference}"),
        }
    }
}
