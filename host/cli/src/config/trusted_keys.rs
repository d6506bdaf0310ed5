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
    // A folder is seen from the file, too. One that isn't there would protect nothing.
    let scope = match scope {
        Scope::File(path) => match folder.join(&path) {
            there if there.exists() => Scope::File(there),
            _ => return Err(said(no_folder(&section.source)).into()),
        },
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

/// What a text that names no folder was likely meant to be.
fn no_folder(source: &str) -> String {
    let what = format!("`source = \"{source}\"` is no folder that is there");
    if source.starts_with('~') {
        return format!("{what}: write your home folder out, from `/`");
    }
    format!("{what}; for a registry write \"oci://{source}\", for a host \"https://{source}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_would_protect_nothing_is_refused_with_how_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tools")).unwrap();
        let read = |source: &str| {
            let section = TrustedKeySection { source: source.to_owned(), key: "none.pub".into() };
            format!("{:#}", one(&section, folder.path()).unwrap_err())
        };
        for (source, why) in [
            ("registry.example.com/team/", "write \"oci://registry.example.com/team/\""),
            ("toolz", "is no folder that is there"),
            ("~/tools", "write your home folder out"),
            ("*", "want oci://"),
            ("oci://*.example.com/", "want oci://"),
            ("tools", "the key"),
            (folder.path().to_str().unwrap(), "the key"),
        ] {
            let said = read(source);
            assert!(said.contains(why), "{source}: {said}");
        }
    }
}
