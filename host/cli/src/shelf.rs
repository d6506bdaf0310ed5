//! Components kept by digest in the state folder: pinned ones, and those of runs, so that one can be
//! taken up again though the file that it was started with has changed or is gone.
//!
//! Works below one directory handle (cap-std): a link on the shelf leads nowhere outside of it.

use anyhow::{Context, Result};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt};
use ringfence_registry::KeyId;
use ringfence_sandbox::{ComponentSource, Digest, MAX_COMPONENT_BYTES};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;

const NAME: &str = "components";
/// Longer lists of signers aren't read.
const MAX_SIGNERS_BYTES: u64 = 64 << 10;

/// Kept components.
pub struct Shelf(Arc<Dir>);

impl Shelf {
    /// The shelf in a state folder; made where it is missing.
    pub fn open(state: &Path) -> Result<Self> {
        let shelf = || -> std::io::Result<Dir> {
            let state = Dir::open_ambient_dir(state, ambient_authority())?;
            match state.create_dir_with(NAME, DirBuilder::new().mode(0o700)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
                Ok(()) | Err(_) => state.open_dir(NAME),
            }
        };
        let shelf = shelf().with_context(|| format!("{} can't be used", state.join(NAME).display()))?;
        Ok(Self(Arc::new(shelf)))
    }

    /// Keeps a component's bytes; all of them or nothing, whenever the process ends. Others in their
    /// place are replaced.
    pub fn keep(&self, source: &ComponentSource) -> Result<()> {
        let name = file_name(source.digest());
        if self.is_whole(source.digest()) {
            return Ok(());
        }
        let bytes = source.bytes()?;
        self.write(&name, &bytes).with_context(|| format!("the component {} can't be kept", source.name()))
    }

    /// Whether a component's bytes are kept.
    pub fn has(&self, digest: Digest) -> bool {
        self.0.try_exists(file_name(digest)).unwrap_or(false)
    }

    /// Whether they are, and are the right ones: reads them.
    pub fn is_whole(&self, digest: Digest) -> bool {
        self.has(digest) && self.get("", digest).bytes().is_ok()
    }

    /// Remembers that a key's signature of a component was checked.
    pub fn note_signed(&self, digest: Digest, key: KeyId) -> Result<()> {
        if self.is_signed(digest, key) {
            return Ok(());
        }
        let keys = format!("{}{key}\n", self.signers(digest));
        let write = self.write(&signers_name(digest), keys.as_bytes());
        write.with_context(|| format!("that {digest} is signed can't be kept"))
    }

    /// Whether a signature by this key was checked.
    pub fn is_signed(&self, digest: Digest, key: KeyId) -> bool {
        let key = key.to_string();
        self.signers(digest).lines().any(|line| line == key)
    }

    /// The keys, one a line. What can't be read vouches for nothing.
    fn signers(&self, digest: Digest) -> String {
        let mut keys = String::new();
        let file = self.0.open(signers_name(digest));
        let read = file.and_then(|file| file.take(MAX_SIGNERS_BYTES).read_to_string(&mut keys));
        if read.is_ok() { keys } else { String::new() }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        let unfinished = format!("{name}.{}", std::process::id());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let write = || -> std::io::Result<()> {
            let mut file = self.0.open_with(&unfinished, &options)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            self.0.rename(&unfinished, &self.0, name)
        };
        write().inspect_err(|_| {
            // What is left of it helps nobody; that it can't be removed is the lesser trouble.
            let _ = self.0.remove_file(&unfinished);
        })
    }

    /// A kept component under the name it had; loading it checks the digest.
    pub fn get(&self, name: &str, digest: Digest) -> ComponentSource {
        let shelf = self.0.clone();
        ComponentSource::lazy(name, digest, move || {
            let mut bytes = Vec::new();
            let read = shelf
                .open(file_name(digest))
                .and_then(|file| file.take(MAX_COMPONENT_BYTES + 1).read_to_end(&mut bytes));
            read.map_err(|error| format!("it was kept with its run and can't be read: {error}"))?;
            Ok(bytes)
        })
    }
}

fn signers_name(digest: Digest) -> String {
    format!("{}.signed", digest.hex())
}

fn file_name(digest: Digest) -> String {
    format!("{}.wasm", digest.hex())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn component(bytes: &[u8]) -> ComponentSource {
        ComponentSource::from_bytes("mine.wasm", bytes.to_vec())
    }

    #[test]
    fn a_kept_component_is_read_again_and_kept_once() {
        let state = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(state.path()).unwrap();
        let source = component(b"\0asm and so on");
        shelf.keep(&source).unwrap();
        shelf.keep(&source).unwrap();
        assert_eq!(fs::read_dir(state.path().join(NAME)).unwrap().count(), 1);
        let again = Shelf::open(state.path()).unwrap().get("mine.wasm", source.digest());
        assert_eq!(again.bytes().unwrap(), source.bytes().unwrap());
    }

    #[test]
    fn other_bytes_under_its_digest_are_refused() {
        let state = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(state.path()).unwrap();
        let source = component(b"the right ones");
        shelf.keep(&source).unwrap();
        fs::write(state.path().join(NAME).join(file_name(source.digest())), b"other ones").unwrap();
        assert!(shelf.get("mine.wasm", source.digest()).bytes().is_err());
        assert!(shelf.has(source.digest()) && !shelf.is_whole(source.digest()));
        shelf.keep(&source).unwrap();
        assert_eq!(shelf.get("mine.wasm", source.digest()).bytes().unwrap(), source.bytes().unwrap());
    }

    #[test]
    fn a_link_on_the_shelf_leads_nowhere_outside() {
        let state = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(state.path()).unwrap();
        let source = component(b"bytes of another place");
        fs::write(state.path().join("outside"), b"bytes of another place").unwrap();
        std::os::unix::fs::symlink("../outside", state.path().join(NAME).join(file_name(source.digest())))
            .unwrap();
        assert!(shelf.get("mine.wasm", source.digest()).bytes().is_err());
    }
}
