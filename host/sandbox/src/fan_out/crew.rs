//! The workers of one `run`: as many as there is work and room for, and none left behind.
//!
//! The first works while the call waits for it, so that every call gets on. Each other takes one of
//! the places for all runs together, which are as many as can be of use: no call has to wait for one.

use super::terms::Terms;
use super::worker::{Done, Job, Worker};
use crate::call::CallRequest;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex, OwnedSemaphorePermit};
use tokio::task::JoinSet;

/// However many processors there are.
const MOST_WORKERS: usize = 8;
/// So many files wait for each worker at most, so that none of them has to wait for a file.
const AHEAD: usize = 8;
/// Of the files that wait and are worked on, in bytes, unless it is one.
const AHEAD_BYTES: usize = 16 << 20;

/// Of one run.
pub(crate) fn most_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS)
}

/// Workers and what they are given. Dropping it stops them.
pub(super) struct Crew {
    terms: Arc<Terms>,
    request: Arc<CallRequest>,
    task: Arc<[u8]>,
    /// What is left of the call's instructions, where they are counted.
    fuel: Option<u64>,
    most: usize,
    jobs: UnboundedSender<Job>,
    taken: Arc<Mutex<UnboundedReceiver<Job>>>,
    results: UnboundedSender<Done>,
    done: UnboundedReceiver<Done>,
    workers: JoinSet<Option<u64>>,
    under_way: usize,
    under_way_bytes: usize,
}

impl Crew {
    pub(super) fn new(terms: Arc<Terms>, task: Arc<[u8]>, fuel: Option<u64>) -> wasmtime::Result<Self> {
        let (jobs, taken) = unbounded_channel();
        let (results, done) = unbounded_channel();
        Ok(Self {
            request: Arc::new(terms.bare()?),
            terms,
            task,
            // Who shares a number of instructions works one after the other, so that they end at the
            // same file each time.
            most: if fuel.is_some() { 1 } else { most_workers() },
            fuel,
            jobs,
            taken: Arc::new(Mutex::new(taken)),
            results,
            done,
            workers: JoinSet::new(),
            under_way: 0,
            under_way_bytes: 0,
        })
    }

    /// Whether files are being worked on.
    pub(super) fn is_busy(&self) -> bool {
        self.under_way > 0
    }

    /// Whether enough files wait.
    pub(super) fn is_full(&self) -> bool {
        self.under_way >= self.most * AHEAD || self.under_way_bytes >= AHEAD_BYTES
    }

    /// Gives a file to whoever is free first.
    pub(super) fn give(&mut self, job: Job) -> wasmtime::Result<()> {
        self.under_way += 1;
        self.under_way_bytes += job.content.len();
        self.jobs.send(job).map_err(|_| gone())?;
        if self.workers.is_empty() {
            self.start(None);
        } else if self.workers.len() < self.most.min(self.under_way)
            && let Ok(place) = self.terms.core.helpers.clone().try_acquire_owned()
        {
            self.start(Some(place));
        }
        Ok(())
    }

    fn start(&mut self, place: Option<OwnedSemaphorePermit>) {
        let worker = Worker::new(self.terms.clone(), self.request.clone(), self.task.clone(), self.fuel);
        let work = worker.work(self.taken.clone(), self.results.clone());
        self.workers.spawn(async move {
            let _place = place;
            work.await
        });
    }

    /// What came of the next file that is done with.
    pub(super) async fn next(&mut self) -> wasmtime::Result<Done> {
        let done = tokio::select! {
            biased;
            Some(done) = self.done.recv() => done,
            Some(Err(error)) = self.workers.join_next() => return Err(wasmtime::Error::msg(error.to_string())),
            else => return Err(gone()),
        };
        self.under_way = self.under_way.saturating_sub(1);
        self.under_way_bytes = self.under_way_bytes.saturating_sub(done.content_bytes);
        Ok(done)
    }

    /// Waits for the workers to be gone. Says what is left of the instructions.
    pub(super) async fn finish(self) -> wasmtime::Result<Option<u64>> {
        let Self { jobs, mut workers, mut fuel, .. } = self;
        drop(jobs);
        while let Some(left) = workers.join_next().await {
            fuel = left.map_err(|error| wasmtime::Error::msg(error.to_string()))?;
        }
        Ok(fuel)
    }
}

fn gone() -> wasmtime::Error {
    wasmtime::Error::msg("those who work on the files are gone")
}
