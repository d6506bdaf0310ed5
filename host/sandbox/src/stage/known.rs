//! What a run has read so far: which content it knows under which path.

use crate::digest::Digest;
use crate::receipt::{Content, Receipt};
use std::collections::{HashMap, HashSet};

/// The contents of files that were read whole in earlier calls of a run. A file of the project may
/// be changed only if what it holds is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownReads(HashMap<String, HashSet<Digest>>);

impl KnownReads {
    /// Nothing was read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what a call has read whole, and what it has written: that is known as well.
    pub fn learn(&mut self, receipt: &Receipt) {
        for written in &receipt.written {
            if let Some(after) = written.after {
                self.add(&written.path, after);
            }
        }
        for opened in &receipt.opened {
            match opened.content {
                Content::Whole { hash } => self.add(&opened.path, hash),
                Content::Nothing | Content::Ranges { .. } => {}
            }
        }
    }

    /// A file of this content was read whole at this path of the project.
    pub fn add(&mut self, path: &str, hash: Digest) {
        self.0.entry(path.to_owned()).or_default().insert(hash);
    }

    /// Whether this content was read at this path.
    pub fn knows(&self, path: &str, hash: Digest) -> bool {
        self.0.get(path).is_some_and(|hashes| hashes.contains(&hash))
    }

    /// Whether anything was read at this path.
    pub fn has_read(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
}
