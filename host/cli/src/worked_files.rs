//! What components made of single files, kept so that a file that is as it was isn't worked on again: the
//! sandbox's memory of files in the store's file.
//!
//! Owns: where the two meet. Doesn't own: which work is equal (`ringfence-sandbox`), keeping what it comes
//! to (`ringfence-store`). What lies there is what components returned, keyed by hashes: no path, and
//! nothing of a file but what the component says of it.

use crate::kept_answers::{KeptAnswers, warned};
use crate::state_dir::Folders;
use ringfence_sandbox::{Digest, FileMemory};
use ringfence_store::AnswerBounds;

const FILE: &str = "files.db";
const BOUNDS: AnswerBounds = AnswerBounds { bytes: 256 << 20, entries: 200_000 };

/// What was made of files, in the user's state folder.
#[derive(Debug)]
pub struct WorkedFiles(KeptAnswers);

impl WorkedFiles {
    /// Opened when the first is asked for.
    pub fn of(folders: &Folders) -> Self {
        Self(KeptAnswers::of(folders, FILE, BOUNDS))
    }
}

impl FileMemory for WorkedFiles {
    fn get(&self, keys: &[Digest], room: usize) -> Vec<Option<Vec<u8>>> {
        let keys: Vec<_> = keys.iter().map(Digest::hex).collect();
        let found = self
            .0
            .open()
            .and_then(|mut answers| answers.get_many(&keys, room as u64).map_or_else(warned, Some));
        found.unwrap_or_default()
    }

    fn put(&self, values: Vec<(Digest, Vec<u8>)>) {
        let Some(mut answers) = self.0.open() else { return };
        let values: Vec<_> = values.into_iter().map(|(key, value)| (key.hex(), value)).collect();
        let _: Option<()> = answers.put_many(&values).map_or_else(warned, Some);
    }
}
