#![forbid(unsafe_code)]
//! Components of others: fetched from files, hosts and OCI registries, verified, published.
//!
//! Owns: what a source is, getting its bytes within bounds, logins of registries, signatures, and
//! putting a component into a registry. Doesn't own: where bytes are kept, what a component may do,
//! or who approves it. What a peer sends is hostile input: everything that it can make grow is
//! bounded, and nothing of it counts before its digest was computed here.

mod bundle;
mod client;
mod component;
mod error;
mod fetched;
mod key;
mod login;
mod oci;
mod scope;
mod sha256;
mod signature;
mod source;
mod web;
mod words;

pub use client::{Client, Limits};
pub use error::Error;
pub use fetched::{Fetched, Resolved};
pub use key::{KeyError, KeyId, PublicKey, TrustedKey, TrustedKeys};
pub use login::{Login, Logins};
pub use oci::{Artifact, Published};
pub use scope::{Scope, ScopeError};
pub use sha256::{Sha256, Sha256Error};
pub use signature::SignatureError;
pub use source::{OciReference, RegistryHost, Repository, Source, SourceError, Tag, Version, WebAddress};
