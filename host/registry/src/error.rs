//! What can go wrong with somebody else's component: what, where, and what to do.

use crate::sha256::Sha256;
use crate::signature::SignatureError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a component can't be fetched, verified or published.
#[derive(Debug, Error)]
pub enum Error {
    /// A file that can't be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Nothing is there.
    #[error("{at} has no {what}")]
    NotFound {
        /// Whom was asked.
        at: String,
        /// For what.
        what: String,
    },
    /// The registry wants to know who asks.
    #[error("{registry} wants a login for {what}")]
    LoginNeeded {
        /// The registry.
        registry: String,
        /// What was asked for.
        what: String,
    },
    /// The login that there is isn't enough.
    #[error("{registry} refuses the login for {what} ({status})")]
    LoginRefused {
        /// The registry.
        registry: String,
        /// What was asked for.
        what: String,
        /// The HTTP status.
        status: u16,
    },
    /// The login that is configured can't be had.
    #[error("the login for {registry} can't be used: {why}")]
    Login {
        /// The registry.
        registry: String,
        /// Why not.
        why: String,
    },
    /// There is no answer.
    #[error("{at} can't be reached: {why}")]
    Unreachable {
        /// Whom was asked.
        at: String,
        /// What the network says.
        why: String,
    },
    /// An answer that takes too long.
    #[error("{at} took longer than {seconds} s to give {what}")]
    TooSlow {
        /// Whom was asked.
        at: String,
        /// For what.
        what: String,
        /// The bound.
        seconds: u64,
    },
    /// An answer that says no in another way.
    #[error("{at} answers {status} for {what}{}", said(said_by))]
    Status {
        /// Whom was asked.
        at: String,
        /// For what.
        what: String,
        /// The HTTP status.
        status: u16,
        /// Its own words, bounded; possibly none.
        said_by: String,
    },
    /// An answer that leads elsewhere.
    #[error("{at} leads to {to}, which isn't followed: {why}")]
    Redirect {
        /// Whom was asked.
        at: String,
        /// Where it leads.
        to: String,
        /// Why not.
        why: String,
    },
    /// More than is read.
    #[error("{what} has more than {limit} bytes")]
    TooLarge {
        /// What.
        what: String,
        /// The bound.
        limit: u64,
    },
    /// Other bytes than were promised.
    #[error("{what} isn't what it should be: its digest is {found}, expected {expected}")]
    WrongDigest {
        /// What.
        what: String,
        /// What was promised.
        expected: Sha256,
        /// What was sent.
        found: Sha256,
    },
    /// Something else than a component.
    #[error("{what} isn't a component: {why}")]
    NotAComponent {
        /// What.
        what: String,
        /// Why not.
        why: String,
    },
    /// An artifact whose component can't be told.
    #[error("{what} can't be used: {why}")]
    Artifact {
        /// The reference.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The signature that its source must have.
    #[error("{what}: {source}")]
    Signature {
        /// The source.
        what: String,
        /// What is wrong.
        source: SignatureError,
    },
    /// No client can be prepared.
    #[error("no connection can be prepared: {0}")]
    Client(String),
}

fn said(by: &str) -> String {
    if by.is_empty() { String::new() } else { format!(": {by}") }
}

impl Error {
    /// What a person can do about it, where something is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File { path, .. } => {
                let text = path.to_string_lossy();
                let first = text.split('/').next().unwrap_or_default();
                let is_host =
                    first.contains('.') && first.len() > 2 && text.contains('/') && !first.starts_with('.');
                is_host.then(|| format!("for a registry, write oci://{text}"))
            }
            Self::LoginNeeded { registry, .. } => Some(log_in(registry)),
            Self::LoginRefused { registry, .. } => {
                Some(format!("if the name is right, log in as somebody who may: {}", log_in(registry)))
            }
            Self::Login { .. } => Some("mend the entry of ~/.docker/config.json, or log in again".to_owned()),
            Self::NotFound { .. } => Some("look at its spelling, and at whether it is public".to_owned()),
            Self::Unreachable { .. } => {
                Some("look at the name, the network and the proxy (HTTPS_PROXY)".to_owned())
            }
            Self::Signature { source, .. } => source.hint(),
            Self::TooSlow { .. }
            | Self::Status { .. }
            | Self::Redirect { .. }
            | Self::TooLarge { .. }
            | Self::WrongDigest { .. }
            | Self::NotAComponent { .. }
            | Self::Artifact { .. }
            | Self::Client(_) => None,
        }
    }
}

fn log_in(registry: &str) -> String {
    format!(
        "log in with `docker login {registry}` or `podman login {registry}`, or set RINGFENCE_REGISTRY_HOST={registry}, RINGFENCE_REGISTRY_USER and RINGFENCE_REGISTRY_PASSWORD"
    )
}
