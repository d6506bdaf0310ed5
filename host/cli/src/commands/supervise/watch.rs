//! Following one child: which run it drives, and whether it still gives signs of life.
//!
//! Silence is counted by a clock that stands still while this process does: a machine that slept,
//! or a terminal's Ctrl-Z, is no hanging run.

use crate::notify;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::{RunId, StageName, Timestamp};
use ringfence_store::{Heartbeat, RunSummary, Store};
use std::time::{Duration, Instant};

/// What tells a child's signs of life from those of an older process with its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// When that was.
    at: Timestamp,
    /// The token under which the run was driven, if it was there.
    token: u64,
}

impl Before {
    /// As it is now.
    pub(super) fn now(folders: &Folders, run: Option<&RunId>) -> Self {
        let token = || folders.read_store().ok()??.heartbeat(run?).ok()?.map(|beat| beat.token);
        Self { at: Store::now(), token: token().unwrap_or(0) }
    }
}

/// What is known of one child.
pub(super) struct Watch<'f> {
    folders: &'f Folders,
    store: Option<Store>,
    pid: u32,
    /// What was known before it was started.
    before: Before,
    /// The run, once it is known.
    run: Option<RunId>,
    heard: Option<Heartbeat>,
    silence: Duration,
    looked: Instant,
}

impl<'f> Watch<'f> {
    /// Watches a child.
    pub(super) fn new(folders: &'f Folders, pid: u32, before: Before, run: Option<RunId>) -> Self {
        let looked = Instant::now();
        Self { folders, store: None, pid, before, run, heard: None, silence: Duration::ZERO, looked }
    }

    /// The run that the child drives, as far as it is known.
    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }

    /// Looks for signs of life. `usual`: the time between two looks. Gives how long there were
    /// none, if that is `patience` or more.
    pub(super) fn look(&mut self, usual: Duration, patience: Duration) -> Option<Duration> {
        let passed = self.looked.elapsed().min(usual.saturating_mul(2));
        self.looked = Instant::now();
        match self.listen() {
            Ok(Some(patient)) => {
                self.silence = self.silence.saturating_add(passed);
                let patience = patience.saturating_add(patient);
                (self.silence >= patience).then_some(self.silence)
            }
            Ok(None) => {
                self.silence = Duration::ZERO;
                None
            }
            // Who can't hear can't judge.
            Err(error) => {
                tracing::debug!(%error, "the journal can't be read for signs of life");
                None
            }
        }
    }

    /// None if there was a sign, or none is to be expected; else what to be patient for besides.
    fn listen(&mut self) -> Result<Option<Duration>> {
        if self.store.is_none() {
            self.store = self.folders.read_store()?;
        }
        let Some(store) = &self.store else { return Ok(None) };
        if self.run.is_none() {
            self.run = driven_by(store, self.pid, self.before.at)?;
        }
        let Some(run) = &self.run else { return Ok(None) };
        let beat =
            store.heartbeat(run)?.filter(|beat| beat.pid == self.pid && beat.token > self.before.token);
        if beat.is_some() && beat != self.heard {
            self.heard = beat;
            return Ok(None);
        }
        let summary = store.find(&run.0)?;
        Ok(match (summary.ending, summary.stage) {
            // Nothing is left to be resumed: it may print its result as slowly as it is read.
            (Some(_), _) => None,
            // It may be about to end, and be telling somebody.
            (None, StageName::PausedForReview) => Some(notify::LIMIT),
            (None, _) => Some(Duration::ZERO),
        })
    }

    /// The run as it is listed, looked for once more if it isn't known.
    pub(super) fn summary(&mut self) -> Option<RunSummary> {
        let _ = self.listen();
        self.store.as_ref()?.find(&self.run.as_ref()?.0).ok()
    }
}

/// The run whose driver gave its latest sign of life as this process.
fn driven_by(store: &Store, pid: u32, since: Timestamp) -> Result<Option<RunId>> {
    for run in store.runs(None)?.into_iter().take_while(|run| run.created >= since) {
        let beat = store.heartbeat(&run.id)?;
        if beat.is_some_and(|beat| beat.pid == pid && beat.at >= since) {
            return Ok(Some(run.id));
        }
    }
    Ok(None)
}
