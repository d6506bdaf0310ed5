//! A component that was fetched, and what is known of it.

use crate::key::KeyId;
use crate::sha256::Sha256;
use crate::source::Source;

/// Where exactly something was found: it can be asked for again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// At the source itself.
    Same,
    /// In a registry, by digest.
    At(Source),
}

/// A component, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Of these bytes.
    pub sha256: Sha256,
    /// Where exactly it was found.
    pub resolved: Resolved,
    /// The trusted key that signed it; none where no signature was asked for.
    pub signed_by: Option<KeyId>,
    /// Parts of the artifact that were passed over, in words.
    pub passed_over: Vec<String>,
}
