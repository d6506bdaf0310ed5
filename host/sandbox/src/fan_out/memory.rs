//! What was made of files, to be given again: which work is equal, and what keeps it.

use super::terms::Terms;
use crate::digest::Digest;
use std::fmt;

/// Keeps what a component made of files. What can't be kept or found is worked on again, so nothing
/// here fails; an implementation logs what is wrong. Called on threads that may block.
pub trait FileMemory: fmt::Debug + Send + Sync {
    /// What is kept under each of these keys, in their order; none for what isn't. Values that would
    /// make it more than `room` bytes altogether may be left out.
    fn get(&self, keys: &[Digest], room: usize) -> Vec<Option<Vec<u8>>>;

    /// Keeps these values under their keys.
    fn put(&self, values: Vec<(Digest, Vec<u8>)>);
}

/// What two pieces of work must have in common for one to stand for the other: the version of the
/// host, component, project, task, path and content. Not the engine: the same code gives the same.
pub(super) fn key(terms: &Terms, task: Digest, path: &str, content: Digest) -> Digest {
    let component = terms.component().digest();
    let parts: [&[u8]; 7] = [
        b"ringfence file 1",
        env!("CARGO_PKG_VERSION").as_bytes(),
        component.as_bytes(),
        terms.project(),
        task.as_bytes(),
        path.as_bytes(),
        content.as_bytes(),
    ];
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    Digest::from_hash(hasher.finalize())
}
