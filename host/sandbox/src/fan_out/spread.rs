//! One `run`: reads the files in their order, a few ahead of the workers, and puts together what came
//! of each.

use super::crew::Crew;
use super::import::{Made, Outcome, over};
use super::memory::key;
use super::terms::Terms;
use super::worker::{Done, End, Job};
use super::{MOST_CONTENT, MOST_VALUES};
use crate::digest::Digest;
use crate::host_state::HostState;
use crate::view::ReadWhole;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use wasmtime::StoreContextMut;

/// Files that are read before the memory is asked for all of them.
const CHUNK_FILES: usize = 64;
/// The same, in bytes of their contents.
const CHUNK_BYTES: usize = 4 << 20;
/// Values that are kept in one go.
const KEPT_AT_ONCE: usize = 128;
/// The same, in bytes.
const KEPT_BYTES: usize = 4 << 20;

/// The work of one `run`.
pub(super) struct Spread<'a> {
    store: StoreContextMut<'a, HostState>,
    terms: Arc<Terms>,
    crew: Crew,
    task: Digest,
    paths: std::iter::Enumerate<std::vec::IntoIter<String>>,
    /// None for what isn't done with.
    outcomes: Vec<Option<Outcome>>,
    /// Of the files that are worked on, by their place in the list.
    contents: HashMap<usize, Known>,
    value_bytes: usize,
    to_keep: Vec<(Digest, Vec<u8>)>,
    to_keep_bytes: usize,
    settled: bool,
}

/// What a file that was read is known by.
struct Known {
    key: Digest,
    content: Digest,
}

impl<'a> Spread<'a> {
    pub(super) fn new(
        store: StoreContextMut<'a, HostState>,
        terms: Arc<Terms>,
        task: Vec<u8>,
        paths: Vec<String>,
    ) -> wasmtime::Result<Self> {
        let counted = store.get_fuel().ok();
        let digest = Digest::of(&task);
        Ok(Self {
            crew: Crew::new(terms.clone(), task.into(), counted)?,
            store,
            terms,
            task: digest,
            outcomes: paths.iter().map(|_| None).collect(),
            paths: paths.into_iter().enumerate(),
            contents: HashMap::new(),
            value_bytes: 0,
            to_keep: Vec::new(),
            to_keep_bytes: 0,
            settled: true,
        })
    }

    pub(super) async fn run(mut self) -> wasmtime::Result<Vec<Outcome>> {
        loop {
            let chunk = self.read_chunk().await?;
            if chunk.is_empty() {
                break;
            }
            // Where everything is remembered nothing else waits, and the call may be over.
            tokio::task::yield_now().await;
            self.work_on(chunk).await?;
        }
        while self.crew.is_busy() {
            let done = self.crew.next().await?;
            self.take(done).await?;
        }
        self.keep().await?;
        if let Some(left) = self.crew.finish().await? {
            self.store.set_fuel(left)?;
        }
        let reached = self.outcomes.iter().all(Option::is_some);
        if !(reached && self.settled) {
            self.store.data_mut().view.lose_footprint();
        }
        Ok(self.outcomes.into_iter().map(|outcome| outcome.unwrap_or(Outcome::NotReached)).collect())
    }

    /// Reads on until there is enough to do. Nothing more where all is read, or the time nearly over.
    async fn read_chunk(&mut self) -> wasmtime::Result<Vec<(Job, Known)>> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        while chunk.len() < CHUNK_FILES && bytes < CHUNK_BYTES && !self.terms.nearly_over() {
            let Some((index, path)) = self.paths.next() else { break };
            match self.store.data_mut().files().read_whole(&path, MOST_CONTENT).await? {
                ReadWhole::Whole { bytes: content, hash } => {
                    bytes += content.len();
                    let key = key(&self.terms, self.task, &path, hash);
                    chunk.push((Job { index, path, content }, Known { key, content: hash }));
                }
                ReadWhole::TooLarge(size) => self.end(index, Outcome::TooLarge(size)),
                ReadWhole::Unreadable(reason) => self.end(index, Outcome::Unreadable(reason)),
            }
        }
        Ok(chunk)
    }

    fn end(&mut self, index: usize, outcome: Outcome) {
        if let Some(place) = self.outcomes.get_mut(index) {
            *place = Some(outcome);
        }
    }

    /// Gives what isn't remembered to the workers.
    async fn work_on(&mut self, chunk: Vec<(Job, Known)>) -> wasmtime::Result<()> {
        let keys = chunk.iter().map(|(_, known)| known.key).collect();
        let room = MOST_VALUES.saturating_sub(self.value_bytes);
        let mut remembered = self.remembered(keys, room).await?.into_iter();
        for (job, known) in chunk {
            if let Some(value) = remembered.next().flatten() {
                self.terms.count_remembered();
                self.done(job.index, value, known.content)?;
                continue;
            }
            while self.crew.is_full() {
                let done = self.crew.next().await?;
                self.take(done).await?;
            }
            self.contents.insert(job.index, known);
            self.crew.give(job)?;
        }
        Ok(())
    }

    async fn remembered(&mut self, keys: Vec<Digest>, room: usize) -> wasmtime::Result<Vec<Option<Vec<u8>>>> {
        let Some(memory) = self.terms.file_memory().cloned() else { return Ok(Vec::new()) };
        Ok(spawn_blocking(move || memory.get(&keys, room)).await?)
    }

    /// Has the memory keep what was made so far.
    async fn keep(&mut self) -> wasmtime::Result<()> {
        self.to_keep_bytes = 0;
        let values = std::mem::take(&mut self.to_keep);
        match self.terms.file_memory().cloned() {
            Some(memory) if !values.is_empty() => Ok(spawn_blocking(move || memory.put(values)).await?),
            Some(_) | None => Ok(()),
        }
    }

    fn done(&mut self, index: usize, value: Vec<u8>, content: Digest) -> wasmtime::Result<()> {
        self.value_bytes = self.value_bytes.saturating_add(value.len());
        if self.value_bytes > MOST_VALUES {
            let most = MOST_VALUES >> 20;
            return Err(over(format!("what was made of the files has over {most} MiB")));
        }
        self.end(index, Outcome::Done(Made { value, content: content.hex() }));
        Ok(())
    }

    /// Takes what came of a file.
    async fn take(&mut self, done: Done) -> wasmtime::Result<()> {
        let Some(known) = self.contents.remove(&done.index) else { return Ok(()) };
        match done.end {
            End::Value { bytes, settled } => {
                self.terms.count_worked();
                self.settled &= settled;
                if settled && self.terms.file_memory().is_some() {
                    self.to_keep_bytes += bytes.len();
                    self.to_keep.push((known.key, bytes.clone()));
                }
                self.done(done.index, bytes, known.content)?;
            }
            End::Failed { reason, settled } => {
                self.terms.count_worked();
                self.settled &= settled;
                self.end(done.index, Outcome::Failed(reason));
            }
            End::NotReached => {}
            End::Over(error) => return Err(error),
        }
        if self.to_keep.len() >= KEPT_AT_ONCE || self.to_keep_bytes >= KEPT_BYTES {
            self.keep().await?;
        }
        Ok(())
    }
}
