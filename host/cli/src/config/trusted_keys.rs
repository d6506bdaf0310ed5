//! `[[trusted_keys]]` of the user's own file: which sources must be signed, and by whom.

use super::user_file::UserFile;
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_registry::{PublicKey, Scope, TrustedKey, TrustedKeys};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A key is never longer.
const KEY_BYTES: u64 = 64 << 10;

/// One of them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedKeySection {
    /// The sources that it is for: all below this address.
    pub source: String,
    /// The file that has it, relative to the file that says so.
    pub key: PathBuf,
}

/// The keys themselves. One that can't be read is an error: what it is for would go unchecked.
pub(super) fn read(user: &UserFile) -> Result<TrustedKeys> {
    let keys = user.config.trusted_keys.iter().map(|section| one(section, user.folder()));
    Ok(TrustedKeys::new(keys.collect::<Result<_>>()?))
}

fn one(section: &TrustedKeySection, folder: &Path) -> Result<TrustedKey> {
    let said = |what: String| {
        Refusal::usage(format!("[[trusted_keys]] of your configuration: {what}"))
            .hint("mend it, or take it out: without a key, what comes from there isn't checked")
    };
    let scope: Scope = section.source.parse().map_err(|error| said(format!("{error}")))?;
    // A folder is seen from the file, too.
    let scope = match scope {
        Scope::File(path) => Scope::File(folder.join(path)),
        scope @ (Scope::Oci { .. } | Scope::Web { .. }) => scope,
    };
    let path = folder.join(&section.key);
    let mut pem = String::new();
    let read = File::open(&path).and_then(|file| file.take(KEY_BYTES).read_to_string(&mut pem));
    read.map_err(|error| said(format!("the key {} can't be read: {error}", path.display())))?;
    let key = PublicKey::from_pem(&pem)
        .map_err(|error| said(format!("the key {} can't be used: {error}", path.display())))?;
    Ok(TrustedKey { scope, key })
}
